"""BM25 over the levels that a session may see, and over nothing else."""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import log
from typing import Final

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.search.analyser import query_terms
from memtrigd.search.weights import weight
from memtrigd.store.interface import LevelReader

K1: Final = 0.9
"""How soon further mentions stop to count. With B, 3 points of nDCG@10 over 1.2 and 0.75 on short memories."""
B: Final = 0.3
"""How much a long text must pay for its length: little, for most memories are short."""


class Hit(Struct, frozen=True):
    """A memory that has at least one term of the query; ``document`` is its number in the store of ``level``."""

    score: float
    level: Level
    document: int


def rank(readers: Sequence[LevelReader], query: str, meant: Sequence[str] = ()) -> list[Hit]:
    """Return every memory that has a term of the query, the best first; ties by level, the highest first, then number.

    ``meant`` are names that the query means besides: their terms count as its own, and take none away.

    All statistics are sums over ``readers``: what lies in a level that is not among them changes no bit of a score.
    """
    asked = dict.fromkeys(chain.from_iterable(map(query_terms, (query, *meant))))
    postings = {term: [reader.postings(term) for reader in readers] for term in asked}
    corpora = [reader.corpus() for reader in readers]
    documents = sum(corpus.documents for corpus in corpora)
    average = sum(corpus.terms for corpus in corpora) / documents if documents else 0.0
    impact = {term: weight(term) * _idf(sum(map(len, found)), documents) for term, found in postings.items()}
    hits: list[Hit] = []
    for place, reader in enumerate(readers):
        scores = _scores(reader, {term: found[place] for term, found in postings.items()}, impact, average)
        hits += [Hit(score, reader.level, document) for document, score in scores.items()]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.level, hit.document))


def _scores(
    reader: LevelReader, postings: Mapping[str, list[tuple[int, int]]], impact: Mapping[str, float], average: float
) -> dict[int, float]:
    """Return document -> score: the sum over terms of impact · tf / (tf + k1 · (1 - b + b · length / average)).

    Robertson and Zaragoza 2009, without the constant factor k1 + 1, so that an impact is the most a term can give.
    """
    lengths = reader.lengths(sorted({document for found in postings.values() for document, _ in found}))
    damping = {document: K1 * (1 - B + B * length / average) for document, length in lengths.items()}
    scores: dict[int, float] = {}
    for term, found in postings.items():
        for document, times in found:
            gain = impact[term] * times / (times + damping[document])
            scores[document] = scores.get(document, 0.0) + gain
    return scores


def _idf(matches: int, documents: int) -> float:
    """Return the inverse document frequency ln(1 + (N - n + ½) / (n + ½)): positive however common the term."""
    return log(1 + (documents - matches + 0.5) / (matches + 0.5))
