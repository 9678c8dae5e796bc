"""What questions mean, asked of the model before they go to their lane: in turns, and nobody waits long for it."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from memtrig import wire

from memtrigd.domain.claim import is_blank
from memtrigd.domain.levels import Level
from memtrigd.embedder.client import PATIENCE
from memtrigd.embedder.messages import Kind, Model, Vectors
from memtrigd.gate.policy import Permit
from memtrigd.search.question import Meant

ENOUGH: Final = 2000
"""Characters of a question that are asked: a model takes 64 tokens of it."""
AHEAD: Final = 2
"""Questions that a model has at a time: one that it works on, and the next, so that it never waits for one."""


class Models(Protocol):
    """What makes vectors of texts, on the loop's thread."""

    @property
    def state(self) -> str:
        """Of "off", "warming", "ready" and "failed"."""

    @property
    def model(self) -> Model | None:
        """The model that is ready; None while none is."""

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """Hand the vectors of texts to ``done``, once, or None where there will be none, or not in time."""


class NoModel:
    """Where there is no model."""

    state: Final = "off"
    model: Final = None

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """There are no vectors."""
        done(None)


class _Line:
    """What waits: levels take turns, and in each its sessions."""

    def __init__(self) -> None:
        self._levels: OrderedDict[Level, OrderedDict[str | None, deque[Callable[[], None]]]] = OrderedDict()

    @property
    def somebody(self) -> bool:
        """Whether anything waits."""
        return bool(self._levels)

    def put(self, level: Level, session: str | None, ask: Callable[[], None]) -> None:
        """Add what is to be asked."""
        self._levels.setdefault(level, OrderedDict()).setdefault(session, deque()).append(ask)

    def take(self) -> Callable[[], None]:
        """Take what is next; the turns pass on."""
        level, sessions = self._levels.popitem(last=False)
        session, waiting = sessions.popitem(last=False)
        ask = waiting.popleft()
        if waiting:
            sessions[session] = waiting
        if sessions:
            self._levels[level] = sessions
        return ask


class Questions:
    """Asks a model what questions mean, few at a time: levels take turns, and in each its sessions.

    So that no level that asks much has another answered by its words. Whose turn comes too late gets no meaning.
    """

    def __init__(self, models: Models | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._models: Models = NoModel() if models is None else models
        self._now = now
        self._line = _Line()
        self._asked = 0

    @property
    def state(self) -> str:
        """That of the model."""
        return self._models.state

    def meant(self, request: wire.Search, leave: Permit, told: Callable[[Meant | None], None]) -> None:
        """Have ``told`` hear once what a question means; None where that is not known in time, or not asked for."""
        query = request.query[:ENOUGH]
        if self._models.model is None or request.lexical or is_blank(query):
            told(None)
            return
        self._line.put(leave.level, leave.asker[1], partial(self._ask, query, self._now(), told))
        self._go()

    def _go(self) -> None:
        while self._asked < AHEAD and self._line.somebody:
            self._line.take()()

    def _ask(self, query: str, came: float, told: Callable[[Meant | None], None]) -> None:
        model = self._models.model
        if model is None or self._now() - came > PATIENCE:
            told(None)
            return

        def found(vectors: Sequence[Vectors] | None) -> None:
            self._asked -= 1
            told(Meant(vectors[0][0], model) if vectors else None)
            self._go()

        self._asked += 1
        self._models.ask([query], "query", found)
