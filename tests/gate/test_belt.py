"""The owner's seat belt, with real processes: an agent that can start programs does not become the owner by it."""

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import Line, agent, dial, error_of, opened

HOST = """
import sys
from memtrig import host
with host.connect(sys.argv[1]) as control:
    memory = control.open_session("browser", "public", "confidential")
    print("opened", flush=True)
    sys.stdin.readline()
    print(control.raise_session(memory.session, "internal", "a file").level, flush=True)
"""
"""A host that opens a session, waits for a line, and then raises it."""

MEDDLER = """
import sys, memtrig
from memtrig import host
with host.connect(sys.argv[1]) as control:
    kept = control.open_session("browser", "public", "confidential")
    print("opened", flush=True)
    try:
        control.end(sys.stdin.readline().strip())
    except memtrig.Refused as refused:
        print(refused.code, flush=True)
"""
"""A host that opens a session, waits for the handle of another's, and tries to end that."""


@pytest.fixture(scope="module", name="belted")
def _belted() -> Iterator[Daemon]:
    """A daemon with the belt on."""
    daemon = Daemon(seat_belt=True)
    try:
        yield daemon.start()
    finally:
        daemon.remove()


def memtrigctl(daemon: Daemon, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run memtrigctl as a child of this process."""
    command = [sys.executable, "-m", "memtrig.ctl", "--home", str(daemon.home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)


def test_a_child_of_an_agent_is_not_the_owner(belted: Daemon) -> None:
    """While this process holds a session its child is refused; as an agent it may go on; after the session too."""
    with agent(belted, "public"):
        refused = memtrigctl(belted, "list")
        assert refused.returncode == 1
        assert "--as" in refused.stderr
        assert "owner_from_agent" in memtrigctl(belted, "--json", "save", "tea", "no sugar").stdout
        assert memtrigctl(belted, "--as", "public", "whoami").returncode == 0
    assert memtrigctl(belted, "list").returncode == 0


def test_a_child_of_a_host_with_an_open_session_is_not_the_owner(belted: Daemon) -> None:
    """A session by descriptor counts like one by socket."""
    with dial(belted, "control") as control:
        line, _ = opened(control, wire.SessionOpen(level="PUBLIC"))
        with line:
            assert "owner_from_agent" in memtrigctl(belted, "--json", "list").stdout


def test_every_verb_of_the_owner_is_behind_the_belt(belted: Daemon) -> None:
    """Data, status and session verbs alike; a sign of life is free."""
    script = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from memtrig import wire\n"
        "from tests.talk import Line; import socket\n"
        "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); line = Line(s)\n"
        "verbs = [wire.Act(request=wire.List()), wire.GetStatus(), wire.Whoami(), wire.SessionList(),\n"
        "         wire.SessionOpen(), wire.SessionEnd(session='x')]\n"
        "print(*[line.refusal(verb).code for verb in verbs], line.ask(wire.Ping(), wire.Pong).server)"
    )
    with agent(belted, "public"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(belted.home / "run/control.sock"), *sys.path],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    assert done.stdout.split()[:6] == ["owner_from_agent"] * 6


def test_the_process_that_holds_a_session_is_no_child_of_itself(belted: Daemon) -> None:
    """The belt looks at strict ancestors: a host that is nobody's child stays the owner."""
    with agent(belted, "public"), dial(belted, "control") as control:
        assert control.ask(wire.Whoami(), wire.Me).kind == "owner"


def test_a_host_may_manage_its_sessions_even_under_an_agent(belted: Daemon) -> None:
    """A host that had opened sessions before its parent became an agent may still raise them."""
    with subprocess.Popen(
        [sys.executable, "-c", HOST, str(belted.home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == "opened\n"
        with agent(belted, "public"):
            assert host.communicate("go\n", timeout=20)[0] == "INTERNAL\n"


def test_the_session_verbs_under_an_agent_are_for_ones_own(belted: Daemon) -> None:
    """Having opened a session before gives no hand on another's."""
    with subprocess.Popen(
        [sys.executable, "-c", MEDDLER, str(belted.home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == "opened\n"
        with agent(belted, "public") as other:
            foreign = other.ask(wire.Whoami(), wire.Me).session
            assert host.communicate(f"{foreign}\n", timeout=20)[0] == "owner_from_agent\n"


def test_a_connection_of_the_dead_is_nobodys(belted: Daemon) -> None:
    """A child that connects, hands its connection to the agent and dies does not make the agent the owner."""
    script = (
        "import socket, sys; door = socket.socket(socket.AF_UNIX); door.connect(sys.argv[1])\n"
        "socket.send_fds(socket.socket(fileno=int(sys.argv[2])), [b'x'], [door.fileno()])"
    )
    path = str(belted.home / "run/control.sock")
    with agent(belted, "public") as busy:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            busy.send(*[wire.Save(key=f"busy-{number}", content="tea " * 2000) for number in range(100)])
            command = [sys.executable, "-c", script, path, str(theirs.fileno())]
            subprocess.run(command, pass_fds=[theirs.fileno()], check=True, timeout=20)
            _, (descriptor,), _, _ = socket.recv_fds(ours, 1, 1)
        with Line(socket.socket(fileno=descriptor)) as stolen:
            refusal = error_of(stolen.exchange(wire.Act(request=wire.List())))
            assert refusal.code == "owner_from_agent"


def test_with_the_belt_off_a_child_may(shared_daemon: Daemon) -> None:
    """[owner] seat_belt = false: the person took it off."""
    with agent(shared_daemon, "public"):
        assert memtrigctl(shared_daemon, "list").returncode == 0


def test_a_refused_request_leaves_the_connection_open(shared_daemon: Daemon) -> None:
    """An error is an answer like any other."""
    with dial(shared_daemon, "control") as control:
        assert error_of(control.exchange(wire.SessionEnd(session="nobody"))).code == "session_unknown"
        assert control.ask(wire.Ping(), wire.Pong)
