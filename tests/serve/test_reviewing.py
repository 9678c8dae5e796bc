"""What review, history, why, recall, stats and status tell, to whom, and how much of it fits one reply."""

import memtrig
import msgspec
import pytest
from memtrig import host, wire
from memtrig.ctl.render import Screen
from memtrig.ctl.verbs import review

from memtrigd.serve.records import REPLY_BYTES
from tests.conftest import Daemon
from tests.serve.lives import Owner, at, refusal

LONG = 300_000
"""Characters of a text of which four don't fit one reply."""


def size(result: wire.Result) -> int:
    """Bytes of a result."""
    return len(msgspec.msgpack.encode(result))


def test_review_shows_what_a_yes_would_oust(memory: memtrig.Memory, owner: Owner) -> None:
    """A guess meets the word that was said after it, not the one that it met when it was made."""
    early = memory.save("ousts", "She may sail", source="self_inferred")
    (waiting,) = [item for item in owner.waiting() if item.memory.id == early.id]
    assert (waiting.about, waiting.against) == ("pending", None)
    first = memory.save("ousts", "She rows", source="user_explicit")
    second = memory.save("ousts", "She swims", source="user_explicit")
    for reviewed in (owner.waiting(), memory.review(500).items):
        (item,) = [each for each in reviewed if each.memory.id == early.id]
        assert item.about == "contested"
        assert item.against is not None
        assert (item.against.id, item.against.content) == (second.id, "She swims")
    late = memory.save("ousts", "She dives", source="self_inferred")
    assert late.contests == second.id != first.id
    memory.delete("ousts")
    assert [(item.about, item.against) for item in owner.waiting() if item.memory.id == late.id] == [("pending", None)]


def test_replies_stay_within_their_bounds(memory: memtrig.Memory, owner: Owner) -> None:
    """Long texts are shown by their beginnings, with their whole length; a history begins to save at the oldest."""
    for number in range(6):
        memory.save("bounds", f"{number} " + "x" * LONG, source="user_explicit")
        memory.save(f"bounds-{number}", f"{number} " + "y" * LONG, source="self_inferred")
        memory.save(f"bounds-idea-{number}", f"{number} " + "z" * LONG)
    told = [memory.history("bounds"), memory.why("bounds")]
    for each in told:
        assert [row.content_bytes for row in each.memories] == [LONG + 2] * 3 + [None] * 3
        assert [len(row.content) for row in each.memories] == [600] * 3 + [LONG + 2] * 3
    reviewed = owner.does(wire.Review(limit=500), wire.Reviewed)
    long = [item.memory for item in reviewed.items if item.memory.key.startswith("bounds-")]
    assert [(len(row.content), row.content_bytes) for row in long] == [(600, LONG + 2)] * 6
    for result in (*told, reviewed, memory.recall(10), memory.stats()):
        assert size(result) < REPLY_BYTES * 1.1


def test_review_counts_what_no_reply_holds(memory: memtrig.Memory, owner: Owner) -> None:
    """Where even the beginnings are too much, the rest is in ``more``, as what is over the limit is."""
    before = owner.does(wire.Review(limit=1), wire.Reviewed)
    waiting = len(before.items) + before.more
    for number in range(300):
        memory.save(
            f"much-{number}", f"{number} " + "क" * 1000, source="self_inferred", context="ख" * 1000, quote="ग" * 1000
        )
    reviewed = owner.does(wire.Review(limit=500), wire.Reviewed)
    assert size(reviewed) < REPLY_BYTES * 1.1
    assert 50 < len(reviewed.items) < 300
    assert len(reviewed.items) + reviewed.more == waiting + 300
    assert owner.does(wire.Review(limit=2), wire.Reviewed).more == waiting + 298
    memory.forget(id=reviewed.items[0].memory.id)


@pytest.mark.slow
def test_history_counts_what_no_reply_holds(memory: memtrig.Memory) -> None:
    """The newest memories are told, and of the older ones how many there are: nothing is left out silently."""
    words = {"source": "user_explicit", "context": "ख" * 1300, "quote": "q" * 4000}
    for number in range(40):
        memory.save("life-long", f"{number} " + "क" * 20_000, **words)
    told = memory.history("life-long")
    assert (len(told.memories), told.more, size(told) < REPLY_BYTES) == (40, 0, True)
    assert told.memories[-1].content == "39 " + "क" * 20_000
    for number in range(200):
        memory.save("life-long", f"{number} " + "ग" * 1000, **words)
    told = memory.history("life-long")
    assert size(told) < REPLY_BYTES
    assert 0 < told.more == 240 - len(told.memories)
    assert {step.id for step in told.steps} <= {row.id for row in told.memories}


@pytest.mark.slow
def test_history_counts_steps_that_no_reply_holds(memory: memtrig.Memory) -> None:
    """A memory that was said again and again has a long life: its last steps are told, the others counted."""
    text = "said again " + "x" * 200_000
    for number in range(5):
        memory.save(f"again-{number}", text, source="user_explicit")
        memory.save("again", f"{number} {text}", source="user_explicit")
    for _ in range(300):
        memory.save("again", f"4 {text}")
    told = memory.history("again")
    assert (told.steps[-1].op, told.steps[-1].id) == ("seen", told.memories[-1].id)
    assert len(told.steps) + told.earlier == 5 + 4 + 300
    assert size(told) < REPLY_BYTES * 1.1


def test_agents_are_not_told_what_was_forgotten(memory: memtrig.Memory, owner: Owner) -> None:
    """Nor what it had replaced; the owner is, and what was said after a mere delete or anew is told to all."""
    old = memory.save("untold", "She limps", source="user_explicit")
    memory.save("untold", "She limps a little", source="user_explicit")
    memory.forget("untold")
    assert refusal(memory.history, "untold").code == "not_found"
    assert len(owner.does(wire.History(key="untold"), wire.Told).memories) == 2
    assert refusal(memory.why, id=old.id).code == "not_found"
    new = memory.save("untold", "She runs", source="user_explicit")
    newest = memory.save("untold", "She runs far", source="user_explicit")
    assert [row.id for row in memory.history("untold").memories] == [new.id, newest.id]
    for text in ("She sat", "She sits"):
        memory.save("deleted-told", text)
    memory.delete("deleted-told")
    assert [row.content for row in memory.history("deleted-told").memories] == ["She sat"]


def test_why_leaves_out_a_forgotten_predecessor(memory: memtrig.Memory, owner: Owner) -> None:
    """What was replaced, brought back and forgotten is no part of the life that an agent is told."""
    guess = memory.save("predecessor", "He may drink", source="self_inferred")
    owner.settles(wire.Confirm(id=guess.id))
    newer = memory.save("predecessor", "He drinks tea", source="user_explicit", replaces=guess.id)
    if newer.status != "active":
        owner.settles(wire.Confirm(id=newer.id))
    owner.does(wire.Undo(id=newer.id), wire.Undone)
    memory.forget("predecessor")
    again = memory.save("predecessor", "He drinks tea", source="user_explicit")
    told = memory.why("predecessor")
    assert guess.id not in {row.id for row in told.memories} | {step.id for step in told.steps}
    assert told.memories[-1].id == again.id


def test_the_owners_reasons_are_the_owners(memory: memtrig.Memory, owner: Owner) -> None:
    """An agent sees that the owner denied, in history and review, and not why; the owner sees it."""
    saved = memory.save("reasons", "She was in debt")
    owner.settles(wire.Deny(key="reasons", reason="a sore point"))
    assert "sore" not in str(memory.history("reasons"))
    owner.settles(wire.Deny(key="reasons", reason="a sore point"))
    seen = [memory.history("reasons"), [item for item in memory.review(500).items if item.memory.id == saved.id]]
    assert all(saved.id in str(each) and "sore" not in str(each) for each in seen)
    assert "sore" in str(owner.does(wire.History(key="reasons"), wire.Told))


def test_what_is_hidden_above_is_not_told_above(shared_daemon: Daemon) -> None:
    """Lower copies under a mask are out of history and review up there, and as ever below."""
    with at(shared_daemon, "public", "confidential") as (low, high):
        for text in ("He smoked", "He smokes"):
            low.save("hidden-told", text, source="user_explicit")
        assert len(high.history("hidden-told").memories) == 2
        high.forget("hidden-told")
        assert refusal(high.history, "hidden-told").code == "not_found"
        disputed = low.save("hidden-disputed", "He gambles")
        high.forget("hidden-disputed")
        low.deny("hidden-disputed")
        low.deny("hidden-disputed")
        assert disputed.id not in str(high.review(500))
        assert disputed.id in str(low.review(500))
        assert len(low.history("hidden-told").memories) == 2


def test_status_counts_what_is_active_for_agents(memory: memtrig.Memory, owner: Owner) -> None:
    """How much waits or was forgotten is the owner's to know."""
    memory.save("counted", "It may rain", source="self_inferred")
    assert all(set(level.memories) == {"active"} for level in memory.status().levels)
    levels = {level.level: level.memories for level in owner.line.ask(wire.GetStatus(), wire.StatusReport).levels}
    assert levels["INTERNAL"]["pending"] >= 1


def test_a_host_opens_a_session_that_nobody_attends(shared_daemon: Daemon) -> None:
    """There no user can be quoted; unsaid, one can."""
    with host.connect(str(shared_daemon.home)) as control:
        with control.open_session("timer", "public", unattended=True) as timer:
            assert refusal(timer.save, "unattended", "x", source="user_explicit").code in ("not_yours", "bad_source")
        with control.open_session("chat", "public") as chat:
            assert chat.save("attended", "x", source="user_explicit").status == "active"


@pytest.mark.parametrize(("shown", "more", "advised"), [(50, 7, "-n 57."), (50, 900, "-n 500."), (500, 40, "first.")])
def test_review_advises_no_limit_that_would_be_refused(shown: int, more: int, advised: str) -> None:
    """500 items are the most that the daemon takes: beyond them only answers help."""
    memory = {"id": "m", "level": "PUBLIC", "key": "k", "content": "x", "status": "active"}
    lines = review.show({"items": [{"about": "pending", "memory": memory}] * shown, "more": more}, Screen())
    assert lines[-1].startswith(f"{more} more wait: answer these first")
    assert lines[-1].endswith(advised)


def test_the_users_yes_drops_what_a_guess_had_put_in(shared_daemon: Daemon) -> None:
    """A date, a tag and a context that the agent made up do not ride into service on the user's word."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        guess = memory.save(
            "facets", "Has a pacemaker", source="self_inferred", tags=["gossip"], expires_at="2999-01-01", context="x"
        )
        said = memory.save("facets", "has a pacemaker.", source="user_explicit", quote="I have one", tags=["health"])
        assert (said.outcome, said.id) == ("confirmed", guess.id)
        record = memory.get("facets")
        assert record is not None
        assert (record.tags, record.expires_at, record.context) == (["health"], None, None)


def test_parroting_raises_no_rank(shared_daemon: Daemon) -> None:
    """What an agent was just told and says again is an echo, whatever source it names without quoting anybody."""
    with memtrig.connect(home=str(shared_daemon.home)) as one, memtrig.connect(home=str(shared_daemon.home)) as other:
        one.save("parrot", "Likes the early train", source="self_inferred", confidence=0.9)
        assert other.get("parrot") is not None
        for source in ("auto_detect", "file_import", "user_explicit"):
            assert other.save("parrot", "Likes the early train", source=source).outcome == "echo"
        record = one.get("parrot")
        assert record is not None
        assert record.source == "self_inferred"


def test_the_owner_sees_a_project_in_which_nothing_is_served(shared_daemon: Daemon, owner: Owner) -> None:
    """A guess waits there for them like any other, and what was forgotten can be looked up, brought back and erased."""
    with memtrig.connect("internal", space="空项目", home=str(shared_daemon.home)) as agent:
        guess = agent.save("lonely-guess", "她可能喜欢蓝色", source="self_inferred")
        assert guess.id in [item.memory.id for item in owner.waiting()]
        agent.reject(guess.id)
        agent.save("lonely-forgotten", "एकटा", entity="lonely")
        forgotten = agent.forget("lonely-forgotten").memories[0].id
        told = owner.does(wire.History(key="lonely-forgotten"), wire.Told)
        assert [record.id for record in told.memories] == [forgotten]
        tried = owner.does(wire.Erase(key="lonely-forgotten", dry_run=True), wire.Erased)
        assert [each.id for each in tried.memories] == [forgotten]
        assert owner.settles(wire.Unforget(id=forgotten)) == "active"
