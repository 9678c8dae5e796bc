"""What is asked of one level's file when its journal is verified."""

from collections.abc import Sequence
from typing import Final

from memtrigd.store.records import ENTRY_FIELDS, FIELDS, WISH_FIELDS


def _with_last(table: str, fields: Sequence[str]) -> str:
    """The rows of a table with what the journal last told of each."""
    return " ".join(
        (
            "SELECT last.op, last.digest, salt,",
            ", ".join(f"{table}.{field}" for field in fields),
            f"FROM {table} LEFT JOIN audit AS last",
            "ON last.seq = (SELECT max(seq) FROM audit",
            f"WHERE memory_id = {table}.id)",
        )
    )


MEMORIES: Final = " UNION ALL ".join(_with_last(table, FIELDS) for table in ("memory", "archive"))
SUPPRESSIONS: Final = _with_last("suppression", WISH_FIELDS)
ENTRIES: Final = _with_last("entry", ENTRY_FIELDS)
ERASED: Final = (  # memories of this level, of lower ones, and what is left of wishes about them
    "SELECT memory_id FROM audit WHERE op = 'erase' UNION SELECT about FROM event WHERE op = 'erase'"
    " UNION SELECT id FROM suppression WHERE scope = 'erased'"
)
MISSING: Final = (
    "SELECT DISTINCT memory_id FROM audit WHERE memory_id <> ''"
    " AND memory_id NOT IN (SELECT id FROM memory UNION ALL SELECT id FROM suppression"
    " UNION ALL SELECT id FROM entry UNION ALL SELECT id FROM archive)"
)
_TOLD: Final = "told.at, told.op, told.actor, told.session, told.reason"
_JOURNALLED: Final = "audit.at, audit.op, audit.actor, audit.session"
_OF_MEMORIES: Final = (
    "FROM audit JOIN (SELECT id, salt FROM memory UNION ALL SELECT id, salt FROM archive) AS kept"
    " ON kept.id = audit.memory_id LEFT JOIN version AS told ON told.seq = audit.seq"
)
VERSIONS: Final = " ".join(
    (
        "SELECT audit.seq, kept.id, audit.version, salt, told.memory_id,",
        _TOLD,
        ", told.fields",
        _OF_MEMORIES,
        "WHERE salt IS NOT NULL ORDER BY audit.seq",
    )
)
EMPTIED: Final = " ".join(
    (
        "SELECT audit.seq",
        _OF_MEMORIES,
        "WHERE salt IS NULL AND EXISTS (SELECT 1 FROM audit WHERE memory_id = kept.id AND op = 'erase')",
        "AND audit.op <> 'scrub'",  # it has no version of its own
        f"AND (told.memory_id, {_TOLD}, told.fields) IS NOT (kept.id, {_JOURNALLED}, NULL, '{{}}')",
        "ORDER BY audit.seq",
    )
)
EVENTS: Final = " ".join(
    (
        "SELECT audit.seq,",
        _JOURNALLED,
        ", digest, salt,",
        _TOLD,
        ", told.about FROM audit LEFT JOIN event AS told USING (seq) WHERE memory_id = '' ORDER BY seq",
    )
)
SCRUBBED: Final = (  # the last time that credentials were taken out of each memory
    "SELECT seq, memory_id, version, salt FROM audit"
    " JOIN (SELECT id, salt FROM memory UNION ALL SELECT id, salt FROM archive) AS kept ON kept.id = memory_id"
    " WHERE seq IN (SELECT max(seq) FROM audit WHERE op = 'scrub' GROUP BY memory_id) AND salt IS NOT NULL"
)
LIFE: Final = (
    "SELECT seq, memory_id, at, op, actor, session, reason, fields FROM version WHERE memory_id = ? AND seq < ?"
    " ORDER BY seq"
)
"""The steps of a memory before one of the journal's rows."""
SILENCED: Final = "SELECT about FROM event WHERE op = 'scrub'"
"""The events whose reason another has now."""
