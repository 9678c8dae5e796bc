"""What goes into the configuration of an agent's host, so that it starts memtrig-mcp, and memtrigctl in its hooks.

Hosts start their helpers with next to no environment, so a snippet holds absolute paths, and whatever of ours is not
where it would be looked for. docs/hosts/ has a page for each host.
"""

from __future__ import annotations

import json
import os
import shlex

from memtrig import homes
from memtrig.hook_hosts import EVENTS, NAMED
from memtrig.starting import program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT = 2
"""Seconds that a host may give a hook, which ends by itself after one."""
NAME = "memtrig"
"""What the hosts know us by."""
FILES = {
    "claude-code": ("~/.claude.json, or .mcp.json in a project", "~/.claude/settings.json"),
    "codex": ("~/.codex/config.toml", "~/.codex/hooks.json"),
    "cursor": ("~/.cursor/mcp.json", "~/.cursor/hooks.json"),
    "goose": ("~/.config/goose/config.yaml", "~/.agents/plugins/memtrig/hooks/hooks.json"),
    "opencode": ("~/.config/opencode/opencode.json", "~/.config/opencode/plugins/memtrig.js"),
    "gemini-cli": ("~/.gemini/settings.json", "~/.gemini/settings.json"),
}
"""Where the two snippets of a host belong."""
PLUGIN = """\
// memtrigd: what the user says is heard, and what the agent should know comes before its model.
import { execFile } from "node:child_process"

const HOOK = %s
const known = new Map() // what each session was told: once at its start, and anew at every prompt

function ask(event, said) {
  return new Promise((resolve) => {
    const child = execFile(HOOK[0], [...HOOK.slice(1), event, "--host", "opencode"], { timeout: %d }, (_, out) =>
      resolve((out || "").trim()),
    )
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(said))
  })
}

export default {
  id: "memtrig",
  async setup(ctx) {
    await ctx.session.hook("prompt", async (event) => {
      const prompt = event.prompt?.text
      if (!prompt?.trim()) return
      const said = { session_id: event.sessionID, prompt }
      const state = await ask("user-prompt", said)
      const start = known.get(event.sessionID)?.start ?? (await ask("session-start", said))
      known.set(event.sessionID, { start, state })
      if (known.size > 200) known.delete(known.keys().next().value)
    })
    await ctx.session.hook("context", (event) => {
      const { start, state } = known.get(event.sessionID) ?? {}
      for (const text of [start, state]) if (text) event.system.push({ type: "text", text })
    })
  },
}"""


def mcp(host: str, options: dict[str, str], home: str | None) -> str:
    """The snippet that makes a host start memtrig-mcp. ``options`` are the pump's, by name. Raises OSError."""
    where, environment = _place(home)
    words = [word for name, value in (options | where).items() for word in (f"--{name}", value)]
    executable, *arguments = [*program("memtrig-mcp", "memtrig.mcp_pump"), *words]
    server: dict[str, Any] = {"command": executable, "args": arguments}
    if host == "codex":
        return _toml(server, environment)
    if host == "goose":
        return _yaml(server, environment)
    if host == "opencode":
        local = {"type": "local", "command": [executable, *arguments]}
        servers = {NAME: local | ({"environment": environment} if environment else {})}
        return _json({"$schema": "https://opencode.ai/config.json", "mcp": {"servers": servers}})
    if host != "gemini-cli":
        server = {"type": "stdio", **server}
    return _json({"mcpServers": {NAME: server | ({"env": environment} if environment else {})}})


def hooks(host: str, home: str | None) -> str:
    """The snippet that makes a host tell what its user says, and fetch what its agent should know. Raises OSError."""
    where, environment = _place(home)
    set_up = ["/usr/bin/env", *(f"{name}={value}" for name, value in environment.items())] if environment else []
    words = [*set_up, *program("memtrigctl", "memtrig.ctl"), "hook"]
    place = [word for name, value in where.items() for word in (f"--{name}", value)]
    if host == "opencode":
        return PLUGIN % (json.dumps([*words, *place]), LIMIT * 1000)
    lines = {event: shlex.join([*words, event, "--host", host, *place]) for event in EVENTS}
    if host == "cursor":
        names = {"session-start": "sessionStart", "user-prompt": "beforeSubmitPrompt", "session-end": "sessionEnd"}
        entries = {names[event]: [{"command": line, "timeout": LIMIT}] for event, line in lines.items()}
        return _json({"version": 1, "hooks": entries})
    names, limit = (NAMED | {"user-prompt": "BeforeAgent"}, LIMIT * 1000) if host == "gemini-cli" else (NAMED, LIMIT)
    rules = {event: {"type": "command", "command": line, "timeout": limit} for event, line in lines.items()}
    return _json({"hooks": {names[event]: [{"hooks": [rule]}] for event, rule in rules.items()}})


def _place(home: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """The option that names our home and the variables that lead to it, as far as it is not found without."""
    here = homes.find(home)
    if here.root is not None:
        return {"home": here.root}, {}
    named = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("XDG_")}
    try:
        alone = homes.find()
    finally:
        os.environ.update(named)
    ways = {"XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_RUNTIME_DIR": "run"}
    moved = [name for name, part in ways.items() if getattr(here, part) != getattr(alone, part)]
    return {}, {name: named[name] for name in moved if name in named}


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)


def _toml(server: dict[str, Any], environment: dict[str, str]) -> str:
    """A string of JSON is one of TOML, as long as it holds no control character."""
    lines = [f"[mcp_servers.{NAME}]", *(f"{key} = {_inline(value)}" for key, value in server.items())]
    lines += [f"\n[mcp_servers.{NAME}.env]", *(f"{k} = {_inline(v)}" for k, v in environment.items())] * bool(
        environment
    )
    return "\n".join(lines)


def _yaml(server: dict[str, Any], environment: dict[str, str]) -> str:
    """A value of JSON is one of YAML."""
    fields = {
        "type": "stdio",
        "name": NAME,
        "description": "The user's long-term memory, shared by their agents",
        "enabled": True,
        "cmd": server["command"],
        "args": server["args"],
        "envs": environment,
        "timeout": 30,
    }
    return "\n".join(["extensions:", f"  {NAME}:", *(f"    {key}: {_inline(value)}" for key, value in fields.items())])


def _inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
