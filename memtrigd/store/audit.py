"""The journal of each level: append-only rows, each sealed together with the one before it (HMAC-SHA256).

A row holds salted, keyed digests of the state of a memory or suppression and of the version that tells of the change,
never the text. The salt lies with that state: when it is destroyed nobody can test a guess of the text against the
digests any more. ``verify`` finds each edit, cut or swap made without the key; a cut at the very end only against a
head that was kept elsewhere.
"""

import hmac
import os
from collections.abc import Iterator
from typing import Final, TypeAlias

import apsw
from msgspec import Struct

from memtrigd.domain.entries import Entry
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.suppression import Suppression
from memtrigd.store import journal_sql as sql
from memtrigd.store.interface import Change
from memtrigd.store.records import audited, entry_from_row, from_row, wish_from_row

SALT_BYTES: Final = 16
NO_SALT: Final = b""
"""Of an erased memory's digests: what is left of it is nothing to guess at, but the journal still vouches for it."""
ERASE: Final = "erase"
"""The one change that destroys a salt."""
SCRUB: Final = "scrub"
"""The change that takes credentials out of texts: one salt for another, and what was vouched for is so anew."""
SILENCED: Final = "event.{}"
"""What a scrub's event is about: the row of the event whose reason it has in place of the old one."""

Field: TypeAlias = str | bytes | int | None


class Head(Struct, frozen=True):
    """The newest row of a journal: its number and seal. ``Head(0, b"")`` of an empty one."""

    seq: int
    mac: bytes


def new_salt() -> bytes:
    """Salt for the digests of a new memory."""
    return os.urandom(SALT_BYTES)


def append(
    connection: apsw.Connection,
    key: bytes,
    state: Memory | Suppression | Entry,
    salt: bytes,
    *,
    change: Change,
    fields: str | None = None,
) -> int:
    """Write the journal's row of a change, inside the change's own transaction.

    ``fields`` are those of the version that tells of the change; a suppression has none. Returns the row's number,
    which the version gets too.
    """
    version = None if fields is None else _of_version(key, salt, state.id, *_told(change), fields)
    return _append(connection, key, state.id, change, digest=_of_state(key, salt, state), version=version)


def note(connection: apsw.Connection, key: bytes, salt: bytes, change: Change, about: str | None = None) -> int:
    """Write the journal's row of something that changed no memory of this level, ``about`` a lower one or none.

    Returns the row's number, which the event gets too.
    """
    return _append(connection, key, "", change, digest=_of_event(key, salt, *_told(change), about), version=None)


def vouch_anew(
    connection: apsw.Connection, key: bytes, state: Memory | Suppression | Entry, salt: bytes, change: Change
) -> None:
    """Write the journal's row of something whose texts were rewritten, and of a memory's whole life up to now.

    With the old salt gone nobody can test a guess of what the texts were; the versions have this row alone.
    """
    seq = head(connection).seq + 1
    life = _of_life(connection, key, salt, state.id, seq) if isinstance(state, Memory) else None
    _append(connection, key, state.id, change, digest=_of_state(key, salt, state), version=life)


def text_digest(key: bytes, canonical_text: str) -> bytes:
    """The digest under which a forgotten text stays known: without salt, so that the text is known again."""
    return hmac.digest(key, b"text" + canonical_text.encode(), "sha256")


def key_digest(key: bytes, space: str, text_key: str) -> bytes:
    """The digest under which an erased key stays known in its space."""
    return text_digest(key, f"{space}\0{text_key}")


def _append(
    connection: apsw.Connection, key: bytes, memory_id: str, change: Change, *, digest: bytes, version: bytes | None
) -> int:
    last = head(connection)
    fields = (last.seq + 1, change.at, change.op, memory_id, change.actor, change.session, digest, version)
    connection.execute(
        "INSERT INTO audit (seq, at, op, memory_id, actor, session, digest, version, mac)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*fields, _seal(key, last.mac, fields)),
    )
    return last.seq + 1


def head(connection: apsw.Connection) -> Head:
    """The newest row, for keeping elsewhere."""
    row = connection.execute(NEWEST).fetchone()
    return Head(0, b"") if row is None else Head(*row)


def holds(connection: apsw.Connection, head: Head) -> bool:
    """Tell whether a journal has a row with that number and seal."""
    row = connection.execute("SELECT mac FROM audit WHERE seq = ?", (head.seq,)).fetchone()
    return row == (head.mac,) or head == Head(0, b"")


def verify(connection: apsw.Connection, key: bytes, level: Level, known: Head | None = None) -> list[str]:
    """Check the whole journal, and each memory, suppression, version and event against it; return the problems.

    None when all is sound. ``known`` is a head kept elsewhere: the journal must still hold it. Problems are sentences
    that name numbers and ids, no contents. Not covered: what an erased memory was, the stamps that recall moves,
    ledgers, masks, the index (which can be made anew) and the answers kept for retries.
    """
    connection.execute("BEGIN")  # one snapshot for all walks
    try:
        return [
            *_broken_links(connection, key, known),
            *_unvouched_memories(connection, key, level),
            *_unvouched_suppressions(connection, key),
            *_unvouched_entries(connection, key, level),
            *_unvouched_versions(connection, key),
            *_unvouched_events(connection, key),
        ]
    finally:
        if connection.in_transaction:  # an error of the disk ends it
            connection.execute("ROLLBACK")


def _broken_links(connection: apsw.Connection, key: bytes, known: Head | None) -> Iterator[str]:
    last, found = Head(0, b""), known is None or known.seq == 0
    for *fields, mac in connection.execute(
        "SELECT seq, at, op, memory_id, actor, session, digest, version, mac FROM audit ORDER BY seq"
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
    for op, digest, salt, *row in connection.execute(sql.MEMORIES):
        memory = from_row(tuple(row), level)
        if digest is None:
            yield f"Memory {memory.id} is not in the journal."
        elif (salt is None) != (op == ERASE) or not hmac.compare_digest(
            digest, _of_state(key, NO_SALT if salt is None else salt, memory)
        ):
            yield f"Memory {memory.id} is not as the journal left it."
    for (subject,) in connection.execute(sql.MISSING):
        yield f"Memory, suppression or entry {subject} is in the journal and nowhere else."


def _unvouched_suppressions(connection: apsw.Connection, key: bytes) -> Iterator[str]:
    for _, digest, salt, *row in connection.execute(sql.SUPPRESSIONS):
        wish = wish_from_row(tuple(row))
        if digest is None:
            yield f"Suppression {wish.id} is not in the journal."
        elif not hmac.compare_digest(digest, _of_state(key, salt, wish)):
            yield f"Suppression {wish.id} is not as the journal left it."


def _unvouched_entries(connection: apsw.Connection, key: bytes, level: Level) -> Iterator[str]:
    for _, digest, salt, *row in connection.execute(sql.ENTRIES):
        entry = entry_from_row(tuple(row), level)
        if digest is None:
            yield f"Entry {entry.id} is not in the journal."
        elif not hmac.compare_digest(digest, _of_state(key, salt, entry)):
            yield f"Entry {entry.id} is not as the journal left it."


def _unvouched_versions(connection: apsw.Connection, key: bytes) -> Iterator[str]:
    """Memories that are gone or lost their salt by hand were looked at before: nothing can be said of their versions.

    Those of an erased memory tell who did what and when, as the journal does itself, and nothing else.
    """
    scrubbed = {memory_id: (seq, digest, salt) for seq, memory_id, digest, salt in connection.execute(sql.SCRUBBED)}
    for seq, memory_id, digest, salt, *version in connection.execute(sql.VERSIONS):
        if memory_id in scrubbed and seq <= scrubbed[memory_id][0]:
            continue  # vouched for all together
        if digest is None or not hmac.compare_digest(digest, _of_version(key, salt, *version)):
            yield f"The version of row {seq} is not as the journal left it."
    for memory_id, (seq, digest, salt) in scrubbed.items():
        if digest is None or not hmac.compare_digest(digest, _of_life(connection, key, salt, memory_id, seq)):
            yield f"The versions of memory {memory_id} before row {seq} are not as the journal left them."
    for (seq,) in connection.execute(sql.EMPTIED):
        yield f"The version of row {seq} is not as the journal left it."
    for (seq,) in connection.execute(
        "SELECT seq FROM version WHERE seq NOT IN (SELECT seq FROM audit WHERE version IS NOT NULL)"
    ):
        yield f"Version {seq} is not in the journal."


def _unvouched_events(connection: apsw.Connection, key: bytes) -> Iterator[str]:
    erased, silenced = set(connection.execute(sql.ERASED)), set(connection.execute(sql.SILENCED))
    for seq, at, op, actor, session, digest, salt, *event in connection.execute(sql.EVENTS):
        about = event[-1]
        hushed = (about,) in erased or (SILENCED.format(seq),) in silenced
        if salt is None and hushed and event == [at, op, actor, session, None, about]:
            continue
        if salt is None or not hmac.compare_digest(digest, _of_event(key, salt, *event)):
            yield f"The event of row {seq} is not as the journal left it."
    for (seq,) in connection.execute(
        "SELECT seq FROM event WHERE seq NOT IN (SELECT seq FROM audit WHERE memory_id = '')"
    ):
        yield f"Event {seq} is not in the journal."


def _told(change: Change) -> tuple[Field, ...]:
    return change.at, change.op, change.actor, change.session, change.reason


def _of_state(key: bytes, salt: bytes, state: Memory | Suppression | Entry) -> bytes:
    purpose = _PURPOSES[type(state)]
    return hmac.digest(key, purpose + salt + audited(state), "sha256")


def _of_life(connection: apsw.Connection, key: bytes, salt: bytes, memory_id: str, before: int) -> bytes:
    steps = (b"".join(map(_prefixed, row)) for row in connection.execute(sql.LIFE, (memory_id, before)))
    return hmac.digest(key, b"life" + salt + b"".join(steps), "sha256")


def _of_version(key: bytes, salt: bytes, *version: Field) -> bytes:
    return hmac.digest(key, b"version" + salt + b"".join(map(_prefixed, version)), "sha256")


def _of_event(key: bytes, salt: bytes, *event: Field) -> bytes:
    return hmac.digest(key, b"event" + salt + b"".join(map(_prefixed, event)), "sha256")


def _seal(key: bytes, before: bytes, fields: tuple[Field, ...]) -> bytes:
    return hmac.digest(key, b"row" + before + b"".join(map(_prefixed, fields)), "sha256")


def _prefixed(value: Field) -> bytes:
    """Spell a field with its type and length, so that no two rows of different fields have the same bytes."""
    raw = value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
    return type(value).__name__[:1].encode() + len(raw).to_bytes(4, "big") + raw


_PURPOSES: Final = {Memory: b"state", Suppression: b"wish", Entry: b"entry"}
"""What keeps the digests of one kind of state apart from those of another."""
NEWEST: Final = "SELECT seq, mac FROM audit ORDER BY seq DESC LIMIT 1"
"""The number and the seal of the newest row."""
