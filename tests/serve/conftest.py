"""A daemon in memory for tests of what it answers."""

from collections.abc import Iterator

import memtrig
import pytest

from tests.conftest import Daemon
from tests.serve.harness import Nursery, World, nursery
from tests.serve.histories import START
from tests.serve.lives import Owner
from tests.talk import dial


@pytest.fixture(name="fresh", scope="module")
def _fresh() -> Iterator[Nursery]:
    """Where fresh worlds come from."""
    with nursery() as fresh:
        yield fresh


@pytest.fixture(name="world")
def _world(fresh: Nursery) -> Iterator[World]:
    """A daemon in memory with an empty store."""
    with fresh.world(START) as world:
        yield world


@pytest.fixture(name="memory")
def _memory(shared_daemon: Daemon) -> Iterator[memtrig.Memory]:
    """An agent's session at INTERNAL."""
    with memtrig.connect(agent="gardener", home=str(shared_daemon.home)) as memory:
        yield memory


@pytest.fixture(name="owner")
def _owner(shared_daemon: Daemon) -> Iterator[Owner]:
    """The owner."""
    with dial(shared_daemon, "control") as line:
        yield Owner(line)
