"""Forgetting, denying and recalling across levels: nothing goes down, and nobody below learns of it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from memtrig import wire
from memtrig.wire import Record

from memtrigd.domain.levels import Level
from tests.conftest import Daemon
from tests.serve.harness import World
from tests.serve.lives import Owner, at, content, refusal, served


def test_suppressions_show_agents_entities_alone_and_nothing_from_above(shared_daemon: Daemon, owner: Owner) -> None:
    """D10: a key or a reason would itself be a mention; a wish from above would be a leak."""
    with at(shared_daemon, "public", "confidential") as (low, high):
        low.save("wish-low", "something", source="user_explicit")
        low.forget("wish-low", reason="wish-reason")
        high.forget(entity="wish-secret", reason="wish-reason")
        seen = [str(each) for each in low.suppressions().suppressions]
        above = high.suppressions().suppressions
    assert not [text for text in seen if "wish-" in text]
    assert [(wish.entity, wish.key, wish.reason) for wish in above if wish.entity == "wish-secret"] == [
        ("wish-secret", None, None)
    ]
    wishes = owner.does(wire.Suppressions(), wire.Wishes)
    assert {("wish-low", "wish-reason"), (None, "wish-reason")} <= {(w.key, w.reason) for w in wishes.suppressions}


def test_a_forget_above_hides_lower_copies_from_its_own_readers(shared_daemon: Daemon, owner: Owner) -> None:
    """D9: the low reader keeps its memory and learns nothing; the reply names where copies stay for the owner."""
    with at(shared_daemon, "public", "confidential", "restricted") as (low, high, top):
        low.save("hide", "the lower copy", entity="hide-entity")
        high.save("hide", "the upper copy", entity="hide-entity")
        forgotten = high.forget("hide")
        assert (forgotten.count, forgotten.levels, forgotten.elsewhere) == (1, ["CONFIDENTIAL"], ["PUBLIC"])
        assert [content(memory, "hide") for memory in (low, high, top)] == ["the lower copy", None, None]
        assert low.save("hide", "the lower copy").status == "active"


def test_a_forget_of_what_lies_below_alone(shared_daemon: Daemon, owner: Owner) -> None:
    """Nothing is touched below, the wish holds above, and the owner can forget it at every level."""
    with at(shared_daemon, "public", "confidential") as (low, high):
        low.save("below", "only below")
        forgotten = high.forget("below")
        assert (forgotten.count, forgotten.elsewhere) == (0, ["PUBLIC"])
        assert [content(memory, "below") for memory in (low, high)] == ["only below", None]
        assert refusal(high.save, "below", "only below").code == "forgotten"
        everywhere = owner.does(wire.Forget(key="below"), wire.Forgotten, all_levels=True)
        assert everywhere.count == 1
        assert content(low, "below") is None


def test_a_long_idempotency_key_serves_at_all_levels(shared_daemon: Daemon, owner: Owner) -> None:
    """What is added for each level does not take a key over its limit, and a retry is answered as the first try."""
    with at(shared_daemon, "public", "internal") as memories:
        for memory in memories:
            memory.save("long-retry", "something", source="user_explicit")
    request = wire.Forget(key="long-retry", idempotency_key="k" * 250)
    first = owner.does(request, wire.Forgotten, all_levels=True)
    assert first.count == 2
    assert owner.does(request, wire.Forgotten, all_levels=True) == first
    over = wire.Act(request=wire.Forget(key="long-retry", idempotency_key="k" * 257), all_levels=True)
    assert owner.line.refusal(over).code == "too_large"


def test_a_denial_from_above_leaves_the_low_view_as_it_is(shared_daemon: Daemon) -> None:
    """Readers above see a tenth, then nothing; those below see no trace of it."""
    with at(shared_daemon, "public", "confidential") as (low, high):
        low.save("deny-below", "She has a boat")
        before = served(low, "deny-below")
        assert high.deny("deny-below").below
        assert served(high, "deny-below").effective_importance == 0.1
        high.deny("deny-below")
        assert content(high, "deny-below") is None
        after = served(low, "deny-below")
        assert (after.effective_importance, after.deny_count, after.status) == (1.0, 0, "active")
        assert after.updated == before.updated
        assert "deny-below" not in str(low.review())


def test_recalls_are_stamped_at_the_readers_level_alone(shared_daemon: Daemon) -> None:
    """D14: the reader's own row is stamped soon after; what a higher reader recalled below leaves no stamp there."""
    with at(shared_daemon, "public", "confidential") as (low, high):
        low.save("stamp-read-above", "x")
        high.save("stamp-own", "y")
        assert served(high, "stamp-own").recall_count == 0
        assert served(high, "stamp-read-above").recall_count == 0
        wait_for(lambda: (found := find(high.list(), "stamp-own")) is not None and found.recall_count == 1)
        below = find(low.list(), "stamp-read-above")
        assert below is not None
        assert (below.recall_count, below.last_recalled) == (0, None)
        ideas = [idea.memory.key for idea in high.recall(10).ideas]
        assert "stamp-own" not in ideas
        assert "stamp-read-above" not in ideas
        assert "stamp-read-above" in [idea.memory.key for idea in low.recall(10).ideas]


def find(records: list[Record], key: str) -> Record | None:
    """The record of a key in a list, which stamps nothing."""
    return next((record for record in records if record.key == key), None)


def wait_for(happened: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for what comes behind an answer."""
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_proposal_is_known_to_its_own_session_alone(shared_daemon: Daemon, owner: Owner) -> None:
    """Another session of an agent that calls itself the same can't confirm it, nor learn of it by a forget."""
    with at(shared_daemon, "internal", "internal") as (one, other):
        guess = one.save("own-guess", "may like figs", entity="own-subject", source="self_inferred")
        assert refusal(lambda: other.confirm(guess.id, quote="yes, figs")).code == "not_found"
        for named in ({"key": "own-guess"}, {"id": guess.id}):
            assert refusal(lambda named=named: other.forget(**named)).code == "not_found"
        gone = other.forget(entity="own-subject")
        assert (gone.count, gone.memories) == (0, [])
        assert guess.id not in [item.memory.id for item in owner.waiting()]


def test_what_is_over_is_not_confirmed(shared_daemon: Daemon, owner: Owner) -> None:
    """A yes to a proposal past its date would put a memory into service that nobody sees."""
    with at(shared_daemon, "internal") as (memory,):
        soon = datetime.now(UTC) + timedelta(seconds=0.2)
        guess = memory.save("over", "is in town", source="self_inferred", expires_at=soon)
        time.sleep(0.25)
        answer = owner.line.refusal(wire.Act(request=wire.Confirm(id=guess.id)))
        assert answer.code == "bad_time"


def test_what_was_denied_is_not_strengthened_from_above(world: World) -> None:
    """Whoever recalls a memory, at its own level or above, before its denial or after: it counts a tenth for both."""
    low, high = world.agent(Level.PUBLIC), world.agent(Level.CONFIDENTIAL)
    low.ask(wire.Save(key="denied", content="She has a boat"))
    high.ask(wire.Get(key="denied"))
    low.ask(wire.Deny(key="denied"))
    for reader in (low, high):
        reader.ask(wire.Get(key="denied"))
    assert [reader.ask(wire.Get(key="denied")).memory.effective_importance for reader in (low, high)] == [0.1, 0.1]
