"""The vectors of memories are made behind the answers: slice by slice, of each level in turn, the newest first.

What has none yet stands in the level's own file, so nothing is lost by an end at any moment, and each level's backlog
is its own.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import structlog
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Status
from memtrigd.embedder.messages import Kind, Model, Vectors
from memtrigd.search.passages import mark, packed, passage
from memtrigd.store.interface import Hands, LevelReader
from memtrigd.store.lanes import ReadLane
from memtrigd.store.writer import WriterLane

SLICE: Final = 16
"""Memories that are embedded at once: a tenth of a second of the model's time, then it is another level's turn."""
TEXT: Final = 32_768
"""Characters that are embedded at once, but for a memory that has more by itself."""
TRIES: Final = 5
"""How often a model may end over one memory by itself before that is left for later."""
LATER: Final = 3600.0
"""Seconds until what could not be embedded is tried again."""
AGAIN: Final = 60.0
"""Seconds until a level whose file would not be read or written is tried again."""

log = structlog.get_logger()


class Models(Protocol):
    """What makes vectors of texts, on the loop's thread."""

    listeners: list[Callable[[], None]]

    @property
    def model(self) -> Model | None:
        """The model that is ready; None while none is."""

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """Hand the vectors of texts to ``done``, once, or None."""


class Part(Struct, frozen=True):
    """Some memories of a level on their way through a model: the number of each, and its text."""

    level: Level
    model: Model
    texts: dict[int, str]


class Embedding:
    """One slice at a time. ``later`` does something after some seconds on the loop's thread.

    ``warm`` has the vectors of a model loaded where searches are made, before the first question needs them.
    """

    def __init__(  # noqa: PLR0917 - the daemon's parts, each of its own type
        self,
        models: Models,
        lane: ReadLane,
        writers: WriterLane,
        unavailable: Collection[Level],
        later: Callable[[float, Callable[[], None]], object],
        warm: Callable[[Model], None],
    ) -> None:
        self._models = models
        self._lane = lane
        self._writers = writers
        self._unavailable = unavailable
        self._later = later
        self._warm = warm
        self._warmed: Model | None = None
        self._turns = deque(Level)
        self._waiting: set[Level] = set()
        self._busy = self._ended = False
        self._careful = Counter[Level]()
        """For a level where a slice failed how many more are to be of one memory by itself."""
        self._failures = Counter[tuple[Level, int]]()
        self._aside: dict[Level, set[int]] = {level: set() for level in Level}
        models.listeners.append(self.look)

    def look(self) -> None:
        """Look at every level for what has no vectors: whenever there is another model, and now and then."""
        model = self._models.model
        if model is not None and model != self._warmed:
            self._warmed = model
            self._warm(model)
        self._waiting.update(Level)
        self._go()

    def wake(self, level: Level) -> None:
        """Look at a level: something was written there."""
        self._waiting.add(level)
        self._go()

    def stop(self) -> None:
        """Begin nothing more; what is under way is made again after the next start."""
        self._ended = True

    def _go(self) -> None:
        model = self._models.model
        if self._busy or self._ended or model is None or not self._waiting:
            return
        self._turns.rotate(-1)
        while self._turns[0] not in self._waiting:
            self._turns.rotate(-1)
        level = self._turns[0]
        self._waiting.discard(level)  # whoever writes from now on wakes it again
        if level in self._unavailable:
            self._go()
            return
        self._busy = True
        limit, aside = 1 if self._careful[level] else SLICE, frozenset(self._aside[level])
        self._lane.submit(partial(_read, level, model, limit, aside), partial(self._was_read, level))

    def _was_read(self, level: Level, outcome: Any) -> None:
        if isinstance(outcome, Exception):
            self._put_off(level, outcome)
        elif not outcome.texts:
            self._next()
        else:
            self._waiting.add(level)  # there may be more
            self._models.ask(list(outcome.texts.values()), "passage", partial(self._was_embedded, outcome))

    def _was_embedded(self, part: Part, vectors: Sequence[Vectors] | None) -> None:
        if vectors is None or len(vectors) != len(part.texts):
            self._failed(part)
            return
        found = dict(zip(part.texts, vectors, strict=True))
        self._lane.submit(lambda _: _packed(found), partial(self._was_packed, part))

    def _was_packed(self, part: Part, outcome: Any) -> None:
        if isinstance(outcome, Exception):
            self._failed(part)
            return

        def kept(outcome: Any) -> None:
            if isinstance(outcome, Exception):
                self._put_off(part.level, outcome)
                return
            self._careful[part.level] = max(0, self._careful[part.level] - 1)
            self._next()

        self._writers.submit(part.level, partial(_keep, part, outcome), kept)

    def _failed(self, part: Part) -> None:
        """The model ended, or could not take a text. So that one text stops no other, the next try is of one alone."""
        if self._careful[part.level] and len(part.texts) == 1:
            (number,) = part.texts
            self._failures[part.level, number] += 1
            if self._failures[part.level, number] >= TRIES:
                del self._failures[part.level, number]
                self._aside[part.level].add(number)
                log.warning("text_not_embedded", classification=part.level.name)
                self._later(LATER, partial(self._try_again, part.level, number))
        self._careful[part.level] = SLICE
        self._next()

    def _try_again(self, level: Level, number: int) -> None:
        self._aside[level].discard(number)
        self.wake(level)

    def _put_off(self, level: Level, error: Exception) -> None:
        log.warning("not_embedded", classification=level.name, kind=type(error).__name__)
        self._waiting.discard(level)
        if not self._ended:
            self._later(AGAIN, partial(self.wake, level))
        self._next()

    def _next(self) -> None:
        self._busy = False
        self._go()


def _read(level: Level, model: Model, limit: int, but: Collection[int], handles: Mapping[Level, LevelReader]) -> Part:
    """The next memories of a level that have no vectors of a model."""
    texts: dict[int, str] = {}
    room = TEXT
    for number, memory in handles[level].unembedded(mark(model), limit, but) if level in handles else ():
        text = passage(memory)
        room -= len(text)
        if texts and room < 0:
            break
        texts[number] = text
    return Part(level, model, texts)


def _packed(found: Mapping[int, Vectors]) -> dict[int, list[bytes]]:
    """Vectors as they are kept."""
    return {number: list(map(packed, vectors)) for number, vectors in found.items()}


def _keep(part: Part, found: Mapping[int, Sequence[bytes]], hands: Hands) -> None:
    """Keep vectors of memories that are still what they were made of: a number may be another memory's meanwhile."""
    store = hands.writer
    assert store is not None  # a job at a level
    for number, vectors in found.items():
        memory = store.document(number)
        if memory is not None and memory.status is Status.ACTIVE and passage(memory) == part.texts[number]:
            store.embed(number, mark(part.model), vectors)
