"""Other names of an entity: exact, the owner's, and never a part of a word. What was said is not rewritten."""

from collections.abc import Iterable

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import canonical


def names_of(entity: str, pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Every name of the entity that ``entity`` names, its own first, then in order; canonical.

    ``pairs`` are (alias, entity) in force. Names that are linked, in however many steps, are one entity's: the
    relation is reflexive, symmetric and transitive.
    """
    links: dict[str, set[str]] = {}
    for alias, named in pairs:
        one, other = canonical(alias), canonical(named)
        links.setdefault(one, set()).add(other)
        links.setdefault(other, set()).add(one)
    own = canonical(entity)
    found, fresh = {own}, [own]
    while fresh:
        fresh = sorted({name for each in fresh for name in links.get(each, ())} - found)
        found.update(fresh)
    return own, *sorted(found - {own})


def check(alias: str, entity: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuse a name that says nothing new, or that means another entity already. Raises ``bad_value``, ``slot_taken``."""
    known = list(pairs)
    if canonical(alias) in names_of(entity, known):
        if any(canonical(alias) == canonical(each) for each, _ in known):
            return
        raise Refusal("bad_value", f"{alias!r} is a name of {entity!r} already.", "`alias list` shows the names.")
    taken = next((named for each, named in known if canonical(each) == canonical(alias)), None)
    if taken is not None:
        raise Refusal(
            "slot_taken", f"{alias!r} is another name of {taken!r}.", f"Remove that first: alias remove {alias}"
        )
