"""The owner's ways back, and what the daemon tells of a memory's life, on a real daemon."""

import memtrig
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner, content, served
from tests.talk import agent


def test_a_parrot_near_to_something_forgotten_is_still_a_parrot(memory: memtrig.Memory) -> None:
    """What is served and said back by an agent makes no proposal, though a near text was forgotten elsewhere."""
    memory.save("parrot-1", "The garden wall needs mending in spring")
    memory.forget("parrot-1")
    memory.save("parrot-2", "The garden wall needs mending in spring 2", source="user_explicit")
    again = memory.save("parrot-2", served(memory, "parrot-2").content)
    assert (again.outcome, served(memory, "parrot-2").contested) == ("echo", False)
    assert len(memory.history("parrot-2").memories) == 1


def test_one_change_is_undone(memory: memtrig.Memory, owner: Owner) -> None:
    """An update, a denial and a forget each go back to what was before."""
    first = memory.save("undo", "She plays the sitar", source="user_explicit")
    memory.deny("undo")
    owner.does(wire.Undo(id=first.id), wire.Undone)
    assert (served(memory, "undo").deny_count, served(memory, "undo").effective_importance) == (0, 1.0)
    memory.forget("undo")
    owner.does(wire.Undo(id=first.id), wire.Undone)
    assert content(memory, "undo") == "She plays the sitar"


def test_a_whole_session_is_undone(shared_daemon: Daemon, memory: memtrig.Memory, owner: Owner) -> None:
    """What it wrote goes, what it replaced, forgot and denied is as before; the dry run only says so."""
    for key in ("replaced", "forgotten", "denied"):
        memory.save(f"undo-{key}", f"{key} before")
    with memtrig.connect(agent="vandal", home=str(shared_daemon.home)) as vandal:
        vandal.save("undo-replaced", "after")
        vandal.forget("undo-forgotten")
        vandal.deny("undo-denied")
        vandal.save("undo-new", "graffiti")
        session = vandal.session
    tried = owner.does(wire.Undo(session=session, dry_run=True), wire.Undone, level="internal")
    assert content(memory, "undo-new") == "graffiti"
    done = owner.does(wire.Undo(session=session), wire.Undone, level="internal")
    assert {each.id for each in done.memories} == {each.id for each in tried.memories}
    expected = ["replaced before", "forgotten before", "denied before", None]
    assert [content(memory, f"undo-{key}") for key in ("replaced", "forgotten", "denied", "new")] == expected
    assert served(memory, "undo-denied").deny_count == 0


def test_unforget_brings_back_and_lifts_the_wish(memory: memtrig.Memory, owner: Owner) -> None:
    """The owner's alone: an agent's socket does not carry it."""
    saved = memory.save("unforget", "She had a horse", source="user_explicit")
    memory.forget("unforget")
    assert owner.settles(wire.Unforget(id=saved.id)) == "active"
    assert content(memory, "unforget") == "She had a horse"
    assert memory.save("unforget", "She had a horse").status == "active"


def test_owners_verbs_do_not_exist_for_agents(shared_daemon: Daemon) -> None:
    """unforget and undo over a level socket are unknown requests."""
    with agent(shared_daemon) as line:
        for request in (wire.Unforget(id="m"), wire.Undo(id="m")):
            assert line.refusal(request).code in ("bad_request", "not_here")


def test_history_and_why_tell_the_whole_life(memory: memtrig.Memory, owner: Owner) -> None:
    """Who said it, what confirmed it, what it replaced; an agent is not shown what it may not be reminded of."""
    guess = memory.save("life", "She knits", source="self_inferred")
    memory.confirm(guess.id, quote="yes I knit")
    newer = memory.save("life", "She weaves", source="user_explicit")
    why = memory.why("life")
    assert [each.id for each in why.memories] == [guess.id, newer.id]
    assert [(step.op, step.id) for step in why.steps] == [
        ("save", guess.id),
        ("confirm", guess.id),
        ("superseded", guess.id),
        ("save", newer.id),
    ]
    assert {(step.actor, step.session) for step in why.steps} == {("gardener", memory.session)}
    assert why.memories[0].quote == "yes I knit"
    memory.forget("life", reason="enough of it")
    assert [each.status for each in memory.history("life").memories] == ["superseded"]
    told = owner.does(wire.History(key="life"), wire.Told)
    assert [each.status for each in told.memories] == ["superseded", "forgotten"]
    assert told.steps[-1].reason == "enough of it"
