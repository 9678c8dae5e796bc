"""guidance: the owner's words for an agent and, behind them, the state of what the session may see.

The one place where memories are put before a model that did not ask for them: by MCP's prompt and resource, by hooks
and by ``memtrigctl context``. It reinforces nothing and stamps no recall.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from heapq import merge
from itertools import islice
from typing import Final

from memtrig import wire

from memtrigd.domain import promises as promised
from memtrigd.domain.claim import text
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Source, Status
from memtrigd.domain.moments import DAY, to_iso, to_minute
from memtrigd.domain.shadowing import Winner
from memtrigd.domain.suppression import Scope
from memtrigd.serve.handlers import promises
from memtrigd.serve.handlers.search import asked, hits
from memtrigd.serve.handlers.told import Discretion
from memtrigd.serve.labels import Labels, labels_for
from memtrigd.serve.lines import NAME, data_line, memory_line, tokens
from memtrigd.serve.turn import Turn

BUDGETS: Final = range(100, 20_001)
"""Tokens that the state may be given."""
WORDS: Final = 1000
"""Characters of the user's words that are searched for: a prompt may be a book."""
FITTING: Final = 5
"""Memories that fit the user's words: what comes after them seldom does."""
LINE: Final = 240
"""Characters of a content or promise in a line: get brings the whole."""
MOST: Final = 200
"""Lines of one heading, however large the budget."""
BEGIN: Final = "<memory-state>"
END: Final = "</memory-state>"
HEAVY: Final = 4000
"""Tokens of guidance that are worth a word of warning: every conversation pays them."""


def get(turn: Turn, request: wire.GuidanceGet) -> wire.Guidance:
    """The owner's words for the caller's agent, whole, and the state within ``budget_tokens``. Raises ``bad_value``."""
    if request.budget_tokens not in BUDGETS:
        raise Refusal(
            "bad_value",
            f"budget_tokens is {request.budget_tokens}.",
            f"Give {BUDGETS.start} to {BUDGETS.stop - 1:,}; 1,500 is usual.",
        )
    words = turn.guides.shown(turn.actor.agent)
    state = _state(turn, request, labels_for(words.text))
    parts = [state] if request.state_only else [words.text.rstrip(), state]
    return wire.Guidance(text="\n\n".join(filter(None, parts)), version=words.version, at=words.at, source=words.source)


def show(turn: Turn, request: wire.GuidanceShow) -> wire.GuidanceShown:
    """What is in force for all agents, or for one. Raises ``bad_value`` for a name that can have no file."""
    turn.guides.path(request.agent)
    return turn.guides.shown(request.agent)


def check(turn: Turn, request: wire.GuidanceCheck) -> wire.GuidanceChecked:
    """Say what keeps a text or a file from being guidance, and what to mind in what is none the worse for it."""
    problems = turn.guides.problems(request.text, request.agent)
    if problems:
        return wire.GuidanceChecked(problems=problems)
    shown = turn.guides.shown(request.agent).text if request.text is None else request.text
    size, notes = tokens(shown), []
    if size > HEAVY:
        notes.append(f"About {size:,} tokens, which every conversation pays.")
    if END in shown:
        notes.append(f"It has {END} in it, with which the state of the memory ends.")
    return wire.GuidanceChecked(problems=[], notes=notes, tokens=size)


def history(turn: Turn, request: wire.GuidanceHistory) -> wire.GuidanceVersions:
    """The versions of a file that are kept."""
    path = turn.guides.path(request.agent)
    versions = turn.guides.versions(request.agent)
    if not 1 <= request.against < max(len(versions), 2):
        raise Refusal(
            "bad_value",
            f"against is {request.against}, and {len(versions)} versions are kept.",
            "1 is the version before the newest.",
        )
    return wire.GuidanceVersions(path=str(path), versions=versions, against=request.against)


class _Room:
    """What is left of a budget of tokens, and whether something found no room in it."""

    def __init__(self, budget: int) -> None:
        self._left = budget
        self.full = False

    def section(self, heading: str, lines: Iterable[str]) -> list[str]:
        """A heading and as many lines as there is room for; nothing where there is no line."""
        shown: list[str] = []
        for place, each in enumerate(lines):
            line = f"| {each}"
            cost = tokens(line) + (0 if shown else tokens(heading))
            if cost > self._left or place == MOST:
                self.full = True
                break
            self._left -= cost
            shown += [line] if shown else [heading, line]
        return shown


def _state(turn: Turn, request: wire.GuidanceGet, labels: Labels) -> str:
    """The block of the state; empty where there is nothing to say. The more it matters the sooner it has its room."""
    missing = ", ".join(level.name for level in turn.view.permitted if turn.view.reader(level) is None)
    first = [labels.missing.format(levels=missing)] if missing else []
    if waiting := _waiting(turn):
        first.append(labels.waiting.format(count=waiting))
    frame = [BEGIN, labels.data, *first, labels.more, END]
    room = _Room(request.budget_tokens - sum(map(tokens, frame)))
    unwanted = _unwanted(turn)
    parts = room.section(labels.unwanted, (data_line(entity, NAME) for entity in unwanted))
    parts += room.section(labels.due, _due(turn, labels))
    avoided = {name for entity in unwanted for name in turn.view.names_of(entity)}
    shown: set[str] = set()
    if query := _searchable(request.query):
        parts += room.section(labels.fitting, _lines(turn, _fitting(turn, query), labels, avoided, shown))
    parts += room.section(labels.core, _lines(turn, _core(turn), labels, avoided, shown))
    if not first and not parts and not room.full:
        return ""
    return "\n".join([BEGIN, labels.data, *first, *parts, *([labels.more] if room.full else []), END])


def _waiting(turn: Turn) -> int:
    """How many proposals of the caller's wait: of this session, or for the owner all of them."""
    session = turn.actor.session
    if session is None and not turn.actor.is_owner:
        return 0
    discretion, pending = Discretion(turn), [Status.PENDING.value]
    return sum(
        discretion.allows(reader, row)
        for reader in turn.view.readers
        for row in reader.select(turn.view.spaces, pending, session=session)
    )


def _unwanted(turn: Turn) -> list[str]:
    """The entities that are not to be mentioned, in order."""
    wishes = (wish for reader in turn.view.readers for wish in reader.suppressions())
    return sorted({wish.entity for wish in wishes if wish.scope is Scope.ENTITY and wish.entity is not None})


def _due(turn: Turn, labels: Labels) -> Iterator[str]:
    """The promises that are due within a day."""
    due = [each for each in promises.in_sight(turn) if promised.falls_due(each, turn.now + DAY)]
    for promise in promised.in_order(due):
        until = labels.until.format(day=to_minute(promise.due, turn.zone)) if promise.due is not None else ""
        yield f"{data_line(str(promise.body['text']), LINE)} ({until})"


def _searchable(query: str | None) -> str:
    """The beginning of the user's words; nothing of what is no text: a hook passes on whatever was typed."""
    with suppress(Refusal):
        return text(query[:WORDS], "query") if query is not None else ""
    return ""


def _fitting(turn: Turn, query: str) -> Iterator[tuple[Memory, Winner]]:
    """What a search for the user's words finds, the best first."""
    for _, _, (memory, winner) in islice(hits(turn, asked(turn, query)), FITTING):
        yield memory, winner


def _core(turn: Turn) -> Iterator[tuple[Memory, Winner]]:
    """What never fades, the newest first."""
    streams = [reader.core(turn.view.spaces) for reader in turn.view.readers]
    for memory in merge(*streams, key=lambda each: (each.updated, each.id), reverse=True):
        winner = turn.view.serves(memory, turn.now)
        if winner is not None:
            yield memory, winner


def _lines(
    turn: Turn, found: Iterator[tuple[Memory, Winner]], labels: Labels, avoided: set[str], shown: set[str]
) -> Iterator[str]:
    """Each memory on its line, once; none of an entity that is not to be mentioned. What is shown counts as told."""
    for memory, winner in found:
        if memory.id in shown or not avoided.isdisjoint(turn.view.names_of(memory.entity)):
            continue
        shown.add(memory.id)
        yield _line(memory, winner, labels)
        if not turn.actor.is_owner:
            turn.ear.tell(turn.actor.session, memory.id)


def _line(memory: Memory, winner: Winner, labels: Labels) -> str:
    """A memory on one line: its key, what it says, and what a model must know before it uses it."""
    notes = [
        to_iso(memory.updated)[:10],
        labels.about.format(entity=data_line(memory.entity, NAME)) if memory.entity else "",
        labels.guess if memory.source is Source.SELF_INFERRED else "",
        labels.contested if memory.contested else "",
        labels.newer if winner.newer_lower is not None else "",
    ]
    return memory_line(memory.key, memory.content, notes, LINE)
