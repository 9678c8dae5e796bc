"""Who takes part in the life of a memory: agents at their levels, and the owner."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import memtrig
import pytest
from memtrig import wire
from memtrig.wire import Record

from tests.conftest import Daemon
from tests.talk import Kind, Line


class Owner:
    """Says what the owner says."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def does(
        self, request: wire.OwnerData, kind: type[Kind], level: str | None = None, *, all_levels: bool = False
    ) -> Kind:
        """Act, and succeed."""
        return self.line.ask(wire.Act(request=request, level=level, all_levels=all_levels), kind)

    def settles(self, request: wire.OwnerData) -> str:
        """Act on one memory; returns its status."""
        return self.does(request, wire.Settled).status

    def waiting(self) -> list[wire.Item]:
        """All that waits."""
        return self.does(wire.Review(limit=500), wire.Reviewed).items


@contextmanager
def at(daemon: Daemon, *levels: str) -> Iterator[list[memtrig.Memory]]:
    """A session at each of some levels."""
    memories = [memtrig.connect(level, agent="tester", home=str(daemon.home)) for level in levels]
    try:
        yield memories
    finally:
        for memory in memories:
            memory.close()


def served(memory: memtrig.Memory, key: str) -> Record:
    """The record of a key that must be there."""
    record = memory.get(key)
    assert record is not None
    return record


def content(memory: memtrig.Memory, key: str) -> str | None:
    """What is served of a key."""
    record = memory.get(key)
    return None if record is None else record.content


def refusal(run: Callable[..., object], *arguments: Any, **fields: Any) -> memtrig.Refused:
    """Call what must be refused."""
    with pytest.raises(memtrig.Refused) as refused:
        run(*arguments, **fields)
    return refused.value
