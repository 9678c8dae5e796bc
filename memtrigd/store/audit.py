"""The journal of each level: append-only rows, each sealed together with the one before it (HMAC-SHA256).

A row holds a salted, keyed digest of the memory's state, never the text. The salt lies in the memory's row: when it is
destroyed nobody can test a guess of the text against the digest any more. ``verify`` finds each edit, cut or swap made
without the key; a cut at the very end only against a head that was kept elsewhere.
"""

import hmac
import os
from collections.abc import Iterator
from typing import Any, Final

import apsw
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.interface import Change
from memtrigd.store.records import FIELDS, audited, from_row

SALT_BYTES: Final = 16


class Head(Struct, frozen=True):
    """The newest row of a journal: its number and seal. ``Head(0, b"")`` of an empty one."""

    seq: int
    mac: bytes


def new_salt() -> bytes:
    """Salt for the digests of a new memory."""
    return os.urandom(SALT_BYTES)


def append(connection: apsw.Connection, key: bytes, memory: Memory, salt: bytes, change: Change) -> None:
    """Write the journal's row of a change, inside the change's own transaction."""
    _append(connection, key, memory.id, _digest(key, salt, memory), change)


def note(connection: apsw.Connection, key: bytes, salt: bytes, change: Change) -> None:
    """Write the journal's row of something that happened to a session and not to a memory."""
    _append(connection, key, "", hmac.digest(key, b"note" + salt + (change.reason or "").encode(), "sha256"), change)


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
    """Check the whole journal and each memory against it; return the problems, one sentence each, none when sound.

    ``known`` is a head kept elsewhere: the journal must still hold it. Sentences name numbers and ids, no contents.
    """
    connection.execute("SAVEPOINT verify")  # one snapshot for both walks
    try:
        return [*_broken_links(connection, key, known), *_unvouched_memories(connection, key, level)]
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
    for (memory_id,) in connection.execute(
        "SELECT DISTINCT memory_id FROM audit WHERE memory_id <> '' AND memory_id NOT IN (SELECT id FROM memory)"
    ):
        yield f"Memory {memory_id} is in the journal and nowhere else."


def _digest(key: bytes, salt: bytes, memory: Memory) -> bytes:
    return hmac.digest(key, b"state" + salt + audited(memory), "sha256")


def _seal(key: bytes, before: bytes, fields: tuple[Any, ...]) -> bytes:
    return hmac.digest(key, b"row" + before + b"".join(map(_prefixed, fields)), "sha256")


def _prefixed(value: str | bytes | int | None) -> bytes:
    """Spell a field with its type and length, so that no two rows of different fields have the same bytes."""
    raw = value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
    return type(value).__name__[:1].encode() + len(raw).to_bytes(4, "big") + raw


_MEMORIES_AND_DIGESTS: Final = " ".join(
    (
        "SELECT salt, (SELECT digest FROM audit WHERE memory_id = memory.id ORDER BY seq DESC LIMIT 1),",
        ", ".join(FIELDS),
        "FROM memory ORDER BY number",
    )
)
