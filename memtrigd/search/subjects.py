"""Whom a question is about: the one entity in sight that it names."""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from memtrigd.domain.aliases import says
from memtrigd.search.question import Question
from memtrigd.search.sight import Sight

LONGEST: Final = 64
"""Characters of a name that is looked for in a question."""


def subject(sights: Sequence[Sight], question: Question, names_of: Callable[[str], Collection[str]]) -> frozenset[str]:
    """The canonical names of the one entity that a question names; none if it names none, or more than one.

    An entity counts as known if a memory in sight is about it, or if it has another name in sight.
    """
    said = [name for name in _runs(question.exact) if any(_knows(sight, name) for sight in sights)]
    named = [*(name for name in said if says(question.exact, name)), *question.names]
    entities = {frozenset(names_of(name)) for name in dict.fromkeys(named)}
    return entities.pop() if len(entities) == 1 else frozenset()


def _knows(sight: Sight, name: str) -> bool:
    number = sight.index.at.entities.known(name)
    return number is not None and bool((sight.seen & (sight.index.at.entity == number)).any())


def _runs(text: str) -> Iterator[str]:
    """Every run of whole words in a text that may be a name, each once."""
    inside = [False, *map(_is_of_a_word, text), False]
    begins = [place for place in range(len(text)) if not inside[place] and inside[place + 1]]
    ends = [place for place in range(1, len(text) + 1) if inside[place] and not inside[place + 1]]
    runs = (text[begin:end] for begin in begins for end in ends if begin < end <= begin + LONGEST)
    yield from dict.fromkeys(runs)


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
