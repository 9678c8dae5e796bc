"""The faults of time in the memory that this one's forgetting comes from (B2, D13, D25), on a real daemon."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import memtrig
import pytest

from tests.serve.late import LateDaemon, late_daemon
from tests.serve.lives import content, refusal, served


@pytest.fixture(name="late", scope="module")
def _late() -> Iterator[LateDaemon]:
    """A daemon whose clock can be set, for the whole module."""
    with late_daemon() as daemon:
        yield daemon


@pytest.fixture(name="memory")
def _memory(late: LateDaemon) -> Iterator[memtrig.Memory]:
    """An agent of the late daemon."""
    with memtrig.connect(agent="gardener", home=str(late.home)) as memory:
        yield memory


def weight(memory: memtrig.Memory, key: str) -> float:
    """What a memory counts, as a list tells it, which is no recall."""
    return next(record.effective_importance for record in memory.list() if record.key == key)


def test_a_weekly_cycle_does_not_shorten_memory(late: LateDaemon, memory: memtrig.Memory) -> None:
    """B2, D13: twenty weekly cycles made 138 days a half-life of 35; here half is left, as without any."""
    memory.save("weekly", "She plants tulips in autumn")
    for _ in range(20):
        late.pass_days(6.914)
        memory.decay()
    assert weight(memory, "weekly") == pytest.approx(0.5, abs=1e-3)


def test_three_cycles_in_a_second_are_as_one(late: LateDaemon, memory: memtrig.Memory) -> None:
    """B2, D13: three runs in a row made of 1 an eighth; and a clock that is set back and right again takes nothing."""
    memory.save("thrice", "She plants tulips in autumn")
    late.pass_days(30)
    for _ in range(3):
        memory.decay()
    assert weight(memory, "thrice") == 0.8604
    late.pass_days(-20)
    memory.decay()
    late.pass_days(20)
    memory.decay()
    assert weight(memory, "thrice") == 0.8604


def test_what_is_asked_for_often_stays(late: LateDaemon, memory: memtrig.Memory) -> None:
    """B2: searched for every day and 0.16 after a year, there; here each week brings it near again, restarts or not."""
    memory.save("often", "The gate sticks in the rain")
    for _ in range(8):
        late.pass_days(7)
        assert [hit.key for hit in memory.search("gate rain", 1)] == ["often"]
    late.restart()  # which waits for the stamps
    assert weight(memory, "often") >= 0.92
    late.pass_days(7)
    assert weight(memory, "often") >= 0.89


def test_who_they_are_to_each_other_never_fades(late: LateDaemon, memory: memtrig.Memory) -> None:
    """B2: "what the user said loses no weight" was untrue; relationships and identities keep theirs for years."""
    memory.save("sister", "Leela is her sister", kind="relationship", source="user_explicit")
    memory.save("tulips", "She likes tulips", source="user_explicit")
    late.pass_days(730)
    memory.decay()
    assert served(memory, "sister").effective_importance == 1.0
    assert served(memory, "tulips").content == "She likes tulips"


def test_what_is_over_is_not_served_before_a_sweep(late: LateDaemon, memory: memtrig.Memory) -> None:
    """B2: what had expired was found until somebody swept; here it is not, by any way, and a sweep only names it."""
    soon = _clock(late) + timedelta(hours=12)
    memory.save("over", "The fair is in town", expires_at=soon)
    assert [record.key for record in memory.expire(dry_run=True).remind if record.key == "over"] == ["over"]
    late.pass_days(1)
    found = [hit.key for hit in memory.search("fair in town")] + [record.key for record in memory.list()]
    assert (content(memory, "over"), "over" in found) == (None, False)
    assert [each.key for each in memory.expire().memories if each.key == "over"] == ["over"]


def test_a_time_without_a_zone_breaks_nothing(late: LateDaemon, memory: memtrig.Memory) -> None:
    """B2, D25: one naive time ended vacuum and expire for all; here it is read in the user's zone, and both go on."""
    when = (_clock(late) + timedelta(days=3)).replace(tzinfo=None)
    memory.save("naive", "The exam is on Monday", expires_at=when.isoformat(), valid_from=when.date().isoformat())
    record = served(memory, "naive")
    assert record.expires_at is not None
    assert abs(datetime.fromisoformat(record.expires_at).replace(tzinfo=None) - when) <= timedelta(hours=14)
    assert record.expires_at.endswith("+00:00")
    late.pass_days(4)
    assert "naive" in [each.key for each in memory.expire().memories]
    assert memory.upkeep.vacuum().level == "INTERNAL"
    assert refusal(memory.save, "naive", "x", expires_at="next Monday").code == "bad_time"


def _clock(late: LateDaemon) -> datetime:
    """What the late daemon's clock shows."""
    return datetime.now(UTC) + timedelta(microseconds=late.ahead)
