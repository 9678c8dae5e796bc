"""Damage that nobody saw at the start is met while the daemon runs: it costs what needs the file, and nothing else."""

from collections.abc import Iterator

import apsw
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, error_of


@pytest.fixture(name="damaged")
def _damaged() -> Iterator[Daemon]:
    """A running daemon whose public.db has its list of tables and nothing that can be read in them."""
    daemon = Daemon()
    try:
        daemon.start()
        daemon.stop()
        path = daemon.home / "state/public.db"
        connection = apsw.Connection(str(path))
        pages = connection.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 1").fetchall()
        size = connection.pragma("page_size")
        connection.close()
        with path.open("r+b") as file:
            for (page,) in pages:
                file.seek((page - 1) * size)
                file.write(b"\xff" * size)
        yield daemon.start()
    finally:
        daemon.remove()


def test_the_damaged_level_is_refused_and_the_daemon_lives(damaged: Daemon) -> None:
    """Who comes upon the damage is refused by the file's name; from then on the level is missing, and it is said."""
    reads = (wire.Get(key="k"), wire.Search(query="text"), wire.List())
    save = wire.Save(key="k", content="text")
    with agent(damaged, "public") as line:
        for request in (*reads, save):
            error = error_of(line.exchange(request))
            assert (error.code, "public.db" in error.message) == ("level_unavailable", True)
    with agent(damaged, "internal") as line:
        assert [line.exchange(request).incomplete for request in reads] == [["PUBLIC"]] * 3
        assert isinstance(line.exchange(save).result, wire.Saved)
    assert damaged.stop() == 0
