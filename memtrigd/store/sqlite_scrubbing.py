"""Credentials in one level's SQLite file: every text that may hold one, and another text in its place.

Salts are made anew with what they salt, so that nobody can test a guess of the old text against the journal's digests.
"""

from collections.abc import Iterator
from typing import Any, Final

import apsw
import msgspec

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.store import audit
from memtrigd.store.handles import ReadHandle, Row
from memtrigd.store.interface import Change
from memtrigd.store.interface_scrubbing import Clean, Holder, Texts
from memtrigd.store.records import (
    COLUMNS,
    ENTRY_FIELDS,
    WISH_FIELDS,
    entry_to_row,
    folded,
    to_row,
    wish_from_row,
    wish_to_row,
)

HISTORY: Final = "history"
"""The field of what only a memory's versions say."""
_FIELDS: Final = ("key", "content", "entity", "sentiment", "context", "lang", "quote", "reason")
_LISTS: Final = ("tags", "emotion_tags")


class ScrubbingReader(ReadHandle):
    """Reads of texts; ``_level`` and ``_key`` are those of the file."""

    _level: Level
    _key: bytes

    def texts(self, holder: Holder, after: int, limit: int) -> list[Texts]:
        """A slice of a walk over all rows of a sort, in number order after ``number``."""
        rows = self._rows(_WALKS[holder], {"after": after, "limit": limit})
        if holder in (Holder.MEMORY, Holder.ARCHIVE):
            return [self._of_memory(row) for row in rows]
        return [_SHAPES[holder](row) for row in rows]

    def forced(self) -> set[str]:
        """The ids of memories whose credentials the owner wanted to be kept."""
        return {about for (about,) in self._rows("SELECT about FROM event WHERE op = 'forced'") if about}

    def scrubbed(self) -> list[str]:
        """The ids of memories that credentials were taken out of."""
        return [each for (each,) in self._rows("SELECT DISTINCT memory_id FROM audit WHERE op = 'scrub'") if each]

    def all_wishes(self) -> list[Suppression]:
        """Every suppression that names anything, lifted or not."""
        wishes = map(wish_from_row, self._rows(_WISHES))
        return [wish for wish in wishes if wish.scope is not Scope.ERASED]

    def all_masks(self) -> list[tuple[str, str]]:
        """The key and the lower memory of each mask."""
        return [(key, memory_id) for key, memory_id in self._rows("SELECT DISTINCT key, memory_id FROM mask")]

    def _of_memory(self, row: Row) -> Texts:
        number, memory_id, space, at, *values = row
        said = [(name, value) for name, value in zip(_FIELDS, values[: len(_FIELDS)], strict=True) if value is not None]
        for name, value in zip(_LISTS, values[len(_FIELDS) :], strict=True):
            said += [(name, each) for each in msgspec.json.decode(value)]
        known = {text for _, text in said}
        for reason, fields in self._rows(_LIFE, (memory_id,)):
            told = (reason, *strings(msgspec.json.decode(fields)))
            said += [(HISTORY, text) for text in dict.fromkeys(told) if text is not None and text not in known]
        return Texts(number, memory_id, at, tuple(dict.fromkeys(said)), (space, values[0]))


class ScrubbingWriter(ScrubbingReader):
    """Writes of texts without credentials."""

    connection: apsw.Connection

    def retell(self, wish: Suppression, change: Change) -> None:
        """Put a suppression's key, entity, reason and digests in the place of what they were, with a new salt."""
        salt = audit.new_salt()
        self.connection.execute(_RETELL, (salt, folded(wish.entity), *wish_to_row(wish), wish.id))
        audit.vouch_anew(self.connection, self._key, wish, salt, change)
        self._forget_answers_about(wish.memory_id or wish.id)

    def rephrase(self, entry: Entry, change: Change) -> None:
        """Put an entry's texts in the place of what they were, with a new salt."""
        salt = audit.new_salt()
        self.connection.execute(_REPHRASE, (salt, *entry_to_row(entry), entry.id))
        audit.vouch_anew(self.connection, self._key, entry, salt, change)
        self._forget_answers_about(entry.id)

    def silence(self, number: int, change: Change) -> None:
        """Take an event's reason away, and keep that of the change in its place."""
        self.connection.execute("UPDATE event SET reason = NULL, salt = NULL WHERE seq = ?", (number,))
        salt, about = audit.new_salt(), audit.SILENCED.format(number)
        seq = audit.note(self.connection, self._key, salt, change, about)
        who = change.at, change.op, change.actor, change.session, change.reason
        self.connection.execute(_EVENT, (seq, salt, *who, about))

    def mask_under(self, key: str, old: str, memory_id: str) -> None:
        """Let what hides a lower memory be under its new key."""
        values = key, old, memory_id
        self.connection.execute("UPDATE OR REPLACE mask SET key = ? WHERE key = ? AND memory_id = ?", values)

    def drop_answers(self, numbers: list[int]) -> None:
        """Forget some answers that were given, by their numbers."""
        for number in numbers:
            self.connection.execute("DELETE FROM request WHERE rowid = ?", (number,))

    def _rewrite_life(self, memory_id: str, old: str, key: str, clean: Clean) -> None:
        """Rewrite the versions of a memory whose key was ``old`` and is ``key``."""
        steps: list[Row] = self.connection.execute(_STEPS, (memory_id,)).fetchall()
        for seq, reason, fields in steps:
            told = {
                name: key if name == "key" and value == old else _clean(value, clean)
                for name, value in msgspec.json.decode(fields).items()
            }
            values = None if reason is None else clean(reason), _encode(told).decode(), seq
            self.connection.execute("UPDATE version SET reason = ?, fields = ? WHERE seq = ?", values)

    def _place_anew(self, number: int, memory: Memory, salt: bytes) -> None:
        self.connection.execute(_PLACE, (salt, *to_row(memory), number))

    def _forget_answers_about(self, identity: str) -> None:
        self.connection.execute(_FORGET, (identity, identity))


def strings(value: Any) -> Iterator[str]:
    """Each string in a decoded document, the names in it too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from strings(name)
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def _clean(value: Any, clean: Clean) -> Any:
    """Like ``domain.scrubbing.cleaned``: of what reads the same afterwards a list keeps one."""
    if isinstance(value, list):
        return list(dict.fromkeys(map(clean, value)))
    return clean(value) if isinstance(value, str) else value


def _wish(row: Row) -> Texts:
    number, identity, at, *said = row
    return Texts(number, identity, at, _named(("key", "entity", "reason"), said))


def _entry(row: Row) -> Texts:
    number, identity, at, name, body = row
    told = ((key, value) for key, value in msgspec.json.decode(body).items() if isinstance(value, str))
    return Texts(number, identity, at, (*_named(("name",), [name]), *told))


def _event(row: Row) -> Texts:
    number, at, about, reason = row
    return Texts(number, about or "", at, _named(("reason",), [reason]))


def _answer(row: Row) -> Texts:
    number, at, key, reply = row
    said = [key, *strings(msgspec.msgpack.decode(reply))]
    return Texts(number, "", at, tuple(("answer", text) for text in said))


def _named(names: tuple[str, ...], values: list[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in zip(names, values, strict=True) if value is not None)


def _walk(table: str, number: str, columns: str) -> str:
    return " ".join(
        ("SELECT", number, ",", columns, "FROM", table, "WHERE", number, "> :after ORDER BY", number, "LIMIT :limit")
    )


_encode = msgspec.json.Encoder(order="deterministic").encode
_OF_MEMORY: Final = ", ".join(("id", "space", "created", *_FIELDS, *_LISTS))
_WALKS: Final = {
    Holder.MEMORY: _walk("memory", "number", _OF_MEMORY),
    Holder.ARCHIVE: _walk("archive", "number", _OF_MEMORY),
    Holder.WISH: _walk("suppression", "number", "id, at, key, entity, reason"),
    Holder.ENTRY: _walk("entry", "number", "id, created, name, body").replace(
        "ORDER BY", f"AND sort <> '{Sort.INTENT.value}' ORDER BY"
    ),
    Holder.EVENT: _walk("event", "seq", "at, about, reason"),
    Holder.ANSWER: _walk("request", "rowid", "at, idempotency_key, reply"),
}
_SHAPES: Final = {Holder.WISH: _wish, Holder.ENTRY: _entry, Holder.EVENT: _event, Holder.ANSWER: _answer}
_LIFE: Final = "SELECT reason, fields FROM version WHERE memory_id = ? ORDER BY seq"
_STEPS: Final = "SELECT seq, reason, fields FROM version WHERE memory_id = ? ORDER BY seq"
_WISHES: Final = " ".join(("SELECT", ", ".join(WISH_FIELDS), "FROM suppression ORDER BY number"))


def _update(table: str, columns: tuple[str, ...], where: str) -> str:
    return " ".join(("UPDATE", table, "SET salt = ?,", ", ".join(f"{each} = ?" for each in columns), "WHERE", where))


_PLACE: Final = _update("memory", COLUMNS, "number = ?")
_RETELL: Final = _update("suppression", ("entity_folded", *WISH_FIELDS), "id = ?")
_REPHRASE: Final = _update("entry", ENTRY_FIELDS, "id = ?")
_EVENT: Final = "INSERT INTO event (seq, salt, at, op, actor, session, reason, about) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_FORGET: Final = "DELETE FROM request WHERE memory_id = ? OR instr(reply, CAST(? AS BLOB)) > 0"
