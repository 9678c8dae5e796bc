"""What the quality of a search is measured by: corpora of memories, questions with the memories that answer them.

A file of corpora is a JSON list of ``{id, lang, docs: [{id, text, session, ts, speaker}], queries: [{q, gold:
[ids of docs], category}]}``; ``ts`` is ISO 8601 without a zone, taken as UTC, or null; ``speaker`` may be "".
"""

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from pathlib import Path
from statistics import fmean

import msgspec

DEPTHS = (1, 5, 10, 20)
DEEPEST = 100
"""Hits that count for the reciprocal rank."""
NAMES = (*(f"R@{depth}" for depth in DEPTHS), "H@10", "nDCG@10", "MRR")
APART = 5
"""The category of questions with a false premise, which no memory answers: reported apart."""


class Doc(msgspec.Struct, frozen=True):
    """One memory."""

    id: str
    text: str
    session: int | str
    ts: str | None = None
    speaker: str = ""


class Query(msgspec.Struct, frozen=True):
    """A question; ``gold`` are the ids of the memories that answer it."""

    q: str
    gold: list[str]
    category: int = 1


class Corpus(msgspec.Struct, frozen=True):
    """Memories of one space, and what is asked of them."""

    id: str
    lang: str
    docs: list[Doc]
    queries: list[Query]


def corpora(data: Path) -> dict[str, list[Corpus]]:
    """The corpora of a file, or of each JSON file of a folder, by the file's name. Raises msgspec.DecodeError."""
    files = sorted(data.glob("*.json")) if data.is_dir() else [data]
    return {file.stem: msgspec.json.decode(file.read_bytes(), type=list[Corpus]) for file in files}


def measured(ranked: Sequence[str], gold: Iterable[str]) -> dict[str, float]:
    """How well hits in order, all different, answer: each figure from 0 to 1, binary relevance."""
    wanted = set(gold)
    right = [doc in wanted for doc in ranked[:DEEPEST]]
    best = sum(1 / log2(place + 2) for place in range(min(10, len(wanted))))
    gained = sum(1 / log2(place + 2) for place, hit in enumerate(right[:10]) if hit)
    return {
        **{f"R@{depth}": sum(right[:depth]) / len(wanted) for depth in DEPTHS},
        "H@10": float(any(right[:10])),
        "nDCG@10": gained / best,
        "MRR": 1 / (right.index(True) + 1) if any(right) else 0.0,
    }


def mean(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each figure in percent; nothing of nothing."""
    return {name: round(100 * fmean(one[name] for one in each), 2) for name in NAMES} if each else {}
