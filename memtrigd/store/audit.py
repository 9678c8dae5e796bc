"""The journal of each level: append-only rows, each sealed together with the one before it (HMAC-SHA256).

A row holds a salted, keyed digest of the state of a memory or suppression, never the text. The salt lies with that
state: when it is destroyed nobody can test a guess of the text against the digest any more. ``verify`` finds each edit,
cut or swap made without the key; a cut at the very end only against a head that was kept elsewhere.
"""

import hmac
import os
from collections.abc import Iterator, Sequence
from typing import Any, Final

import apsw
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.suppression import Suppression
from memtrigd.store.interface import Change
from memtrigd.store.records import FIELDS, WISH_FIELDS, audited, from_row, wish_from_row

SALT_BYTES: Final = 16


class Head(Struct, frozen=True):
    """The newest row of a journal: its number and seal. ``Head(0, b"")`` of an empty one."""

    seq: int
    mac: bytes


def new_salt() -> bytes:
    """Salt for the digests of a new memory."""
    return os.urandom(SALT_BYTES)


def append(connection: apsw.Connection, key: bytes, state: Memory | Suppression, salt: bytes, change: Change) -> None:
    """Write the journal's row of a change, inside the change's own transaction."""
    _append(connection, key, state.id, _digest(key, salt, state), change)


def note(connection: apsw.Connection, key: bytes, salt: bytes, change: Change, about: str | None = None) -> None:
    """Write the journal's row of something that changed no memory of this level, ``about`` a lower one or none."""
    said = b"".join(map(_prefixed, (change.reason, about)))
    _append(connection, key, "", hmac.digest(key, b"note" + salt + said, "sha256"), change)


def text_digest(key: bytes, canonical_text: str) -> bytes:
    """The digest under which a forgotten text stays known: without salt, so that the text is known again."""
    return hmac.digest(key, b"text" + canonical_text.encode(), "sha256")


def _append(connection: apsw.Connection, key: bytes, memory_id: str, digest: bytes, change: Change) -> None:
    last = head(connection)
    fields = (last.seq + 1, change.at, change.op, memory_id, change.actor, change.session, digest)
    connection.execute(
        "INSERT INTO audit (seq, at, op, memory_id, actor, session, digest, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*fields, _seal(key, last.mac, fields)),
    )


def head(connection: apsw.Connection) -> Head:
    """The newest row, for keeping elsewhere."""
    for seq, mac in connection.execute("SELECT seq, mac FROM audit ORDER BY seq DESC LIMIT 1"):
        return Head(seq, mac)
    return Head(0, b"")


def verify(connection: apsw.Connection, key: bytes, level: Level, known: Head | None = None) -> list[str]:
    """Check the whole journal, and each memory and suppression against it; return the problems, one sentence each.

    None when all is sound. ``known`` is a head kept elsewhere: the journal must still hold it. Sentences name numbers
    and ids, no contents.
    """
    connection.execute("SAVEPOINT verify")  # one snapshot for all walks
    try:
        return [
            *_broken_links(connection, key, known),
            *_unvouched_memories(connection, key, level),
            *_unvouched_suppressions(connection, key),
        ]
    finally:
        connection.execute("RELEASE verify")


def _broken_links(connection: apsw.Connection, key: bytes, known: Head | None) -> Iterator[str]:
    last, found = Head(0, b""), known is None or known.seq == 0
    for *fields, mac in connection.execute(
        "SELECT seq, at, op, memory_id, actor, session, digest, mac FROM audit ORDER BY seq"
    ):
        seq = fields[0]
        if seq != last.seq + 1:
            yield f"Rows {last.seq + 1} to {seq - 1} of the journal are gone."
        elif not hmac.compare_digest(mac, _seal(key, last.mac, tuple(fields))):
            yield f"Row {seq} of the journal was altered, or the row before it was."
        found = found or (known is not None and (seq, mac) == (known.seq, known.mac))
        last = Head(seq, mac)
    if not found and known is not None:
        yield f"The journal does not hold row {known.seq} as it was when its head was kept; it ends at {last.seq}."


def _unvouched_memories(connection: apsw.Connection, key: bytes, level: Level) -> Iterator[str]:
    for salt, digest, *row in connection.execute(_MEMORIES_AND_DIGESTS):
        memory = from_row(tuple(row), level)
        if digest is None:
            yield f"Memory {memory.id} is not in the journal."
        elif salt is not None and not hmac.compare_digest(digest, _digest(key, salt, memory)):
            yield f"Memory {memory.id} is not as the journal left it."
    for (subject,) in connection.execute(_MISSING):
        yield f"Memory or suppression {subject} is in the journal and nowhere else."


def _unvouched_suppressions(connection: apsw.Connection, key: bytes) -> Iterator[str]:
    for salt, digest, *row in connection.execute(_SUPPRESSIONS_AND_DIGESTS):
        wish = wish_from_row(tuple(row))
        if digest is None:
            yield f"Suppression {wish.id} is not in the journal."
        elif not hmac.compare_digest(digest, _digest(key, salt, wish)):
            yield f"Suppression {wish.id} is not as the journal left it."


def _digest(key: bytes, salt: bytes, state: Memory | Suppression) -> bytes:
    purpose = b"state" if isinstance(state, Memory) else b"wish"
    return hmac.digest(key, purpose + salt + audited(state), "sha256")


def _seal(key: bytes, before: bytes, fields: tuple[Any, ...]) -> bytes:
    return hmac.digest(key, b"row" + before + b"".join(map(_prefixed, fields)), "sha256")


def _prefixed(value: str | bytes | int | None) -> bytes:
    """Spell a field with its type and length, so that no two rows of different fields have the same bytes."""
    raw = value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
    return type(value).__name__[:1].encode() + len(raw).to_bytes(4, "big") + raw


def _with_digests(table: str, fields: Sequence[str]) -> str:
    newest = f"(SELECT digest FROM audit WHERE memory_id = {table}.id ORDER BY seq DESC LIMIT 1)"  # noqa: S608
    return " ".join(("SELECT salt,", newest, ",", ", ".join(fields), "FROM", table, "ORDER BY number"))


_MEMORIES_AND_DIGESTS: Final = _with_digests("memory", FIELDS)
_SUPPRESSIONS_AND_DIGESTS: Final = _with_digests("suppression", WISH_FIELDS)
_MISSING: Final = (
    "SELECT DISTINCT memory_id FROM audit WHERE memory_id <> ''"
    " AND memory_id NOT IN (SELECT id FROM memory) AND memory_id NOT IN (SELECT id FROM suppression)"
)
