"""The model of a real daemon follows the configuration while it runs, and status tells how it is."""

import time
from pathlib import Path

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.embedder.conftest import WITHIN, build
from tests.talk import dial


@pytest.mark.slow
def test_a_model_is_chosen_changed_and_left_while_the_daemon_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, daemon: Daemon
) -> None:
    """Off, one of the owner's, one that is none, and off again; the owner is told why, an agent only that it is so."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    daemon.restart()
    assert _model(daemon).state == "off"
    tiny = build(tmp_path / "tiny")
    _choose(daemon, f'on = true\nmodel = "{tiny}"')
    assert _becomes(daemon, "ready").name == "tiny"
    _choose(daemon, f'on = true\nmodel = "{tmp_path}"')
    assert str(tmp_path) in (_becomes(daemon, "failed").why or "")
    assert _model(daemon, "internal").why is None
    _choose(daemon, "on = false")
    _becomes(daemon, "off")
    assert daemon.stop() == 0
    daemon.start()


def _choose(daemon: Daemon, semantic: str) -> None:
    (daemon.home / "config" / "memtrigd.toml").write_text(f"[owner]\nseat_belt = false\n[semantic]\n{semantic}\n")


def _becomes(daemon: Daemon, state: str) -> wire.ModelStatus:
    until = time.monotonic() + WITHIN
    while (model := _model(daemon)).state != state:
        assert time.monotonic() < until, model
        time.sleep(0.05)
    return model


def _model(daemon: Daemon, door: str = "control") -> wire.ModelStatus:
    with dial(daemon, door) as connection:
        if door != "control":
            connection.ask(wire.Hello(protocol=wire.PROTOCOL), wire.Welcome)
        report = connection.ask(wire.GetStatus(), wire.StatusReport)
    assert report.model is not None
    return report.model
