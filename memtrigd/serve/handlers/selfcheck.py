"""selfcheck: a walk over the levels in sight that looks for what the store must never hold. It changes nothing."""

from collections.abc import Iterator
from typing import Final

from memtrig import wire

from memtrigd.domain import soundness
from memtrigd.domain.entries import Sort
from memtrigd.domain.memory import Memory, Status
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader

NAMED: Final = 100
"""Problems that are named; the others are counted."""
_ALL: Final = [status.value for status in Status]


def selfcheck(turn: Turn, request: wire.Selfcheck) -> wire.Checked:
    """Check every row that the caller may know of: all for the owner; an agent's are those served, and its own."""
    problems, looked_at, count = list[wire.Problem](), 0, 0
    for reader in turn.view.readers:
        slots: dict[tuple[str, str], str] = {}
        for memory in _rows(turn, reader):
            looked_at += 1
            for says, hint in _faults(memory, reader, slots):
                count += 1
                _name(problems, reader, memory.id, says, hint)
        for promise in reader.entries(Sort.PROMISE, closed=True):
            if promise.space in turn.view.spaces:
                for says, hint in soundness.faults_of_promise(promise):
                    count += 1
                    _name(problems, reader, promise.id, says, hint)
    return wire.Checked(memories=looked_at, problems=problems, more=count - len(problems))


def _rows(turn: Turn, reader: LevelReader) -> Iterator[Memory]:
    for memory in reader.select(turn.view.spaces, _ALL):
        own = memory.session is not None and memory.session == turn.actor.session
        if turn.actor.is_owner or own or memory.status is Status.ACTIVE:
            yield memory


def _faults(memory: Memory, reader: LevelReader, slots: dict[tuple[str, str], str]) -> Iterator[tuple[str, str]]:
    yield from soundness.faults_of(memory, reader.by_id)
    if memory.status is Status.ACTIVE and slots.setdefault((memory.space, memory.key), memory.id) != memory.id:
        yield "another active memory has its key", "Save the key anew: one of them is superseded then."


def _name(problems: list[wire.Problem], reader: LevelReader, thing: str, says: str, hint: str) -> None:
    if len(problems) < NAMED:
        problems.append(wire.Problem(level=reader.level.name, problem=says, id=thing, hint=hint))
