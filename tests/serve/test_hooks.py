"""The hook socket: a hook is taken for its host's, and gets no more than the lowest of the host's sessions."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner
from tests.talk import Line, dial, opened

HOST = """
import json, subprocess, sys
pumps = []
for line in sys.stdin:
    order = json.loads(line)
    if order["do"] == "pump":
        pump = subprocess.Popen(order["words"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pumps.append(pump)
        said = ""
    elif order["do"] == "say":
        print(json.dumps(order["message"]), file=pumps[-1].stdin, flush=True)
        said = ""
        while "id" in order["message"] and json.loads(said or "{}").get("id") != order["message"]["id"]:
            said = pumps[-1].stdout.readline()
    else:
        done = subprocess.run(["sh", "-c", order["words"]], input=order["input"], capture_output=True, text=True)
        said = done.stdout + done.stderr
    print(json.dumps(said), flush=True)
"""
"""An agent's host: it starts pumps directly, and hooks by a shell, as the real ones do."""


class Host:
    """The host process, at the daemon's home."""

    def __init__(self, daemon: Daemon) -> None:
        self._home = str(daemon.home)
        command = [sys.executable, "-c", HOST]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def pump(self, level: str, *options: str) -> None:
        """Start memtrig-mcp."""
        words = [sys.executable, "-m", "memtrig.mcp_pump", "--home", self._home, "--no-start", "--level", level]
        self._order({"do": "pump", "words": [*words, *options]})

    def say(self, message: dict[str, Any]) -> Any:
        """Say something to the pump that came last; returns the answer to a request."""
        answer = self._order({"do": "say", "message": {"jsonrpc": "2.0", **message}})
        return json.loads(answer) if answer else None

    def saves(self, **arguments: Any) -> dict[str, Any]:
        """Let the agent behind the last pump save something; returns what the tool says."""
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "h", "version": "1"}}
        self.say({"id": 1, "method": "initialize", "params": hello})
        self.say({"method": "notifications/initialized"})
        call = {"name": "save", "arguments": arguments}
        return self.say({"id": 2, "method": "tools/call", "params": call})["result"]  # type: ignore[no-any-return]

    def hook(self, event: str, /, **said: Any) -> str:
        """Start a hook; returns what it says, errors too."""
        command = f"{sys.executable} -m memtrig.ctl hook {event} --host plain --home {self._home} && true"
        return str(self._order({"do": "hook", "words": command, "input": json.dumps(said)}))

    def _order(self, order: dict[str, Any]) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(order), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


@pytest.fixture
def host(shared_daemon: Daemon) -> Iterator[Host]:
    """A host that is gone afterwards, with its pumps."""
    made = Host(shared_daemon)
    yield made
    made.process.communicate(timeout=20)


def test_a_pump_and_a_hook_of_one_host_are_one_session(host: Host, owner: Owner) -> None:
    """BR-040: what the agent saves is in the conversation that the hook named first, and what the hook heard counts."""
    host.hook("session-start", session_id="conversation-40")
    host.pump("internal", "--agent", "forty")
    session = connected(owner, "forty")
    assert (session.conversation, session.level) == ("conversation-40", "INTERNAL")
    host.hook("user-prompt", session_id="conversation-40", prompt="My cat is called Mau.")
    said = host.saves(key="forty.cat", content="The cat is Mau", source="user_explicit", quote="my cat is called Mau")
    assert not said.get("isError"), said
    memory = owner.does(wire.Get(key="forty.cat"), wire.Got).memory
    assert (memory.session, memory.attested) == (session.session, True)


def test_a_hook_gets_the_level_of_its_hosts_session(host: Host, owner: Owner) -> None:
    """Before there is one it gets what is PUBLIC; with several what the lowest may read, as all share one model."""
    for level in ("public", "internal", "confidential"):
        owner.does(wire.Save(key=f"hook.{level}", content=f"known at {level}", core=True), wire.Saved, level)
    assert levels(host.hook("session-start", session_id="c")) == {"public"}
    host.pump("confidential", "--agent", "high")
    connected(owner, "high")
    assert levels(host.hook("user-prompt", session_id="c", prompt="hi")) == {"public", "internal", "confidential"}
    host.pump("internal", "--agent", "low")
    connected(owner, "low")
    assert levels(host.hook("user-prompt", session_id="c", prompt="hi")) == {"public", "internal"}


def test_a_hook_follows_a_session_that_is_raised(shared_daemon: Daemon, owner: Owner) -> None:
    """Its level is looked up at every request."""
    line, welcome = opened(owner.line, wire.SessionOpen(agent="risen", level="public", ceiling="restricted"))
    with line:
        assert as_hook(shared_daemon, wire.HookOpen())["level"] == "PUBLIC"
        owner.line.ask(wire.SessionRaise(session=welcome.session, level="RESTRICTED", reason="x"), wire.Raised)
        assert as_hook(shared_daemon, wire.HookOpen())["level"] == "RESTRICTED"


def test_what_a_session_started_is_no_hook_of_it(host: Host, owner: Owner, shared_daemon: Daemon) -> None:
    """A process that an agent starts beside its host's gets what nobody in particular gets."""
    owner.does(wire.Save(key="hook.own", content="known at internal", core=True), wire.Saved)
    with socket.socket(socket.AF_UNIX) as agents:
        agents.connect(str(shared_daemon.home / "run" / "level" / "internal.sock"))
        Line(agents).ask(wire.Hello(protocol=wire.PROTOCOL, agent="parent"), wire.Welcome)
        assert as_hook(shared_daemon, wire.HookOpen()) == {"type": "adopted", "sessions": 0, "level": "PUBLIC"}
        text = as_hook(shared_daemon, wire.GuidanceGet(budget_tokens=5000))["text"]
    assert "known at internal" not in text


def test_when_a_conversation_is_over_its_words_are_forgotten(host: Host, owner: Owner) -> None:
    """Only the present one can end; the session goes on, and takes the next conversation's name."""
    host.pump("internal", "--agent", "talker")
    connected(owner, "talker")
    host.hook("user-prompt", session_id="first", prompt="I never eat coriander.")
    host.hook("session-end", session_id="another")
    assert connected(owner, "talker").conversation == "first"
    host.hook("session-end", session_id="first")
    assert connected(owner, "talker").conversation is None
    claim = {"content": "No coriander", "source": "user_explicit", "quote": "I never eat coriander"}
    host.saves(key="talker.coriander", **claim)
    assert not owner.does(wire.Get(key="talker.coriander"), wire.Got).memory.attested
    host.hook("session-start", session_id="second")
    assert connected(owner, "talker").conversation == "second"


def test_a_label_of_its_own_stays(host: Host, owner: Owner) -> None:
    """What the pump was started with counts for more than what a hook says."""
    host.pump("internal", "--agent", "named", "--conversation", "of-its-own")
    connected(owner, "named")
    host.hook("session-start", session_id="of-the-hook")
    assert connected(owner, "named").conversation == "of-its-own"


def test_a_restart_of_the_daemon_costs_nothing(host: Host, shared_daemon: Daemon, owner: Owner) -> None:
    """The pump comes back to its session, and the next hook names the conversation again."""
    host.pump("internal", "--agent", "lasting")
    session = connected(owner, "lasting").session
    shared_daemon.restart()
    with dial(shared_daemon, "control") as line:
        again = Owner(line)
        assert connected(again, "lasting").session == session
        host.hook("user-prompt", session_id="after", prompt="hi")
        assert connected(again, "lasting").conversation == "after"


def test_agents_with_spaces_of_their_own_read_nothing_of_each_other(owner: Owner) -> None:
    """BR-065: not even what was saved without an agent's name; and no request on such a line can change the space."""
    nameless, _ = opened(owner.line, wire.SessionOpen(level="internal", space="a"))
    other, _ = opened(owner.line, wire.SessionOpen(agent="b", level="internal", space="b"))
    with nameless, other:
        nameless.ask(wire.Save(key="a.secret", content="The zither is out of tune", core=True), wire.Saved)
        assert other.refusal(wire.Get(key="a.secret")).code == "not_found"
        assert other.ask(wire.Search(query="zither"), wire.Found).results == []
        assert "a.secret" not in {each.key for each in other.ask(wire.List(limit=500), wire.Listed).memories}
        assert "zither" not in other.ask(wire.GuidanceGet(budget_tokens=5000, query="zither"), wire.Guidance).text
        assert other.refusal(wire.Hello(protocol=wire.PROTOCOL, space="a")).code in ("not_here", "bad_request")
        assert other.ask(wire.Whoami(), wire.Me).space == "b"


def levels(text: str) -> set[str]:
    """The levels whose memory is in a context."""
    return {level for level in ("public", "internal", "confidential") if f"known at {level}" in text}


def connected(owner: Owner, agent: str) -> wire.Session:
    """The connected session of an agent, once it is there."""
    until = time.monotonic() + 15
    while True:
        sessions = owner.line.ask(wire.SessionList(), wire.Sessions).sessions
        found = [each for each in sessions if each.agent == agent and each.connections]
        if found or time.monotonic() > until:
            (session,) = found
            return session
        time.sleep(0.02)


def as_hook(daemon: Daemon, request: wire.Request) -> dict[str, Any]:
    """What a process under this one is answered on the hook socket."""
    program = (
        "import socket, sys, json, msgspec; from memtrig import wire\n"
        "with socket.socket(socket.AF_UNIX) as hook:\n"
        "    hook.connect(sys.argv[1]); hook.sendall(bytes.fromhex(sys.argv[2])); data = hook.recv(1 << 16)\n"
        "print(json.dumps(msgspec.msgpack.decode(data[4:])['result']))"
    )
    command = [sys.executable, "-c", program, str(daemon.home / "run" / "hook.sock"), wire.call(1, request).hex()]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # type: ignore[no-any-return]
