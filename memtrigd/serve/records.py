"""From a memory to what a reader sees of it on the wire."""

from collections.abc import Iterable

import msgspec
from memtrig.wire import Record
from msgspec.structs import replace

from memtrigd.domain.forgetting import effective_importance
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.domain.shadowing import Winner
from memtrigd.domain.trust import Rank, rank_of

REPLY_BYTES = 1 << 20
"""Bytes of records in one reply; what is over goes to the next page or is shown by its beginning."""
EXCERPT = 600
"""Characters of a content that is shown by its beginning."""


def record(memory: Memory, now: Micros, winner: Winner | None = None, worth: float | None = None) -> Record:
    """Write a memory as a record; beside a ``winner`` stand its supplement and a newer lower copy.

    ``worth`` is its effective importance for the reader, where that is not the row's own.
    """
    return Record(
        id=memory.id,
        key=memory.key,
        content=memory.content,
        level=memory.level.name,
        created=to_iso(memory.created),
        updated=to_iso(memory.updated),
        kind=memory.kind.value,
        entity=memory.entity,
        tags=list(memory.tags),
        status=memory.status.value,
        source=memory.source.value,
        importance=round(memory.importance, 4),
        effective_importance=round(effective_importance(memory, now) if worth is None else worth, 4),
        space=memory.space,
        agent=memory.agent,
        session=memory.session,
        emotion_tags=list(memory.emotion_tags),
        sentiment=memory.sentiment,
        context=memory.context,
        lang=memory.lang,
        attested=memory.attested,
        quote=memory.quote,
        confidence=memory.confidence,
        reason=memory.reason,
        core=memory.core,
        pinned=memory.pinned,
        last_recalled=_iso(memory.last_recalled),
        recall_count=memory.recall_count,
        seen_count=memory.seen_count,
        deny_count=memory.deny_count,
        expires_at=_iso(memory.expires_at),
        valid_from=_iso(memory.valid_from),
        valid_to=_iso(memory.valid_to),
        supersedes=memory.supersedes,
        superseded_by=memory.superseded_by,
        contests=memory.contests,
        contested=memory.contested,
        authority="file" if rank_of(memory) >= Rank.FILE_IMPORT else "self",
        supplement=_beside(winner.supplement, now) if winner else None,
        newer_lower=_beside(winner.newer_lower, now) if winner else None,
    )


def size(shown: Record) -> int:
    """Bytes that a record takes in a reply."""
    return len(msgspec.msgpack.encode(shown))


def excerpt(shown: Record) -> Record:
    """Show a record by its beginning, and say how much there is: ``get`` brings the whole."""
    if len(shown.content) <= EXCERPT:
        return shown
    return replace(shown, content=shown.content[:EXCERPT], content_bytes=len(shown.content.encode()))


def fitting(shown: Iterable[Record]) -> list[Record]:
    """Show the records of one reply: whole while there is room, those after that by their beginning."""
    kept, room = [], REPLY_BYTES
    for each in shown:
        room -= size(each)
        kept.append(each if room >= 0 else excerpt(each))
    return kept


def with_short_company(shown: Record) -> Record:
    """Cut what stands beside a record to its beginning, as lists and searches show it."""
    if shown.supplement is None and shown.newer_lower is None:
        return shown
    return replace(
        shown,
        supplement=excerpt(shown.supplement) if shown.supplement else None,
        newer_lower=excerpt(shown.newer_lower) if shown.newer_lower else None,
    )


def _beside(memory: Memory | None, now: Micros) -> Record | None:
    return record(memory, now) if memory is not None else None


def _iso(moment: Micros | None) -> str | None:
    return to_iso(moment) if moment is not None else None
