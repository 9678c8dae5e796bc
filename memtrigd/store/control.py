"""Sessions and settings in control.db: whatever must outlive the daemon and names no content."""

from typing import Any, Final

import apsw
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Hearing


class SessionRow(Struct, frozen=True, kw_only=True):
    """A session as it is kept. ``origin`` is the socket that minted it; of the resume token only a hash is here."""

    id: str
    token_hash: bytes
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    origin: str
    start_level: Level
    level: Level
    ceiling: Level
    opened: Micros
    seen: Micros
    ended: Micros | None = None
    hearing: Hearing = Hearing.NONE


class ControlReader:
    """Reads of control.db, over a connection that is this handle's own."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def by_token(self, token_hash: bytes) -> SessionRow | None:
        """The session whose resume token has this hash, ended or not."""
        return next(map(_session, self.connection.execute(_SELECT + " WHERE token_hash = ?", (token_hash,))), None)

    def by_id(self, session: str) -> SessionRow | None:
        """The session with this handle, ended or not."""
        return next(map(_session, self.connection.execute(_SELECT + " WHERE id = ?", (session,))), None)

    def all(self, *, include_ended: bool = False) -> list[SessionRow]:
        """The sessions in the order in which they were opened."""
        sql = _SELECT + " WHERE ended IS NULL OR ? ORDER BY opened, id"
        return list(map(_session, self.connection.execute(sql, (include_ended,))))

    def setting(self, name: str) -> str | None:
        """The value of a setting, or None."""
        rows = self.connection.execute("SELECT value FROM setting WHERE name = ?", (name,))
        return next((value for (value,) in rows), None)


class ControlWriter(ControlReader):
    """Writes of control.db, each inside the writer's transaction. The gate decides; the guards are its belt."""

    def add(self, row: SessionRow) -> None:
        """Keep a new session."""
        values = tuple(int(v) if isinstance(v, Level) else v for v in (getattr(row, field) for field in _COLUMNS))
        self.connection.execute(_ADD, values)

    def set_level(self, session: str, level: Level, at: Micros) -> Level:
        """Raise a living session to ``level``; return the level then in force, which may be higher.

        Raises Refusal ``session_unknown``, ``session_ended`` or ``over_ceiling``.
        """
        row = self.by_id(session)
        if row is None:
            raise Refusal("session_unknown", "There is no such session.", "`memtrigctl sessions` lists them.")
        if row.ended is not None:
            raise Refusal("session_ended", "The session was ended.", "Open a new one.")
        if level > row.ceiling:
            raise Refusal(
                "over_ceiling", f"The session's ceiling is {row.ceiling.name}.", "Open one with a higher one."
            )
        self.connection.execute(_RAISE, (int(level), session, int(level)))
        if not self.connection.changes():
            return row.level
        self.connection.execute(_RAISED, (session, int(row.level), int(level), at))
        return level

    def hear(self, session: str, hearing: Hearing) -> None:
        """Note that a session's user can be heard: from then on a relayed word counts only if it was."""
        self.connection.execute("UPDATE session SET hearing = ? WHERE id = ?", (hearing.value, session))

    def touch(self, session: str, at: Micros) -> None:
        """Note that the session was there at ``at``."""
        self.connection.execute("UPDATE session SET seen = max(seen, ?) WHERE id = ?", (at, session))

    def end(self, session: str, at: Micros) -> bool:
        """End a session for good; tell whether it was still living."""
        self.connection.execute("UPDATE session SET ended = ? WHERE id = ? AND ended IS NULL", (at, session))
        return self.connection.changes() > 0

    def prune(self, before: Micros) -> int:
        """Drop the sessions that ended or were last seen before ``before``; return how many."""
        self.connection.execute("DELETE FROM session WHERE coalesce(ended, seen) < ?", (before,))
        return self.connection.changes()

    def set_setting(self, name: str, value: str) -> None:
        """Keep a setting."""
        self.connection.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", (name, value))


def _session(row: tuple[Any, ...]) -> SessionRow:
    values = dict(zip(_COLUMNS, row, strict=True))
    for field in ("start_level", "level", "ceiling"):
        values[field] = Level(values[field])
    values["hearing"] = Hearing(values["hearing"])
    return SessionRow(**values)


_COLUMNS: Final = SessionRow.__struct_fields__
_SELECT: Final = " ".join(("SELECT", ", ".join(_COLUMNS), "FROM session"))
_ADD: Final = " ".join(
    ("INSERT INTO session (", ", ".join(_COLUMNS), ") VALUES (", ", ".join("?" * len(_COLUMNS)), ")")
)
_RAISE: Final = "UPDATE session SET level = ? WHERE id = ? AND level < ?"
_RAISED: Final = "INSERT INTO raised (session, from_level, to_level, at) VALUES (?, ?, ?, ?)"
