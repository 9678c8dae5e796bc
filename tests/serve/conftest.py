"""A daemon in memory for tests of what it answers."""

from collections.abc import Iterator

import pytest

from tests.serve.harness import Nursery, World, nursery
from tests.serve.histories import START


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
