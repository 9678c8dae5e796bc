"""why-not: every rule that can hide a memory is named by its name, for the session that was asked about."""

from collections.abc import Callable

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from tests.serve.harness import World
from tests.serve.worlds import Cast, code, is_a


@pytest.fixture(name="cast")
def _cast(world: World) -> Cast:
    return Cast(world)


def hidden(cast: Cast, level: str, key: str = "k", **asked: str) -> wire.Hidden:
    """Ask as the owner does."""
    return is_a(wire.Hidden, cast.act(wire.WhyNot(key=key, **asked), level))


def above(cast: Cast) -> None:
    """It lies above."""
    cast.save("CONFIDENTIAL", "k", "x")


def proposed(cast: Cast) -> None:
    """It waits."""
    cast.save("INTERNAL", "k", "x", source="self_inferred")


def superseded(cast: Cast) -> None:
    """It was replaced, and what replaced it is gone."""
    for text in ("x", "y"):
        cast.save("INTERNAL", "k", text)
    cast.ask("INTERNAL", wire.Delete(key="k"))


def rejected(cast: Cast) -> None:
    """The owner said no."""
    cast.act(wire.Reject(id=cast.save("INTERNAL", "k", "x", source="self_inferred")))


def forgotten_here(cast: Cast) -> None:
    """It was forgotten where it lies."""
    cast.save("INTERNAL", "k", "x")
    cast.forget("INTERNAL", key="k", reason="a sore point")


def wished_above(cast: Cast) -> None:
    """It was said again below a wish."""
    cast.save("INTERNAL", "k", "y")
    cast.forget("INTERNAL", key="k")
    cast.save("PUBLIC", "k", "x")


def masked(cast: Cast) -> None:
    """A delete above hid it."""
    cast.save("PUBLIC", "k", "x")
    cast.save("INTERNAL", "k", "y")
    cast.ask("INTERNAL", wire.Delete(key="k"))


def denied_above(cast: Cast) -> None:
    """It was denied from above, twice."""
    cast.save("PUBLIC", "k", "x")
    for _ in range(2):
        cast.ask("INTERNAL", wire.Deny(key="k"))


def disputed(cast: Cast) -> None:
    """It was denied where it lies, twice."""
    cast.save("INTERNAL", "k", "x")
    for _ in range(2):
        cast.act(wire.Deny(key="k"))


def over(cast: Cast) -> None:
    """Its time is over, and no sweep came."""
    cast.save("INTERNAL", "k", "x", expires_at=to_iso(cast.world.now + DAY))
    cast.world.now += 2 * DAY


def swept(cast: Cast) -> None:
    """Its time is over, and a sweep came."""
    over(cast)
    cast.ask("INTERNAL", wire.Expire())


def elsewhere(cast: Cast) -> None:
    """It lies in a space that the session does not see."""
    cast.world.agent(Level.INTERNAL, "project").ask(wire.Save(key="k", content="x"))


@pytest.mark.parametrize(
    ("played", "rules"),
    [
        (above, [("level", "CONFIDENTIAL")]),
        (proposed, [("pending", "yes")]),
        (superseded, [("status", "forgotten: deleted"), ("status", "superseded")]),
        (rejected, [("status", "rejected")]),
        (forgotten_here, [("status", "forgotten: a sore point")]),
        (wished_above, [("forgotten", "INTERNAL"), ("status", "forgotten")]),
        (masked, [("status", "forgotten: deleted"), ("mask", "INTERNAL")]),
        (denied_above, [("denied", "2 times")]),
        (disputed, [("status", "disputed")]),
        (over, [("expired", "2026")]),
        (swept, [("status", "expired")]),
        (elsewhere, [("space", "'project'")]),
    ],
)
def test_each_rule_is_named(cast: Cast, played: Callable[[Cast], None], rules: list[tuple[str, str]]) -> None:
    """With the row that it hides, a reason, and what to do; nothing is served."""
    played(cast)
    told = hidden(cast, "INTERNAL")
    assert (told.level, told.served) == ("INTERNAL", None)
    assert [rule.rule for rule in told.rules] == [rule for rule, _ in rules]
    for rule, (_, said) in zip(told.rules, rules, strict=True):
        assert said in rule.says
        assert rule.hint
    assert cast.get("INTERNAL", "k") is None


def test_what_is_erased_says_so_by_its_id(cast: Cast) -> None:
    """Its key is gone with it."""
    memory = cast.save("INTERNAL", "k", "x")
    cast.act(wire.Erase(id=memory, confirm=1))
    assert code(cast.act(wire.WhyNot(key="k"), "INTERNAL")) == "not_found"
    told = is_a(wire.Hidden, cast.act(wire.WhyNot(id=memory), "INTERNAL"))
    assert [rule.rule for rule in told.rules] == ["erased"]


def test_a_shadow_is_told_with_who_casts_it(cast: Cast) -> None:
    """A higher copy, a weightier one, one of the session's own space; the row that is served has no rule."""
    low = cast.save("PUBLIC", "k", "x")
    high = cast.save("INTERNAL", "k", "y")
    told = hidden(cast, "INTERNAL")
    assert told.served is not None
    assert told.served.id == high
    assert [(rule.rule, rule.memory.id) for rule in told.rules] == [("shadowed", low)]
    assert "is at INTERNAL" in told.rules[0].says
    assert hidden(cast, "PUBLIC").rules[0].rule == "level"
    word = cast.save("PUBLIC", "k", "z", source="user_explicit")
    (weightier,) = [rule for rule in hidden(cast, "INTERNAL").rules if rule.rule == "shadowed"]
    assert (weightier.memory.id, word in weightier.says, "weighs more" in weightier.says) == (high, True, True)
    own = cast.world.agent(Level.INTERNAL, "project").ask(wire.Save(key="k", content="w", source="user_explicit"))
    rules = hidden(cast, "INTERNAL", space="project").rules
    (spaced,) = [rule for rule in rules if rule.memory.id == word]
    assert (spaced.rule, own.id in spaced.says, "own space" in spaced.says) == ("shadowed", True, True)


def test_an_agents_name_grants_and_refuses_nothing(cast: Cast) -> None:
    """The answer is the same with any, and what the session sees by itself is what it is said to see."""
    cast.save("INTERNAL", "k", "x")
    assert hidden(cast, "INTERNAL", agent="cook") == hidden(cast, "INTERNAL")
    assert hidden(cast, "RESTRICTED").rules == []


def test_it_is_the_owners_and_about_a_level(cast: Cast) -> None:
    """An agent's socket does not carry it; a level must be named, and something to ask about."""
    cast.save("INTERNAL", "k", "x")
    assert code(cast.ask("RESTRICTED", wire.WhyNot(key="k"))) == "not_here"
    assert code(cast.act(wire.WhyNot(key="k"))) == "bad_level"
    assert code(cast.act(wire.WhyNot(), "PUBLIC")) == "bad_request"
    assert code(cast.act(wire.WhyNot(key="never"), "PUBLIC")) == "not_found"


def test_many_rules_are_counted(cast: Cast) -> None:
    """A key with a long life fills no reply over its bounds."""
    for number in range(503):
        cast.save("INTERNAL", "k", f"text {number}", source="user_explicit")
    told = hidden(cast, "INTERNAL")
    assert (len(told.rules), told.more) == (500, 2)
