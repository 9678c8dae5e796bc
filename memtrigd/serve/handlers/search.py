"""search: a question in natural language. Shadows are cast before anything is filtered or counted."""

from collections.abc import Iterator
from datetime import tzinfo
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import is_blank, kind, name, source, tags, text
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import span
from memtrigd.domain.shadowing import Winner
from memtrigd.domain.trust import rank_of
from memtrigd.search.dates import dates
from memtrigd.search.fusion import prior
from memtrigd.search.question import Filters, Question, question
from memtrigd.search.ranking import Hit, settled
from memtrigd.search.snippet import WHOLE
from memtrigd.serve.glimpses import Room, glimpse
from memtrigd.serve.records import record
from memtrigd.serve.turn import Turn

MAX_RESULTS = 100
REINFORCED = 3
"""Hits that count as recalled: the first are what was looked for, the rest was only looked through."""
MEANT = 8
"""Other names of the entities it names that a query is asked with besides."""
BY_WORDS = frozenset(("key", "words", "name"))
"""What speaks for a memory by what was said."""
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
    if request.max_tokens is not None and request.max_tokens < 1:
        raise Refusal("bad_value", f"max_tokens is {request.max_tokens}.", "A hit takes 150 to 400; 2000 is usual.")
    filters, zone = _filters(turn, request), _zone(turn, request)
    if is_blank(request.query[:MAX_QUERY]):
        return wire.Found(results=[])
    query = text(request.query, "query", MAX_QUERY)
    what = replace(asked(turn, query), filters=filters)
    said = {"meaning": None} if request.lexical else {"dates": dates(query, turn.now, zone)}
    what = replace(what, **said)
    found = (each for each in hits(turn, what) if not (request.lexical and BY_WORDS.isdisjoint(each[1].why)))
    room = Room(request.max_tokens)
    results: list[wire.Record] = []
    for score, hit, (memory, winner) in islice(found, request.max_results):
        whole = record(memory, turn.now, winner, turn.view.worth(memory, turn.now))
        whole = replace(whole, score=round(score, 6), why=list(hit.why))
        shown = room.take(whole if request.full else None, glimpse(whole, what.terms, _part(turn, what, hit)))
        if shown is not None:
            results.append(shown)
            if len(results) <= REINFORCED:
                turn.recall(memory)
    how = "lexical" if what.meaning is None else "hybrid"
    return wire.Found(results=results, left_out=room.left_out, how=how, warming=turn.warming)


def _part(turn: Turn, what: Question, hit: Hit) -> tuple[float, float]:
    """Which part of a long text shows why it is a hit: if it is one by its meaning alone, that which is nearest."""
    if what.meaning is None or "meaning" not in hit.why or not BY_WORDS.isdisjoint(hit.why):
        return WHOLE
    return turn.indexes.part(hit, what.meaning)


def _filters(turn: Turn, request: wire.Search) -> Filters:
    """What a memory must be to be found. Raises Refusal for what no memory can be."""
    within = span(request.since, request.until)
    named, stated = kind(request.kind), None if request.source is None else source(request.source, owner=True)
    about = None if request.entity is None else name(request.entity, "entity")
    return Filters(
        kinds=() if named is None else (named.value,),
        sources=() if stated is None else (stated.value,),
        entities=turn.view.names_of(about),
        tags=tags(request.tags),
        since=within.since,
        until=within.until,
    )


def _zone(turn: Turn, request: wire.Search) -> tzinfo:
    """The zone in which days are meant."""
    if request.zone is None:
        return turn.zone
    try:
        return ZoneInfo(request.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refusal(
            "bad_value", f"There is no time zone {request.zone[:40]!r}.", "Name one such as Asia/Kolkata."
        ) from None


def asked(turn: Turn, query: str) -> Question:
    """Take apart what is asked; who says a name in sight means the other names of its entity too."""
    return replace(question(query, turn.view.meant_in(query)[:MEANT]), meaning=turn.meaning)


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
