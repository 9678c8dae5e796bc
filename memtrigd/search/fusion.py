"""What speaks for a memory, weighed together: pure arithmetic, on numbers or on arrays of them.

Figures were chosen on the turns of five long conversations (LoCoMo) and held against sentences in English, Chinese,
Hindi and Marathi (XQuAD, MahaSQuAD), which chose none of them.
"""

from typing import Any, Final

from memtrigd.domain.moments import DAY, Micros
from memtrigd.domain.trust import Rank

LEXICAL: Final = 8.0
"""What the best conceivable match of words counts, in standard deviations of meaning: 6 to 10 are alike, 3 is less."""
NEIGHBOUR: Final = 0.2
"""What a neighbour in the conversation adds, of its own score: 0.1 to 0.25 are alike. On turns 3 points of R@10,
1 where meaning is known."""
BEYOND: Final = 0.1
"""What a neighbour's neighbour adds: 1 point; half as much as NEIGHBOUR, as one step further tells half as much."""
CONVERSATION: Final = 0.33
"""The share of a score that is the best one's of the conversation: 2 to 3 points. What was said in none is its own
best, so that a talk of many turns buries no fact that stands alone."""
NAMED: Final = 1.1
"""For a memory about the one whom the question names: 2 to 4 points of MRR; 0.7 is a little less."""
DATED: Final = 1.5
"""For one of the day that is asked about: 2 points of R@10 over all questions; 2 is a little better, but buries."""
EXACT: Final = 100.0
"""For the key or identifier itself: more than all else together can be."""
PRIOR: Final = 0.2
"""What trust and importance add at most: they part what is as good as equal, and bury no answer."""

ENOUGH: Final = 0.5
"""The share of a question from which its words are enough by themselves, where meaning is known: 0.4 to 0.6 are alike.
"""
LIKELY: Final = 3.0
"""The nearness from which any word of it is. Of a hundred questions about nothing, 70 of which had a word in common
with a long conversation, 64 find nothing so; of the answers among the first ten, one or two in a thousand go."""

FAR: Final = 31 * DAY
"""How far from what is asked about a moment fits no more."""
NEAR: Final = ((0, 1.0), (2 * DAY, 0.9), (10 * DAY, 0.6), (FAR, 0.3))
"""How well a moment fits a day that it is so far from: people misremember days, and tell of them later."""
SHORT: Final = 2 * DAY
"""A range up to here is a day somebody means; of a longer one the ends are meant."""
AFTER: Final = (FAR, 0.5)
"""A moment this soon after a longer range: what happened in a month is told in the next."""


def score(words: Any, meaning: Any, *, named: Any = 0.0, dated: Any = 0.0, exact: Any = 0.0) -> Any:
    """Weigh what speaks for a memory: words 0…1, meaning in standard deviations, the others 0…1."""
    return LEXICAL * words + meaning + NAMED * named + DATED * dated + EXACT * exact


def in_conversation(own: Any, best: Any, beside: Any, beyond: Any) -> Any:
    """A score with that of the ``best`` of its conversation, and the sums of those one and two turns away."""
    return (1.0 - CONVERSATION) * own + CONVERSATION * best + NEIGHBOUR * beside + BEYOND * beyond


def prior(rank: Rank, worth: float) -> float:
    """What is added for trust and for effective importance (0…1), half each."""
    return PRIOR / 2 * (rank / max(Rank) + worth)


def date_fit(moment: Any, start: Micros, end: Micros) -> Any:
    """How well moments fit a range that is asked about, the end not among it: 1 to 0."""
    apart = _apart(moment, start, end)
    if end - start <= SHORT:
        (far, fit), *closer = reversed(NEAR)
        fits = fit * (apart <= far)
        for far, better in closer:
            fits = fits + (better - fit) * (apart <= far)
            fit = better
        return fits
    far, fit = AFTER
    return (1.0 - fit) * (apart <= 0) + fit * ((apart <= far) & (moment >= start))


def _apart(moment: Any, start: Micros, end: Micros) -> Any:
    """How far moments are from a range; its end is not among it: what is told of a day may have its midnight."""
    return (start - moment) * (moment < start) + (moment - end + 1) * (moment >= end)
