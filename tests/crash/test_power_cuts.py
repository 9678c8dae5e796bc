"""Power cuts, simulated: at any point of what a daemon does to its files, whatever the disk had not written yet."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from tests.crash.acts import SCENES, record
from tests.crash.conftest import FULL
from tests.crash.cutting import cuts, memory
from tests.crash.recorder import Recorder

pytestmark = pytest.mark.crash

PARTS, CUTS = (4, 250) if FULL else (1, 30)
"""Runs of each scene, with their own chances, and cuts in each."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("scene", SCENES)
def test_what_was_answered_is_there_after_a_power_cut(
    recorder: Recorder, scene: str, part: int, record_property: Callable[[str, object], None]
) -> None:
    """The store opens, is sound to SQLite and by its journals, holds what was promised and no half of anything."""
    with TemporaryDirectory(prefix="mt-", dir=memory()) as place:
        recording = record(recorder, scene, Path(place) / "state")
        for point, problems in cuts(recording, CUTS, Random(f"{scene} {part}")):
            assert problems == [], f"cut after step {point} of {len(recording.steps)}"
    record_property("crash: power cuts", CUTS)
    record_property(f"crash: power cuts, {scene}", CUTS)
