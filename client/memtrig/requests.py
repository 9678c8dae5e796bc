"""Requests made from the arguments of a call: checked for names here, for values by the daemon."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from typing import Any, TypedDict

from memtrig import wire

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
    idempotency_key: str | None


class Forgetting(TypedDict, total=False):
    """What ``forget`` takes beside a key."""

    id: str | None
    entity: str | None
    tag: str | None
    kind: str | None
    reason: str | None
    dry_run: bool
    confirm: int | None


def save(key: str | None, content: str, fields: Fields) -> wire.Save:
    """Build a save. Raises TypeError for a field that there isn't; dates and datetimes become ISO 8601."""
    unknown = fields.keys() - Fields.__annotations__
    if unknown:
        raise TypeError(
            f"save() has no field {', '.join(sorted(unknown))}; it takes {', '.join(Fields.__annotations__)}"
        )
    told: dict[str, Any] = {
        name: value.isoformat() if isinstance(value, date) else value for name, value in fields.items()
    }
    told["idempotency_key"] = told.get("idempotency_key") or once()
    return wire.Save(key=key, content=content, **told)


def delete(key: str) -> wire.Delete:
    """Build a delete."""
    return wire.Delete(key=key, idempotency_key=once())


def confirm(id: str, quote: str | None) -> wire.Confirm:
    """Build a confirm."""
    return wire.Confirm(id=id, quote=quote, idempotency_key=once())


def reject(id: str, quote: str | None, reason: str | None) -> wire.Reject:
    """Build a reject."""
    return wire.Reject(id=id, quote=quote, reason=reason, idempotency_key=once())


def deny(key: str | None, id: str | None, reason: str | None) -> wire.Deny:
    """Build a deny."""
    return wire.Deny(key=key, id=id, reason=reason, idempotency_key=once())


def forget(key: str | None, fields: Forgetting) -> wire.Forget:
    """Build a forget. Raises TypeError for a field that there isn't."""
    return wire.Forget(key=key, idempotency_key=once(), **fields)


def decay(dry_run: bool) -> wire.Decay:
    """Build a decay."""
    return wire.Decay(dry_run=dry_run, idempotency_key=once())


def page(limit: int | None) -> int:
    """Choose how many memories to ask for at once when at most ``limit`` are wanted."""
    return PAGE if limit is None else max(1, min(limit, PAGE))


def hello(agent: str | None, conversation: str | None, space: str | None) -> wire.Hello:
    """Build the first request of a connection."""
    return wire.Hello(
        protocol=wire.PROTOCOL, agent=agent, conversation=conversation, space=space, client="memtrig-python"
    )


def once() -> str:
    """Make a key by which the daemon knows a repeated write: 128 random bits, fresh in a forked child too."""
    return os.urandom(16).hex()
