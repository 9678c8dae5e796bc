"""expire: what has run out is put away, what soon will is told, and one memory ends before its time."""

import pytest
from memtrig import wire

from memtrigd.domain.moments import DAY, to_iso
from tests.serve.harness import World
from tests.serve.worlds import Cast, code, is_a


@pytest.fixture(name="cast")
def _cast(world: World) -> Cast:
    return Cast(world)


def ending(cast: Cast, level: str, key: str, days: float) -> str:
    """Save what ends in some days."""
    return cast.save(level, key, f"{key} ends", expires_at=to_iso(cast.world.now + int(days * DAY)))


def statuses(cast: Cast, key: str) -> list[tuple[str, str | None]]:
    """What became of the rows of a key, and why."""
    told = is_a(wire.Told, cast.act(wire.History(key=key)))
    return [(row.status, row.reason) for row in told.memories]


def test_an_agent_sweeps_its_own_level(cast: Cast) -> None:
    """A dry run changes nothing; lower levels are left alone, and a second sweep finds nothing."""
    for level in ("PUBLIC", "INTERNAL"):
        ending(cast, level, f"over-{level}", 1)
    ending(cast, "INTERNAL", "later", 9)
    cast.world.now += 2 * DAY
    for dry in (True, False):
        expired = is_a(wire.Expired, cast.ask("INTERNAL", wire.Expire(dry_run=dry)))
        assert (expired.count, [each.key for each in expired.memories]) == (1, ["over-INTERNAL"])
        assert [each.status for each in expired.memories] == ["active" if dry else "expired"]
        assert statuses(cast, "over-INTERNAL") == [("active", None) if dry else ("expired", "expired")]
    assert is_a(wire.Expired, cast.ask("INTERNAL", wire.Expire())).count == 0
    assert statuses(cast, "over-PUBLIC") == [("active", None)]
    assert statuses(cast, "later") == [("active", None)]
    swept = is_a(wire.Expired, cast.act(wire.Expire(), "PUBLIC"))
    assert [each.key for each in swept.memories] == ["over-PUBLIC"]


def test_all_are_counted_and_a_hundred_named(cast: Cast) -> None:
    """Of what ran out, and of what soon will."""
    for number in range(103):
        ending(cast, "INTERNAL", f"over-{number}", 1)
        ending(cast, "INTERNAL", f"soon-{number}", 3)
    cast.world.now += DAY + 1
    expired = is_a(wire.Expired, cast.ask("INTERNAL", wire.Expire()))
    assert (expired.count, len(expired.memories)) == (103, 100)
    assert (len(expired.remind), expired.more) == (100, 3)


def test_what_ends_within_three_days_is_reminded_of(cast: Cast) -> None:
    """Of the levels in sight, the next to end first; neither what lies above nor what is hidden."""
    for level, key, days in (("INTERNAL", "second", 2), ("PUBLIC", "first", 1), ("INTERNAL", "late", 4)):
        ending(cast, level, key, days)
    ending(cast, "CONFIDENTIAL", "above", 1)
    ending(cast, "PUBLIC", "hidden", 1)
    cast.forget("INTERNAL", key="hidden")
    reminded = [each.key for each in cast.ask("INTERNAL", wire.Expire()).remind]
    assert reminded == ["first", "second"]


def test_one_memory_ends_now(cast: Cast) -> None:
    """By key or id; undo lets it live again. The owner's act finds the level by the id."""
    first = cast.save("CONFIDENTIAL", "one", "An offer")
    cast.save("INTERNAL", "two", "Another offer")
    assert is_a(wire.Expired, cast.ask("INTERNAL", wire.Expire(key="two", dry_run=True))).count == 1
    assert cast.get("INTERNAL", "two") == "Another offer"
    ended = is_a(wire.Expired, cast.ask("INTERNAL", wire.Expire(key="two")))
    assert [(each.key, each.status) for each in ended.memories] == [("two", "expired")]
    assert cast.get("INTERNAL", "two") is None
    assert code(cast.ask("INTERNAL", wire.Expire(key="two"))) == "not_found"
    assert is_a(wire.Expired, cast.act(wire.Expire(id=first))).memories[0].level == "CONFIDENTIAL"
    assert cast.get("CONFIDENTIAL", "one") is None
    cast.act(wire.Undo(id=first))
    assert cast.get("CONFIDENTIAL", "one") == "An offer"


@pytest.mark.parametrize(
    ("source", "ends"),
    [("self_inferred", True), ("auto_detect", True), ("file_import", False), ("user_explicit", False)],
)
def test_an_agent_ends_nothing_weightier_than_its_own_observation(cast: Cast, source: str, ends: bool) -> None:
    """The owner does; and nobody ends from above what lies below."""
    cast.save("INTERNAL", "offer", "An offer", source=source, confidence=0.9)
    assert code(cast.ask("CONFIDENTIAL", wire.Expire(key="offer"))) == "not_found"
    assert code(cast.ask("INTERNAL", wire.Expire(key="offer"))) == (None if ends else "not_yours")
    if not ends:
        assert cast.get("INTERNAL", "offer") == "An offer"
        assert is_a(wire.Expired, cast.act(wire.Expire(key="offer"))).count == 1
    assert code(cast.ask("INTERNAL", wire.Expire(key="a", id="b"))) == "bad_request"
