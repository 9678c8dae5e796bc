"""What belongs together and is asked for less often: ``memory.promises``, ``memory.wellness``, ``memory.upkeep``."""

from __future__ import annotations

from datetime import date

from memtrig import requests, wire
from memtrig.attached import Ask


class Promises:
    """What was promised to the user. An agent keeps promises at its session's level and sees those below too."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def add(self, text: str, deadline: str | date | None = None, *, entity: str | None = None) -> wire.Promise:
        """Keep a promise. A ``deadline`` that is a date alone lasts to the end of that day.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     promise = memory.promises.add("Order the bulbs.", "2036-10-01")
        ...     promise.status, promise in memory.promises.list().promises
        ('open', True)
        """
        return self._ask(requests.promise(text, deadline, entity), wire.Promised).promise

    def done(self, id: str, *, undone: bool = False) -> wire.Promise:
        """Note that a promise was kept; ``undone`` opens it again. Raises NotFound.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener", level="public") as memory:
        ...     promise = memory.promises.add("Sharpen the shears.")
        ...     memory.promises.done(promise.id).status, memory.promises.done(promise.id, undone=True).status
        ('done', 'open')
        """
        return self._ask(requests.promise_done(id, undone), wire.Promised).promise

    def list(self, *, all: bool = False, limit: int = 100) -> wire.Promises:
        """Return the open promises, the next due first; with ``all`` those that were kept too."""
        return self._ask(wire.PromiseList(all=all, limit=limit), wire.Promises)

    def check(self, within_hours: float = 0.0) -> wire.Promises:
        """Return the promises that are due, or will be within so many hours.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener", level="public") as memory:
        ...     promise = memory.promises.add("Water the ferns.", "2001-06-01")
        ...     memory.promises.check().promises[0].status
        'due'
        """
        return self._ask(wire.PromiseCheck(within_hours=within_hours), wire.Promises)


class Wellness:
    """How the user is, day by day."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def add(
        self, mood: str, sleep_hours: float | None = None, sleep_quality: str | None = None, note: str | None = None
    ) -> wire.Wellness:
        """Note how the user is today: ``mood`` in their words, hours of sleep from 0 to 24.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     noted = memory.wellness.add("有点累", sleep_hours=5.5)
        ...     memory.wellness.list().notes[0].mood
        '有点累'
        """
        return self._ask(requests.wellness(mood, sleep_hours, sleep_quality, note), wire.WellnessNoted).noted

    def list(self, days: int = 30) -> wire.WellnessTold:
        """Return the notes of the last ``days``, the newest first, and their mean hours of sleep."""
        return self._ask(wire.WellnessList(days=days), wire.WellnessTold)


class Upkeep:
    """The state of the store. Nothing here is needed day by day."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def vacuum(self, dry_run: bool = False) -> wire.Vacuumed:
        """Archive what was superseded more than 90 days ago at the session's level. ``history`` still tells it.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     memory.upkeep.vacuum(dry_run=True)
        Vacuumed(archived=0, level='INTERNAL', dry_run=True)
        """
        return self._ask(requests.vacuum(dry_run), wire.Vacuumed)

    def backup(self) -> wire.BackupQueued:
        """Have the session's level backed up soon, at most once an hour. Does not wait for it."""
        return self._ask(requests.backup(), wire.BackupQueued)

    def selfcheck(self) -> wire.Checked:
        """Look for memories that contradict the rules of the store. Changes nothing."""
        return self._ask(wire.Selfcheck(), wire.Checked)

    def recover(self) -> wire.Recovered:
        """Return what an interruption left behind, and what became of it. Replays nothing."""
        return self._ask(wire.Recover(), wire.Recovered)

    def init(self) -> wire.Initialised:
        """Return what is set up. Nothing needs it.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     memory.upkeep.init().ready
        True
        """
        return self._ask(wire.Init(), wire.Initialised)
