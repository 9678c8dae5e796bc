"""Aliases: which names mean one entity. Names are compared whole, never by a part of them.

The second seed merged by substring and rewrote what it met: 读书笔记软件选型 was swallowed by 读书, and a question about
书店 became one about 读书. Here a name is one entity's or it is not, and nothing that was said is ever rewritten.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import canonical

MOST: Final = 1000
"""How many aliases a level keeps: they are looked through for each save of an entity and each search."""
_JOINERS: Final = frozenset("-_'’\u200c\u200d\u2010\u2011")
"""What makes one word of what stands on both its sides."""


class Names:
    """The names of entities: of each pair both mean the same one, and so do all that pairs link."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._same: dict[str, set[str]] = {}
        for one, other in pairs:
            both = [canonical(one), canonical(other)]
            merged = set(both).union(*(self._same.get(name, ()) for name in both))
            for name in merged:
                self._same[name] = merged

    def of(self, entity: str) -> tuple[str, ...]:
        """Every name of an entity: the one that was asked with first, as it is written, the others canonical."""
        own = canonical(entity)
        return (entity, *sorted(self._same.get(own, set()) - {own}))

    def are_one(self, one: str, other: str) -> bool:
        """Tell whether two names mean the same entity."""
        return canonical(other) in {canonical(name) for name in self.of(one)}

    def meant_in(self, text: str) -> tuple[str, ...]:
        """The names that a text does not say, but of whose entities it says another name, as whole words."""
        if not self._same:
            return ()
        folded = canonical(text)
        said = {name for name in self._same if says(folded, name)}
        return tuple(sorted({other for name in said for other in self._same[name]} - said))


def says(folded: str, name: str) -> bool:
    """Tell whether a canonical text has a canonical name as whole words: no letter, mark or digit adjoins it.

    Of scripts without spaces that is a run of its own: 书店 does not say 书, nor does 读书笔记 say 读书.
    """
    at = folded.find(name)
    while at >= 0:
        if not (_joins(folded, at - 1, at - 2) or _joins(folded, at + len(name), at + len(name) + 1)):
            return True
        at = folded.find(name, at + 1)
    return False


def check(names: Names, alias: str, entity: str, means: str | None, kept: int) -> None:
    """Let ``alias`` become a name of ``entity`` unless it can't: it is that already, or another's (``means``).

    ``kept`` is how many aliases the level has. Raises ``bad_value`` or ``too_large``.
    """
    if canonical(alias) == canonical(entity):
        raise Refusal("bad_value", "The alias is the entity's own name.", "Name another one.")
    if means is not None:
        raise Refusal(
            "bad_value",
            f"The alias {alias!r} means {means!r} already.",
            f"Remove it first: memtrigctl alias remove {alias!r}.",
        )
    if names.are_one(alias, entity):
        raise Refusal(
            "bad_value",
            f"{entity!r} leads to {alias!r} already: both are one entity.",
            "`alias list` shows the names; nothing more is needed.",
        )
    if kept >= MOST:
        raise Refusal("too_large", f"There are {kept:,} aliases; the limit is {MOST:,}.", "Remove one first.")


def _joins(folded: str, at: int, beyond: int) -> bool:
    """Tell whether the character ``at`` a name's edge makes the name a part of a longer word."""
    if not 0 <= at < len(folded):
        return False
    if folded[at] in _JOINERS:
        possessive = beyond > at and folded[at] in "'’"
        return not possessive and 0 <= beyond < len(folded) and _is_of_a_word(folded[beyond])
    return _is_of_a_word(folded[at])


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
