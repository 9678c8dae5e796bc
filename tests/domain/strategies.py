"""Memories and claims for property tests."""

from itertools import product

from hypothesis import strategies as st

from memtrigd.domain.claim import Claim
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Source, Status

NOW = 1_800_000_000_000_000
SPACES = ("own", "default")
TEXTS = ("Asha likes tea", "asha likes tea.", "Asha likes coffee", "Asha moved to Pune")

moments = st.integers(NOW - 10**15, NOW + 10**15)
levels = st.sampled_from(Level)
numbers = st.integers(0, 10**6)


places = st.sampled_from(list(product(Level, SPACES)))
said = st.sampled_from(list(product(TEXTS, Source, (False, True), range(1, 4))))
standings = st.sampled_from(list(product([Status.ACTIVE] * 4 + list(Status), (False, True), (False, True))))
ends = st.none() | moments
fractions = st.floats(0, 1)


@st.composite
def memories(draw: st.DrawFn, level: Level | None = None, space: str | None = None) -> Memory:
    """A row of any rank and status, past its date or not. What has few values is drawn at once: each draw costs."""
    at, place = draw(moments), draw(places) if level is None or space is None else (level, space)
    content, source, attested, seen_count = draw(said)
    status, core, pinned = draw(standings)
    return Memory(
        id=f"m{draw(numbers)}",
        key="tea",
        level=place[0] if level is None else level,
        space=space or place[1],
        content=content,
        created=at,
        updated=draw(moments),
        importance_at=at,
        source=source,
        attested=attested,
        status=status,
        core=core,
        pinned=pinned,
        importance=draw(fractions),
        seen_count=seen_count,
        expires_at=draw(ends),
    )


claims = st.builds(
    Claim,
    content=st.sampled_from(TEXTS),
    kind=st.sampled_from(Kind),
    source=st.sampled_from(Source),
    confidence=st.none() | st.floats(0, 1),
    core=st.none() | st.booleans(),
    tags=st.sampled_from([(), ("drinks",)]),
)
