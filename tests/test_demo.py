"""The demo is a promise: it is played here, and it must be able to fail."""

import subprocess
import sys

import pytest

from tests.conftest import Daemon
from tests.demo import SCENES, Story

pytestmark = pytest.mark.slow

SCREENS = 2 * 50
"""Lines of two tall terminals."""


@pytest.mark.long
def test_the_story_plays_to_its_end() -> None:
    """Every scene is shown, every claim holds, and it fits two screens."""
    done = subprocess.run([sys.executable, "-m", "tests.demo"], capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert done.stdout.count("✓") >= 3 * len(SCENES)
    assert "✗" not in done.stdout
    assert len(done.stdout.splitlines()) <= SCREENS


def test_a_claim_that_does_not_hold_ends_it(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    """The demo is no film."""
    with pytest.raises(SystemExit) as end:
        Story(daemon, colour=False).claim("pigs fly", False)
    assert end.value.code == 1
    assert "✗ pigs fly" in capsys.readouterr().out
