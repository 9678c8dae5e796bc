"""Trust on a real daemon: what users of other memories reported."""

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner, at, content, refusal, served


def test_a_kind_of_an_entity_is_forgotten_without_the_rest(memory: memtrig.Memory) -> None:
    """Who wants one birthday party forgotten still wants to be known by the tea they like, now and later."""
    memory.save("party", "The party was a disaster", entity="Leela", kind="event")
    memory.save("tea-of-leela", "She likes Assam", entity="Leela", kind="preference")
    assert memory.forget(entity="Leela", kind="event").count == 1
    assert content(memory, "tea-of-leela") == "She likes Assam"
    assert memory.save(None, "She likes Darjeeling", entity="Leela", kind="preference").outcome == "new"
    assert refusal(memory.save, None, "The party was a disaster", entity="Leela", kind="event").code == "forgotten"
    assert refusal(memory.forget, entity="Leela", kind="habit").code == "not_found"


def test_a_forget_by_tag_reaches_what_has_the_tag_and_no_more(shared_daemon: Daemon) -> None:
    """BR-019: another level's, project's and longer tag's memories stay; the dry run (the tag in NFD) says the same."""
    with (
        at(shared_daemon, "public", "internal", "confidential") as (lower, low, high),
        memtrig.connect("internal", space="br019-project", home=str(shared_daemon.home)) as project,
    ):
        lower.save("br019-lower", "stays below", tags=["br019-café"])
        project.save("br019-project", "stays there", tags=["br019-café"])
        for number in range(3):
            low.save(f"br019-{number}", f"note {number}", tags=["br019-café"])
        low.save("br019-other", "stays", tags=["br019-café-b"])
        high.save("br019-high", "stays too", tags=["br019-café"])
        tried = low.forget(tag="br019-cafe\u0301", dry_run=True)
        assert (tried.count, tried.dry_run, content(low, "br019-1")) == (3, True, "note 1")
        done = low.forget(tag="br019-café")
        assert (done.count, {each.id for each in done.memories}) == (3, {each.id for each in tried.memories})
        assert (done.elsewhere, content(low, "br019-lower")) == (["PUBLIC"], None), "hidden here, and told"
        assert content(lower, "br019-lower") == "stays below"
        assert content(project, "br019-project") == "stays there"
        assert [content(low, f"br019-{number}") for number in range(3)] == [None] * 3
        assert content(low, "br019-other") == "stays"
        assert content(high, "br019-high") == "stays too"


def test_148_are_forgotten_in_one_call(memory: memtrig.Memory, owner: Owner) -> None:
    """BR-020: the owner at once, an agent after it said the count back; all are counted and none is left."""
    for tag in ("br020-owner", "br020-agent"):
        for number in range(148):
            memory.save(f"{tag}-{number}", f"{tag} {number}", tags=[tag])
    forgotten = owner.does(wire.Forget(tag="br020-owner"), wire.Forgotten)
    assert forgotten.count == 148
    for wrong in (None, 147):
        refused = refusal(memory.forget, tag="br020-agent", confirm=wrong)
        assert (refused.code, "148" in refused.message) == ("confirm_count", True)
    assert memory.list(tag="br020-agent", limit=1)
    assert memory.forget(tag="br020-agent", confirm=148).count == 148
    assert not memory.list(tag="br020-owner")
    assert not memory.list(tag="br020-agent")


@pytest.mark.parametrize("by_key", [True, False])
def test_a_changed_mind_leaves_one_fact(memory: memtrig.Memory, by_key: bool) -> None:
    """BR-055, BR-056: the new one is served, the old one linked and in the history; by key or ``replaces``."""
    key = f"br055-{by_key}"
    old = memory.save(key, f"I love X{by_key}", entity=key, kind="preference", source="user_explicit")
    new = memory.save(
        key if by_key else None,
        f"I hate X{by_key}",
        entity=key,
        kind="preference",
        source="user_explicit",
        replaces=None if by_key else old.id,
    )
    assert (new.outcome, new.key, new.supersedes) == ("updated", key, old.id)
    assert [hit.content for hit in memory.search(f"X{by_key}") if hit.entity == key] == [f"I hate X{by_key}"]
    assert [record.content for record in memory.list() if record.entity == key] == [f"I hate X{by_key}"]
    told = {each.id: (each.content, each.status, each.superseded_by) for each in memory.history(key).memories}
    assert told == {
        old.id: (f"I love X{by_key}", "superseded", new.id),
        new.id: (f"I hate X{by_key}", "active", None),
    }


@pytest.mark.parametrize(
    "again", ["Café at 7 is open ", "CAFÉ AT 7 IS OPEN", "Cafe\u0301 at 7 is open", "Café at ７ is open"]
)
def test_a_fact_told_twice_is_known(memory: memtrig.Memory, again: str) -> None:
    """BR-058: trailing space, case, NFD and full-width digits make no second row."""
    entity = f"br058-{again}"
    first = memory.save(None, "Café at 7 is open", entity=entity)
    second = memory.save(None, again, entity=entity)
    assert (second.id, second.outcome, second.seen_count) == (first.id, "known", 2)
    about = [(each.id, each.seen_count) for each in memory.list() if each.entity == served(memory, first.key).entity]
    assert about == [(first.id, 2)]


def test_a_guess_does_not_feed_itself(shared_daemon: Daemon, memory: memtrig.Memory, owner: Owner) -> None:
    """BR-059: ten repeats, also from another session, leave 0.5 waiting and unfound; 0.95 is served at its own rank."""
    text = "She secretly yodels"
    with memtrig.connect(agent="gardener", home=str(shared_daemon.home)) as later:
        for session in [memory, later] * 5:
            assert session.save("br059", text, source="self_inferred", confidence=0.5).status == "pending"
        assert later.save("br059", text).outcome == "echo"
    assert content(memory, "br059") is None
    assert not [hit for hit in memory.search("yodels") if hit.key == "br059"]
    assert not [idea for idea in memory.recall(10).ideas if idea.memory.key == "br059"]
    assert not [record for record in memory.list() if record.key == "br059"]
    (waiting,) = [item.memory for item in owner.waiting() if item.memory.key == "br059"]
    assert (waiting.confidence, waiting.seen_count) == (0.5, 1), "to say it again is no evidence"
    memory.save("br059-sure", "She sings", source="self_inferred", confidence=0.95)
    for _ in range(10):
        memory.save("br059-sure", "She sings", source="self_inferred", confidence=0.95)
    assert served(memory, "br059-sure").source == "self_inferred"


def test_a_correction_outlives_the_guess(memory: memtrig.Memory) -> None:
    """BR-061: a guess that was confirmed, then corrected, does not come back at 0.99."""
    guess = memory.save("br061", "Her dog is called Bruno", source="self_inferred")
    memory.confirm(guess.id, quote="yes, Bruno")
    assert content(memory, "br061") == "Her dog is called Bruno"
    memory.save("br061", "Her dog is called Moti", source="user_explicit")
    again = memory.save("br061", "Her dog is called Bruno", source="self_inferred", confidence=0.99)
    assert (again.outcome, again.status) == ("contested", "pending")
    assert content(memory, "br061") == "Her dog is called Moti"
    assert [hit.content for hit in memory.search("her dog Bruno Moti") if hit.key == "br061"] == [
        "Her dog is called Moti"
    ]


def test_a_forgotten_memory_is_not_learnt_again(memory: memtrig.Memory) -> None:
    """BR-062: under its key, another key, or nearly; the refusal has nothing of it; the user's word restores."""
    text = "She was once in hospital for a winter"
    memory.save("br062", text, source="user_explicit")
    memory.forget("br062", reason="private matter")
    for key in ("br062", "br062-elsewhere"):
        refused = refusal(memory.save, key, text, source="self_inferred", confidence=0.95)
        assert refused.code == "forgotten"
        assert not any(word in refused.message + refused.hint for word in ("hospital", "private", "br062"))
    near, again = (memory.save("br062-near", f"{text}, or two", source="self_inferred", confidence=0.95) for _ in "12")
    assert (near.status, near.outcome) == ("pending", "pending")
    assert (again.id, again.outcome) == (near.id, "echo")
    assert memory.save("br062", text, source="user_explicit").status == "active"
    assert content(memory, "br062") == text
