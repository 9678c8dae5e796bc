"""What comes to mind: near things and old treasures, and never what was just said or denied."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Status
from memtrigd.domain.moments import DAY
from memtrigd.domain.recall import COLD_AFTER, QUIET, suggest
from tests.domain.strategies import NOW, memories

WARM = Memory(
    id="warm",
    key="warm",
    level=Level.INTERNAL,
    space="default",
    content="Asha is learning the sitar",
    created=NOW - 5 * DAY,
    updated=NOW - 5 * DAY,
    importance_at=NOW - 5 * DAY,
)
OLD = replace(WARM, id="old", created=NOW - 200 * DAY, updated=NOW - 200 * DAY, importance_at=NOW - 200 * DAY)


def ids(*rows: Memory, limit: int = 10) -> list[str]:
    """What comes to mind of some memories, best first."""
    return [idea.memory.id for idea in suggest(rows, NOW, limit)]


def reason(row: Memory) -> tuple[str, str]:
    """The channel and the reason of one memory."""
    (idea,) = suggest([row], NOW, 1)
    return idea.channel, idea.reason


@given(st.lists(memories(), max_size=8), st.integers(1, 10))
def test_only_what_may_be_said_comes_to_mind(rows: list[Memory], limit: int) -> None:
    """Served, not denied, not recalled within a day; each once, and no more than asked for."""
    ideas = suggest(rows, NOW, limit)
    assert len(ideas) == min(limit, sum(row.served(NOW) for row in rows))
    assert all(idea.memory.served(NOW) and idea.reason for idea in ideas)
    hushed = [replace(row, last_recalled=NOW - QUIET + 1) for row in rows]
    assert suggest(hushed, NOW, limit) == []
    assert suggest([replace(row, deny_count=1) for row in rows], NOW, limit) == []


def test_it_rests_a_day_after_its_last_recall() -> None:
    """To the microsecond; a recall that a wrong clock put into the future rests as well."""
    assert ids(replace(WARM, last_recalled=NOW - QUIET)) == ["warm"]
    assert ids(replace(WARM, last_recalled=NOW - QUIET + 1)) == []
    assert ids(replace(WARM, last_recalled=NOW + DAY)) == []


def test_the_channels_take_turns() -> None:
    """Many warm memories do not crowd out the one old treasure, nor the other way round."""
    warm = [replace(WARM, id=f"warm-{number}") for number in range(9)]
    old = [replace(OLD, id=f"old-{number}") for number in range(9)]
    assert {row[:3] for row in ids(*warm, OLD, limit=2)} == {"war", "old"}
    assert {row[:3] for row in ids(WARM, *old, limit=2)} == {"war", "old"}
    assert len(ids(*warm, *old, limit=10)) == 10


def test_ninety_days_untouched_make_a_treasure() -> None:
    """Of a recall or a change, whichever was last; core never grows cold."""
    cold = replace(WARM, updated=NOW - COLD_AFTER)
    assert reason(cold)[0] == "treasure"
    assert reason(replace(cold, last_recalled=NOW - 2 * DAY))[0] == "warm"
    assert reason(replace(cold, core=True))[0] == "warm"


def test_each_idea_says_why() -> None:
    """What it is to the two of them, how long it lies there, that it ends, and what was felt."""
    assert reason(replace(WARM, core=True)) == ("warm", "defines who you are to each other")
    assert reason(OLD) == ("treasure", "never brought up since it was said")
    assert reason(replace(OLD, last_recalled=NOW - 120 * DAY)) == ("treasure", "untouched for 120 days")
    assert reason(replace(OLD, expires_at=NOW + DAY)) == ("treasure", "about to expire")
    assert reason(replace(WARM, emotion_tags=("joy", "awe")))[1].endswith("; felt: joy, awe")


def test_feelings_weigh() -> None:
    """A strong kind with a feeling comes before one without, and that before the plain; in both channels."""
    for plain in (WARM, OLD):
        kind = replace(plain, id="kind", kind=Kind.MILESTONE)
        felt = replace(plain, id="felt", kind=Kind.MILESTONE, emotion_tags=("joy",))
        assert ids(plain, kind, felt) == ["felt", "kind", plain.id]


def test_the_stronger_memory_comes_first() -> None:
    """In the warm channel by what is left of its importance, in the other by how sure it is."""
    assert ids(replace(WARM, id="weak", importance=0.4), WARM) == ["warm", "weak"]
    assert ids(replace(OLD, id="unsure", confidence=0.2), replace(OLD, confidence=0.9)) == ["old", "unsure"]


@given(memories(), st.sampled_from([status for status in Status if status is not Status.ACTIVE]))
def test_what_is_out_of_service_never_comes_to_mind(row: Memory, status: Status) -> None:
    """Pending, disputed, forgotten: whatever it once weighed."""
    assert suggest([replace(row, status=status)], NOW, 10) == []
