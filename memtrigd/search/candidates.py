"""Which documents are weighed, and what each of them weighs.

Imports numpy: only for the thread that searches.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memtrigd.domain.levels import Level
from memtrigd.search import fusion, lexical
from memtrigd.search.attributes import NOBODY, NONE, Attributes, Ints, Mask, exact_hash
from memtrigd.search.postings import LevelIndex
from memtrigd.search.question import Question
from memtrigd.search.ranking import Hit
from memtrigd.search.sight import Sight
from memtrigd.search.subjects import subject

DEPTH: Final = 200
"""Documents that are weighed for each thing that may speak for them: 50 lost nothing measurable, 200 does not cost."""
WITHIN: Final = 1.0
"""How well a document must fit a date to be found by it alone: what is only near to it needs a word, too."""
DEEPER: Final = 8
"""How many times as many are weighed if all those were not enough."""
GRAIN: Final = 2.0**20
"""Parts of a standard deviation that are summed up: whole numbers have one sum, in whichever order they come."""

Column = NDArray[np.float64]


class Meaning(Protocol):
    """How near documents are to what a question means."""

    floor: float
    """What a document must reach to be found by its meaning alone."""

    def scores(self, index: LevelIndex) -> Column:
        """For each place the nearness in standard deviations of what is unrelated; NaN where it is not known yet."""


class Evidence(NamedTuple):
    """What speaks for each place of one level: a column for each thing."""

    sight: Sight
    words: Column
    """0…1 and, with neighbours, more."""
    told: Mask
    """Whether the words say enough to be found by them."""
    meant: bool
    """Whether the meaning of the question is known."""
    meaning: Column
    """Above what is usual in sight; 0 where it is not known."""
    near: Mask
    """Near enough in meaning to be found by it alone."""
    asked_when: bool
    """Whether the question asks about a date."""
    dated: Column
    named: Mask
    exact: Mask


def rank(
    sights: Sequence[Sight],
    question: Question,
    hashes: Callable[[Sequence[str]], bytes],
    names_of: Callable[[str], Collection[str]],
    meaning: Meaning | None = None,
) -> Iterator[Hit]:
    """Give every memory in sight that answers a question: the best first, ties by level, the highest first, and number.

    Lazily, some hundred at a time: one of the next hundreds can have a better score than the last of those before.
    """
    found = lexical.matches(sights, question.terms, hashes(question.terms), sharing=meaning is not None)
    subjects = subject(sights, question, names_of)
    about = [_named(sight, subjects) for sight in sights]
    whole = hashes(question.whole)
    nearness = [None if meaning is None else meaning.scores(sight.index) for sight in sights]
    usual = _usual(sights, nearness)
    evidence = [
        Evidence(
            sight=sight,
            words=scores / (found.most or 1.0),
            told=scores > 0 if near is None else _told(share, near, named),
            meant=near is not None,
            meaning=np.zeros(len(scores)) if near is None else np.nan_to_num(near - usual),
            near=np.zeros(len(scores), bool) if near is None or meaning is None else near >= meaning.floor,
            asked_when=bool(question.dates),
            dated=_dated(sight, question),
            named=named,
            exact=_exact(sight, question, whole),
        )
        for sight, scores, share, near, named in zip(
            sights, found.scores, found.shares or found.scores, nearness, about, strict=True
        )
    ]
    given = [np.zeros(sight.index.at.size, bool) for sight in sights]
    depth = DEPTH
    yield from _in_order(evidence, given, depth)
    while any(_more(each, depth) for each in evidence):
        depth *= DEEPER
        yield from _in_order(evidence, given, depth)


def _usual(sights: Sequence[Sight], nearness: Sequence[Column | None]) -> float:
    """The mean nearness of what is in sight: where all speak of one matter it is high, and tells nothing of any."""
    known = [
        near[sight.seen & ~np.isnan(near)] for sight, near in zip(sights, nearness, strict=True) if near is not None
    ]
    count = sum(map(len, known))
    return sum(int(np.rint(each * GRAIN).astype(np.int64).sum()) for each in known) / (count * GRAIN) if count else 0.0


def _told(share: Column, near: Column, named: Mask) -> Mask:
    """Where words are enough: half of what is asked, or any that tells of who is named, or of what may be meant.

    Of what has no vector yet, any is enough.
    """
    told: Mask = (share >= fusion.ENOUGH) | named | (near >= fusion.LIKELY) | np.isnan(near)
    return told & (share > 0)


def _exact(sight: Sight, question: Question, whole: bytes) -> Mask:
    """Where the question is the key, or an identifier that is there as it stands."""
    exact: Mask = sight.index.at.key_hash == exact_hash(question.exact)
    return sight.wanted & (exact | lexical.having(sight, whole) if whole else exact)


def _dated(sight: Sight, question: Question) -> Column:
    """How well each place fits the dates that are asked about."""
    at = sight.index.at
    dated = np.zeros(at.size)
    if not question.dates:
        return dated
    moment = np.where(at.valid_from, at.valid_from, at.created)
    for start, end in question.dates:  # a dozen, where a year is not said
        near = np.flatnonzero((moment >= start - fusion.FAR) & (moment <= end + fusion.FAR))
        dated[near] = np.maximum(dated[near], fusion.date_fit(moment[near], start, end))
    return dated


def _named(sight: Sight, about: Collection[str]) -> Mask:
    """Where a memory is about the one whom the question names."""
    at = sight.index.at
    named = np.zeros(at.size, bool)
    for name in about:
        number = at.entities.known(name)
        named |= False if number is None else at.entity == number
    return named


def _more(each: Evidence, depth: int) -> bool:
    """Tell whether more documents of a level answer than were weighed at a depth."""
    found = (each.told, each.near, each.dated >= WITHIN)
    return any(np.count_nonzero(column & each.sight.wanted) > depth for column in found)


def _in_order(evidence: Sequence[Evidence], given: Sequence[Mask], depth: int) -> Iterator[Hit]:
    """Weigh the candidates that were not given before, and give them in order."""
    chosen = []
    for each, before in zip(evidence, given, strict=True):
        places = _candidates(each, depth)
        chosen.append(places[~before[places]])
        before[chosen[-1]] = True
    if not any(map(len, chosen)):
        return
    scores = np.concatenate([_weighed(each, places) for each, places in zip(evidence, chosen, strict=True)])
    levels = np.repeat([each.sight.index.level for each in evidence], list(map(len, chosen)))
    numbers = np.concatenate([each.sight.index.at.number[p] for each, p in zip(evidence, chosen, strict=True)])
    places, which = np.concatenate(chosen), np.repeat(np.arange(len(evidence)), list(map(len, chosen)))
    for spot in np.lexsort((numbers, -levels, -scores)):
        why = _why(evidence[which[spot]], int(places[spot]))
        yield Hit(float(scores[spot]), Level(int(levels[spot])), int(numbers[spot]), why)


def _candidates(each: Evidence, depth: int) -> Ints:
    """The places that are weighed: the best by each thing, and what was said right before and after them."""
    at, wanted = each.sight.index.at, each.sight.wanted
    found = [
        _best(each.words, wanted & each.told, at.number, depth),
        *([_best(each.meaning, wanted & each.near, at.number, depth)] if each.meant else ()),
        *([_best(each.dated, wanted & (each.dated >= WITHIN), at.number, depth)] if each.asked_when else ()),
        np.flatnonzero(each.exact),
    ]
    own = np.concatenate(found)
    beside = np.concatenate([at.before[own], at.behind[own]])
    beside = beside[beside != NONE]
    marked = np.zeros(at.size, bool)
    marked[own] = True
    marked[beside[wanted[beside]]] = True
    return np.flatnonzero(marked)


def _best(scores: Column, among: Mask, numbers: Ints, depth: int) -> Ints:
    """The places with the best scores; of equal ones those with the lowest numbers, wherever their places are."""
    places = np.flatnonzero(among)
    if len(places) <= depth:
        return places
    own = scores[places]
    least = np.partition(own, len(own) - depth)[len(own) - depth]
    above, equal = places[own > least], places[own == least]
    missing = depth - len(above)
    if len(equal) > missing:
        equal = equal[np.argpartition(numbers[equal], missing - 1)[:missing]]
    return np.concatenate([above, equal])


def _weighed(each: Evidence, places: Ints) -> Column:
    words = _in_conversation(each.words, each.sight, places)
    meaning = _in_conversation(each.meaning, each.sight, places) if each.meant else 0.0
    named, dated, exact = each.named[places], each.dated[places], each.exact[places]
    weighed: Column = fusion.score(words, meaning, named=named, dated=dated, exact=exact)
    return weighed


def _in_conversation(column: Column, sight: Sight, places: Ints) -> Column:
    """The scores of places with what was said around them. Nothing in a conversation speaks against a part of it."""
    at = sight.index.at
    own, talks = column[places], at.talk[places]
    theirs = np.zeros(len(at.talks), bool)
    theirs[talks] = True
    telling = np.flatnonzero(theirs[at.talk] & (column > 0) & sight.seen)
    best = np.zeros(len(at.talks))
    np.maximum.at(best, at.talk[telling], column[telling])
    lifted = np.where(talks == NOBODY, np.maximum(own, 0.0), best[talks])
    weighed: Column = fusion.in_conversation(own, lifted, *_around(column, at, places))
    return weighed


def _around(column: Column, at: Attributes, places: Ints) -> tuple[Column, Column]:
    """The sums of what is one turn away from places, and of what is two."""
    before, behind = at.before[places], at.behind[places]
    beyond = np.where(before == NONE, NONE, at.before[before]), np.where(behind == NONE, NONE, at.behind[behind])
    return _sum(column, before, behind), _sum(column, *beyond)


def _sum(column: Column, one: NDArray[np.int32], other: NDArray[np.int32]) -> Column:
    left, right = (np.where(spots == NONE, 0.0, column[spots]) for spots in (one, other))
    both: Column = left + right
    return both


def _why(each: Evidence, place: int) -> tuple[str, ...]:
    at = each.sight.index.at
    beside = [spot for spot in (at.before[place], at.behind[place]) if spot != NONE]
    said = {
        "key": each.exact[place],
        "words": each.told[place],
        "meaning": each.near[place],
        "date": each.dated[place] > 0,
        "name": each.named[place],
        "neighbour": any(each.told[spot] or each.near[spot] or each.dated[spot] >= WITHIN for spot in beside),
    }
    return tuple(reason for reason, holds in said.items() if holds)
