"""What a store must never hold: rules between the rows of one level that its writers keep, looked at once more."""

from collections.abc import Callable, Iterator

from memtrigd.domain.entries import Entry
from memtrigd.domain.memory import Memory, Status


def faults_of(memory: Memory, find: Callable[[str], Memory | None]) -> Iterator[tuple[str, str]]:
    """Each rule that a row breaks, and what to do about it. ``find`` looks a row of the same level up by its id."""
    if not 0.0 <= memory.importance <= 1.0:
        yield "its importance is not between 0 and 1", "The next recall or dream cycle goes on from it; report it."
    if memory.valid_from is not None and memory.valid_to is not None and memory.valid_to < memory.valid_from:
        yield "it stops being valid before it begins", "Save it again with the dates in order."
    if memory.superseded_by is not None and find(memory.superseded_by) is None:
        yield "what superseded it is not there", "See its history; `undo` brings it back."
    if memory.contests is not None:
        yield from _faults_of_contest(memory, find(memory.contests))


def faults_of_promise(promise: Entry) -> Iterator[tuple[str, str]]:
    """Each rule that a promise breaks."""
    if promise.closed is not None and promise.closed < promise.created:
        yield "it was kept before it was made", "Open it again and close it."


def _faults_of_contest(memory: Memory, contested: Memory | None) -> Iterator[tuple[str, str]]:
    if contested is None:
        yield "what it contests is not there", "Confirm or reject it in `review`."
    elif memory.status is Status.PENDING and contested.status is not Status.ACTIVE:
        yield "what it contests is served no longer", "Confirm or reject it in `review`: nothing stands against it."
