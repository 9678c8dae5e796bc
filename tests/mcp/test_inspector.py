"""The official inspector's command line, through the pump: what it finds fault with, some host will choke on."""

import json
import subprocess
from typing import Final

import pytest

from tests.conftest import Daemon
from tests.mcp import suites
from tests.mcp.conftest import PUMP

SETS: Final = ("core", "triggerfish", "memory-trigger", "all")
ERAS: Final = ("legacy", "modern")


@pytest.mark.parametrize("tools", SETS)
def test_every_set_is_portable(official: None, shared_daemon: Daemon, tools: str) -> None:
    """No schema of a set has so much as a warning."""
    done = _inspect(shared_daemon, tools, "--method", "tools/list", "--strict")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["result"]["tools"]


@pytest.mark.parametrize("era", ERAS)
def test_lists_calls_and_reads_work_in_both_eras(official: None, shared_daemon: Daemon, era: str) -> None:
    """As a stranger's client sees them."""
    saved = _result(shared_daemon, era, "tools/call", "--tool-name", "save", "--tool-args-json", _saying(era))
    assert saved["structuredContent"]["outcome"] == "new"
    assert len(_result(shared_daemon, era, "tools/list")["tools"]) == 12
    assert len(_result(shared_daemon, era, "prompts/list")["prompts"]) == 3
    assert _result(shared_daemon, era, "resources/templates/list")["resourceTemplates"]
    uris = [each["uri"] for each in _result(shared_daemon, era, "resources/list")["resources"]]
    assert "memory://recent" in uris
    recent = _result(shared_daemon, era, "resources/read", "--uri", "memory://recent")
    assert "चहा" in recent["contents"][0]["text"]


def _saying(era: str) -> str:
    return json.dumps({"content": f"चहा, {era}", "source": "auto_detect", "key": f"tea-{era}"})


def _result(daemon: Daemon, era: str, method: str, *more: str) -> dict[str, list[dict[str, str]]]:
    done = _inspect(daemon, "core", "--protocol-era", era, "--method", method, *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]  # type: ignore[no-any-return]


def _inspect(daemon: Daemon, tools: str, *options: str) -> subprocess.CompletedProcess[str]:
    pump = [PUMP, "--home", str(daemon.home), "--no-start", "--tools", tools]
    return subprocess.run(
        [*suites.suite("inspector"), "--cli", *pump, "--format", "json", "--quiet", *options],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=suites.environment(),
    )
