"""The random histories themselves: a property that is tried only where nothing can show proves nothing."""

from collections import Counter
from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from memtrig import wire

from tests.serve.asking import ARRIVALS, HOSTS, MACHINE, OWNERS, asides, data, days, life
from tests.serve.harness import Nursery
from tests.serve.histories import Move, histories
from tests.serve.replay import Step, play_in_full

EXAMPLES = 120
MUST_SHOW = {
    "a copy from below is served": 20,
    "a newer lower copy is named": 5,
    "the user's word comes with a supplement": 2,
    "a contested memory is served": 2,
    "a delete masks lower copies": 5,
    "hits from several levels": 8,
    "a page is followed by another": 8,
    "a session is raised": 20,
    "outcome new": 50,
    "outcome updated": 20,
    "outcome known": 3,
    "outcome pending": 10,
    "outcome contested": 10,
    "outcome confirmed": 4,
    "settled active": 12,
    "settled active below": 5,
    "settled disputed": 3,
    "something is forgotten": 20,
    "what lies below is forgotten up here": 10,
    "something is undone": 12,
    "a life of several memories is told": 10,
    "something waits for an answer": 4,
    "something comes to mind": 4,
    "another name is known": 2,
    "a promise is kept": 2,
    "a promise from below is kept": 3,
    "promises of several levels": 1,
    "days of several levels": 1,
    "something is erased": 2,
    "something is archived": 1,
    "something is swept": 3,
    "notice memory_expiring": 3,
    "notice promise_due": 4,
    "notice proposal_waiting": 1,
    "several rules hide something": 1,
    "error forgotten": 12,
    "error not_found": 50,
    "error key_reused": 10,
    "error taint_never_falls": 10,
    "error session_unknown": 10,
    "error bad_cursor": 10,
    "similar memories of several levels": 3,
    "error over_ceiling": 5,
}
"""In how many of the examples each is to be seen, at least: about half of what was counted."""


@pytest.mark.slow
def test_histories_are_full_of_what_could_leak(fresh: Nursery) -> None:
    """Levels meet at keys, searches find, masks and cursors are made, sessions rise, and errors of each kind come."""
    seen: Counter[str] = Counter()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(moves=histories())
    def count(moves: list[Move]) -> None:
        seen.update({sight for step in play_in_full(fresh, moves) if step.reply for sight in _sights(step)})

    count()
    assert {sight: seen[sight] for sight, least in MUST_SHOW.items() if seen[sight] < least} == {}


def test_every_request_is_made() -> None:
    """The tables have each request that an agent, the owner or a host can send: the next one can't be left out."""
    common = {*data(steady=False), *life(steady=False), *days(steady=False)}
    assert common | {*asides(steady=False), *ARRIVALS} == set(get_args(wire.AgentRequest))
    assert common | {*OWNERS} == set(get_args(wire.OwnerData))
    assert {*HOSTS, *MACHINE, *asides(steady=False), wire.Act} == set(get_args(wire.ControlRequest))


def _sights(step: Step) -> Iterator[str]:
    """Name what there is to see in a reply."""
    for answer in step.answers():
        yield from _seen(step, answer)


def _seen(step: Step, answer: wire.Answer) -> Iterator[str]:
    if isinstance(answer.result, wire.Result):
        yield f"told {type(answer.result).__name__}"
    if isinstance(answer.notice, wire.Notice):
        yield f"notice {answer.notice.about}"
    if isinstance(answer.error, wire.Error):
        yield f"error {answer.error.code}"
    match answer.result:
        case wire.Got(memory=memory):
            found = {
                "a copy from below is served": memory.level != step.level.name,
                "a newer lower copy is named": memory.newer_lower is not None,
                "the user's word comes with a supplement": memory.supplement is not None,
                "a contested memory is served": memory.contested,
            }
            yield from (sight for sight, there in found.items() if there)
        case wire.Saved(outcome=outcome, similar=similar):
            yield f"outcome {outcome}"
            if len({each.level for each in similar}) > 1:
                yield "similar memories of several levels"
        case wire.Found(results=hits) if len({hit.level for hit in hits}) > 1:
            yield "hits from several levels"
        case wire.Listed(next_cursor=str()):
            yield "a page is followed by another"
        case wire.Deleted(masks=[_, *_]):
            yield "a delete masks lower copies"
        case wire.Raised():
            yield "a session is raised"
        case wire.Settled(status=status, below=below):
            yield f"settled {status}{' below' if below else ''}"
        case wire.Forgotten(count=count, elsewhere=elsewhere):
            yield "something is forgotten" if count else "nothing is forgotten here"
            if elsewhere:
                yield "what lies below is forgotten up here"
        case wire.Undone(memories=[_, *_]):
            yield "something is undone"
        case wire.Told(memories=[_, _, *_]):
            yield "a life of several memories is told"
        case wire.Reviewed(items=[_, *_]):
            yield "something waits for an answer"
        case wire.Recalled(ideas=[_, *_]):
            yield "something comes to mind"
        case wire.Wishes(suppressions=[_, *_]):
            yield "a suppression is seen"
        case _:
            yield from _seen_of_days(step, answer.result)


def _seen_of_days(step: Step, result: object) -> Iterator[str]:
    """Name what there is to see of what is no memory."""
    match result:
        case wire.Promised(promise=promise):
            if promise.done_at is not None:
                yield "a promise is kept" if promise.level == step.level.name else "a promise from below is kept"
        case wire.Promises(promises=promises) if len({each.level for each in promises}) > 1:
            yield "promises of several levels"
        case wire.WellnessTold(notes=notes) if len({each.level for each in notes}) > 1:
            yield "days of several levels"
        case wire.Aliases(aliases=[_, *_]):
            yield "another name is known"
        case wire.Erased(count=count, dry_run=False) if count:
            yield "something is erased"
        case wire.Expired(count=count, dry_run=False) if count:
            yield "something is swept"
        case wire.Hidden(rules=[_, _, *_]):
            yield "several rules hide something"
        case wire.Vacuumed(archived=archived) if archived:
            yield "something is archived"
        case wire.Weekly(items=[_, *_]):
            yield "a week has something"
