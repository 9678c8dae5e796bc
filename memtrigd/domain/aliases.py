"""Other names of an entity: exact, the owner's, and never a part of a word. What was said is not rewritten."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import canonical

MOST: Final = 300
"""How many aliases a level keeps: all are read whenever something is searched, 30 µs each."""
_JOINERS: Final = frozenset("-_'’\u200c\u200d\u2010\u2011")
"""What makes one word of what stands on both its sides."""


def classes(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """For each canonical name that ``pairs`` of (alias, entity) link to another: every name of its entity.

    Names that are linked, in however many steps, are one entity's: the relation is symmetric and transitive.
    """
    same: dict[str, set[str]] = {}
    for pair in pairs:
        one, other = (same.setdefault(name, {name}) for name in map(canonical, pair))
        if one is not other:
            less, more = sorted((one, other), key=len)
            more |= less
            same.update(dict.fromkeys(less, more))
    return {name: frozenset(names) for name, names in same.items()}


def names_of(entity: str, known: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Every canonical name of an entity by ``classes``: the one it was asked by first, then the others in order."""
    own = canonical(entity)
    return own, *sorted(known.get(own, frozenset()) - {own})


def meant_in(text: str, known: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """The names that a text does not say itself, but of whose entities it says another one as whole words."""
    if not known:
        return ()
    folded = canonical(text)
    said = {name for name in known if says(folded, name)}
    return tuple(sorted({other for name in said for other in known[name]} - said))


def says(folded: str, name: str) -> bool:
    """Tell whether a canonical text has a canonical name as whole words: no letter, mark or digit adjoins it.

    Where words have no spaces between them that is a run of its own: 书店 does not say 书, nor 读书笔记 读书.
    """
    at = folded.find(name)
    while at >= 0:
        end = at + len(name)
        before, behind = folded[max(0, at - 2) : at][::-1], folded[end : end + 2]
        if not (_joins(before, behind=False) or _joins(behind, behind=True)):
            return True
        at = folded.find(name, at + 1)
    return False


def check(alias: str, entity: str, pairs: Collection[tuple[str, str]]) -> None:
    """Refuse a name that says nothing new, or that means another entity already. Raises ``bad_value``, ``slot_taken``.

    The same alias of the same entity is no refusal: it is there.
    """
    own = canonical(alias)
    if own == canonical(entity):
        raise Refusal("bad_value", "The alias is the entity's own name.", "Give it another one.")
    means = [named for each, named in pairs if canonical(each) == own]
    if any(canonical(named) == canonical(entity) for named in means):
        return
    if means:
        raise Refusal(
            "slot_taken", f"{alias!r} is another name of {means[0]!r}.", f"Remove that first: alias remove {alias!r}."
        )
    if own in names_of(entity, classes(pairs)):
        raise Refusal("bad_value", f"{entity!r} is a name of {alias!r} already.", "`alias list` shows the names.")


def _joins(edge: str, *, behind: bool) -> bool:
    """Tell whether what adjoins a name, the nearest character first, makes it a part of a longer word.

    A joiner does if a letter is beyond it, but an apostrophe behind a name is a possessive.
    """
    if edge and edge[0] in _JOINERS:
        return not (behind and edge[0] in "'’") and any(map(_is_of_a_word, edge[1:]))
    return any(map(_is_of_a_word, edge[:1]))


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
