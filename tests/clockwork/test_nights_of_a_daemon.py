"""Dream cycles of a real daemon: agents save and edit meanwhile, years go by, and a clock goes wrong."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import memtrig
import pytest
from memtrig import wire

from memtrigd.clockwork.night import FREE
from tests.bench.dream import begin, fill
from tests.conftest import Daemon
from tests.serve.late import LateDaemon, late_daemon
from tests.serve.lives import Owner, content, served
from tests.talk import Line, dial

pytestmark = pytest.mark.slow

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


@pytest.fixture(name="late")
def _late() -> Iterator[LateDaemon]:
    """A daemon whose clock can be set."""
    with late_daemon() as daemon:
        yield daemon


def test_a_night_that_would_take_too_much_asks_and_is_undone_as_a_whole(late: LateDaemon) -> None:
    """BR-082: it stops and tells; said back, the count lets it; one command brings all of it back, after a restart."""
    tomorrow, keys = datetime.now(UTC) + timedelta(days=1), {f"ends-{n}" for n in range(FREE + 1)}
    with memtrig.connect("internal", home=str(late.home)) as memory:
        for key in (*sorted(keys), "stays"):
            memory.save(key, f"the text of {key}", expires_at=None if key == "stays" else tomorrow)
        with dial(late, "control") as control:  # the cycle of the start gives way to saves, and is not over yet
            while (first := dream_of(control)) is None or first.progress is not None:
                time.sleep(0.01)
        late.pass_days(400)
        stopped = memory.decay()
        assert (stopped.stopped, stopped.expired) == (True, FREE + 1)
        assert {step.op for step in memory.history("ends-0").steps} == {"save"}
    with dial(late, "control") as control:
        dream = dream_of(control)
        assert dream is not None and dream.stopped
        let = Owner(control).does(wire.Decay(confirm=FREE + 1), wire.Dreamt, "internal")
        assert (let.stopped, let.expired) == (False, FREE + 1)
    late.pass_days(-400)
    late.restart()
    with dial(late, "control") as control, memtrig.connect("internal", home=str(late.home)) as memory:
        assert {record.key for record in memory.list()} == {"stays"}
        undone = Owner(control).does(wire.Undo(session=let.session), wire.Undone, "internal")
        assert {each.key for each in undone.memories} == keys
        assert {record.key for record in memory.list()} == {*keys, "stays"}


def test_a_year_tells_what_is_recalled_from_what_is_not(late: LateDaemon) -> None:
    """BR-083: recalled weekly stays above 0.89, never recalled falls to 0.16 and no lower; recall and stats show it."""
    with memtrig.connect("internal", home=str(late.home)) as memory:
        for key in ("never", "weekly"):
            memory.save(key, f"the text of {key}")
        for _ in range(52):
            late.pass_days(7)
            assert content(memory, "weekly") == "the text of weekly"
            memory.decay()
        late.pass_days(1)
    late.restart()  # which waits for the stamps
    with memtrig.connect("internal", home=str(late.home)) as memory:
        told = memory.stats()
        left = {record.key: record.effective_importance for record in told.weakest}
        assert list(left) == ["never", "weekly"]
        assert (left["never"], left["weekly"] >= 0.89) == (0.1605, True)
        assert [figures.mean_importance for figures in told.levels if figures.level == "INTERNAL"] == [
            pytest.approx(sum(left.values()) / 2, abs=1e-4)
        ]
        assert served(memory, "never").recall_count == 0
