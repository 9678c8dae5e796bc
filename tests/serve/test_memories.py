"""The data verbs on a real daemon: shadowing, deletes, trust, and what a write becomes."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, dial

LEVELS = ("public", "internal", "confidential", "restricted")


@contextmanager
def everybody(daemon: Daemon) -> Iterator[list[memtrig.Memory]]:
    """A memory at each level, the lowest first."""
    with ExitStack() as stack:
        yield [stack.enter_context(memtrig.connect(level, agent="tester", home=str(daemon.home))) for level in LEVELS]


def contents(memories: list[memtrig.Memory], key: str) -> list[str | None]:
    """What each of them sees of a key."""
    records = [memory.get(key) for memory in memories]
    return [None if record is None else record.content for record in records]


def test_the_highest_visible_copy_is_served(shared_daemon: Daemon) -> None:
    """Each level reads its own copy; nobody below learns that there are others."""
    with everybody(shared_daemon) as memories:
        for number, (level, memory) in enumerate(zip(LEVELS, memories, strict=True)):
            below = LEVELS[number - 1] if number else None
            assert contents(memories[number:], "shadow") == [below] * (4 - number)
            assert memory.save("shadow", level).level == level.upper()
        assert contents(memories, "shadow") == list(LEVELS)


def test_a_write_lands_at_the_level_of_the_session_and_nowhere_else(shared_daemon: Daemon) -> None:
    """There is no field to say otherwise: not in the client, not on the wire."""
    with everybody(shared_daemon) as memories:
        with pytest.raises(TypeError):
            memories[3].save("down", "secret", level="public")  # type: ignore[call-arg]
        memories[3].save("down", "secret")
        assert contents(memories, "down") == [None, None, None, "secret"]
        assert [memory.search("secret down") for memory in memories[:3]] == [[], [], []]


def test_a_delete_is_of_exactly_the_sessions_level(shared_daemon: Daemon) -> None:
    """A copy below is not reached; the refusal names the level that was asked and the one that has it."""
    with everybody(shared_daemon) as memories:
        memories[0].save("level-rule", "public")
        with pytest.raises(memtrig.NotFound, match="INTERNAL") as refused:
            memories[1].delete("level-rule")
        assert "PUBLIC" in refused.value.hint
        with pytest.raises(memtrig.NotFound, match="PUBLIC"):
            memories[0].delete("level-rule-of-nobody")
        assert contents(memories, "level-rule") == ["public"] * 4


def test_a_delete_masks_what_was_there_and_nothing_said_later(shared_daemon: Daemon) -> None:
    """Readers of the deleted level do not fall back to stale text; those below keep theirs; new text comes through."""
    with everybody(shared_daemon) as memories:
        memories[0].save("mask", "old")
        memories[2].save("mask", "secret")
        assert memories[2].delete("mask").masks == ["PUBLIC"]
        assert contents(memories, "mask") == ["old", "old", None, None]
        assert not [hit for hit in memories[2].search("old mask") if hit.key == "mask"]
        assert not [each for each in memories[2].list() if each.key == "mask"]
        memories[0].save("mask", "new")
        assert contents(memories, "mask") == ["new"] * 4


def test_a_deleted_key_begins_anew(shared_daemon: Daemon) -> None:
    """The old row stays for the audit; the new one has an id and a birthday of its own."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        first = memory.save("anew", "one")
        memory.delete("anew")
        assert memory.get("anew") is None
        second = memory.save("anew", "one")
        assert (second.outcome, second.supersedes) == ("new", None)
        assert second.id != first.id


def test_the_same_key_makes_a_new_version_and_keeps_the_birthday(shared_daemon: Daemon) -> None:
    """Nothing is overwritten: the new row names the old one."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        first = memory.save("version", "one")
        born = memory.get("version")
        second = memory.save("version", "two")
        now = memory.get("version")
        assert born is not None
        assert now is not None
        assert (second.outcome, second.supersedes) == ("updated", first.id)
        assert (now.created, now.supersedes, now.content) == (born.created, first.id, "two")
        assert now.updated > born.updated


@pytest.mark.parametrize("again", ["She likes tea", "she LIKES tea ", "She likes tea.", "Ｓhe likes tea"])
def test_the_same_fact_is_known(shared_daemon: Daemon, again: str) -> None:
    """BR-058 end to end: one record with a count, with a key and without."""
    key = f"known-{again}"
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        first = memory.save(key, "She likes tea")
        second = memory.save(key, again)
        assert (second.outcome, second.id, second.seen_count) == ("known", first.id, 2)
        record = memory.get(key)
        assert record is not None
        assert (record.content, record.seen_count) == ("She likes tea", 2)
        made = memory.save(None, f"fact {key}", entity=key)
        assert memory.save(None, f"FACT {key}", entity=key).id == made.id


def test_different_facts_without_a_key_stay_apart(shared_daemon: Daemon) -> None:
    """Entity and kind are a facet, not a slot: the second names the first as similar and replaces nothing."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        cats = memory.save(None, "likes cats", entity="Meera", kind="preference")
        coffee = memory.save(None, "likes coffee", entity="Meera", kind="preference")
        assert [(each.id, each.content) for each in coffee.similar] == [(cats.id, "likes cats")]
        assert {hit.content for hit in memory.search("Meera likes")} >= {"likes cats", "likes coffee"}


def test_replacing_by_id(shared_daemon: Daemon) -> None:
    """The row is replaced under its own key or a new one; a key that belongs to another row is taken."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        one, other = memory.save("replace-1", "one"), memory.save("replace-2", "two")
        kept = memory.save(None, "one and a half", replaces=one.id)
        assert (kept.key, kept.supersedes) == ("replace-1", one.id)
        moved = memory.save("replace-3", "three", replaces=kept.id)
        assert (moved.key, moved.supersedes) == ("replace-3", kept.id)
        assert memory.get("replace-1") is None
        with pytest.raises(memtrig.Refused) as refused:
            memory.save("replace-2", "x", replaces=moved.id)
        assert refused.value.code == "slot_taken"
        assert other.id in refused.value.message
        for gone in (one.id, "m-nobody"):
            with pytest.raises(memtrig.NotFound):
                memory.save(None, "x", replaces=gone)


def test_nothing_of_another_level_can_be_replaced(shared_daemon: Daemon) -> None:
    """Neither below, which would be a write down, nor above, whose ids do not exist for the asker."""
    with everybody(shared_daemon) as memories:
        low, high = memories[0].save("rep-low", "x"), memories[3].save("rep-high", "x")
        for memory, target in ((memories[1], low), (memories[1], high)):
            with pytest.raises(memtrig.NotFound, match="INTERNAL"):
                memory.save(None, "y", replaces=target.id)


def test_a_weaker_claim_waits_and_the_stronger_stays(shared_daemon: Daemon) -> None:
    """The row is served as contested, without the text that waits; a repeat of the proposal is an echo."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        strong = memory.save("contest", "She is a vegetarian", source="user_explicit")
        weak = memory.save("contest", "She eats fish")
        assert (weak.outcome, weak.status, weak.contests) == ("contested", "pending", strong.id)
        record = memory.get("contest")
        assert record is not None
        assert (record.content, record.contested) == ("She is a vegetarian", True)
        assert memory.save("contest", "she eats fish.").outcome == "echo"
        assert not [hit for hit in memory.search("eats fish") if "fish" in hit.content]


def test_a_proposal_waits_beside_what_it_contests(shared_daemon: Daemon) -> None:
    """Also where it names the row to replace and a key of its own: the row is served as contested."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        strong = memory.save("beside", "She is called Asha", source="user_explicit")
        weak = memory.save("beside-new-key", "She is called Usha", replaces=strong.id)
        assert (weak.key, weak.contests) == ("beside", strong.id)
        record = memory.get("beside")
        assert record is not None
        assert record.contested


def test_a_new_key_for_the_same_text_is_not_lost(shared_daemon: Daemon) -> None:
    """A replacement that only renames is an update, and the old key is free."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        old = memory.save("old-name", "The shed key hangs behind the door")
        renamed = memory.save("new-name", "The shed key hangs behind the door", replaces=old.id)
        assert (renamed.outcome, renamed.key, renamed.supersedes) == ("updated", "new-name", old.id)
        assert memory.get("old-name") is None


def test_a_guess_is_not_served(shared_daemon: Daemon) -> None:
    """An inference below 0.8, or without a confidence, is in no get, search or list."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        for confidence in (None, 0.5):
            saved = memory.save("guess", "She may be a quizzical person", source="self_inferred", confidence=confidence)
            assert saved.status == "pending"
        assert memory.get("guess") is None
        assert not memory.search("quizzical")
        assert "guess" not in [each.key for each in memory.list()]
        sure = memory.save("guess", "She is a quizzical person", source="self_inferred", confidence=0.9)
        assert sure.status == "active"


def test_the_users_word_is_not_shadowed_by_an_agents(shared_daemon: Daemon) -> None:
    """A lower copy that the owner stated is served above, and the higher observation stands beside it."""
    with dial(shared_daemon, "control") as owner, everybody(shared_daemon) as memories:
        statement = wire.Save(key="word", content="My name is Asha")
        owner.ask(wire.Act(request=statement, level="public"), wire.Saved)
        memories[2].save("word", "Her name may be Usha")
        record = memories[3].get("word")
        assert record is not None
        assert (record.content, record.level, record.authority) == ("My name is Asha", "PUBLIC", "file")
        assert record.supplement is not None
        assert record.supplement.content == "Her name may be Usha"


def test_a_newer_lower_copy_is_named(shared_daemon: Daemon) -> None:
    """Who sees the higher copy is told that below it something was said since."""
    with everybody(shared_daemon) as memories:
        memories[1].save("newer", "then")
        memories[0].save("newer", "since")
        record = memories[1].get("newer")
        assert record is not None
        assert record.content == "then"
        assert record.newer_lower is not None
        assert record.newer_lower.content == "since"


def test_a_memory_past_its_date_is_gone(shared_daemon: Daemon) -> None:
    """A date in the past is refused; without an offset it is a time of the configured zone."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        with pytest.raises(memtrig.Refused) as refused:
            memory.save("dated", "x", expires_at="2001-01-01")
        assert refused.value.code == "bad_time"
        memory.save("dated", "x", expires_at="2101-01-01")
        assert memory.get("dated") is not None


def test_each_space_has_its_own_copy_beside_the_shared_one(shared_daemon: Daemon) -> None:
    """A session of a project saves there and still sees what all share."""
    home = str(shared_daemon.home)
    with memtrig.connect(space="garden", home=home) as garden, memtrig.connect(home=home) as shared:
        shared.save("space", "shared")
        record = garden.get("space")
        assert record is not None
        assert (record.content, record.space) == ("shared", "default")
        garden.save("space", "in the garden")
        assert contents([garden, shared], "space") == ["in the garden", "shared"]


KEYS = [
    "a/b/c",
    "a:b",
    "a#b",
    "a//b",
    "/",
    "//",
    ":",
    "user",
    "user2",
    "../../etc/passwd",
    "वापरकर्ता",
    "用户",
    "🙂",
    "a b",
]


def test_keys_are_opaque_and_whole(shared_daemon: Daemon) -> None:
    """BR-073: no two keys or spaces run into each other, whatever separators, scripts or empty parts they have."""
    home = str(shared_daemon.home)
    with memtrig.connect(space="a", home=home) as one, memtrig.connect(space="a/b", home=home) as other:
        for key in KEYS:
            one.save(key, f"one {key}")
        one.save("b/c", "one")
        other.save("c", "other")
        assert contents([one], "c") == [None]
        assert contents([other], "b/c") == [None]
        assert [contents([one], key) for key in KEYS] == [[f"one {key}"] for key in KEYS]
        one.delete("user")
        assert contents([one], "user2") == ["one user2"]


def test_answers_say_who_and_where(shared_daemon: Daemon) -> None:
    """A record tells which agent and session it is from; whoami and status keep to what the caller may see."""
    with agent(shared_daemon, "internal", agent="gardener") as line:
        me = line.ask(wire.Whoami(), wire.Me)
        line.ask(wire.Save(key="who", content="x"), wire.Saved)
        record = line.ask(wire.Get(key="who"), wire.Got).memory
        assert (record.agent, record.session) == ("gardener", me.session)
        assert me.reads == ["INTERNAL", "PUBLIC"]
        report = line.ask(wire.GetStatus(), wire.StatusReport)
        assert [level.level for level in report.levels] == ["INTERNAL", "PUBLIC"]
        assert report.home is None
        assert all(level.sessions is None for level in report.levels)


def test_a_corrected_kind_is_not_lost(shared_daemon: Daemon) -> None:
    """The same text with another kind, language or confidence says something new."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        memory.save("corrected", "Never call before nine")
        assert memory.save("corrected", "Never call before nine", kind="rule").outcome == "updated"
        record = memory.get("corrected")
        assert record is not None
        assert record.kind == "rule"
        assert memory.save("corrected", "Never call before nine", lang="en").outcome == "updated"
        assert memory.save("corrected", "never call before nine.").outcome == "known"


@pytest.mark.slow
def test_long_company_does_not_burst_a_reply(shared_daemon: Daemon) -> None:
    """What stands beside the records of a list or search is shown by its beginning: get has the whole."""
    long = "lorem ipsum dolor " + "x" * 900_000
    with everybody(shared_daemon) as memories:
        for number in range(12):
            memories[2].save(f"company-{number}", f"dolor {number}")
            memories[1].save(f"company-{number}", f"{long} {number}")
        hits = memories[2].search("dolor", max_results=12)
        listed = [each for each in memories[2].list() if each.key.startswith("company-")]
        for found in (hits, listed):
            beside = [each.newer_lower for each in found if each.newer_lower is not None]
            assert len(beside) == 12
            assert all(each.content_bytes and len(each.content) < 1000 for each in beside)
        whole = memories[2].get("company-3")
        assert whole is not None and whole.newer_lower is not None
        assert whole.newer_lower.content == f"{long} 3"
