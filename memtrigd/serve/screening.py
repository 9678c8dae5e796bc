"""Credentials are kept out: a write that holds one is refused before any of it is on disk, in a digest or in a log."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any, Final

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import MAX_NOTE, MAX_TAGS
from memtrigd.domain.errors import Refusal
from memtrigd.domain.secrets import Secret, find, redacted
from memtrigd.gate.policy import Actor

_APART: Final = "\n\0\n"
"""Between fields that are looked through at once: no credential reaches over it."""
_NOTES: Final = ("reason", "quote", "idempotency_key")
"""What any write keeps of its text. A key, an id or an entity only names what is there already."""
_TEXTS: Final[dict[type[wire.Request], tuple[str, ...]]] = {
    wire.Save: ("content", "key", "kind", "entity", "tags", "emotion_tags", "sentiment", "context", "lang", *_NOTES),
    wire.PromiseAdd: ("text", "entity", "idempotency_key"),
    wire.WellnessAdd: ("mood", "sleep_quality", "note", "idempotency_key"),
    wire.AliasAdd: ("alias", "entity", "idempotency_key"),
}


def screened(request: wire.Request, actor: Actor) -> wire.Request:
    """The request as it may be kept: as it is, or with its credentials taken out where it asks for that.

    Raises Refusal ``secret``, which names kind and place and nothing of the text; ``not_yours`` for an agent that
    would force it.
    """
    if isinstance(request, wire.Save) and request.force:
        if not actor.is_owner:
            raise Refusal(
                "not_yours", "Only the owner keeps a credential.", "Leave it out, or say redact=true (--redact)."
            )
        return request
    texts = [text for _, text in _texts(request)]
    if not find(_APART.join(texts)):
        return request
    if isinstance(request, wire.Save) and request.redact:
        return _redacted(request)
    raise _refusal(request, actor)


def prepared(
    prepare: Callable[[Any, Actor, tzinfo], Any] | None, request: Any, actor: Actor, zone: tzinfo
) -> tuple[Any, Any]:
    """A request as it may be kept, and what its handler takes: all that needs no store, so in any thread."""
    kept = screened(request, actor)
    return kept, kept if prepare is None else prepare(kept, actor, zone)


def check(**fields: str | None) -> None:
    """Raise Refusal ``secret`` if one of some texts that stand by themselves holds a credential."""
    for field, text in fields.items():
        found = find(text) if text is not None and len(text) <= MAX_NOTE else []
        if found:
            raise _holds(field, found[0], "Leave it out.")


def _texts(request: wire.Request) -> Iterator[tuple[str, str]]:
    """Each text that would be kept, with its field. What is over its limit is refused for that, and not looked at."""
    for field in _TEXTS.get(type(request), _NOTES):
        value = getattr(request, field, None)
        if isinstance(value, str) and (field == "content" or len(value) <= MAX_NOTE):
            yield field, value
        elif isinstance(value, list) and len(value) <= MAX_TAGS:
            yield from ((field, each) for each in value if len(each) <= MAX_NOTE)


def _redacted(request: wire.Save) -> wire.Save:
    changed: dict[str, str | list[str]] = {}
    for field in _TEXTS[wire.Save]:
        value = getattr(request, field)
        if isinstance(value, str):
            changed[field] = redacted(value)
        elif value:
            changed[field] = [redacted(each) for each in value]
    return replace(request, **changed)


def _refusal(request: wire.Request, actor: Actor) -> Refusal:
    field, secret = next((field, secret) for field, text in _texts(request) for secret in find(text))
    way = "Leave it out."
    if isinstance(request, wire.Save):
        way = f"Leave it out, or say redact=true (--redact): `[redacted {secret.kind}]` is kept in its place."
        way += " The owner keeps it with force=true." if actor.is_owner else ""
    return _holds(field, secret, way)


def _holds(field: str, secret: Secret, way: str) -> Refusal:
    article = "an" if secret.kind[0] in "AEIOaeio" else "a"
    said = f"The {field} holds {article} {secret.kind} at character {secret.start}; nothing was kept."
    return Refusal("secret", said, way)
