"""One wish at every level: the owner's ``all_levels`` is one act at each, from the lowest up, told together."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import TypeAlias

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import MAX_KEY, name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.serve.dispatch import Done, Reply
from memtrigd.serve.handlers.erase import said_back

Take: TypeAlias = Callable[[wire.Act, Done], None]
Keep: TypeAlias = Callable[[wire.Act, Take, Done], None]
"""Keeps a wish on disk while it is carried out, so that a crash does not halve it."""


def at_every_level(act: wire.Act, take: Take, keep: Keep, done: Done) -> None:
    """Act at each level in turn through ``take``, and tell ``done`` the sum.

    A level where nothing matches is passed over; any other refusal ends it, and says so. What was done below stays
    done: the same wish again finds there what it did. Before anything is erased all levels are counted, and the count
    that the owner said back is held against the sum.
    """
    match act.request:
        case wire.Forget(dry_run=True):
            at_each_level(take, act, done)
        case wire.Forget():
            keep(act, partial(at_each_level, take), done)
        case wire.Erase(dry_run=True):
            _next(replace(act, request=replace(act.request, idempotency_key=None)), list(Level), [], take, done)
        case wire.Erase():
            _count_then_erase(act, act.request, take, partial(keep, act, partial(at_each_level, take), done), done)
        case _:
            raise Refusal("bad_request", "Only forget and erase can act at all levels at once.", "Name one --level.")


def at_each_level(take: Take, act: wire.Act, done: Done) -> None:
    """Act at each level in turn, with no more questions: what is to happen was decided."""
    _next(act, list(Level), [], take, done)


def _count_then_erase(act: wire.Act, request: wire.Erase, take: Take, erase: Callable[[], None], done: Done) -> None:
    def counted(trial: Reply) -> None:
        count = trial.result.count if isinstance(trial.result, wire.Erased) else 0
        retried = request.idempotency_key is not None and not count  # it finds nothing left, but its answer
        if trial.error is not None and not (retried and _is_missing(trial)):
            done(trial)
            return
        try:
            if not retried:
                said_back(request, count, "at all levels")
        except Refusal as refusal:
            done(Reply(error=refusal))
        else:
            erase()

    trial = replace(request, dry_run=True, confirm=None, idempotency_key=None)
    _next(replace(act, request=trial), list(Level), [], take, counted)


def _next(act: wire.Act, left: list[Level], told: list[wire.Result], take: Take, done: Done) -> None:
    if not left:
        done(_together(told))
        return

    def answered(reply: Reply) -> None:
        if reply.result is not None:
            told.append(reply.result)
        elif not _is_missing(reply):
            done(reply)
            return
        _next(act, left[1:], told, take, done)

    level, request = left[0], act.request
    if isinstance(request, wire.Write) and request.idempotency_key is not None:
        request = replace(request, idempotency_key=_key_at(level, request.idempotency_key))
    # an erase is told that it is one of all, so that it does not take the count of all for its own
    part = replace(act, request=request, level=level.name, all_levels=isinstance(request, wire.Erase))
    take(part, answered)


def _is_missing(reply: Reply) -> bool:
    return isinstance(reply.error, Refusal) and reply.error.code == "not_found"


def _key_at(level: Level, idempotency_key: str) -> str:
    """An idempotency key for one level's part: with the level's name, and within the limit of any such key."""
    whole = name(idempotency_key, "idempotency key")
    spelt = f"{whole}.{level.slug}"
    return spelt if len(spelt) <= MAX_KEY else f"{blake2b(whole.encode(), digest_size=32).hexdigest()}.{level.slug}"


def _together(told: Sequence[wire.Result]) -> Reply:
    forgotten = [each for each in told if isinstance(each, wire.Forgotten)]
    erased = [each for each in told if isinstance(each, wire.Erased)]
    if forgotten:
        return Reply(_all_forgotten(forgotten))
    if erased:
        return Reply(_all_erased(erased))
    return Reply(
        error=Refusal("not_found", "No memory matches at any level.", "`list` and `history` show what there is.")
    )


def _all_forgotten(told: list[wire.Forgotten]) -> wire.Forgotten:
    return wire.Forgotten(
        count=sum(each.count for each in told),
        memories=[memory for each in told for memory in each.memories],
        levels=[level for each in told for level in each.levels],
        dry_run=told[0].dry_run,
        suppressed=next((each.suppressed for each in told if each.suppressed), None),
    )


def _all_erased(told: list[wire.Erased]) -> wire.Erased:
    """The sum. In a dry run a level where something would go is not elsewhere; what else it has is told afterwards."""
    dry, reached = told[0].dry_run, {each.level for each in told if each.count}
    left = dict.fromkeys(level for each in told for level in each.elsewhere if not dry or level not in reached)
    return wire.Erased(
        count=sum(each.count for each in told),
        memories=[memory for each in told for memory in each.memories],
        level=", ".join(each.level for each in told),
        elsewhere=list(left),
        backups=list(dict.fromkeys(backup for each in told for backup in each.backups)),
        dry_run=dry,
    )
