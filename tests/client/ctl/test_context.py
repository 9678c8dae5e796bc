"""memtrigctl context: the block that a host without hooks puts before its model."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

from memtrig import wire

Run = Callable[..., subprocess.CompletedProcess[str]]
GUIDANCE = wire.Guidance(text="Remember.\n| चहा: black", version="v", at="2026-11-30T08:15:00+00:00", source="SPINE.md")
WELCOME = wire.Welcome(session="s", resume="t", level="INTERNAL", ceiling="INTERNAL", protocol=1, server="0.1.0")


def test_it_is_what_the_agent_itself_would_get(ctl: Run, internal: Any) -> None:
    """Asked on the level's socket in the agent's name, so that nothing of the owner's view is in it."""
    daemon = internal(WELCOME, GUIDANCE, WELCOME, GUIDANCE)
    done = ctl("context", "--as", "internal:scout", "--query", "tea", "--budget", "300", "--state-only")
    assert (done.returncode, done.stdout) == (0, "Remember.\n| चहा: black\n")
    hello, asked = daemon.heard
    assert hello.agent == "scout"
    assert asked == wire.GuidanceGet(budget_tokens=300, query="tea", state_only=True)
    assert json.loads(ctl("context", "--as", "internal", "--json").stdout)["text"] == GUIDANCE.text


def test_it_must_be_somebodys(ctl: Run, control: Any) -> None:
    """The owner's own would hold every level, and end before a model."""
    daemon = control()
    for words in ([], ["--level", "public"]):
        done = ctl("context", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--as LEVEL[:AGENT]" in done.stderr
    assert daemon.heard == []
