"""Sessions and settings in control.db: whatever must outlive the daemon and names no content."""

from typing import Any, Final

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Hearing
from memtrigd.store.handles import ReadHandle, WriteHandle
from memtrigd.store.interface_control import SessionRow

FILE: Final = "control.db"
ANALYSED: Final = "analyser."
"""Begins the settings that tell by which analyser a level's index was made."""


class SqliteControlReader(ReadHandle):
    """The ControlReader of control.db, over a connection that is this handle's own."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection, FILE)

    def by_token(self, token_hash: bytes) -> SessionRow | None:
        """The session whose resume token has this hash, ended or not."""
        return self._one(_SELECT + " WHERE token_hash = ?", token_hash)

    def by_id(self, session: str) -> SessionRow | None:
        """The session with this handle, ended or not."""
        return self._one(_SELECT + " WHERE id = ?", session)

    def all(self, *, include_ended: bool = False, limit: int = -1) -> list[SessionRow]:
        """The sessions, the newest first: ``limit`` of them at most, every one if it is negative."""
        sql = _SELECT + " WHERE ended IS NULL OR ? ORDER BY opened DESC, id DESC LIMIT ?"
        return list(map(_session, self._rows(sql, (include_ended, limit))))

    def count(self) -> int:
        """How many sessions are kept, ended or not."""
        return sum(count for (count,) in self._rows("SELECT count(*) FROM session", ()))

    def setting(self, name: str) -> str | None:
        """The value of a setting, or None."""
        row = self._first("SELECT value FROM setting WHERE name = ?", (name,))
        return None if row is None else row[0]

    def settings(self, prefix: str) -> dict[str, str]:
        """The settings whose names begin so, in order."""
        begin = "SELECT name, value FROM setting WHERE substr(name, 1, ?) = ? ORDER BY name"
        return dict(self._rows(begin, (len(prefix), prefix)))

    def journal_end(self, level: Level) -> tuple[int, str] | None:
        """Where a level's journal ended when that was last kept: number and seal of its newest row."""
        kept = self.setting(_head(level))
        if kept is None:
            return None
        seq, _, seal = kept.partition(":")
        return int(seq), seal

    def _one(self, sql: str, wanted: str | bytes) -> SessionRow | None:
        row = self._first(sql, (wanted,))
        return None if row is None else _session(row)


class SqliteControlWriter(SqliteControlReader, WriteHandle):
    """The ControlWriter of control.db. The gate decides; the guards are its belt."""

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

    def distrust(self, session: str) -> None:
        """Note that a session read what strangers wrote. There is no way back."""
        self.connection.execute("UPDATE session SET untrusted = 1 WHERE id = ?", (session,))

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

    def keep_journal_end(self, level: Level, seq: int, seal: str) -> bool:
        """Keep where a level's journal ends; False if it ended later once, which then stays the anchor."""
        kept = self.journal_end(level)
        if kept is not None and kept[0] > seq:
            return False
        self.set_setting(_head(level), f"{seq}:{seal}")
        return True

    def reset_journal_end(self, level: Level, seq: int, seal: str) -> None:
        """Keep where a level's journal ends after a restore: it may have ended later before, and does no more."""
        self.set_setting(_head(level), f"{seq}:{seal}")

    def end_all(self, at: Micros) -> None:
        """End every session: control.db is an old one, and does not know what was raised since."""
        self.connection.execute("UPDATE session SET ended = ? WHERE ended IS NULL", (at,))

    def set_setting(self, name: str, value: str) -> None:
        """Keep a setting."""
        self.connection.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", (name, value))

    def drop_setting(self, name: str) -> None:
        """Drop a setting, if there is one."""
        self.connection.execute("DELETE FROM setting WHERE name = ?", (name,))


def _head(level: Level) -> str:
    return f"head.{level.slug}"


def _session(row: tuple[Any, ...]) -> SessionRow:
    values = dict(zip(_COLUMNS, row, strict=True))
    for field in ("start_level", "level", "ceiling"):
        values[field] = Level(values[field])
    values["hearing"], values["untrusted"] = Hearing(values["hearing"]), bool(values["untrusted"])
    return SessionRow(**values)


_COLUMNS: Final = SessionRow.__struct_fields__
_SELECT: Final = " ".join(("SELECT", ", ".join(_COLUMNS), "FROM session"))
_ADD: Final = " ".join(
    ("INSERT INTO session (", ", ".join(_COLUMNS), ") VALUES (", ", ".join("?" * len(_COLUMNS)), ")")
)
_RAISE: Final = "UPDATE session SET level = ? WHERE id = ? AND level < ?"
_RAISED: Final = "INSERT INTO raised (session, from_level, to_level, at) VALUES (?, ?, ?, ?)"
