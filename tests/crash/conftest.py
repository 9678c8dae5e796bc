"""How long the crash suite runs, and what it says in the end: MEMTRIG_CRASH=full is its full length."""

import os
from collections import Counter
from typing import Any

import pytest

from tests.crash.recorder import Recorder

FULL = os.environ.get("MEMTRIG_CRASH") == "full"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """They may run for as long as that takes on a busy machine."""
    for item in items:
        if item.get_closest_marker("crash"):
            item.add_marker(pytest.mark.timeout(7200 if FULL else 300))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was tried and what came of it, counted over all tests that passed."""
    tried: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", ()):
        for name, count in report.user_properties:
            if name.startswith("crash: "):
                tried[name.removeprefix("crash: ")] += count
    for name, count in sorted(tried.items()):
        terminalreporter.write_line(f"{count:7,} {name}")


@pytest.fixture(scope="session")
def recorder() -> Recorder:
    """The one recorder of this process."""
    return Recorder()
