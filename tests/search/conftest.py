"""Files of levels, to make indexes of."""

from pathlib import Path

import pytest

from memtrigd.domain.levels import Level
from memtrigd.store.database import create
from memtrigd.store.schema import LEVELS


@pytest.fixture(scope="session", name="empty")
def _empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of INTERNAL without memories."""
    path = tmp_path_factory.mktemp("empty") / "internal.db"
    create(path, LEVELS[Level.INTERNAL])
    return path
