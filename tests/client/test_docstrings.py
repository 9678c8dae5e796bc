"""What the docstrings show is what happens, on a real daemon."""

import doctest

import pytest
from memtrig import aio, api, groups, host

from tests.conftest import Daemon


@pytest.mark.parametrize("module", [api, aio, groups, host], ids=lambda module: module.__name__)
def test_the_examples_of_the_client_are_true(
    shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch, module: object
) -> None:
    """Every ``>>>`` of the module prints what it says."""
    monkeypatch.setenv("MEMTRIG_HOME", str(shared_daemon.home))
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS, report=True)  # type: ignore[arg-type]
    assert tried > 0
    assert failed == 0
