"""What is asked of one level's SQLite file, and which index each question walks."""

from collections.abc import Sequence
from typing import Final

from memtrigd.domain.memory import Status
from memtrigd.store.interface import Ledger
from memtrigd.store.records import ENTRY_FIELDS, FIELDS, WISH_FIELDS

# A status that is not active is asked for twice, or SQLite does not see that memory_told, which is partial, has it.
_CONTESTED: Final = (
    ", EXISTS (SELECT 1 FROM memory AS proposal WHERE proposal.space = memory.space AND proposal.key = memory.key"
    " AND proposal.status <> 'active' AND proposal.status = 'pending' AND proposal.contests = memory.id)"
)
_IN_SPACES: Final = "space IN (SELECT value FROM json_each(:spaces))"
_OF_ENTITY: Final = "entity_folded IN (SELECT value FROM json_each(:entities))"
_FITS: Final = {
    "entities": _OF_ENTITY,
    "kind": "kind = :kind",
    "tag": "EXISTS (SELECT 1 FROM json_each(memory.tags) WHERE value = :tag)",
    "session": "session = :session",
    "expires_before": "expires_at < :expires_before",
    "updated_since": "memory.updated >= :updated_since",
}


def selection(statuses: Sequence[str], given: Sequence[str]) -> str:
    """The statement for rows of these statuses, the newest first, that fit the ``given`` names of filters.

    One walk for each status (bound as :status0, :status1, …), merged as they are read: no sort where an index has
    their order, and one snapshot for all.
    """
    fits = [_IN_SPACES, *(_FITS[name] for name in given)]
    walks = [
        _select(f"{_rows(status, given)} WHERE {' AND '.join((f'status = :status{place}', *fits))}")
        for place, status in enumerate(statuses)
    ]
    return " UNION ALL ".join(walks) + " ORDER BY memory.updated DESC, memory.id DESC"


def _rows(status: str, given: Sequence[str]) -> str:
    """The shortest way to the rows of one status: few are of an entity, have a tag or expire."""
    if "entities" in given:
        return "memory INDEXED BY memory_entity"
    if "tag" in given and status == Status.ACTIVE:
        return "tag CROSS JOIN memory ON memory.number = tag.number AND tag.tag = :tag"
    if "expires_before" in given:
        return "memory INDEXED BY memory_expiring"
    return "memory INDEXED BY memory_status"


def _select(rest: str, first: str = "") -> str:
    return " ".join(("SELECT", first, ", ".join(f"memory.{field}" for field in FIELDS), _CONTESTED, "FROM", rest))


ACTIVE: Final = _select("memory WHERE space = ? AND key = ? AND status = 'active'")
PENDING: Final = _select(
    "memory WHERE space = ? AND key = ? AND status <> 'active' AND status = 'pending'"
)  # here and below ORDER BY would cost 25 to 50 µs even for no row
REFUSED: Final = _select(
    "memory WHERE space = ? AND key = ? AND status <> 'active' AND status IN ('rejected', 'disputed', 'forgotten')"
    " AND NOT (status = 'forgotten' AND reason IS 'deleted')"
)
TOLD: Final = " UNION ALL ".join(  # each index has a part of a key's rows; unasked SQLite walks all that are active
    _select(f"memory INDEXED BY {index} WHERE {_IN_SPACES} AND key = :key AND {part}")
    for index, part in (("memory_slot", "status = 'active'"), ("memory_told", "status <> 'active'"))
)
BY_ID: Final = _select("memory WHERE id = ?")
ARCHIVED_BY_ID: Final = _select("archive AS memory WHERE id = ?")
ARCHIVED_TOLD: Final = _select(f"archive AS memory WHERE {_IN_SPACES} AND key = :key")
BY_NUMBER: Final = _select("memory WHERE number = ?")
NEWEST: Final = _select(  # with the index of slots all rows of the spaces would be read and sorted
    "memory INDEXED BY memory_status WHERE status = 'active' AND (updated, id) < (:updated, :id)"
    f" AND {_IN_SPACES} ORDER BY updated DESC, id DESC"
)
NEWEST_TAGGED: Final = _select(
    "tag CROSS JOIN memory USING (number) WHERE tag.tag = :tag AND (tag.updated, tag.id) < (:updated, :id)"
    f" AND {_IN_SPACES} ORDER BY tag.updated DESC, tag.id DESC"
)
CORE: Final = _select(
    f"memory INDEXED BY memory_core WHERE status = 'active' AND core = 1 AND {_IN_SPACES}"
    " ORDER BY updated DESC, id DESC"
)
FACET: Final = _select(
    f"memory INDEXED BY memory_facet WHERE status = 'active' AND {_OF_ENTITY} AND kind = :kind"
    f" AND {_IN_SPACES} ORDER BY updated DESC, id DESC LIMIT :limit"
)
AFTER: Final = _select(  # document has the numbers of the active rows: what was retired in between costs nothing
    "memory WHERE number IN (SELECT number FROM document WHERE number > :number"
    " UNION ALL SELECT number FROM memory INDEXED BY memory_waiting WHERE status = 'pending' AND number > :number"
    " ORDER BY number LIMIT :limit) ORDER BY number",
    "number,",
)
EXPIRING: Final = "SELECT count(*) FROM memory INDEXED BY memory_expiring WHERE status = 'active' AND expires_at < ?"
_SPACES_OF: Final = """SELECT space FROM (
    WITH RECURSIVE each (space) AS (  -- one step in an index per space, not per row
        SELECT min(space) FROM ROWS UNION ALL
        SELECT (SELECT min(space) FROM ROWS AND space > each.space) FROM each WHERE each.space IS NOT NULL
    ) SELECT space FROM each WHERE space IS NOT NULL)"""
SPACES: Final = " UNION ".join(  # each index has a part of the rows
    _SPACES_OF.replace("ROWS", rows)
    for rows in (
        "memory INDEXED BY memory_slot WHERE status = 'active'",
        "memory INDEXED BY memory_told WHERE status <> 'active'",
    )
)
POSTINGS: Final = "SELECT doc, count(*) FROM posting WHERE term = ? GROUP BY doc"
INACTIVE: Final = "SELECT status, count(*) FROM memory WHERE status IN (SELECT value FROM json_each(?)) GROUP BY status"
LEDGER: Final = " ".join(("SELECT", ", ".join(Ledger.__struct_fields__), "FROM ledger WHERE memory_id = ?"))
REMEMBERED: Final = "SELECT digest, reply FROM request WHERE session = ? AND idempotency_key = ?"
_VERSION: Final = "SELECT seq, memory_id, op, actor, session, at, reason, fields FROM version"
VERSIONS: Final = _VERSION + " WHERE memory_id = ? ORDER BY seq"
SESSION_VERSIONS: Final = _VERSION + " WHERE session = ? ORDER BY seq DESC"
VERSIONS_SINCE: Final = _VERSION + " INDEXED BY version_at WHERE at >= ? ORDER BY at DESC, seq DESC"
_WISH: Final = " ".join(("SELECT", ", ".join(WISH_FIELDS), "FROM suppression WHERE lifted_at IS NULL"))
SUPPRESSIONS: Final = _WISH + " AND scope <> 'erased' ORDER BY at DESC, id DESC LIMIT ?"
WISH: Final = " ".join(("SELECT", ", ".join(WISH_FIELDS), "FROM suppression WHERE id = ?"))
MASKS: Final = "SELECT space, memory_id, seen_count FROM mask WHERE key IN (?, ?)"
MASKED: Final = "SELECT DISTINCT memory_id FROM mask INDEXED BY mask_of ORDER BY memory_id"
DENIED: Final = "SELECT memory_id FROM ledger INDEXED BY ledger_denied WHERE deny_count > 0 ORDER BY memory_id"
WISHES: Final = " UNION ALL ".join(  # each part walks an index of its own; UNION takes 20 times as long
    " AND ".join((_WISH, part))
    for part in (
        "key = :key AND space = :space",
        f"entity_folded IS NOT NULL AND {_OF_ENTITY}",
        "digest = :digest",
        "key_digest <> x'' AND key_digest = :key_digest",
    )
)
WISHES_ABOUT: Final = " ".join(("SELECT", ", ".join(WISH_FIELDS), "FROM suppression WHERE memory_id = ?"))
_EVENT: Final = "SELECT op, at, actor, session, about FROM event"
SESSION_EVENTS: Final = _EVENT + " WHERE session = ? ORDER BY seq DESC"
EVENTS_SINCE: Final = _EVENT + " INDEXED BY event_at WHERE at >= ? ORDER BY at DESC, seq DESC"
_ENTRY: Final = " ".join(("SELECT", ", ".join(ENTRY_FIELDS), "FROM entry"))
ENTRY: Final = _ENTRY + " WHERE id = ?"
COUNT: Final = "SELECT (SELECT count(*) FROM memory) + (SELECT count(*) FROM archive)"
ENTRIES_OPEN: Final = _ENTRY + " INDEXED BY entry_open WHERE sort = ? AND closed IS NULL ORDER BY created, id"
ENTRIES: Final = _ENTRY + " WHERE sort = ? ORDER BY created, id"
ENTRIES_NAMED: Final = _ENTRY + " INDEXED BY entry_name WHERE sort = ? AND name = ? ORDER BY created, id"
SESSION_ENTRIES: Final = _ENTRY + " INDEXED BY entry_by WHERE session = ? ORDER BY created, id"
_JOURNAL: Final = "SELECT seq, at, op, memory_id, actor, session, mac FROM audit"
JOURNAL_BACK: Final = _JOURNAL + " WHERE seq < ? AND at >= ? ORDER BY seq DESC LIMIT ?"
JOURNAL_ON: Final = _JOURNAL + " WHERE seq > ? AND at >= ? ORDER BY seq LIMIT ?"
