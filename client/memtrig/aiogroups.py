"""The asyncio twins of memtrig.groups: the same calls, awaited."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import date
from typing import Protocol

from memtrig import requests, wire
from memtrig.frames import R


class Ask(Protocol):
    """One question of a session, and its answer, which must be of the kind asked for."""

    def __call__(self, request: wire.Request, kind: type[R], /) -> Awaitable[R]:
        """Ask it."""


class Promises:
    """What was promised to the user. An agent keeps promises at its session's level and sees those below too."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def add(self, text: str, deadline: str | date | None = None, *, entity: str | None = None) -> wire.Promise:
        """Keep a promise. A ``deadline`` that is a date alone lasts to the end of that day."""
        return (await self._ask(requests.promise(text, deadline, entity), wire.Promised)).promise

    async def done(self, id: str, *, undone: bool = False) -> wire.Promise:
        """Note that a promise was kept; ``undone`` opens it again. Raises NotFound."""
        return (await self._ask(requests.promise_done(id, undone), wire.Promised)).promise

    async def list(self, *, all: bool = False, limit: int = 100) -> wire.Promises:
        """Return the open promises, the next due first; with ``all`` those that were kept too."""
        return await self._ask(wire.PromiseList(all=all, limit=limit), wire.Promises)

    async def check(self, within_hours: float = 0.0) -> wire.Promises:
        """Return the promises that are due, or will be within so many hours."""
        return await self._ask(wire.PromiseCheck(within_hours=within_hours), wire.Promises)


class Wellness:
    """How the user is, day by day."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def add(
        self, mood: str, sleep_hours: float | None = None, sleep_quality: str | None = None, note: str | None = None
    ) -> wire.Wellness:
        """Note how the user is today: ``mood`` in their words, hours of sleep from 0 to 24."""
        return (await self._ask(requests.wellness(mood, sleep_hours, sleep_quality, note), wire.WellnessNoted)).noted

    async def list(self, days: int = 30) -> wire.WellnessTold:
        """Return the notes of the last ``days``, the newest first, and their mean hours of sleep."""
        return await self._ask(wire.WellnessList(days=days), wire.WellnessTold)


class Upkeep:
    """The state of the store. Nothing here is needed day by day."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def vacuum(self, dry_run: bool = False) -> wire.Vacuumed:
        """Archive what was superseded more than 90 days ago at the session's level. ``history`` still tells it."""
        return await self._ask(requests.vacuum(dry_run), wire.Vacuumed)

    async def backup(self) -> wire.BackupQueued:
        """Have the session's level backed up soon, at most once an hour. Does not wait for it."""
        return await self._ask(requests.backup(), wire.BackupQueued)

    async def selfcheck(self) -> wire.Checked:
        """Look for memories that contradict the rules of the store. Changes nothing."""
        return await self._ask(wire.Selfcheck(), wire.Checked)

    async def recover(self) -> wire.Recovered:
        """Return what an interruption left behind, and what became of it. Replays nothing."""
        return await self._ask(wire.Recover(), wire.Recovered)

    async def init(self) -> wire.Initialised:
        """Return what is set up. Nothing needs it."""
        return await self._ask(wire.Init(), wire.Initialised)
