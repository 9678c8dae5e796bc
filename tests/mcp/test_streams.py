"""What leaves the pump, whatever comes in and whoever dies: JSON-RPC by the line, or nothing; and when it ends."""

import json
import os
import pwd
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import Daemon
from tests.mcp.conftest import PUMP

CLIENT: Final = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
JUNK: Final = (
    b"",
    b"hello",
    b"{",
    b"null",
    b"[]",
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    b'{"jsonrpc":"2.0","id":{},"method":1}',
    b'{"jsonrpc":"2.0","id":7,"result":{}}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    b'{"jsonrpc":"1.0","id":"old","method":"ping"}',
    b'{"jsonrpc":"2.0","id":"x","method":"no/such/method","params":{"a":"\\ud800"}}',
    b'{"jsonrpc":"2.0","id":"y","method":"tools/call","params":{"name":"save","arguments":[1]}}',
    b'{"jsonrpc":"2.0","id":"z","method":"tools/call","params":"save"}',
    b'{"memtrig":{"protocol":1}}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 400 + b',"method":"ping"}',
    b"\xff\xfe\x00\x80",
    b"\x00" * 100,
    b"[" * 100_000,
    '{"jsonrpc":"2.0","id":"चहा","method":"ping","params":{"a":NaN}}'.encode(),
    b"\r",
    b"Content-Length: 44\r",
)


class Host:
    """A pump that hears and says bytes. Whatever it says is kept, by the line."""

    def __init__(self, home: Path, *options: str, **more: Any) -> None:
        command = [PUMP, "--home", str(home), *options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
        )
        self.lines: list[bytes] = []
        self._answers: dict[Any, dict[str, Any]] = {}
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._next = 0

    def say(self, line: bytes) -> None:
        """Write a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> int:
        """Put a request; returns its id."""
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self.say(json.dumps(message).encode())
        return self._next

    def answer(self, number: int, within: float = 30) -> dict[str, Any]:
        """The answer to a request."""
        with self._news:
            assert self._news.wait_for(lambda: number in self._answers, within), f"no answer to {number}"
            return self._answers[number]

    def open(self) -> None:
        """Begin as a client of the older revision does."""
        self.answer(self.ask("initialize", **CLIENT))
        self.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def finish(self) -> float:
        """Close stdin; returns the seconds until the pump was gone."""
        assert self.process.stdin is not None
        began = time.monotonic()
        self.process.stdin.close()
        self.process.wait(15)
        ended = time.monotonic() - began
        self._reader.join(5)
        return ended

    def end(self) -> None:
        """Be rid of it."""
        self.process.kill()
        self.process.wait()
        self._reader.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in iter(self.process.stdout.readline, b""):
            with self._news:
                self.lines.append(line)
                message = json.loads(line)
                if "method" not in message:
                    self._answers[message["id"]] = message
                self._news.notify_all()


@pytest.fixture
def hosts() -> Iterator[list[Host]]:
    """Whatever is in it at the end is ended."""
    kept: list[Host] = []
    yield kept
    for host in kept:
        host.end()


def pure(lines: list[bytes]) -> list[dict[str, Any]]:
    """The messages of these lines: each a whole one of JSON-RPC."""
    told = []
    for line in lines:
        assert line.endswith(b"\n"), line[-100:]
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0" and sum(name in message for name in ("result", "error", "method")) == 1
        assert "method" in message or "id" in message
        told.append(message)
    return told


def test_junk_is_answered_in_json_or_not_at_all(shared_daemon: Daemon, hosts: list[Host]) -> None:
    """A hundred lines that are no messages, among them one of 20 MB; after each the next request is answered."""
    hosts.append(Host(shared_daemon.home, "--no-start"))
    hosts[0].open()
    dice = random.Random(4)
    noise = (dice.randbytes(dice.randrange(200)) for _ in range(80))
    for line in (*JUNK, b'{"x":"' + b"j" * (20 << 20) + b'"}', *noise):
        hosts[0].say(line.replace(b"\n", b" "))
        if dice.random() < 0.3:
            assert "result" in hosts[0].answer(hosts[0].ask("tools/call", name="whoami", arguments={}))
    assert "result" in hosts[0].answer(hosts[0].ask("ping"))
    hosts[0].finish()
    told = pure(hosts[0].lines)
    assert any("MiB" in each.get("error", {}).get("message", "") for each in told)
    assert "memtrig" not in {name for each in told for name in each}


def test_junk_before_the_client_opens_does_no_harm(shared_daemon: Daemon, hosts: list[Host]) -> None:
    """Nor does a stranger that never opens."""
    for line in JUNK:
        hosts.append(Host(shared_daemon.home, "--no-start"))
        hosts[-1].say(line)
        hosts[-1].open()
        assert "result" in hosts[-1].answer(hosts[-1].ask("tools/list")), line
        hosts[-1].finish()
        pure(hosts[-1].lines)


def test_a_daemon_that_dies_in_the_middle_of_a_line_leaves_no_half_line(daemon: Daemon, hosts: list[Host]) -> None:
    """Killed three times while long answers come: each request is answered once, and the host sees whole lines only."""
    hosts.append(Host(daemon.home, "--no-start"))
    hosts[0].open()
    said = {"content": "नदी" * 100_000, "source": "auto_detect", "key": "long"}
    assert "result" in hosts[0].answer(hosts[0].ask("tools/call", name="save", arguments=said))
    dice, asked = random.Random(4), []
    for _ in range(3):
        asked += [
            hosts[0].ask("tools/call", name="get", arguments={"key": "long", "offset": n}) for n in range(0, 9000, 300)
        ]
        time.sleep(dice.random() * 0.15)
        daemon.kill()
        daemon.start()
        assert "result" in hosts[0].answer(hosts[0].ask("tools/call", name="whoami", arguments={}))
    for number in asked:
        hosts[0].answer(number)
    hosts[0].finish()
    told = pure(hosts[0].lines)
    counted = Counter(each["id"] for each in told if "method" not in each)
    assert set(counted.values()) == {1}
    failed = [each["error"] for each in told if "error" in each]
    assert all(each["code"] == -32000 and each["data"] == {"retryable": True} for each in failed)
    assert failed


def test_what_is_under_way_is_answered_after_the_end_of_stdin(shared_daemon: Daemon, hosts: list[Host]) -> None:
    """Thirty saves and the end of the file in one breath: each is answered, and the pump is gone within a second."""
    hosts.append(Host(shared_daemon.home, "--no-start"))
    hosts[0].open()
    saves = [
        hosts[0].ask("tools/call", name="save", arguments={"content": str(n), "source": "auto_detect", "key": f"n-{n}"})
        for n in range(30)
    ]
    assert hosts[0].finish() < 1
    answers = {each["id"]: each for each in pure(hosts[0].lines) if "id" in each}
    assert all("result" in answers[number] for number in saves)


def test_it_goes_with_its_parent(shared_daemon: Daemon) -> None:
    """Killed without a word, while another process holds the writing end of stdin and a daemon is connected."""
    reading, writing = os.pipe()
    command = [PUMP, "--home", str(shared_daemon.home), "--no-start"]
    starter = (
        "import subprocess, time\n"
        f"p = subprocess.Popen({command!r}, stdin={reading}, stdout=subprocess.DEVNULL)\n"
        "print(p.pid, flush=True)\n"
        "time.sleep(60)"
    )
    host = subprocess.Popen([sys.executable, "-c", starter], pass_fds=(reading,), stdout=subprocess.PIPE)
    assert host.stdout is not None
    pump = Path("/proc", host.stdout.readline().decode().strip(), "stat")
    time.sleep(0.5)
    host.kill()
    host.communicate()
    deadline = time.monotonic() + 1
    while pump.exists() and pump.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("variables", [{}, {"HOME": "/nonexistent"}, {"PATH": ""}], ids=["none", "home", "path"])
def test_hardly_an_environment_is_enough(empty_home: Path, hosts: list[Host], variables: dict[str, str]) -> None:
    """The pump finds its home and starts a daemon that works (BR-028)."""
    hosts.append(Host(empty_home, env=variables))
    hosts[0].open()
    told = hosts[0].answer(hosts[0].ask("tools/call", name="whoami", arguments={}))
    assert told["result"]["structuredContent"]["level"] == "INTERNAL"


def test_without_a_home_directory_the_users_own_is_known() -> None:
    """From the system's list of users: the same one that their shell says."""
    code = "from memtrig import homes; print(homes.find().state)"
    said = {
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
        for env in ({}, {"HOME": pwd.getpwuid(os.getuid()).pw_dir})
    }
    assert len(said) == 1 and said != {"\n"}
