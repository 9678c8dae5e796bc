"""From what the store keeps to a bundle's rows: every field, nothing rounded, what is at its default left out."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

import msgspec
from memtrig import wire

from memtrigd.domain.entries import Entry
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Suppression
from memtrigd.store.interface import Change, Ledger, Version

_FIXED: Final = ("id", "key", "space", "content")
"""What no step of a life changes."""
encode: Final = msgspec.json.Encoder(order="deterministic").encode


def memory(row: Memory, life: Iterable[Version]) -> wire.BundledMemory:
    """A memory and its life."""
    fields = {name: _told(name, getattr(row, name)) for name in wire.BundledMemory.__struct_fields__[:-1]}
    return wire.BundledMemory(**fields, history=[_step(row, each) for each in life])


def wish(row: Suppression) -> wire.BundledWish:
    """A suppression, without the digest of its text."""
    return wire.BundledWish(
        id=row.id,
        scope=row.scope.value,
        space=row.space,
        at=to_iso(row.at),
        key=row.key,
        entity=row.entity,
        memory_id=row.memory_id,
        reason=row.reason,
        lifted_at=_iso(row.lifted_at),
    )


def entry(row: Entry) -> wire.BundledEntry:
    """An entry."""
    return wire.BundledEntry(
        id=row.id,
        sort=row.sort.value,
        space=row.space,
        created=to_iso(row.created),
        updated=to_iso(row.updated),
        agent=row.agent,
        session=row.session,
        name=row.name,
        due=_iso(row.due),
        closed=_iso(row.closed),
        body=row.body,
    )


def event(change: Change, about: str | None) -> wire.BundledEvent:
    """An event."""
    return wire.BundledEvent(
        op=change.op,
        at=to_iso(change.at),
        actor=change.actor,
        session=change.session,
        reason=change.reason,
        about=about,
    )


def mask(key: str, row: Mask) -> wire.BundledMask:
    """A mask."""
    return wire.BundledMask(key=key, space=row.space, memory_id=row.memory_id, seen_count=row.seen_count)


def ledger(row: Ledger) -> wire.BundledLedger:
    """A page of the ledger."""
    return wire.BundledLedger(
        memory_id=row.memory_id,
        importance=row.importance,
        importance_at=to_iso(row.importance_at),
        last_recalled=_iso(row.last_recalled),
        recall_count=row.recall_count,
        deny_count=row.deny_count,
    )


def _step(row: Memory, version: Version) -> wire.BundledStep:
    change = version.change
    fields = {
        name: _told(name, value)
        for name, value in version.fields.items()
        if name not in _FIXED or value != getattr(row, name)
    }
    return wire.BundledStep(
        op=change.op,
        at=to_iso(change.at),
        actor=change.actor,
        session=change.session,
        reason=change.reason,
        fields=fields,
    )


def _told(name: str, value: Any) -> Any:
    if name in wire.TIMES:
        return _iso(value)
    if isinstance(value, StrEnum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def _iso(moment: Micros | None) -> str | None:
    return None if moment is None else to_iso(moment)
