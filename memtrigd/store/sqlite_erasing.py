"""Erasing: every byte of a text leaves one level's file; what stays proves that it was there and refuses it again.

What stays of a memory is its id, its place in time and in the journal. The salts of the journal's digests go with the
text, so that nobody can test a guess of it; a wish that names nothing takes the place of those that named it. Masks go
on hiding what they hid, under a keyed digest of the key.
"""

import re
from typing import Final

import apsw
from msgspec.structs import replace

from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.store import audit
from memtrigd.store.interface import Change
from memtrigd.store.records import COLUMNS, WISH_FIELDS, to_row, wish_from_row, wish_to_row

NOTHING: Final = "{}"
"""The fields of a version that tells nothing any more."""

REASON: Final = "erased"
_ALIAS: Final = re.compile(rf"{REASON}\.[0-9a-f]{{64}}")


def erased(row: Memory) -> Memory:
    """What is left of a memory: no text, and a key that tells nothing."""
    return Memory(
        id=row.id,
        key=f"{REASON}.{row.id}",
        level=row.level,
        space=row.space,
        content="",
        created=row.created,
        updated=row.updated,
        importance_at=row.importance_at,
        kind=row.kind,
        source=row.source,
        status=Status.FORGOTTEN,
        agent=row.agent,
        session=row.session,
        reason=REASON,
        supersedes=row.supersedes,
        superseded_by=row.superseded_by,
    )


def alias(key: bytes, text_key: str) -> str:
    """What a mask lies under when its key was erased."""
    return f"{REASON}.{audit.text_digest(key, text_key).hex()}"


def empty_row(connection: apsw.Connection, key: bytes, row: Memory, change: Change) -> int:
    """Empty a memory's row and versions, destroy its salt, and leave a wish that names nothing.

    Returns the number of the journal's row, which the version that tells of the erase gets too.
    """
    connection.execute(_EMPTY, (*to_row(erased(row)), row.id))
    connection.execute("UPDATE version SET fields = ?, reason = NULL WHERE memory_id = ?", (NOTHING, row.id))
    connection.execute("UPDATE OR REPLACE mask SET key = ? WHERE key = ?", (alias(key, row.key), row.key))
    seq = audit.append(connection, key, erased(row), audit.NO_SALT, change=change, fields=NOTHING)
    wish = Suppression(
        id=f"{row.id}.{REASON}",
        scope=Scope.ERASED,
        space=row.space,
        at=change.at,
        digest=audit.text_digest(key, canonical(row.content)),
        memory_id=row.id,
        key_digest=audit.key_digest(key, row.space, row.key),
    )
    salt = audit.new_salt()
    connection.execute(_WISH, (salt, *wish_to_row(wish)))
    audit.append(connection, key, wish, salt, change=change)
    return seq


def empty_traces(connection: apsw.Connection, key: bytes, memory_id: str, change: Change) -> None:
    """Empty what else names a memory's text: wishes, masks, reasons of events, remembered answers."""
    wishes = connection.execute(_WISHES_ABOUT, (memory_id,)).fetchall()
    for salt, *fields in wishes:
        assert isinstance(salt, bytes)
        wish = wish_from_row(tuple(fields))
        named = b"" if wish.key is None else audit.key_digest(key, wish.space, wish.key)
        blank = replace(wish, scope=Scope.ERASED, key=None, entity=None, reason=None, key_digest=named)
        connection.execute(_BLANK, (Scope.ERASED.value, named, blank.id))
        audit.append(connection, key, blank, salt, change=change)
    masks = connection.execute("SELECT DISTINCT key FROM mask WHERE memory_id = ?", (memory_id,)).fetchall()
    for (text_key,) in masks:
        if not _ALIAS.fullmatch(str(text_key)):
            hidden = alias(key, str(text_key)), text_key, memory_id
            connection.execute("UPDATE OR REPLACE mask SET key = ? WHERE key = ? AND memory_id = ?", hidden)
    connection.execute(_SILENCE, (memory_id, memory_id))
    connection.execute(
        "DELETE FROM request WHERE memory_id = ? OR instr(reply, CAST(? AS BLOB)) > 0", (memory_id, memory_id)
    )


_EMPTY: Final = " ".join(
    ("UPDATE memory SET salt = NULL,", ", ".join(f"{column} = ?" for column in COLUMNS), "WHERE id = ?")
)
_WISH: Final = " ".join(
    ("INSERT INTO suppression (salt,", ", ".join(WISH_FIELDS), ") VALUES (?", ", ?" * len(WISH_FIELDS), ")")
)
_BLANK: Final = (
    "UPDATE suppression SET scope = ?, key_digest = ?, key = NULL, entity = NULL, entity_folded = NULL, reason = NULL"
    " WHERE id = ?"
)
_SILENCE: Final = (
    "UPDATE event SET reason = NULL, salt = NULL"
    " WHERE about = ? OR about IN (SELECT id FROM suppression WHERE memory_id = ?)"
)
_WISHES_ABOUT: Final = " ".join(
    ("SELECT salt,", ", ".join(WISH_FIELDS), "FROM suppression WHERE memory_id = ? AND scope <> 'erased'")
)
