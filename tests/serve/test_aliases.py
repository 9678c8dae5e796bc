"""Other names of entities in a daemon: exact, by level, and wherever an entity is looked up."""

from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.aliases import MOST
from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL
from tests.serve.harness import Line, World


def act(owner: Line, request: wire.OwnerData, level: str | None = None) -> Any:
    """Let the owner act."""
    return owner.ask(wire.Act(request=request, level=level))


def name(owner: Line, alias: str, entity: str, level: str | None = None) -> wire.Alias:
    """Give an entity another name."""
    answer = act(owner, wire.AliasAdd(alias=alias, entity=entity), level)
    assert isinstance(answer, wire.Aliases), answer
    (added,) = answer.aliases
    return added


def save(line: Line, key: str, content: str, **fields: Any) -> wire.Saved:
    """Remember something that must be remembered."""
    saved = line.ask(wire.Save(key=key, content=content, **fields))
    assert isinstance(saved, wire.Saved), saved
    return saved


def hits(line: Line, query: str) -> set[str]:
    """The keys that a search finds."""
    return {record.key for record in line.ask(wire.Search(query=query)).results}


@pytest.fixture(name="owner")
def _owner(world: World) -> Line:
    """The owner's line into the daemon in memory."""
    return world.connect(CONTROL)


def test_a_name_finds_what_is_told_under_another(world: World, owner: Line) -> None:
    """Whichever of the names is asked by, in chains too; and what was said stays as it was said."""
    agent = world.agent(Level.INTERNAL)
    save(agent, "tea", "likes it without sugar", entity="Asha Kulkarni")
    save(agent, "dog", "is called Moti", entity="आई")
    save(agent, "job", "teaches geography", entity="Vikram")
    assert hits(agent, "Mum's drinks") == set()
    name(owner, "Mum", "Asha Kulkarni")
    name(owner, "आई", "mum")
    assert hits(agent, "Mum's drinks") >= {"tea", "dog"}
    assert hits(agent, "आई") >= {"tea", "dog"}
    assert "job" not in hits(agent, "Mum's drinks")
    assert agent.ask(wire.Get(key="tea")).memory.entity == "Asha Kulkarni"


def test_a_part_of_a_name_is_not_rewritten(world: World, owner: Line) -> None:
    """The second seed asked for 读书 when it was asked for 书店, and 读书 swallowed 读书笔记软件选型."""
    agent = world.agent(Level.INTERNAL)
    save(agent, "photo", "在书店门口合影", entity="周末")
    save(agent, "software", "选了一个开源的", entity="读书笔记软件选型")
    save(agent, "habit", "每晚半小时", entity="阅读")
    name(owner, "书", "阅读")
    name(owner, "读书", "阅读")
    assert "photo" in hits(agent, "书店")
    assert "habit" not in hits(agent, "书店")
    assert "habit" not in hits(agent, "软件选型")
    assert "habit" in hits(agent, "读书")
    agent.ask(wire.Forget(entity="读书"))
    kept = {record.key: record.entity for record in agent.ask(wire.List()).memories}
    assert kept == {"photo": "周末", "software": "读书笔记软件选型"}


def test_to_forget_an_entity_is_to_forget_it_by_every_name(world: World, owner: Line) -> None:
    """And it is not learnt again under another name, until the user says it."""
    agent = world.agent(Level.INTERNAL)
    name(owner, "前任", "Ravi")
    save(agent, "one", "lives in Goa", entity="Ravi")
    save(agent, "two", "讨厌香菜", entity="前任")
    assert agent.ask(wire.Forget(entity="前任")).count == 2
    assert agent.ask(wire.Save(content="plays chess", entity="RAVI")).code == "forgotten"
    assert save(agent, "three", "moved to Pune", entity="Ravi", source="user_explicit").status == "active"
    assert save(agent, "four", "又说起他", entity="前任").status == "active"


def test_what_is_similar_is_so_by_every_name(world: World, owner: Line) -> None:
    """A save without a key names what is known of the entity under its other names."""
    agent = world.agent(Level.INTERNAL)
    name(owner, "Mum", "Asha")
    known = save(agent, "tea", "likes tea", entity="Asha", kind="preference")
    saved = agent.ask(wire.Save(content="likes coffee", entity="mum", kind="preference"))
    assert [each.id for each in saved.similar] == [known.id]


def test_an_alias_is_in_force_from_its_level_up(world: World, owner: Line) -> None:
    """Below it there is nothing: no listing, no hit, no refusal, no byte."""
    low, high = world.agent(Level.PUBLIC), world.agent(Level.CONFIDENTIAL)
    save(low, "pay", "pays on Fridays", entity="Acme")
    asked = (wire.AliasList(), wire.Search(query="the client's money"), wire.Search(query="client"))
    told = [low.send(wire.call(1, each)) for each in asked]
    name(owner, "client", "Acme", "CONFIDENTIAL")
    assert [low.send(wire.call(1, each)) for each in asked] == told
    assert hits(high, "client") == {"pay"}
    assert [each.level for each in high.ask(wire.AliasList()).aliases] == ["CONFIDENTIAL"]
    high.ask(wire.Forget(entity="client"))
    assert high.ask(wire.Get(key="pay")).code == "not_found"
    assert low.ask(wire.Get(key="pay")).memory.content == "pays on Fridays"


def test_a_level_that_is_not_seen_refuses_nothing(world: World, owner: Line) -> None:
    """A name that is taken above is free below: to say so would tell of it."""
    name(owner, "client", "Acme", "RESTRICTED")
    assert name(owner, "client", "Bharat Ltd", "PUBLIC").level == "PUBLIC"
    refused = act(owner, wire.AliasAdd(alias="client", entity="Acme"), "INTERNAL")
    assert (refused.code, "Bharat Ltd" in refused.message) == ("slot_taken", True)


def test_the_same_name_again_is_there_already(world: World, owner: Line) -> None:
    """It is answered with the one that there is, and leaves no trace."""
    added = name(owner, "Mum", "Asha")
    before = world.handles[Level.INTERNAL].journal_end()
    world.now += 1
    assert name(owner, "MUM", "asha") == added
    assert world.handles[Level.INTERNAL].journal_end() == before


@pytest.mark.parametrize(
    ("alias", "entity", "code"),
    [
        ("", "Asha", "bad_value"),
        ("Mum", " ", "bad_value"),
        ("x" * 257, "Asha", "too_large"),
        ("ASHA", "asha", "bad_value"),
        ("Asha", "mum", "bad_value"),
        ("Asha", "आई", "bad_value"),
        ("mum", "Vikram", "slot_taken"),
    ],
)
def test_what_is_refused(world: World, owner: Line, alias: str, entity: str, code: str) -> None:
    """A blank, a name of its own, a ring, and one that means another."""
    name(owner, "mum", "Asha")
    name(owner, "आई", "mum")
    assert act(owner, wire.AliasAdd(alias=alias, entity=entity)).code == code
    assert len(act(owner, wire.AliasList()).aliases) == 2


def test_a_name_stands_for_itself_again(world: World, owner: Line) -> None:
    """Removed where it is, whatever its level, the highest first; then it is free for another."""
    agent = world.agent(Level.RESTRICTED)
    save(agent, "tea", "likes tea", entity="Asha")
    name(owner, "Mum", "Asha", "RESTRICTED")
    name(owner, "Mum", "Asha", "PUBLIC")
    assert hits(agent, "mum") == {"tea"}
    assert act(owner, wire.AliasRemove(alias="MUM")).aliases[0].level == "RESTRICTED"
    assert hits(agent, "mum") == {"tea"}
    assert act(owner, wire.AliasRemove(alias="mum")).aliases[0].level == "PUBLIC"
    assert hits(agent, "mum") == set()
    assert act(owner, wire.AliasRemove(alias="mum")).code == "not_found"
    assert name(owner, "Mum", "Vikram").entity == "Vikram"


def test_agents_name_nothing(world: World, owner: Line) -> None:
    """They see the names, and have no verb to give or take one."""
    agent = world.agent(Level.INTERNAL)
    added = name(owner, "Mum", "Asha")
    for request in (wire.AliasAdd(alias="x", entity="y"), wire.AliasRemove(alias="Mum")):
        assert agent.ask(request).code == "not_here"
    assert agent.ask(wire.AliasList()).aliases == [added]


@pytest.mark.slow
def test_a_level_keeps_so_many_names(world: World, owner: Line) -> None:
    """They are gone through at each search, so there is an end to them; one that is there already is no more."""
    for number in range(MOST):
        name(owner, f"name {number}", "Asha")
    assert act(owner, wire.AliasAdd(alias="one more", entity="Asha")).code == "too_large"
    assert name(owner, "name 0", "Asha").alias == "name 0"
    act(owner, wire.AliasRemove(alias="name 1"))
    assert name(owner, "one more", "Asha").alias == "one more"
