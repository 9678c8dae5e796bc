"""What lines are told unasked: that memories in sight, or the guidance, may be others now. Each line has its own bus.

A bus that lines shared would tell a low session of what a higher one does. Nobody is told what changed: who wants to
know asks, and the gate decides about the answer.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from enum import Flag, auto
from typing import Final

from msgspec import Struct

from memtrigd.domain.levels import Level

PAUSE: Final = 0.2
"""Seconds between two news of a line: what happens meanwhile is told as one."""
WATCHED: Final = 256
"""Resources that one line may watch, in each of its streams."""
LISTENERS: Final = 8
"""Streams of news that one line may have open."""
GUIDANCE: Final = "memory://guidance"


class News(Flag):
    """What may be another now."""

    NONE = 0
    MEMORIES = auto()
    GUIDANCE = auto()


class Event(Struct, frozen=True):
    """One notification: what changed, and for a resource its URI."""

    what: str
    uri: str | None = None


def events(news: News, watched: Iterable[str]) -> Iterator[Event]:
    """The notifications that tell of some news to who watches certain resources. Guidance holds memories, too."""
    for uri in watched:
        if News.MEMORIES in news or uri == GUIDANCE:
            yield Event("resources/updated", uri)
    if News.MEMORIES in news:
        yield Event("resources/list_changed")
    if News.GUIDANCE in news:
        yield Event("prompts/list_changed")


class _Listener(Struct, eq=False):
    tell: Callable[[News], bool]
    end: Callable[[], None]


class Bus:
    """One line's news. On the loop's thread."""

    def __init__(self, session: str, agent: str | None) -> None:
        self.session = session
        self.agent = agent
        self.watched: dict[str, None] = {}
        """The resources that the client of an older revision watches."""
        self._listeners: list[_Listener] = []
        self._due = News.NONE
        self._pause: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._listeners)

    def attach(self, tell: Callable[[News], bool], end: Callable[[], None] = lambda: None) -> Callable[[], None]:
        """Let somebody be told; call what is returned to stop. ``tell`` says False to be told again, later.

        ``end`` is called when the line takes leave.
        """
        listener = _Listener(tell, end)
        self._listeners.append(listener)

        def detach() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return detach

    def note(self, news: News) -> None:
        """Tell some news: now, or with what else comes within PAUSE of the last."""
        self._due |= news
        if self._pause is None:
            self._tell()

    def end(self) -> None:
        """Tell nothing more."""
        for listener in list(self._listeners):
            listener.end()
        self._listeners.clear()
        if self._pause is not None:
            self._pause.cancel()

    def _tell(self) -> None:
        self._pause = None
        if not self._due or not self._listeners:
            self._due = News.NONE
            return
        news, self._due = self._due, News.NONE
        for listener in list(self._listeners):
            if not listener.tell(news):
                self._due |= news
        self._pause = asyncio.get_running_loop().call_later(PAUSE, self._tell)


class Buses:
    """The buses of all lines. Of an act at a level those lines are told whose session may know of it, says the gate."""

    def __init__(self, may_know: Callable[[str, Level], bool]) -> None:
        self._may_know = may_know
        self._buses: list[Bus] = []

    def open(self, session: str, agent: str | None) -> Bus:
        """The bus of a line that begins."""
        bus = Bus(session, agent)
        self._buses.append(bus)
        return bus

    def close(self, bus: Bus) -> None:
        """The line is gone."""
        bus.end()
        self._buses.remove(bus)

    def committed(self, level: Level) -> None:
        """Something was written at a level."""
        for bus in self._buses:
            if self._may_know(bus.session, level):
                bus.note(News.MEMORIES)

    def guidance_changed(self, agent: str | None) -> None:
        """The owner's words for an agent are others now, or with None those for all."""
        for bus in self._buses:
            if agent is None or bus.agent == agent:
                bus.note(News.GUIDANCE)
