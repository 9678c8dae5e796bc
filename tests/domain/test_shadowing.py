"""Which copy of a key is served."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Source, Status
from memtrigd.domain.shadowing import Mask, winner
from memtrigd.domain.trust import Rank, rank_of
from tests.domain.strategies import NOW, SPACES, memories

OWN, SHARED = SPACES
somewhere = st.lists(st.sampled_from(list(product(Level, SPACES))), unique=True, max_size=8)


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[Memory], list[Mask]]:
    """Copies of one key, at most one per level and space, and masks that hide some of them as they are or were."""
    places = draw(somewhere)
    copies = [replace(draw(memories(level, space)), id=f"m{n}") for n, (level, space) in enumerate(places)]
    hidden = draw(st.lists(st.sampled_from(copies), max_size=4)) if copies else []
    return copies, [Mask(m.id, m.seen_count - draw(st.integers(0, 1)), Level.RESTRICTED, m.space) for m in hidden]


def visible(copies: list[Memory], masks: list[Mask]) -> list[Memory]:
    """The copies that can be served at all."""
    return [
        m
        for m in copies
        if m.served(NOW) and not any(mask.memory_id == m.id and mask.seen_count >= m.seen_count for mask in masks)
    ]


@given(situations())
def test_a_winner_is_a_visible_copy_and_there_is_one_if_any_is_visible(case: tuple[list[Memory], list[Mask]]) -> None:
    """Nothing masked, inactive or past its date is served, and nothing visible is kept back for nothing."""
    copies, masks = case
    found = winner(copies, masks, OWN, NOW)
    standing = visible(copies, masks)
    assert (found is None) is (not standing)
    if found is not None:
        assert all(m in standing for m in (found.memory, found.supplement, found.newer_lower) if m is not None)


@given(situations())
def test_the_users_word_is_never_shadowed_by_less(case: tuple[list[Memory], list[Mask]]) -> None:
    """Where a visible copy is the user's word the winner weighs as much as any, and what would have shadowed it
    stands beside it."""
    copies, masks = case
    standing = visible(copies, masks)
    heaviest = max(map(rank_of, standing), default=Rank.SELF_INFERRED)
    found = winner(copies, masks, OWN, NOW)
    if heaviest >= Rank.USER_EXPLICIT:
        assert found is not None
        assert rank_of(found.memory) is heaviest
        before = [m for m in standing if (m.space == OWN, m.level) > (found.memory.space == OWN, found.memory.level)]
        assert (found.supplement is not None) is bool(before)


@given(situations())
def test_among_equals_the_own_space_then_the_highest_level_wins(case: tuple[list[Memory], list[Mask]]) -> None:
    """No copy of the winner's weight, or of any weight below the user's word, comes before the winner."""
    copies, masks = case
    found = winner(copies, masks, OWN, NOW)
    if found is None:
        return
    rivals = [
        m
        for m in visible(copies, masks)
        if rank_of(found.memory) < Rank.USER_EXPLICIT or rank_of(m) is rank_of(found.memory)
    ]
    assert found.memory == max(rivals, key=lambda m: (m.space == OWN, m.level))


@given(situations())
def test_a_newer_lower_copy_is_shown(case: tuple[list[Memory], list[Mask]]) -> None:
    """A copy below the winner that was said after it comes with it: the newest of them."""
    copies, masks = case
    found = winner(copies, masks, OWN, NOW)
    if found is None:
        return
    newer = [m for m in visible(copies, masks) if m.level < found.memory.level and m.updated > found.memory.updated]
    assert (found.newer_lower is None) is (not newer)
    if found.newer_lower is not None:
        assert found.newer_lower.updated == max(m.updated for m in newer)


@given(situations(), st.randoms(use_true_random=False))
def test_the_order_in_which_copies_are_found_does_not_matter(
    case: tuple[list[Memory], list[Mask]], random: object
) -> None:
    """The same copies give the same winner."""
    copies, masks = case
    shuffled = list(copies)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = winner(copies, masks, OWN, NOW), winner(shuffled, masks, OWN, NOW)
    assert (one and one.memory) == (other and other.memory)


def test_a_mask_hides_nothing_said_later() -> None:
    """Saying the same again, or something new, comes through a mask from before."""
    copy = Memory(
        id="m1",
        key="tea",
        level=Level.PUBLIC,
        space=SHARED,
        content="x",
        created=NOW,
        updated=NOW,
        importance_at=NOW,
        source=Source.AUTO_DETECT,
        status=Status.ACTIVE,
    )
    mask = Mask("m1", 1, Level.INTERNAL, SHARED)
    assert winner([copy], [mask], OWN, NOW) is None
    said_again = replace(copy, seen_count=2)
    assert winner([said_again], [mask], OWN, NOW).memory == said_again  # type: ignore[union-attr]
    said_anew = replace(copy, id="m2")
    assert winner([said_anew], [mask], OWN, NOW).memory == said_anew  # type: ignore[union-attr]
