"""A dream cycle of a real daemon, with agents who save and edit while it is under way."""

from collections.abc import Iterator

import memtrig
import pytest
from memtrig import wire

from tests.bench.dream import begin, fill
from tests.conftest import Daemon
from tests.talk import Line, dial

MEMORIES = 2500


@pytest.fixture(name="full")
def _full() -> Iterator[Daemon]:
    """A daemon that has just started on some thousand memories at INTERNAL."""
    daemon = Daemon()
    try:
        fill(daemon.home, MEMORIES)
        yield daemon.start()
    finally:
        daemon.remove()


def dream_of(line: Line) -> wire.Dream | None:
    """What status tells of the cycle at INTERNAL."""
    told = line.ask(wire.GetStatus(), wire.StatusReport)
    return {each.level: each.dream for each in told.levels}["INTERNAL"]


def test_what_is_saved_and_edited_while_a_cycle_runs_survives(full: Daemon) -> None:
    """BR-004: ten new memories, twenty edits; the cycle puts nothing old back. What it came to outlives the daemon."""
    edited = [number for n in range(10) for number in (n + 1, MEMORIES - n - 2)]
    with dial(full, "control") as control, memtrig.connect("internal", home=str(full.home)) as memory:
        night, under_way = begin(full), 0
        for n, number in enumerate(edited):
            memory.save(f"bench-old-{number}", f"edited {number}", source="user_explicit", quote="so it is")
            memory.save(f"new-{n // 2}", f"said meanwhile, {n // 2}", entity="asha", kind="habit")
            dream = dream_of(control)
            under_way += dream is not None and dream.progress is not None
        dreamt = night.answer().result
        night.close()
        assert isinstance(dreamt, wire.Dreamt) and not dreamt.stopped
        assert under_way >= len(edited) // 2, "the cycle was over too soon to prove anything"
        for number in edited:
            record = memory.get(f"bench-old-{number}")
            assert record is not None and record.content == f"edited {number}" and record.effective_importance > 0.99
        assert all(memory.get(f"new-{n}") is not None for n in range(10))
        told = dream_of(control)
        assert told is not None and told.progress is None and told.materialised > 0
    full.restart()
    with dial(full, "control") as control:
        assert dream_of(control) == told
