"""Erasing: every byte of a text leaves one level's file; what stays proves that it was there and refuses it again.

What stays of a memory is its id, its place in time and in the journal. The salts of the journal's digests go with the
text, so that nobody can test a guess of it; a wish that names nothing takes the place of those that named it.
"""

from typing import Final

import apsw
from msgspec.structs import replace

from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.store import audit
from memtrigd.store.interface import Change
from memtrigd.store.records import COLUMNS, WISH_FIELDS, to_row, wish_from_row, wish_to_row

REASON: Final = "erased"


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


def empty_row(connection: apsw.Connection, key: bytes, row: Memory, change: Change) -> None:
    """Empty a memory's row and versions, destroy its salt, and leave a wish that names nothing."""
    connection.execute(_EMPTY, (*to_row(erased(row)), row.id))
    connection.execute("UPDATE version SET fields = '{}', reason = NULL WHERE memory_id = ?", (row.id,))
    audit.append(connection, key, erased(row), audit.new_salt(), change=change)
    wish = Suppression(
        id=f"{row.id}.{REASON}",
        scope=Scope.ERASED,
        space=row.space,
        at=change.at,
        digest=audit.text_digest(key, canonical(row.content)),
        memory_id=row.id,
        key_digest=audit.text_digest(key, f"{row.space}\0{row.key}"),
    )
    salt = audit.new_salt()
    connection.execute(_WISH, (salt, *wish_to_row(wish)))
    audit.append(connection, key, wish, salt, change=change)


def empty_traces(connection: apsw.Connection, key: bytes, memory_id: str, change: Change) -> None:
    """Empty what else names a memory's text: wishes, masks, reasons of events, remembered answers."""
    wishes = connection.execute(_WISHES_ABOUT, (memory_id,)).fetchall()
    for salt, *fields in wishes:
        assert isinstance(salt, bytes)
        blank = replace(wish_from_row(tuple(fields)), key=None, entity=None, reason=None, scope=Scope.ERASED)
        connection.execute(
            "UPDATE suppression SET scope = ?, key = NULL, entity = NULL, entity_folded = NULL, reason = NULL"
            " WHERE id = ?",
            (Scope.ERASED.value, blank.id),
        )
        audit.append(connection, key, blank, salt, change=change)
    connection.execute("UPDATE mask SET key = ? || memory_id WHERE memory_id = ?", (f"{REASON}.", memory_id))
    connection.execute("UPDATE event SET reason = NULL, salt = NULL WHERE about = ?", (memory_id,))
    connection.execute(
        "DELETE FROM request WHERE memory_id = ? OR instr(reply, CAST(? AS BLOB)) > 0", (memory_id, memory_id)
    )


_EMPTY: Final = " ".join(
    ("UPDATE memory SET salt = NULL,", ", ".join(f"{column} = ?" for column in COLUMNS), "WHERE id = ?")
)
_WISH: Final = " ".join(
    ("INSERT INTO suppression (salt,", ", ".join(WISH_FIELDS), ") VALUES (?", ", ?" * len(WISH_FIELDS), ")")
)
_WISHES_ABOUT: Final = " ".join(
    ("SELECT salt,", ", ".join(WISH_FIELDS), "FROM suppression WHERE memory_id = ? AND scope <> 'erased'")
)
