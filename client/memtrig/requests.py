"""Requests made from the arguments of a call: checked for names here, for values by the daemon."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from typing import Any, TypedDict

from memtrig import wire

EVENTS = ("promise_due", "memory_expiring", "proposal_waiting")
"""What there are notices of."""
PAGE = 100
"""Memories asked for at once while a list is read to its end."""


class Fields(TypedDict, total=False):
    """What ``save`` takes beside key and content. There is no level: it is the session's, always."""

    kind: str
    source: str | None
    entity: str | None
    tags: Sequence[str]
    emotion_tags: Sequence[str]
    sentiment: str | None
    context: str | None
    lang: str | None
    quote: str | None
    confidence: float | None
    core: bool | None
    expires_at: str | date | None
    valid_from: str | date | None
    valid_to: str | date | None
    replaces: str | None
    reason: str | None
    pinned: bool | None
    redact: bool
    force: bool
    idempotency_key: str | None


class Searching(TypedDict, total=False):
    """What ``search`` takes beside the question and how many hits it may have."""

    since: str | date | None
    until: str | date | None
    kind: str | None
    tags: Sequence[str]
    entity: str | None
    source: str | None
    max_tokens: int | None
    full: bool
    lexical: bool
    zone: str | None


class Forgetting(TypedDict, total=False):
    """What ``forget`` takes beside a key."""

    id: str | None
    entity: str | None
    tag: str | None
    kind: str | None
    reason: str | None
    quote: str | None
    dry_run: bool
    confirm: int | None


def save(key: str | None, content: str, fields: Fields) -> wire.Save:
    """Build a save. Raises TypeError for a field that there isn't; dates and datetimes become ISO 8601."""
    unknown = fields.keys() - Fields.__annotations__
    if unknown:
        raise TypeError(
            f"save() has no field {', '.join(sorted(unknown))}; it takes {', '.join(Fields.__annotations__)}"
        )
    told: dict[str, Any] = {name: _iso(value) for name, value in fields.items()}
    told["idempotency_key"] = told.get("idempotency_key") or once()
    return wire.Save(key=key, content=content, **told)


def search(query: str, max_results: int, fields: Searching) -> wire.Search:
    """Build a search. Raises TypeError for a field that there isn't; datetimes become ISO 8601."""
    told: dict[str, Any] = {name: _iso(value) for name, value in fields.items()}
    return wire.Search(query=query, max_results=max_results, **told)


def delete(key: str) -> wire.Delete:
    """Build a delete."""
    return wire.Delete(key=key, idempotency_key=once())


def confirm(id: str, quote: str | None) -> wire.Confirm:
    """Build a confirm."""
    return wire.Confirm(id=id, quote=quote, idempotency_key=once())


def reject(id: str, quote: str | None, reason: str | None) -> wire.Reject:
    """Build a reject."""
    return wire.Reject(id=id, quote=quote, reason=reason, idempotency_key=once())


def deny(key: str | None, id: str | None, reason: str | None, quote: str | None) -> wire.Deny:
    """Build a deny."""
    return wire.Deny(key=key, id=id, reason=reason, quote=quote, idempotency_key=once())


def forget(key: str | None, fields: Forgetting) -> wire.Forget:
    """Build a forget. Raises TypeError for a field that there isn't."""
    return wire.Forget(key=key, idempotency_key=once(), **fields)


def decay(dry_run: bool) -> wire.Decay:
    """Build a decay."""
    return wire.Decay(dry_run=dry_run, idempotency_key=once())


def expire(key: str | None, id: str | None, dry_run: bool) -> wire.Expire:
    """Build an expire."""
    return wire.Expire(key=key, id=id, dry_run=dry_run, idempotency_key=once())


def promise(text: str, deadline: str | date | None, entity: str | None) -> wire.PromiseAdd:
    """Build a new promise; a date or datetime becomes ISO 8601."""
    return wire.PromiseAdd(text=text, deadline=_iso(deadline), entity=entity, idempotency_key=once())


def promise_done(id: str, undone: bool) -> wire.PromiseDone:
    """Build the end of a promise, or its reopening."""
    return wire.PromiseDone(id=id, undone=undone, idempotency_key=once())


def wellness(mood: str, sleep_hours: float | None, sleep_quality: str | None, note: str | None) -> wire.WellnessAdd:
    """Build a note of the day."""
    return wire.WellnessAdd(
        mood=mood, sleep_hours=sleep_hours, sleep_quality=sleep_quality, note=note, idempotency_key=once()
    )


def backup() -> wire.Backup:
    """Build a backup."""
    return wire.Backup()


def vacuum(dry_run: bool) -> wire.Vacuum:
    """Build a vacuum."""
    return wire.Vacuum(dry_run=dry_run, idempotency_key=once())


def subscribe(events: tuple[str, ...]) -> wire.Subscribe:
    """Build a subscription; none named is all. Raises ValueError for an event that there isn't."""
    unknown = sorted({*events} - {*EVENTS})
    if unknown:
        raise ValueError(f"there are no notices of {', '.join(unknown)}; there are of {', '.join(EVENTS)}")
    return wire.Subscribe(to=[*(events or EVENTS)])


def page(limit: int | None) -> int:
    """Choose how many memories to ask for at once when at most ``limit`` are wanted."""
    return PAGE if limit is None else max(1, min(limit, PAGE))


def hello(agent: str | None, conversation: str | None, space: str | None) -> wire.Hello:
    """Build the first request of a connection."""
    return wire.Hello(
        protocol=wire.PROTOCOL, agent=agent, conversation=conversation, space=space, client="memtrig-python"
    )


def _iso(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def once() -> str:
    """Make a key by which the daemon knows a repeated write: 128 random bits, fresh in a forked child too."""
    return os.urandom(16).hex()
