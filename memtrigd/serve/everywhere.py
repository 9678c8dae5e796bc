"""One wish at every level: the owner's ``all_levels`` is one act at each, from the lowest up, told together."""

from collections.abc import Callable
from hashlib import blake2b

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import MAX_KEY, name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.serve.dispatch import Done, Reply


def at_every_level(act: wire.Act, take: Callable[[wire.Act, Done], None], done: Done) -> None:
    """Act at each level in turn through ``take``, and tell ``done`` the sum.

    A level where nothing matches is passed over; any other refusal ends it, and says so. What was done below stays
    done: the same wish again finds there what it did.
    """
    if not isinstance(act.request, wire.Forget):
        raise Refusal("bad_request", "Only forget can act at all levels at once.", "Name one --level.")
    _next(act, list(Level), [], take, done)


def _next(
    act: wire.Act, left: list[Level], told: list[wire.Forgotten], take: Callable[[wire.Act, Done], None], done: Done
) -> None:
    if not left:
        done(_together(told))
        return

    def answered(reply: Reply) -> None:
        if isinstance(reply.result, wire.Forgotten):
            told.append(reply.result)
        elif not (isinstance(reply.error, Refusal) and reply.error.code == "not_found"):
            done(reply)
            return
        _next(act, left[1:], told, take, done)

    level, request = left[0], act.request
    if isinstance(request, wire.Forget) and request.idempotency_key is not None:
        request = replace(request, idempotency_key=_key_at(level, request.idempotency_key))
    take(replace(act, request=request, level=level.name, all_levels=False), answered)


def _key_at(level: Level, idempotency_key: str) -> str:
    """An idempotency key for one level's part: with the level's name, and within the limit of any such key."""
    whole = name(idempotency_key, "idempotency key")
    spelt = f"{whole}.{level.slug}"
    return spelt if len(spelt) <= MAX_KEY else f"{blake2b(whole.encode(), digest_size=32).hexdigest()}.{level.slug}"


def _together(told: list[wire.Forgotten]) -> Reply:
    if not told:
        return Reply(error=Refusal("not_found", "Nothing to forget: no memory matches at any level.", ""))
    return Reply(
        wire.Forgotten(
            count=sum(each.count for each in told),
            memories=[memory for each in told for memory in each.memories],
            levels=[level for each in told for level in each.levels],
            dry_run=told[0].dry_run,
            suppressed=next((each.suppressed for each in told if each.suppressed), None),
        )
    )
