"""The faults of the two systems that this one comes from, each tried on a real daemon.

B2 are those of the memory that forgets, D where the two contradict each other; both by their numbers in the study.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner, at, content, refusal, served


def test_a_guess_does_not_erase_an_allergy(memory: memtrig.Memory) -> None:
    """B2.1, D2: at 0.3 the agent supposes the contrary; the user's word is still found, the guess is not."""
    memory.save("coriander", "从不吃香菜，过敏", entity="用户", kind="preference", source="user_explicit")
    guess = memory.save(
        "coriander", "好像挺爱吃香菜", entity="用户", kind="preference", source="self_inferred", confidence=0.3
    )
    assert (guess.status, guess.outcome) == ("pending", "contested")
    assert served(memory, "coriander").content == "从不吃香菜，过敏"
    assert served(memory, "coriander").contested
    assert [hit.content for hit in memory.search("香菜 过敏")][:1] == ["从不吃香菜，过敏"]
    assert "好像挺爱吃香菜" not in [hit.content for hit in memory.search("爱吃香菜")]


@pytest.mark.parametrize(("said", "guessed"), [("生日是5月12日", "生日是5月13日"), ("我很喜欢", "我不喜欢")])
def test_a_similar_text_never_overwrites(memory: memtrig.Memory, said: str, guessed: str) -> None:
    """B2.2, D17: one character apart is another fact; it waits, or stands beside with a key of its own."""
    key = f"similar-{said}"
    first = memory.save(key, said, entity=key, kind="identity", source="user_explicit")
    weak = memory.save(key, guessed, entity=key, kind="identity", source="self_inferred", confidence=0.2)
    assert (weak.status, weak.contests) == ("pending", first.id)
    assert served(memory, key).source == "user_explicit"
    beside = memory.save(None, guessed, entity=key, kind="identity", source="self_inferred", confidence=0.9)
    assert beside.outcome == "new"
    assert [each.id for each in beside.similar] == [first.id]
    assert content(memory, key) == said


def test_an_inference_without_a_confidence_waits(memory: memtrig.Memory) -> None:
    """B2.3: nobody who is sure forgets to say so."""
    assert memory.save("unsaid", "She may like opera", source="self_inferred").status == "pending"
    assert content(memory, "unsaid") is None


def test_what_waits_can_be_listed_confirmed_rejected_and_forgotten(memory: memtrig.Memory, owner: Owner) -> None:
    """B2.4: each guess has a way out of waiting."""
    ids = {
        name: memory.save(f"waits-{name}", f"She may like {name}", source="self_inferred").id
        for name in ("jazz", "tango", "polka")
    }
    assert set(ids.values()) <= {item.memory.id for item in memory.review().items}
    assert set(ids.values()) <= {item.memory.id for item in owner.waiting()}
    assert owner.settles(wire.Confirm(id=ids["jazz"])) == "active"
    assert memory.reject(ids["tango"]).status == "rejected"
    assert memory.forget(id=ids["polka"]).count == 1
    assert [content(memory, f"waits-{name}") for name in ids] == ["She may like jazz", None, None]
    assert served(memory, "waits-jazz").source == "stated"
    assert not set(ids.values()) & {item.memory.id for item in owner.waiting()}


def test_repeats_do_not_pile_up(memory: memtrig.Memory) -> None:
    """B2.4: two mentions of a guess are one row that waits, and a third by the user is that row confirmed."""
    first = memory.save("pile", "She may keep bees", source="self_inferred")
    again = memory.save("pile", "she may keep bees.", source="self_inferred")
    said = memory.save("pile", "She may keep bees", source="user_explicit")
    assert [(each.id, each.outcome) for each in (first, again, said)] == [
        (first.id, "pending"),
        (first.id, "echo"),
        (first.id, "confirmed"),
    ]
    assert len(memory.history("pile").memories) == 1


def test_cats_do_not_replace_coffee(memory: memtrig.Memory) -> None:
    """B2.5, D1: an entity and a kind are a facet, not a slot."""
    for liked in ("手冲咖啡", "猫"):
        memory.save(None, f"喜欢{liked}", entity="小林", kind="preference", source="user_explicit")
    assert {hit.content for hit in memory.search("小林 喜欢")} >= {"喜欢手冲咖啡", "喜欢猫"}


def test_an_inference_lifts_no_wish(memory: memtrig.Memory) -> None:
    """B2.6, D11: only the user's word ends "don't mention him again"; a name is the same in any case."""
    memory.save("ex", "Vikram was her partner", entity="Vikram", source="user_explicit")
    assert memory.forget(entity="Vikram", reason="it hurts").count == 1
    for confidence in (0.1, 0.99):
        refused = refusal(
            memory.save, None, "Vikram called", entity="VIKRAM", source="self_inferred", confidence=confidence
        )
        assert refused.code == "forgotten"
        assert "hurts" not in refused.message + refused.hint
    assert memory.save(None, "Vikrams Motors is a garage", entity="Vikrams Motors").outcome == "new"
    assert "Vikram" in [wish.entity for wish in memory.suppressions().suppressions]
    assert memory.save(None, "Vikram is back", entity="Vikram", source="user_explicit").outcome == "new"
    assert "Vikram" not in [wish.entity for wish in memory.suppressions().suppressions]


def test_denied_twice_is_disputed_and_not_a_guess(memory: memtrig.Memory, owner: Owner) -> None:
    """B2.7, D16: the user's word that the user takes back asks for a decision; an agent's repeat decides nothing."""
    saved = memory.save("denied", "She is from Nagpur", source="user_explicit")
    assert (memory.deny("denied").status, memory.deny("denied", reason="no").status) == ("active", "disputed")
    assert content(memory, "denied") is None
    assert [item.about for item in owner.waiting() if item.memory.id == saved.id] == ["disputed"]
    assert memory.save("denied", "She is from Nagpur").outcome == "echo"
    assert owner.settles(wire.Confirm(id=saved.id)) == "active"


def test_the_first_denial_of_a_core_memory_demotes_it(memory: memtrig.Memory) -> None:
    """B2.7: core keeps from fading, not from being wrong."""
    memory.save("core", "She is his sister", kind="relationship", source="user_explicit")
    assert served(memory, "core").effective_importance == 1.0
    memory.deny("core")
    assert served(memory, "core").effective_importance == 0.1


def test_recover_replays_nothing_over_a_newer_statement(memory: memtrig.Memory) -> None:
    """B2.8: an older guess comes back neither by ``recover`` nor said again, and what was forgotten stays so."""
    memory.save("city", "住在北京", source="self_inferred", confidence=0.9)
    memory.save("city", "已经搬到上海", source="user_explicit")
    memory.save("recover-gone", "She had a parrot")
    memory.forget("recover-gone")
    assert memory.upkeep.recover().left == []
    assert memory.save("city", "住在北京", source="self_inferred", confidence=0.9).outcome == "contested"
    assert [content(memory, key) for key in ("city", "recover-gone")] == ["已经搬到上海", None]
    assert refusal(memory.save, "recover-gone", "She had a parrot").code == "forgotten"


def test_an_inference_is_core_neither_by_word_nor_by_kind(memory: memtrig.Memory) -> None:
    """D15: what defines the two of them is not for the agent to guess."""
    assert refusal(memory.save, "pin", "x", source="self_inferred", confidence=0.9, core=True).code == "bad_value"
    memory.save("pin", "They are close", kind="relationship", source="self_inferred", confidence=0.9)
    assert not served(memory, "pin").core


def test_an_agent_does_not_overrule_what_the_owner_stated(memory: memtrig.Memory, owner: Owner) -> None:
    """D3: "the user said so" is a claim; it waits beside the owner's own word, and the agent can't confirm it."""
    owner.does(wire.Save(key="stated", content="She is vegetarian"), wire.Saved)
    claim = memory.save("stated", "She eats fish", source="user_explicit", quote="I eat fish")
    assert (claim.status, claim.outcome) == ("pending", "contested")
    assert refusal(lambda: memory.confirm(claim.id, quote="yes, fish")).code == "not_yours"
    assert content(memory, "stated") == "She is vegetarian"


def test_who_proposes_does_not_confirm(memory: memtrig.Memory, shared_daemon: Daemon, owner: Owner) -> None:
    """D4: an agent needs the user's words for a yes; the owner needs none; it happens at the memory's own level."""
    guess = memory.save("yes", "She may like figs", source="self_inferred")
    assert refusal(lambda: memory.confirm(guess.id)).code == "not_yours"
    with at(shared_daemon, "public", "confidential") as others:
        for other in others:
            assert refusal(lambda other=other: other.confirm(guess.id, quote="yes, figs")).code == "not_found"
    settled = owner.does(wire.Confirm(id=guess.id), wire.Settled)
    assert (settled.status, settled.level) == ("active", "INTERNAL")


def test_trust_and_level_change_each_other_nowhere(shared_daemon: Daemon, owner: Owner) -> None:
    """D5: the owner's yes to a guess at PUBLIC leaves it there; a guess at CONFIDENTIAL is a guess."""
    with at(shared_daemon, "public", "confidential") as (low, high):
        guess = low.save("orthogonal", "may like figs", source="self_inferred")
        assert owner.settles(wire.Confirm(id=guess.id)) == "active"
        assert (served(low, "orthogonal").level, served(low, "orthogonal").source) == ("PUBLIC", "stated")
        above = high.save("orthogonal-high", "may like dates", source="self_inferred", confidence=0.9)
        assert (above.level, served(high, "orthogonal-high").source) == ("CONFIDENTIAL", "self_inferred")


def test_a_guess_above_does_not_shadow_the_users_word_below(shared_daemon: Daemon) -> None:
    """D6: the reader above gets what the user said, and the inference as its supplement; a pending one not at all."""
    with at(shared_daemon, "public", "confidential") as (low, high):
        low.save("shadow", "She lives in Pune", source="user_explicit")
        high.save("shadow", "She may live in Oslo", source="self_inferred", confidence=0.5)
        assert served(high, "shadow").supplement is None
        high.save("shadow", "She lives in Oslo", source="self_inferred", confidence=0.9)
        told = served(high, "shadow")
        assert (told.content, told.supplement.content if told.supplement else None) == (
            "She lives in Pune",
            "She lives in Oslo",
        )


def test_each_end_of_a_memory_has_a_name(memory: memtrig.Memory, owner: Owner) -> None:
    """D8: superseded, rejected, disputed, expired and forgotten are told apart; a key that is said anew keeps all."""
    ends = {}
    for end in ("superseded", "rejected", "disputed", "expired", "forgotten"):
        source = "self_inferred" if end == "rejected" else None
        ends[memory.save("ends", f"It is {end}", source=source).id] = end
        if end == "rejected":
            memory.reject(next(reversed(ends)))
        elif end == "disputed":
            memory.deny("ends")
            memory.deny("ends")
        elif end == "expired":
            owner.does(wire.Expire(key="ends"), wire.Expired)
        elif end == "forgotten":
            memory.delete("ends")
        else:
            ends[memory.save("ends", "It replaced the first").id] = "forgotten"
            memory.delete("ends")
    ends[memory.save("ends", "It stands").id] = "active"
    told = owner.does(wire.History(key="ends"), wire.Told)
    assert {each.id: each.status for each in told.memories} == ends
    assert {step.id for step in told.steps} == ends.keys()


def test_an_import_lifts_no_wish(memory: memtrig.Memory) -> None:
    """D11: a file knows nothing of what the user wants forgotten since."""
    memory.save("file", "She was at the clinic", source="user_explicit")
    memory.forget("file")
    assert refusal(memory.save, "file", "She was at the clinic", source="file_import").code == "forgotten"
    assert content(memory, "file") is None


def test_what_is_erased_is_in_no_file(shared_daemon: Daemon, memory: memtrig.Memory, owner: Owner) -> None:
    """B2, D12: a forget keeps the text, and says so by its history; an erase leaves not a byte of it on the disk."""
    memory.save("erase-me", "quixotically 绝密的话", tags=["borogove"], source="user_explicit")
    memory.forget("erase-me")
    assert "quixotically" in str(owner.does(wire.History(key="erase-me"), wire.Told))
    owner.does(wire.Erase(key="erase-me", confirm=1), wire.Erased)
    files = [path for path in (shared_daemon.home / "state").rglob("*") if path.is_file()]
    left = b"".join(path.read_bytes() for path in files)
    assert [word for word in ("quixotic", "绝密的话", "borogove", "erase-me") if word.encode() in left] == []
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


def test_another_name_swallows_no_other_word(memory: memtrig.Memory, owner: Owner) -> None:
    """B2, aliases: with 书店 for 读书 a question for the shop still finds it, and 读书笔记软件选型 stays itself."""
    owner.does(wire.AliasAdd(alias="书店", entity="读书"), wire.Aliases)
    memory.save("photo", "在书店门口合影", entity="书店门口")
    memory.save("notes", "选好了笔记软件", entity="读书笔记软件选型")
    memory.save("reading", "每天晚上半小时", entity="读书")
    assert "photo" in [hit.key for hit in memory.search("书店")]
    assert "reading" in [hit.key for hit in memory.search("书店")]
    assert served(memory, "notes").entity == "读书笔记软件选型"
    assert memory.forget(entity="书店").count == 1
    assert [content(memory, key) is None for key in ("photo", "notes", "reading")] == [False, False, True]


def test_nobodys_promise_is_lost(shared_daemon: Daemon) -> None:
    """B2: twenty agents promise at the same moment, and twenty promises are kept."""
    with at(shared_daemon, *["public"] * 20) as agents, ThreadPoolExecutor(20) as pool:
        told = list(
            pool.map(lambda agent: agents[agent].promises.add(f"Bring bag {agent} along.", "2001-01-01"), range(20))
        )
        assert {each.id for each in told} <= {each.id for each in agents[0].promises.check().promises}
        assert len({each.id for each in told}) == 20


def test_a_promise_leaves_the_machine_for_nobody(shared_daemon: Daemon, memory: memtrig.Memory) -> None:
    """B2: the second seed sent promises in a URL; a daemon with one that is due has no socket but of its machine."""
    memory.promises.add("Call the doctor.", "2001-01-01")
    held = {link.readlink().name for link in Path(f"/proc/{shared_daemon.pid}/fd").iterdir()}
    tables = [Path(f"/proc/{shared_daemon.pid}/net/{name}").read_text() for name in ("tcp", "tcp6", "udp", "udp6")]
    inodes = {f"socket:[{line.split()[9]}]" for table in tables for line in table.splitlines()[1:]}
    assert not held & inodes


def test_a_figure_of_a_level_tells_nothing_of_those_above(shared_daemon: Daemon) -> None:
    """D22, D23: a low session's counts and its dream cycle know nothing of what is saved and denied above."""
    with at(shared_daemon, "public", "restricted") as (low, high):
        high.save("figures", "the text of a level above")
        before = [low.stats(), low.decay(dry_run=True).materialised, low.status().levels]
        for number in range(5):
            high.save(f"figures-{number}", "the text of a level above")
        high.deny("figures")
        assert high.decay().level == "RESTRICTED"
        assert [low.stats().levels, low.status().levels] == [before[0].levels, before[2]]


def test_a_source_that_nobody_knows_is_refused(memory: memtrig.Memory) -> None:
    """B2, sources: ``bogus_source`` was taken and weighed as a file."""
    assert refusal(memory.save, "source", "x", source="bogus_source").code == "bad_source"
    assert refusal(memory.save, "source", "x", source="stated").code == "bad_source"
