"""Memories and claims for property tests."""

from hypothesis import strategies as st

from memtrigd.domain.claim import Claim
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Source, Status

NOW = 1_800_000_000_000_000
SPACES = ("own", "default")
TEXTS = ("Asha likes tea", "asha likes tea.", "Asha likes coffee", "Asha moved to Pune")

moments = st.integers(NOW - 10**15, NOW + 10**15)
levels = st.sampled_from(Level)


@st.composite
def memories(draw: st.DrawFn, level: Level | None = None, space: str | None = None) -> Memory:
    """A row of any rank and status, past its date or not."""
    at = draw(moments)
    return Memory(
        id=f"m{draw(st.integers(0, 10**6))}",
        key="tea",
        level=draw(levels) if level is None else level,
        space=space or draw(st.sampled_from(SPACES)),
        content=draw(st.sampled_from(TEXTS)),
        created=at,
        updated=draw(moments),
        importance_at=at,
        source=draw(st.sampled_from(Source)),
        attested=draw(st.booleans()),
        status=draw(st.sampled_from([Status.ACTIVE] * 4 + list(Status))),
        core=draw(st.booleans()),
        pinned=draw(st.booleans()),
        importance=draw(st.floats(0, 1)),
        seen_count=draw(st.integers(1, 3)),
        expires_at=draw(st.none() | moments),
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
