"""memtrig-mcp as a process: between a host that this test plays and a daemon that it plays too, or a real one."""

import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import memtrig
import pytest

PUMP = [sys.executable, "-m", "memtrig.mcp_pump"]
WELCOME = {"memtrig": {"session": "s1", "resume": "token-1"}}


class Daemon:
    """The socket of one level, and the connections to it."""

    def __init__(self, home: Path, level: str = "internal") -> None:
        self.path = home / "run" / "level" / f"{level}.sock"
        self.path.parent.mkdir(parents=True)
        self._connections: list[Lines] = []
        self.listen()

    def listen(self) -> None:
        """Begin to take connections, as after a restart."""
        self.path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen(8)
        self.listener.settimeout(10)

    def accept(self, welcome: dict[str, Any] = WELCOME) -> tuple["Lines", dict[str, Any]]:
        """Take a connection and answer its greeting; return both."""
        lines = Lines(self.listener.accept()[0])
        self._connections.append(lines)
        greeting = lines.read()
        lines.write(welcome)
        return lines, greeting["memtrig"]

    def close(self) -> None:
        """Take everything down."""
        self.listener.close()
        for lines in self._connections:
            lines.close()


class Lines:
    """A connection of the pump, in lines."""

    def __init__(self, connected: socket.socket) -> None:
        connected.settimeout(10)
        self.socket = connected
        self._file = connected.makefile("rb")

    def read(self) -> dict[str, Any]:
        """The next message."""
        return json.loads(self._file.readline())  # type: ignore[no-any-return]

    def write(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def close(self) -> None:
        """Be gone, as a process is that was killed."""
        self._file.close()
        self.socket.close()


class Host:
    """A pump that this process started, as an agent's host does."""

    def __init__(
        self, home: Path | None, *options: str, start: bool = False, python: tuple[str, ...] = (), **more: Any
    ) -> None:
        self._heard = b""
        command = [PUMP[0], *python, *PUMP[1:]]
        if "-S" in python:  # no site either, whose .pth files import what an installation happens to have
            more["env"] = {"PYTHONPATH": str(Path(memtrig.__file__).parents[1])}
        where = ["--home", str(home)] if home else []
        where += [] if start else ["--no-start"]
        self.process = subprocess.Popen(
            [*command, *where, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
        )

    def say(self, *messages: dict[str, Any]) -> None:
        """Write messages."""
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """The next message: whatever comes is JSON-RPC."""
        assert self.process.stdout is not None
        while b"\n" not in self._heard:
            ready, _, _ = select.select([self.process.stdout], [], [], 15)
            assert ready, "the pump said nothing"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, "the pump has ended"
            self._heard += data
        line, self._heard = self._heard.split(b"\n", 1)
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message  # type: ignore[no-any-return]

    def end(self) -> tuple[float, list[dict[str, Any]]]:
        """Close stdin; return the seconds until the pump was gone and what it still said."""
        assert self.process.stdin is not None and self.process.stdout is not None
        began = time.monotonic()
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.process.stdout]
        assert self.process.wait(10) == 0
        return time.monotonic() - began, rest


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with a short name, as a Unix socket asks."""
    with tempfile.TemporaryDirectory(prefix="mt-") as name:
        yield Path(name)


@pytest.fixture
def hosts() -> Iterator[list[Host]]:
    """Whatever is in it at the end is ended."""
    kept: list[Host] = []
    yield kept
    for host in kept:
        host.process.kill()
        host.process.wait()
        for stream in (host.process.stdin, host.process.stdout, host.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


@pytest.fixture
def serve(home: Path) -> Iterator[Callable[..., Daemon]]:
    """Plays a daemon at ``home``, on the INTERNAL socket or another level's."""
    daemons: list[Daemon] = []

    def play(level: str = "internal") -> Daemon:
        daemons.append(Daemon(home, level))
        return daemons[-1]

    yield play
    for daemon in daemons:
        daemon.close()


def request(number: int | str, method: str = "tools/call") -> dict[str, Any]:
    """A request."""
    return {"id": number, "method": method}


def result(number: int | str) -> dict[str, Any]:
    """Its result."""
    return {"jsonrpc": "2.0", "id": number, "result": {"text": "茶 चहा"}}


def test_lines_go_both_ways(home: Path, serve: Callable[..., Daemon], hosts: list[Host]) -> None:
    """At the level and with the labels that were asked for."""
    daemon = serve("confidential")
    hosts.append(Host(home, "--level", "Confidential", "--agent=gärtner", "--space", "बाग", "--tools", "all"))
    hosts[0].say(request(1))
    connection, greeting = daemon.accept()
    labels = {"agent": "gärtner", "space": "बाग", "tools": "all", "client": "memtrig-mcp"}
    assert greeting == {"protocol": 1, **labels}
    assert connection.read() == {"jsonrpc": "2.0", **request(1)}
    connection.write(result(1))
    assert hosts[0].hear() == result(1)


@pytest.mark.parametrize("variable", ["MEMTRIG_HOME", "XDG_RUNTIME_DIR"])
def test_the_socket_is_found_with_next_to_no_environment(
    home: Path, serve: Callable[..., Daemon], hosts: list[Host], variable: str
) -> None:
    """Hosts start their servers with hardly more (BR-028)."""
    daemon = serve()
    if variable == "XDG_RUNTIME_DIR":
        (home / "run").rename(home / "memtrigd")
        daemon.path = home / "memtrigd" / "level" / "internal.sock"
    hosts.append(Host(None, env={variable: str(home)}))
    assert daemon.accept()[1]["client"] == "memtrig-mcp"


def test_late_answers_come_after_the_host_has_said_all(
    home: Path, serve: Callable[..., Daemon], hosts: list[Host]
) -> None:
    """Twenty at once, then end of file: each is answered, and the pump is gone within a second."""
    daemon = serve()
    hosts.append(Host(home))
    hosts[0].say(*(request(n) for n in range(20)))
    connection, _ = daemon.accept()
    asked = [connection.read()["id"] for _ in range(20)]
    assert hosts[0].process.stdin is not None
    hosts[0].process.stdin.close()
    time.sleep(0.1)
    for number in asked:
        connection.write(result(number))
    seconds, rest = hosts[0].end()
    assert [each["id"] for each in rest] == asked == list(range(20))
    assert seconds < 1


def test_a_silent_daemon_does_not_keep_the_pump(home: Path, serve: Callable[..., Daemon], hosts: list[Host]) -> None:
    """It goes within a second of the end of its input, and says what it does not know."""
    daemon = serve()
    hosts.append(Host(home))
    hosts[0].say(request(1))
    connection, _ = daemon.accept()
    assert connection.read()["id"] == 1
    seconds, (error,) = hosts[0].end()
    assert error["error"]["data"] == {"retryable": True}
    assert seconds < 1.5


def test_a_request_without_a_daemon_is_answered_with_the_way_out(home: Path, hosts: list[Host]) -> None:
    """Not with silence, and not with the end of the pump."""
    hosts.append(Host(home))
    hosts[0].say(request("a"), {"method": "notifications/initialized"})
    seconds, (error,) = hosts[0].end()
    assert (error["id"], error["error"]["code"]) == ("a", -32000)
    assert "Start it by typing: memtrigd" in error["error"]["message"]
    assert str(home) in error["error"]["message"]
    assert seconds < 1.5


def test_a_line_that_is_no_json_is_answered_as_such(home: Path, hosts: list[Host]) -> None:
    """In a process that has loaded nothing but what a pump needs."""
    hosts.append(Host(home, python=("-S",)))
    assert hosts[0].process.stdin is not None
    for line in (b"{\n", b"{'a': 1}\n", b"nonsense\n"):
        hosts[0].process.stdin.write(line)
        hosts[0].process.stdin.flush()
        assert hosts[0].hear()["error"]["code"] == -32700


def test_a_daemon_that_comes_late_is_found(home: Path, serve: Callable[..., Daemon], hosts: list[Host]) -> None:
    """What was asked meanwhile is asked of it."""
    hosts.append(Host(home))
    hosts[0].say(request(1))
    time.sleep(0.3)
    connection, _ = serve().accept()
    connection.write(result(connection.read()["id"]))
    assert hosts[0].hear() == result(1)


def test_a_restart_costs_one_answer(home: Path, serve: Callable[..., Daemon], hosts: list[Host]) -> None:
    """What was under way fails and may be asked again; the next goes to the same session of the new daemon."""
    daemon = serve()
    hosts.append(Host(home))
    hosts[0].say(request(0, "initialize"))
    connection, _ = daemon.accept()
    connection.read()
    connection.write(result(0))
    assert hosts[0].hear() == result(0)
    hosts[0].say({"method": "notifications/initialized"}, request(1))
    assert [connection.read().get("id") for _ in range(2)] == [None, 1]
    daemon.listener.close()
    connection.close()
    lost = hosts[0].hear()
    assert (lost["id"], lost["error"]["data"]) == (1, {"retryable": True})
    hosts[0].say(request(2))
    daemon.listen()
    connection, greeting = daemon.accept()
    assert greeting["resume"] == "token-1"
    assert [connection.read()["method"] for _ in range(3)] == ["initialize", "notifications/initialized", "tools/call"]
    connection.write(result(0))
    connection.write(result(2))
    told = [hosts[0].hear() for _ in range(4)]
    assert [each["method"] for each in told[:3]] == [
        f"notifications/{what}/list_changed" for what in ("tools", "prompts", "resources")
    ]
    assert told[3] == result(2)


def test_long_lines_pass_both_ways(home: Path, serve: Callable[..., Daemon], hosts: list[Host]) -> None:
    """Four megabytes each, and a daemon that reads nothing meanwhile is not flooded."""
    daemon = serve()
    hosts.append(Host(home))
    text = "記" * (4 << 20 >> 2)
    connection, _ = daemon.accept()
    hosts[0].say({**request(1), "params": {"content": text}})
    assert connection.read()["params"]["content"] == text
    connection.write({"jsonrpc": "2.0", "id": 1, "result": {"content": text}})
    assert hosts[0].hear()["result"]["content"] == text


def test_a_host_that_does_not_read_holds_the_daemon_back(
    home: Path, serve: Callable[..., Daemon], hosts: list[Host]
) -> None:
    """The pump keeps a few megabytes at most; nothing is lost."""
    daemon = serve()
    hosts.append(Host(home))
    connection, _ = daemon.accept()
    line = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 50_000}})
    data = memoryview((line.encode() + b"\n") * 400)
    connection.socket.settimeout(0.5)
    sent = 0
    with pytest.raises(TimeoutError):
        while sent < len(data):
            sent += connection.socket.send(data[sent : sent + 65536])
    assert sent < 4 << 20
    connection.socket.settimeout(10)
    assert hosts[0].hear()["params"]["data"] == "x" * 50_000
    before = _peak(hosts[0].process.pid)
    assert before < 40_000, f"{before} KiB"


def test_the_pump_goes_with_the_process_that_started_it(home: Path, serve: Callable[..., Daemon]) -> None:
    """Though another process holds the writing end of its stdin, so that no end of file comes (BR-031)."""
    daemon = serve()
    reading, writing = os.pipe()
    command = [*PUMP, "--home", str(home), "--no-start"]
    starter = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen({command!r}, stdin={reading}, stdout=subprocess.DEVNULL)\n"
        "print(p.pid, flush=True)\n"
        "time.sleep(60)"
    )
    host = subprocess.Popen([sys.executable, "-c", starter], pass_fds=(reading,), stdout=subprocess.PIPE)
    assert host.stdout is not None
    pump = int(host.stdout.readline())
    daemon.accept()
    host.kill()
    host.communicate()
    assert _gone(pump, within=1)
    os.close(reading)
    os.close(writing)


def test_the_pump_goes_when_the_host_stops_reading(home: Path, serve: Callable[..., Daemon], hosts: list[Host]) -> None:
    """There is nobody to pump for."""
    daemon = serve()
    hosts.append(Host(home))
    daemon.accept()
    assert hosts[0].process.stdout is not None
    hosts[0].process.stdout.close()
    assert hosts[0].process.wait(5) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_and_quietly(
    home: Path, serve: Callable[..., Daemon], hosts: list[Host], number: int
) -> None:
    """No trace of it on any stream."""
    daemon = serve()
    hosts.append(Host(home))
    daemon.accept()
    hosts[0].process.send_signal(number)
    said, complained = hosts[0].process.communicate(timeout=5)
    assert (said, complained) == (b"", b"")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--level", "secret"], "public, internal, confidential, restricted"),
        (["--levle", "public"], "'--levle' is no option"),
        (["--agent"], "--agent needs a value"),
        (["public"], "'public' is no option"),
    ],
)
def test_a_wrong_option_is_told_on_stderr(options: list[str], said: str) -> None:
    """Stdout belongs to JSON-RPC alone."""
    done = subprocess.run([*PUMP, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_help_is_no_json_either() -> None:
    """So it goes to stderr."""
    done = subprocess.run([*PUMP, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("usage: memtrig-mcp")


def test_next_to_nothing_is_imported() -> None:
    """One pump runs for each agent: what it loads beside the interpreter's own is C, or ours and small."""
    code = "import sys; before = set(sys.modules); import memtrig.mcp_pump; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {"memtrig", "memtrig.homes", "memtrig.mcp_pump", "memtrig.mcp_relay"}
    assert set(done.stdout.split()) == {"__future__", "_json", "_socket", "select", *ours}


def test_a_daemon_is_started_where_none_runs(home: Path, hosts: list[Host]) -> None:
    """Three pumps at once find one daemon. It is no child of theirs, has none of their secrets, and outlives them."""
    socket_path = home / "run" / "level" / "internal.sock"
    environment = {**os.environ, "AGENT_API_KEY": "s3cret"}
    hosts += [Host(home, start=True, env=environment) for _ in range(3)]
    pid = _listening(socket_path)
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        parents = {line.split()[1] for line in status.splitlines() if line.startswith("PPid:")}
        assert parents.isdisjoint({str(host.process.pid) for host in hosts})
        assert b"s3cret" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert {os.readlink(f"/proc/{pid}/fd/{n}") for n in range(3)} == {"/dev/null"}
        for host in hosts:
            assert host.end()[0] < 1.5
        assert _listening(socket_path) == pid
    finally:
        os.kill(pid, signal.SIGKILL)


def test_no_daemon_is_started_against_the_owners_wish(home: Path, hosts: list[Host]) -> None:
    """``--no-start`` leaves the home untouched."""
    hosts.append(Host(home))
    hosts[0].say(request(1))
    hosts[0].end()
    assert list(home.iterdir()) == []


def _listening(path: Path) -> int:
    """Wait until somebody listens, and return who."""
    for _ in range(300):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
            except OSError:
                time.sleep(0.05)
                continue
            return int(struct.unpack("3i", probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
    raise AssertionError("nobody listens")


def _gone(pid: int, within: float) -> bool:
    """Wait so many seconds for a process to end, whoever is to bury it."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def _peak(pid: int) -> int:
    """The most memory that a process ever had, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))
