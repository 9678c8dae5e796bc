"""Memories of any shape, for hypothesis."""

from hypothesis import strategies as st
from msgspec.structs import fields

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Source, Status

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
whole = st.integers(-(2**63), 2**63 - 1)
real = st.floats(allow_nan=False, allow_infinity=False)
by_type = {
    str: text,
    str | None: st.none() | text,
    int: whole,
    int | None: st.none() | whole,
    float: real,
    float | None: st.none() | real,
    bool: st.booleans(),
    tuple[str, ...]: st.lists(text, max_size=4, unique=True).map(tuple),
    Kind: st.sampled_from(Kind),
    Source: st.sampled_from(Source),
    Status: st.sampled_from(Status),
    Level: st.just(Level.INTERNAL),
}
any_memory = st.builds(
    Memory, **{field.name: by_type[field.type] for field in fields(Memory) if field.name != "contested"}
)
