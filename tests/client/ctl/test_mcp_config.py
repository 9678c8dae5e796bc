"""The snippets for hosts: read back as the hosts read them, and run as the hosts run them, with no environment."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from memtrig.ctl.verbs.mcp_config import KNOWN, TOOLS
from memtrig.starting import program

from tests.conftest import Daemon

Run = Callable[..., subprocess.CompletedProcess[str]]
HOOKED = {
    "claude-code": (["SessionStart", "UserPromptSubmit", "SessionEnd"], 2),
    "codex": (["SessionStart", "UserPromptSubmit", "SessionEnd"], 2),
    "goose": (["SessionStart", "UserPromptSubmit", "SessionEnd"], 2),
    "gemini-cli": (["SessionStart", "BeforeAgent", "SessionEnd"], 2000),
    "cursor": (["sessionStart", "beforeSubmitPrompt", "sessionEnd"], 2),
}
"""The events as each host calls them, and two seconds in its unit."""
DRIVER = """
import plugin from "%s"
const hooks = {}
await plugin.setup({ session: { hook: async (name, run) => { hooks[name] = run } } })
await hooks.prompt({ sessionID: "s", prompt: { text: "hi" } })
const event = { sessionID: "s", system: [] }
await hooks.context(event)
console.log(JSON.stringify([plugin.id, event.system]))
"""


def started(host: str, snippet: str) -> tuple[list[str], dict[str, str]]:
    """What a host makes of a snippet: the command that it starts, and the variables that it adds."""
    match host:
        case "codex":
            server = tomllib.loads(snippet)["mcp_servers"]["memtrig"]
            return [server["command"], *server["args"]], server.get("env", {})
        case "goose":
            server = yaml.safe_load(snippet)["extensions"]["memtrig"]
            assert (server["type"], server["enabled"], server["name"]) == ("stdio", True, "memtrig")
            return [server["cmd"], *server["args"]], server["envs"]
        case "opencode":
            server = json.loads(snippet)["mcp"]["servers"]["memtrig"]
            assert server["type"] == "local"
            return server["command"], server.get("environment", {})
        case _:
            server = json.loads(snippet)["mcpServers"]["memtrig"]
            return [server["command"], *server["args"]], server.get("env", {})


@pytest.mark.parametrize("host", KNOWN)
def test_a_snippet_starts_a_pump_with_no_environment(ctl: Run, tmp_path: Path, host: str) -> None:
    """An absolute path, the agent's name, INTERNAL unless another level is said, and the home where it is."""
    done = ctl("mcp-config", host)
    command, environment = started(host, done.stdout)
    assert command[0] == os.path.abspath(command[0])
    assert command[-6:] == ["--level", "internal", "--agent", host, "--home", str(tmp_path)]
    assert environment == {}
    assert f"docs/hosts/{host}.md" in done.stderr
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    ran = subprocess.run([*command, "--no-start"], input=hello, env={}, capture_output=True, text=True, check=True)
    assert "memtrigd is not running" in json.loads(ran.stdout)["error"]["message"]


@pytest.mark.parametrize("host", KNOWN)
def test_every_option_of_the_pump_is_passed_on(ctl: Run, host: str) -> None:
    """Whatever characters a name has."""
    name = "Ämter \"of\" \\ मला: {x} #1 'y' 🫖"
    words = ["--level", "Confidential", "--agent", name, "--conversation", name, "--space", name, "--tools", "all"]
    command, _ = started(host, ctl("mcp-config", host, *words).stdout)
    expected = {"level": "confidential", "agent": name, "conversation": name, "space": name, "tools": "all"}
    given = dict(zip(command[-12::2], command[-11::2], strict=True))
    assert {flag.removeprefix("--"): value for flag, value in given.items() if flag != "--home"} == expected


@pytest.mark.parametrize("host", KNOWN)
def test_directories_of_their_own_are_named(ctl: Run, environment: dict[str, str], tmp_path: Path, host: str) -> None:
    """Variables that lead to our home are in the snippet if it would not be found without them."""
    del environment["MEMTRIG_HOME"]
    command, named = started(host, ctl("mcp-config", host).stdout)
    assert (command[-2:], named) == (["--agent", host], {})
    moved = {"XDG_STATE_HOME": str(tmp_path / "a b"), "XDG_RUNTIME_DIR": str(tmp_path)}
    _, named = started(host, ctl("mcp-config", host, env=environment | moved | {"XDG_DATA_HOME": "/x"}).stdout)
    assert named == moved
    assert str(tmp_path / "a b") in ctl("mcp-config", host, "--hooks", env=environment | moved).stdout


@pytest.mark.parametrize("host", HOOKED)
def test_the_hooks_of_a_host_run_with_no_environment(ctl: Run, tmp_path: Path, host: str) -> None:
    """Under the host's own names, each with a limit, by a shell; without a daemon they say nothing to the host."""
    config = json.loads(ctl("mcp-config", host, "--hooks").stdout)
    names, limit = HOOKED[host]
    assert list(config["hooks"]) == names
    assert config.get("version") == (1 if host == "cursor" else None)
    for (rule,), event in zip(config["hooks"].values(), ("session-start", "user-prompt", "session-end"), strict=True):
        (entry,) = [rule] if host == "cursor" else rule["hooks"]
        assert entry["timeout"] == limit
        assert entry["command"].endswith(f" hook {event} --host {host} --home {tmp_path}")
        done = subprocess.run(
            ["/bin/sh", "-c", entry["command"]], input="{}", env={}, capture_output=True, text=True, check=True
        )
        assert (done.stdout, "No such file" in done.stderr) == ("", True)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the plugin")
def test_the_plugin_of_opencode_hears_prompts_and_adds_context(
    ctl: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    """Played by a host of a few lines: the owner's words and the state come before the model."""
    daemon = Daemon().start()
    try:
        plugin = tmp_path / "memtrig.mjs"
        plugin.write_text(ctl("mcp-config", "opencode", "--hooks", "--home", str(daemon.home)).stdout)
        (tmp_path / "driver.mjs").write_text(DRIVER % plugin)
        done = subprocess.run(
            ["node", str(tmp_path / "driver.mjs")], capture_output=True, text=True, check=True, timeout=30
        )
    finally:
        daemon.remove()
    name, system = json.loads(done.stdout)
    assert name == "memtrig"
    assert [part["type"] for part in system] == ["text"]
    assert "memory" in system[0]["text"].lower()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["emacs"],
        ["plain"],
        ["codex", "--level", "secret"],
        ["codex", "--tools", "some"],
        ["codex", "--agent", "a\nb"],
        ["codex", "--agent", " "],
        ["codex", "--space", "a\u2028b"],
    ],
)
def test_what_can_have_no_snippet_is_refused(ctl: Run, words: list[str]) -> None:
    """With the names that there are."""
    done = ctl("mcp-config", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_the_sets_of_tools_are_those_of_the_daemon() -> None:
    """One list, in two places that may not import each other."""
    from memtrigd.serve.mcp.line import TOOL_SETS

    assert TOOLS == TOOL_SETS


def test_without_an_installed_program_its_module_is_started() -> None:
    """As from a checkout that nobody installed."""
    assert program("no-such-program", "memtrig.mcp_pump") == [sys.executable, "-m", "memtrig.mcp_pump"]
