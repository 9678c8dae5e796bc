"""A daemon in memory for tests of what it does by itself."""

from collections.abc import Iterator

import pytest

from memtrigd.domain.moments import Micros
from tests.serve.harness import Nursery, World, nursery

START: Micros = 1_790_000_000_000_000


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
