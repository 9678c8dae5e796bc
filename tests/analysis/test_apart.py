"""Records analysed in a process of their own: the same comes out as without it, whatever becomes of the process."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from memtrig import wire

from memtrigd.analysis.apart import Analysis
from memtrigd.domain.errors import Refusal
from memtrigd.gate.policy import Actor
from memtrigd.serve.handlers import imports
from memtrigd.serve.screening import prepared
from tests.conftest import Daemon
from tests.talk import dial

OWNER = Actor("owner")
ZONE = ZoneInfo("Europe/Paris")
REQUEST = wire.Import(
    records=[
        wire.ImportRecord(content="She likes tea in the garden.", key="tea", kind="preference", tags=["a", "b"]),
        wire.ImportRecord(content="会議は火曜日です", entity="会社", created="2025-03-01T12:00:00", confidence=0.4),
        wire.ImportRecord(content="उसे दूध पसंद नहीं", core=True, valid_from="2025-01-01", status="superseded"),
        wire.ImportRecord(content="The token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
        wire.ImportRecord(content="x", kind="no such kind"),
    ],
    entries=[
        wire.ImportAlias(alias="Bob", entity="Robert"),
        wire.ImportPromise(text="Call", deadline="soon"),
        wire.ImportWellness(date="2025-03-01", mood="well", sleep_hours=7.5),
    ],
    space="work",
)


class Watched(Analysis):
    """Tells what was asked of the process."""

    def __init__(self, command: tuple[str, ...] | None = None) -> None:
        super().__init__(*() if command is None else (command,))
        self.asked = 0

    def _asked(self, *args: object) -> imports.Batch:
        self.asked += 1
        return super()._asked(*args)  # type: ignore[arg-type]

    @property
    def pid(self) -> int | None:
        """The pid of the process."""
        return None if self._process is None else self._process.pid

    def prepare(self, request: wire.Import = REQUEST) -> imports.Batch:
        """Prepare a request for the owner, in a named zone."""
        kept, batch = self.prepared(imports.prepare, request, OWNER, ZONE)
        assert kept is request
        return batch  # type: ignore[no-any-return]

    def await_process(self) -> None:
        """Prepare until the process does it."""
        until = time.monotonic() + 20
        while not self.asked:
            assert time.monotonic() < until
            self.prepare()
            time.sleep(0.02)


@pytest.fixture(name="analysis")
def _analysis() -> Iterator[Watched]:
    """An analysis whose process is there."""
    analysis = Watched()
    try:
        analysis.await_process()
        yield analysis
    finally:
        analysis.end()
        analysis.close()


def here(request: wire.Import = REQUEST) -> imports.Batch:
    """What comes out without the process."""
    _, batch = prepared(imports.prepare, request, OWNER, ZONE)
    return batch  # type: ignore[no-any-return]


def test_the_same_comes_out(analysis: Watched) -> None:
    """Claims, terms, what texts are compared by, pasts, entries, refusals: nothing is lost on the way."""
    before = analysis.asked
    batch = analysis.prepare()
    assert analysis.asked == before + 1
    assert batch == here()
    assert [number for number, _ in batch.records] == [0, 1, 2]
    assert [(each.number, each.code) for each in batch.refused] == [(3, "secret"), (4, "bad_kind"), (6, "bad_time")]
    assert isinstance(batch.records[0][1].draft.said.bigrams, frozenset)


def test_a_refusal_of_the_whole_is_the_same(analysis: Watched) -> None:
    """Too many records are refused there as here, with the same words."""
    many = wire.Import(records=[wire.ImportRecord(content="x")] * (imports.BATCH + 1))
    told = []
    for way in (analysis.prepare, here):
        with pytest.raises(Refusal) as caught:
            way(many)
        told.append((caught.value.code, caught.value.message, caught.value.hint))
    assert told[0] == told[1] and told[0][0] == "too_large"


def test_nobody_waits_for_its_start() -> None:
    """The first batch is prepared at once, here."""
    analysis = Watched((sys.executable, "-c", "import time; time.sleep(60)"))
    try:
        assert analysis.prepare() == here()
        assert analysis.prepare() == here()
        assert analysis.pid is not None and not analysis.asked
    finally:
        analysis.end()
        analysis.close()


def test_a_process_that_was_killed_costs_nothing(analysis: Watched) -> None:
    """What it did not answer is prepared here, and none is started for a while."""
    assert analysis.pid is not None
    os.kill(analysis.pid, signal.SIGKILL)
    assert analysis.prepare() == here()
    assert analysis.prepare() == here()
    assert analysis.pid is None


@pytest.mark.parametrize("said", [b"", b"\x00\x00\x00\x05hello", b"\xff\xff\xff\xffx"])
def test_a_process_that_talks_nonsense_is_given_up(said: bytes) -> None:
    """Whatever stands there in the place of ours, the records are prepared."""
    program = f"import os, time; os.write(1, b'\\x00\\x00\\x00\\x01x' + {said!r}); os.close(1); time.sleep(60)"
    analysis = Watched((sys.executable, "-c", program))
    try:
        until = time.monotonic() + 20
        analysis.prepare()
        while analysis.pid is not None:
            assert analysis.prepare() == here()
            assert time.monotonic() < until
    finally:
        analysis.end()
        analysis.close()


def test_after_the_end_there_is_no_process(analysis: Watched) -> None:
    """A daemon that stops waits for none, and starts none."""
    analysis.end()
    assert analysis.prepare() == here()
    assert analysis.prepare() == here()
    assert analysis.pid is None


def test_other_writes_and_nameless_zones_are_prepared_here(analysis: Watched) -> None:
    """A zone without a name has none that the process could find; a large save has the thread of its own."""
    before = analysis.asked
    _, batch = analysis.prepared(imports.prepare, REQUEST, OWNER, UTC)
    assert isinstance(batch, imports.Batch)
    request = wire.Save(key="k", content="word " * 1000)
    assert analysis.prepared(None, request, OWNER, ZONE) == (request, request)
    assert analysis.asked == before


def test_the_daemon_has_imports_analysed_apart(daemon: Daemon) -> None:
    """The process is the daemon's, and does not outlive it, however it ends."""
    until = time.monotonic() + 20
    with dial(daemon, "control") as owner:
        number = 0
        while not (found := children(daemon.pid)):
            assert time.monotonic() < until
            number += 1
            record = wire.ImportRecord(content=f"text {number}")
            owner.ask(wire.Act(request=wire.Import(records=[record]), level="INTERNAL"), wire.Imported)
    daemon.kill()
    while any(Path(f"/proc/{pid}").exists() for pid in found):
        assert time.monotonic() < until
        time.sleep(0.02)


def children(pid: int) -> list[int]:
    """The processes of a daemon in which records are analysed."""
    found = [
        int(each) for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()
    ]
    return [each for each in found if b"memtrigd.analysis" in Path(f"/proc/{each}/cmdline").read_bytes()]
