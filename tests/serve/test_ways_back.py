"""The owner's ways back, and what the daemon tells of a memory's life, on a real daemon."""

import time
from datetime import UTC, datetime, timedelta

import memtrig
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner, content, refusal, served
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


def test_who_undoes_a_key_is_told_where_its_id_is(memory: memtrig.Memory, owner: Owner) -> None:
    """Undo takes an id: to a key it says what shows the id, rather than that there is nothing to undo."""
    memory.save("undo-by-key", "She plays the sitar")
    refused = owner.line.refusal(wire.Act(request=wire.Undo(id="undo-by-key")))
    assert refused.code == "not_found" and "No memory of this id" in refused.message and "`why KEY`" in refused.hint


def test_nobody_is_sent_above_the_highest_level(owner: Owner) -> None:
    """A key that is not there is not said to be perhaps above, where nothing is above."""
    hints = [
        owner.line.refusal(wire.Act(request=wire.Get(key="nowhere"), level=level)).hint
        for level in ("restricted", "confidential")
    ]
    assert ["higher" in hint for hint in hints] == [False, True]


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


def test_of_two_rows_for_one_slot_undo_brings_the_newer_back(
    shared_daemon: Daemon, memory: memtrig.Memory, owner: Owner
) -> None:
    """The other is kept as it is, and the dry run says the same."""
    saved = []
    with memtrig.connect(agent="vandal", home=str(shared_daemon.home)) as vandal:
        for text in ("the older", "the newer"):
            saved.append(memory.save("twice", text).id)
            vandal.delete("twice")
        session = vandal.session
    told = [owner.does(wire.Undo(session=session, dry_run=dry), wire.Undone, level="internal") for dry in (True, False)]
    for each in told:
        assert [(row.id, row.status) for row in each.memories] == [(saved[1], "active")]
        assert [(row.id, row.status) for row in each.kept] == [(saved[0], "forgotten")]
    assert content(memory, "twice") == "the newer"


def test_undo_takes_the_wish_along(memory: memtrig.Memory, owner: Owner) -> None:
    """A forget that is undone refuses nothing any more; an unforget that is undone refuses again."""
    saved = memory.save("wish-undo", "She had a goat")
    memory.forget("wish-undo")
    owner.does(wire.Undo(id=saved.id), wire.Undone)
    assert memory.save("wish-undo-text", "She had a goat").status == "active"
    memory.forget("wish-undo")
    owner.settles(wire.Unforget(id=saved.id))
    assert content(memory, "wish-undo") == "She had a goat"
    owner.does(wire.Undo(id=saved.id), wire.Undone)
    assert content(memory, "wish-undo") is None
    assert refusal(memory.save, "wish-undo", "She had two goats").code == "forgotten"


def test_undoing_the_undo_of_a_delete_keeps_no_wish(memory: memtrig.Memory, owner: Owner) -> None:
    """What was only deleted may be learnt anew."""
    saved = memory.save("wish-delete", "She had a hen")
    memory.delete("wish-delete")
    owner.does(wire.Undo(id=saved.id), wire.Undone)
    owner.does(wire.Undo(id=saved.id), wire.Undone)
    assert content(memory, "wish-delete") is None
    assert memory.save("wish-delete", "She had a hen").status == "active"


def test_a_forgotten_guess_comes_back_as_a_guess(memory: memtrig.Memory, owner: Owner) -> None:
    """The owner takes a forget back; that is no yes to what had waited, nor to what was disputed."""
    guess = memory.save("back-guess", "may like figs", source="self_inferred")
    memory.forget("back-guess")
    assert owner.settles(wire.Unforget(id=guess.id)) == "pending"
    assert guess.id in [item.memory.id for item in owner.waiting()]
    doubted = memory.save("back-doubted", "likes dates")
    for _ in range(2):
        memory.deny("back-doubted")
    memory.forget(id=doubted.id)
    assert owner.settles(wire.Unforget(id=doubted.id)) == "disputed"
    assert content(memory, "back-doubted") is None


def test_unforget_ousts_only_what_weighs_less(memory: memtrig.Memory, owner: Owner) -> None:
    """The user's newer word stands, and what comes back waits beside it; a mere detection makes way."""
    old = memory.save("back-held", "She lives in Pune", source="user_explicit")
    memory.forget("back-held")
    memory.save("back-held", "She lives in Goa", source="user_explicit")
    assert owner.settles(wire.Unforget(id=old.id)) == "pending"
    assert (content(memory, "back-held"), served(memory, "back-held").contested) == ("She lives in Goa", True)
    assert owner.settles(wire.Confirm(id=old.id)) == "active"
    assert content(memory, "back-held") == "She lives in Pune"
    word = memory.save("back-lesser", "She sings", source="user_explicit")
    memory.delete("back-lesser")
    memory.save("back-lesser", "She hums", source="auto_detect")
    assert owner.settles(wire.Unforget(id=word.id)) == "active"
    assert content(memory, "back-lesser") == "She sings"


def test_what_is_over_is_not_brought_back(memory: memtrig.Memory, owner: Owner) -> None:
    """A memory past its date would be in service and seen by nobody."""
    soon = datetime.now(UTC) + timedelta(seconds=0.2)
    saved = memory.save("back-over", "is in town", expires_at=soon)
    memory.forget("back-over")
    time.sleep(0.25)
    assert owner.line.refusal(wire.Act(request=wire.Unforget(id=saved.id))).code == "bad_time"


def test_an_entity_is_forgotten_by_text_and_key_too(memory: memtrig.Memory, owner: Owner) -> None:
    """Who leaves the entity out is refused as well; its wish is lifted with the last of its memories."""
    first = memory.save("ex-1", "He plays the drums", entity="The Ex")
    second = memory.save("ex-2", "He lives by the sea", entity="The Ex")
    memory.forget(entity="the ex")
    assert refusal(memory.save, "drums", "He plays the drums").code == "forgotten"
    assert refusal(memory.save, "ex-2", "He moved to the hills").code == "forgotten"
    owner.settles(wire.Unforget(id=first.id))
    assert memory.save("drums", "He plays the drums").status == "active"
    assert refusal(memory.save, "ex-3", "He likes jazz", entity="The Ex").code == "forgotten"
    owner.does(wire.Undo(id=first.id), wire.Undone)
    owner.settles(wire.Unforget(id=second.id))
    assert refusal(memory.save, "ex-3", "He likes jazz", entity="The Ex").code == "forgotten"
    owner.settles(wire.Unforget(id=first.id))
    assert memory.save("ex-3", "He likes jazz", entity="The Ex").status == "active"


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
    assert refusal(memory.history, "life").code == "not_found"
    told = owner.does(wire.History(key="life"), wire.Told)
    assert [each.status for each in told.memories] == ["superseded", "forgotten"]
    assert told.steps[-1].reason == "enough of it"
