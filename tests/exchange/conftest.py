"""Daemons in memory into which files are moved."""

from collections.abc import Iterator

import pytest

from tests.exchange.moving import NOW
from tests.serve.harness import Nursery, World, nursery


@pytest.fixture(name="fresh", scope="module")
def _fresh() -> Iterator[Nursery]:
    """Worlds for this module."""
    with nursery() as made:
        yield made


@pytest.fixture(name="world")
def _world(fresh: Nursery) -> Iterator[World]:
    """A daemon in memory with an empty store."""
    with fresh.world(NOW) as world:
        yield world
