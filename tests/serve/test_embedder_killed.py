"""A real daemon whose model is killed again and again under load: no search fails, and no memory is left out."""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import memtrig
import pytest

from memtrigd.store.database import open_reader
from tests.conftest import Daemon
from tests.embedder.conftest import build

WITHIN = 90
"""Seconds for what takes ten on an idle machine."""


@pytest.fixture(name="daemon")
def _daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    """A daemon with a model of a few kilobytes."""
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    model = build(tmp_path / "tiny")
    daemon = Daemon()
    with (daemon.home / "config" / "memtrigd.toml").open("a") as file:
        file.write(f'[semantic]\non = true\nmodel = "{model}"\n')
    yield daemon.start()
    daemon.remove()


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_whenever_the_model_is_killed_searches_go_on_and_nothing_is_lost(daemon: Daemon) -> None:
    """Neither when the daemon itself is killed in the middle: what waits is embedded after its next start."""
    failed: list[Exception] = []
    killed = 0
    over, dice = Event(), random.Random(5)

    def search() -> None:
        with memtrig.connect(home=str(daemon.home)) as memory:
            while not over.is_set():
                try:
                    assert memory.search("What did she say about tea?", max_results=5)
                except Exception as error:
                    failed.append(error)
                    return

    with memtrig.connect(home=str(daemon.home)) as memory:
        memory.save("tea", "She said that she likes tea.")
        _await(memory, ready=True)
        asking = [Thread(target=search) for _ in range(2)]
        for thread in asking:
            thread.start()
        for n in range(300):
            memory.save(f"k{n}", f"She said {n} times that tea is fine. " * (200 if n % 50 == 0 else 1))
            if n % 60 == 30:
                killed += _kill_model(daemon, dice)
        over.set()
        for thread in asking:
            thread.join()
    assert failed == [] and killed >= 2
    daemon.kill()
    daemon.start()
    with memtrig.connect(home=str(daemon.home)) as memory:
        assert len(memory.search("tea", max_results=100)) == 100
        _await(memory, ready=True, backlog=0)
        assert memory.search("What did she say about tea?").how == "hybrid"
    connection = open_reader(daemon.home / "state" / "internal.db")
    assert connection.execute("SELECT count(DISTINCT number) FROM vector").fetchall() == [(301,)]
    connection.close()


def _kill_model(daemon: Daemon, dice: random.Random) -> int:
    """Kill the process of the model at any moment of its work; returns whether there was one."""
    killed = 0
    time.sleep(dice.uniform(0, 0.1))
    for child in Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split():
        if b"memtrigd.embedder" in Path(f"/proc/{child}/cmdline").read_bytes():
            os.kill(int(child), signal.SIGKILL)
            killed += 1
    return killed


def _await(memory: memtrig.Memory, *, ready: bool, backlog: int | None = None) -> None:
    until = time.monotonic() + WITHIN
    while True:
        status = memory.status()
        own = next(each for each in status.levels if each.level == "INTERNAL")
        is_ready = status.model is not None and status.model.state == "ready"
        if is_ready == ready and backlog in (None, own.embedding_backlog):
            return
        assert time.monotonic() < until, (status.model, own)
        time.sleep(0.05)
