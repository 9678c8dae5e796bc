"""Notices for asyncio, on a connection of their own too."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import Self

from memtrig import requests, wire
from memtrig.aiolink import Channel, Link, again
from memtrig.connection import late
from memtrig.errors import MemtrigError
from memtrig.frames import outcome
from memtrig.retry import Patience

HELD = 100
"""Notices that are kept for who does not fetch them; further ones stay in the socket."""


class Hearing(Channel):
    """A connection on which notices come, between answers too."""

    def __init__(self) -> None:
        super().__init__()
        self._heard: deque[wire.Notice] = deque()
        self._news = asyncio.Event()

    async def next(self) -> wire.Notice:
        """Return the next notice, however long it takes. Raises what broke the connection."""
        while not self._heard:
            if self._failure is not None:
                raise again(self._failure)
            self._news.clear()
            await self._news.wait()
        notice = self._heard.popleft()
        if not self._heard:
            self._transport.resume_reading()
        return notice

    def fail(self, failure: MemtrigError) -> None:
        """Close it, and tell all who wait."""
        super().fail(failure)
        self._news.set()

    def take(self, answer: wire.Answer) -> None:
        """Keep a notice, or hand an answer to who waits for it."""
        if answer.id != 0 or not isinstance(answer.notice, wire.Notice):
            super().take(answer)
            return
        self._heard.append(answer.notice)
        self._news.set()
        if len(self._heard) >= HELD:
            self._transport.pause_reading()


class Notices:
    """An asynchronous iterator over notices. It ends when it or its memory is closed.

    It subscribes at the first step, or where ``async with`` begins. A lost connection is dialled again, for as long as
    one call of the memory may take; what still holds is told once more then. One task iterates.
    """

    def __init__(self, link: Link, events: tuple[str, ...]) -> None:
        self._hearing: Hearing | None = None
        self._link = link
        self._request = requests.subscribe(events)
        self._closed = False
        link.companions.add(self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> wire.Notice:
        while True:
            hearing = None if self._closed else self._hearing or await self._attach()
            if hearing is None:
                raise StopAsyncIteration
            try:
                return await hearing.next()
            except MemtrigError as failure:
                self._hearing = None
                if not (self._closed or failure.retryable):
                    raise

    def close(self) -> None:
        """Hear no more; a task that waits here goes on at once."""
        self._closed = True
        if self._hearing is not None:
            self._hearing.end()

    async def __aenter__(self) -> Self:
        await self._attach()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(RuntimeError):  # the event loop is closed
            self.close()  # a loop over notices was left, and nobody can go on with it

    async def _attach(self) -> Hearing | None:
        """Connect and subscribe, within the time of a call; return None if this was closed meanwhile."""
        patience = Patience(self._link.timeout)
        while not self._closed:
            try:
                async with asyncio.timeout(patience.left()):
                    return await self._subscribed()
            except TimeoutError:
                raise late() from None
            except MemtrigError as failure:
                await asyncio.sleep(patience.pause(failure))
        return None

    async def _subscribed(self) -> Hearing | None:
        hearing = await self._link.branch(Hearing)
        try:
            outcome(await hearing.exchange(self._request), wire.Subscribed)
        except BaseException:
            hearing.end()
            raise
        if self._closed:  # meanwhile
            hearing.end()
            return None
        self._hearing = hearing
        return hearing
