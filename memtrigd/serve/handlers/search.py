"""search: a question in natural language. Shadows are cast before anything is filtered or counted."""

from collections.abc import Iterator
from itertools import islice

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import is_blank, text
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import span
from memtrigd.domain.shadowing import Winner
from memtrigd.domain.trust import rank_of
from memtrigd.search.fusion import prior
from memtrigd.search.question import Question, question
from memtrigd.search.ranking import Hit, settled
from memtrigd.serve.records import REPLY_BYTES, excerpt, record, size, with_short_company
from memtrigd.serve.turn import Turn

MAX_RESULTS = 100
REINFORCED = 3
"""Hits that count as recalled: the first are what was looked for, the rest was only looked through."""
MEANT = 8
"""Other names of the entities it names that a query is asked with besides."""
MAX_QUERY = 8192
"""Bytes of UTF-8 of a query."""


def search(turn: Turn, request: wire.Search) -> wire.Found:
    """Return the best hits among the memories that the caller sees. A query without words finds nothing.

    One that says a name of an entity as whole words finds what is told of it under its other names in sight too.
    """
    if not 1 <= request.max_results <= MAX_RESULTS:
        raise Refusal(
            "bad_value", f"max_results is {request.max_results}.", f"Ask for 1 to {MAX_RESULTS} results; 10 is usual."
        )
    if is_blank(request.query[:MAX_QUERY]):
        return wire.Found(results=[])
    query = text(request.query, "query", MAX_QUERY)
    within = span(request.since, request.until)
    said_then = (hit for hit in hits(turn, asked(turn, query)) if within.holds(hit[2][0].updated))
    results: list[wire.Record] = []
    room = REPLY_BYTES
    for score, _, (memory, winner) in islice(said_then, request.max_results):
        shown = with_short_company(record(memory, turn.now, winner, turn.view.worth(memory, turn.now)))
        room -= size(shown)
        results.append(replace(excerpt(shown) if room < 0 else shown, score=round(score, 6)))
        if len(results) <= REINFORCED:
            turn.recall(memory)
    return wire.Found(results=results)


def asked(turn: Turn, query: str) -> Question:
    """Take apart what is asked; who says a name in sight means the other names of its entity too."""
    return question(query, turn.view.meant_in(query)[:MEANT])


def hits(turn: Turn, what: Question) -> Iterator[tuple[float, Hit, tuple[Memory, Winner]]]:
    """Give what answers among the memories that the caller is served, the best first, each with its score."""
    view = turn.view

    def look(hit: Hit) -> tuple[float, Memory] | None:
        reader = view.reader(hit.level)
        memory = reader.document(hit.document) if reader else None
        return None if memory is None else (prior(rank_of(memory), view.worth(memory, turn.now)), memory)

    for score, hit, memory in settled(turn.indexes.rank(view.readers, what, view.sees, view.names_of), look):
        winner = view.serves(memory, turn.now)  # asked last, as it costs more than all else: shadows are cast here
        if winner is not None:
            yield score, hit, (memory, winner)
