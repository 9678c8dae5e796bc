"""How well a search finds what answers: corpora saved through the client into a real daemon, and asked from another
session.

``make bench-recall DATA=… [LEXICAL=1] [ABLATE=1]``, or ``python -m tests.bench.recall DATA [--json FILE] [--lexical]
[--ablate]``. DATA is a file in the format of ``tests/bench/retrieval.py``, or a folder of them. Each corpus has a
space, each of its sessions a conversation; ``ts`` is told as valid_from, ``speaker`` as the entity. Categories 1 to 4
are the headline. The daemon has the installed model, and is asked when nothing is left to embed; with ``--lexical`` it
has none.
With ``--ablate`` the same store is ranked again in this process without each of the boosts, and with weights that were
chosen on all corpora of a file but the one that is measured.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby, islice, product
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import memtrig
from msgspec.structs import replace

from memtrigd.search import fusion
from memtrigd.search.dates import dates
from memtrigd.search.indexes import Indexes
from memtrigd.search.question import Meant, question
from memtrigd.store.vault import Vault
from tests.bench import meaning
from tests.bench.nothing import NOTHING
from tests.bench.retrieval import APART, DEEPEST, Corpus, corpora, mean, measured
from tests.conftest import Daemon

SHOWN = 10
"""Hits of the searches that are timed: what is asked for unless told otherwise."""
BOOSTS = ("NEIGHBOUR", "BEYOND", "CONVERSATION", "NAMED", "DATED")
GRID = {"NEIGHBOUR": (0.1, 0.2, 0.3), "CONVERSATION": (0.2, 0.33, 0.5), "NAMED": (0.7, 1.1, 1.6)}
"""Weights from which those of all other corpora choose."""


class Answer(NamedTuple):
    """How well one question was answered."""

    corpus: str
    category: int
    figures: dict[str, float]


class Asked(NamedTuple):
    """What came of asking all questions of a corpus."""

    answers: list[Answer]
    took: list[float]
    """Milliseconds of each search for SHOWN hits."""
    hybrid: int
    """How many of those were by meaning, too."""
    false: dict[str, tuple[int, int, int]]
    """By language how many questions about nothing found something, how many by its meaning, and of how many."""


def save(home: Path, name: str, corpus: Corpus) -> dict[str, str]:
    """Save a corpus in its order; return for the key of each doc the doc's id."""
    keys = {}
    for session, docs in groupby(corpus.docs, attrgetter("session")):
        with memtrig.connect(agent="bench", conversation=f"{session}", space=name, home=str(home)) as memory:
            for doc in docs:
                fields: Any = (
                    {} if doc.ts is None else {"valid_from": datetime.fromisoformat(doc.ts).replace(tzinfo=UTC)}
                )
                try:
                    saved = memory.save(doc.id, doc.text, entity=doc.speaker or None, **fields)
                except memtrig.Refused as refused:
                    print(f"  {name} {doc.id}: {refused.code}", file=sys.stderr)
                    continue
                keys[saved.key] = doc.id
                if saved.outcome not in {"new", "known"}:
                    print(f"  {name} {doc.id}: {saved.outcome}", file=sys.stderr)
    return keys


def ask(home: Path, name: str, corpus: Corpus, keys: dict[str, str]) -> Asked:
    """Ask all questions from a session of its own.

    Each is asked twice: for as many hits as are usual, which is timed, and for all that are measured.
    """
    answers, took, hybrid = [], [], 0
    with memtrig.connect(agent="asker", space=name, home=str(home)) as memory:
        for query in corpus.queries:
            began = time.perf_counter()
            hybrid += memory.search(query.q, max_results=SHOWN).how == "hybrid"
            took.append((time.perf_counter() - began) * 1e3)
            found = [keys[hit.key] for hit in memory.search(query.q, max_results=DEEPEST)]
            answers.append(Answer(corpus.id, query.category, measured(found, query.gold)))
        false = {language: _false(memory, asked) for language, asked in NOTHING.items()}
    return Asked(answers, took, hybrid, false)


def _false(memory: memtrig.Memory, asked: Sequence[str]) -> tuple[int, int, int]:
    found = [memory.search(question, max_results=DEEPEST) for question in asked]
    meant = [any("meaning" in (hit.why or ()) for hit in hits) for hits in found]
    return sum(map(bool, found)), sum(meant), len(asked)


def await_vectors(home: Path) -> None:
    """Wait until every memory has its vectors."""
    with memtrig.connect(agent="asker", home=str(home)) as memory:
        meaning.await_ready(memory)
        while any(level.embedding_backlog for level in memory.status().levels):
            time.sleep(0.2)


def ranked(home: Path, spaces: dict[str, Corpus], meant: Mapping[str, Meant]) -> list[Answer]:
    """Answer all questions in this process, by the order of the indexes alone: without shadows, trust, importance.

    ``meant`` is what they mean, of each that is asked by meaning, too.
    """
    answers, now = [], time.time_ns() // 1000
    with Vault.open(home / "state") as vault:
        handles, indexes = list(vault.readers().values()), Indexes()
        numbers = {each.number: each.key for reader in handles for each in _keys(reader)}
        for name, corpus in spaces.items():
            for query in corpus.queries:
                what = replace(question(query.q), dates=dates(query.q, now, UTC), meaning=meant.get(query.q))
                hits = indexes.rank(handles, what, name.__eq__, lambda entity: (entity,))
                found = [numbers[hit.document] for hit in islice(hits, DEEPEST)]
                answers.append(Answer(corpus.id, query.category, measured(found, query.gold)))
    return answers


class _Key(NamedTuple):
    number: int
    key: str


def _keys(reader: Any) -> Iterator[_Key]:
    return (_Key(row[0], row[2]) for row in reader.indexed())


@contextmanager
def weights(**other: float) -> Iterator[None]:
    """Rank with other weights in this process."""
    usual = {name: getattr(fusion, name) for name in other}
    try:
        for name, value in other.items():
            setattr(fusion, name, value)
        yield
    finally:
        for name, value in usual.items():
            setattr(fusion, name, value)


def headline(answers: Sequence[Answer]) -> list[dict[str, float]]:
    """The figures of the questions that have an answer."""
    return [answer.figures for answer in answers if answer.category != APART]


def report(answers: Sequence[Answer]) -> dict[str, Any]:
    """The figures of all, of each category and of each corpus."""
    categories = sorted({answer.category for answer in answers})
    names = list(dict.fromkeys(answer.corpus for answer in answers))
    told: dict[str, Any] = {"all": mean(headline(answers)), "questions": len(headline(answers))}
    told["category"] = {
        str(each): mean([answer.figures for answer in answers if answer.category == each]) for each in categories
    }
    told["corpus"] = {each: mean(headline([answer for answer in answers if answer.corpus == each])) for each in names}
    return told


def ablated(home: Path, spaces: dict[str, Corpus], meant: Mapping[str, Meant]) -> dict[str, Any]:
    """The figures without each boost; and, of several corpora, those of each with the weights that suit the others."""
    told: dict[str, Any] = {"ranked": mean(headline(ranked(home, spaces, meant)))}
    if meant:
        told["without meaning"] = mean(headline(ranked(home, spaces, {})))
        with weights(LEXICAL=0.0):
            told["without words"] = mean(headline(ranked(home, spaces, meant)))
    for boost in BOOSTS:
        with weights(**{boost: 0.0}):
            told[f"without {boost.lower()}"] = mean(headline(ranked(home, spaces, meant)))
    if len(spaces) > 1:
        told["left out"] = _left_out(home, spaces, meant)
    return told


def _left_out(home: Path, spaces: dict[str, Corpus], meant: Mapping[str, Meant]) -> dict[str, Any]:
    tried = {}
    for chosen in product(*GRID.values()):
        with weights(**dict(zip(GRID, chosen, strict=True))):
            tried[chosen] = ranked(home, spaces, meant)
    answers, best = [], {}
    for corpus in spaces.values():
        others = {
            chosen: mean(headline([each for each in found if each.corpus != corpus.id]))["nDCG@10"]
            for chosen, found in tried.items()
        }
        suited = max(others, key=others.__getitem__)
        best[corpus.id] = dict(zip(GRID, suited, strict=True))
        answers += [each for each in tried[suited] if each.corpus == corpus.id]
    return {"all": mean(headline(answers)), "weights": best}


def measure(name: str, those: Sequence[Corpus], *, lexical: bool, ablate: bool) -> dict[str, Any]:
    """Save the corpora of one file into a daemon of their own, ask, and report."""
    spaces = {f"{name}-{corpus.id}": corpus for corpus in those}
    os.environ["MEMTRIG_SEMANTIC"] = "off" if lexical else "on"
    daemon = Daemon()
    try:
        daemon.start()
        began = time.perf_counter()
        keys = {space: save(daemon.home, space, corpus) for space, corpus in spaces.items()}
        print(f"{name}: saved in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        if not lexical:
            await_vectors(daemon.home)
            print(f"{name}: embedded after {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        each = [ask(daemon.home, space, corpus, keys[space]) for space, corpus in spaces.items()]
        daemon.stop()
        told = report([answer for asked in each for answer in asked.answers])
        took = sorted(ms for asked in each for ms in asked.took)
        told["hybrid"] = round(100 * sum(asked.hybrid for asked in each) / len(took), 2)
        told["ms"] = {"p50": round(took[len(took) // 2], 2), "p99": round(took[int(len(took) * 0.99)], 2)}
        told["false hits"] = {language: _share([asked.false[language] for asked in each]) for language in NOTHING}
        if ablate:
            asked = [query.q for corpus in those for query in corpus.queries]
            told["ablation"] = ablated(daemon.home, spaces, {} if lexical else meaning.understood(asked))
        return told
    finally:
        daemon.remove()


def _share(counts: Sequence[tuple[int, int, int]]) -> dict[str, float]:
    """Percent of the questions about nothing that found something, and that found something by its meaning."""
    found, meant, count = map(sum, zip(*counts, strict=True))
    return {"any": round(100 * found / count, 1), "by meaning": round(100 * meant / count, 1)}


def show(name: str, told: dict[str, Any]) -> None:
    """Print what was measured of one file."""
    _line(name, told["all"])
    for part in ("category", "corpus"):
        if len(told[part]) > 1:
            for each, figures in told[part].items():
                _line(f"  {part} {each}", figures)
    for each, figures in told.get("ablation", {}).items():
        _line(f"  {each}", figures.get("all", figures))
    print(f"  {told['hybrid']} % by meaning; p50 {told['ms']['p50']} ms, p99 {told['ms']['p99']} ms")
    for language, share in told["false hits"].items():
        print(f"  nothing, {language:13}", "  ".join(f"{each} {value} %" for each, value in share.items()), flush=True)


def _line(name: str, figures: dict[str, float]) -> None:
    print(f"{name:24}", "  ".join(f"{each} {value:5.1f}" for each, value in figures.items()))


def main() -> int:
    """Measure every file of DATA, print, and write one JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", type=Path, default=Path("recall.json"))
    parser.add_argument("--lexical", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    options = parser.parse_args()
    told = {}
    for name, those in corpora(options.data).items():
        told[name] = measure(name, those, lexical=options.lexical, ablate=options.ablate)
        show(name, told[name])
    options.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
