"""One dream cycle at one level, slice by slice: what a slice does inside its transaction."""

from collections.abc import Callable
from typing import Final, TypeAlias

from memtrig import wire
from msgspec import Struct, field
from msgspec.structs import replace

from memtrigd.clockwork.likeness import Likeness
from memtrigd.domain.forgetting import materialised
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import DAY, Micros, to_iso
from memtrigd.store.interface import Change, Hands, LevelWriter

SLICE: Final = 200
"""Rows of one transaction at most: what a commit has to write stays small."""
LUMP: Final = 20
"""Rows that are read at a time: some have a mebibyte of text."""
WORK: Final = 0.005
"""Seconds after which a slice ends, however few rows it came to; its commit takes about as long again."""
AT_LEAST: Final = 0.001
"""Seconds that a slice may work, however slow commits are: the night must come to an end."""
WHOLE: Final = 0.010
"""Seconds that a slice may take with its commit; after one that took longer the next ones work less."""
MERGED: Final = 16
"""Pages of the index that a slice merges, once the walk is over."""
CAP: Final = 0.05
"""Share of a level's active memories whose status a cycle may change without being asked to."""
FREE: Final = 20
"""Changes that need no asking however small the level: 5 % of thirty memories is one."""
ASKS_AGAIN: Final = 7 * DAY
"""How long a proposal waits until it is counted as asking again."""
NAMED: Final = 100
"""Conflicts that are named; the others are counted."""

Timer: TypeAlias = Callable[[], float]
"""Seconds that only grow."""


class Night(Struct):
    """A cycle at one level: how far it is and what it did, or would do if it is ``dry``.

    ``confirm`` is how many memories the owner lets expire though they are more than the cap.
    """

    level: Level
    now: Micros
    dry: bool
    confirm: int | None = None
    total: int = 0
    passed: int = 0
    number: int = 0
    work: float = WORK
    materialised: int = 0
    expired: int = 0
    asked_again: int = 0
    conflicts: list[str] = []
    contested: int = 0
    likeness: Likeness = field(default_factory=Likeness)
    stopped: bool = False

    @property
    def session(self) -> str:
        """The session that the night's changes bear."""
        return f"dream-{self.level.slug}-{self.now}"

    def took(self, seconds: float) -> None:
        """Learn from how long a slice took with its commit, so that the next is no longer than it may be."""
        self.work = max(AT_LEAST, self.work / 2) if seconds > WHOLE else min(WORK, self.work * 1.25)

    def told(self) -> wire.Dreamt:
        """What the night came to, for who asked for it."""
        return wire.Dreamt(
            level=self.level.name,
            materialised=self.materialised,
            expired=self.expired,
            asked_again=self.asked_again,
            conflicts=self.conflicts,
            stopped=self.stopped,
            dry_run=self.dry,
            more=self.contested - len(self.conflicts),
            similar=self.likeness.pairs,
            session=self._undoable(),
        )

    def figures(self, *, under_way: bool = False, failed: bool = False) -> wire.Dream:
        """What the night came to in figures, which name no content."""
        return wire.Dream(
            at=to_iso(self.now),
            progress=round(min(1.0, self.passed / max(1, self.total)), 2) if under_way else None,
            materialised=self.materialised,
            expired=self.expired,
            asked_again=self.asked_again,
            conflicts=self.contested,
            similar=len(self.likeness.pairs),
            stopped=self.stopped,
            failed=failed,
            session=self._undoable(),
        )

    def _undoable(self) -> str | None:
        return self.session if self.expired and not (self.dry or self.stopped) else None


def measure(hands: Hands, night: Night, timer: Timer) -> bool:
    """Count what would expire, and stop before a cycle that changes too much: a wrong clock must not empty a store.

    Like ``walk`` and ``merge`` it tells whether it has more to do: it never has.
    """
    store = _store(hands)
    night.total = store.corpus().documents
    due = store.expiring(night.now + 1)
    if due > max(FREE, CAP * night.total) and due != night.confirm:
        night.expired, night.stopped = due, True
    return False


def walk(hands: Hands, night: Night, timer: Timer) -> bool:
    """Do one slice of the walk over all memories; tell whether there is more."""
    store, until, done = _store(hands), timer() + night.work, 0
    while done < SLICE:
        rows = store.after(night.number, LUMP)
        for number, memory in rows:
            night.number = number
            _settle(store, night, memory)
        done += len(rows)
        night.passed += len(rows)
        if len(rows) < LUMP:
            return False
        if timer() > until:
            break
    return True


def merge(hands: Hands, night: Night, timer: Timer) -> bool:
    """Merge a few pages of the index; tell whether there is more to merge. On trial there is nothing to see of it."""
    return not night.dry and _store(hands).merge_index(MERGED)


def _settle(store: LevelWriter, night: Night, memory: Memory) -> None:
    if memory.contested:
        night.contested += 1
        night.conflicts += [memory.id] * (night.contested <= NAMED)
    if memory.status is Status.PENDING:
        night.asked_again += night.now - memory.updated >= ASKS_AGAIN
        return
    if memory.expires_at is not None and memory.expires_at <= night.now:
        night.expired += 1
        if not night.dry:
            change = Change(op="expired", actor="dream", session=night.session, at=night.now, reason="expired")
            store.amend(replace(memory, status=Status.EXPIRED, reason="expired", contested=False), change)
        return
    night.likeness.meet(memory)
    if not memory.core:
        fresh = materialised(memory, night.now)
        if fresh is not memory:
            night.materialised += 1
            if not night.dry:
                store.stamp(fresh)


def _store(hands: Hands) -> LevelWriter:
    assert hands.writer is not None  # a cycle runs at a level
    return hands.writer
