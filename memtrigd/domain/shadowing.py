"""Which of several copies of one key a reader sees. Decided before any tag, kind or text filter and any limit."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Rank, rank_of


class Mask(Struct, frozen=True):
    """A delete at a high level hides, for its readers, a lower copy as it was then.

    ``seen_count`` is the copy's count at the time: when somebody says the same again later the count grows and
    the mask no longer fits, so it hides nothing said after it. (A clock that was set back can't confuse this.)
    """

    memory_id: str
    seen_count: int
    level: Level
    space: str

    def hides(self, memory: Memory) -> bool:
        """Tell whether ``memory`` is the hidden copy, unchanged."""
        return memory.id == self.memory_id and memory.seen_count <= self.seen_count


class Winner(Struct, frozen=True):
    """The copy that is served, with what a reader must know beside it."""

    memory: Memory
    supplement: Memory | None = None
    newer_lower: Memory | None = None


def shadows(upper: Memory, lower: Memory) -> bool:
    """Tell whether a copy may stand before another: never less than the user's word before the user's word."""
    weight = rank_of(lower)
    return weight < Rank.USER_EXPLICIT or rank_of(upper) >= weight


def in_order(copies: Iterable[Memory], own_space: str) -> list[Memory]:
    """Sort copies of one key: the reader's own space first, then the highest level."""
    return sorted(copies, key=lambda m: (m.space != own_space, -m.level))


def winner(copies: Sequence[Memory], masks: Sequence[Mask], own_space: str, now: Micros) -> Winner | None:
    """Choose the copy of one key that a reader sees, or None.

    ``copies`` are the rows of every level and space that the reader may see, at most one active per level and space.
    The user's word is never shadowed by less: then the row that would have shadowed it becomes its supplement.
    """
    standing = [m for m in copies if m.served(now) and not any(mask.hides(m) for mask in masks)]
    if len(standing) < 2:
        return Winner(standing[0]) if standing else None
    ordered = in_order(standing, own_space)
    first = ordered[0]
    weight = max(map(rank_of, ordered))
    chosen = first if weight < Rank.USER_EXPLICIT else next(m for m in ordered if rank_of(m) == weight)
    newer = [m for m in ordered if m.level < chosen.level and m.updated > chosen.updated]
    return Winner(
        chosen,
        supplement=first if first is not chosen else None,
        newer_lower=max(newer, key=lambda m: m.updated, default=None),
    )
