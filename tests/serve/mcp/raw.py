"""MCP by hand, line by line: what no official client would send, and what one would send twice."""

import json
import socket
from itertools import count
from typing import Any

from tests.conftest import Daemon
from tests.talk import dial

FORMS = {"elicitation": {"form": {}}}
"""The capabilities of a client that shows forms."""
NEW = "2026-07-28"
OLD = "2025-11-25"


class Wire:
    """One connection of an agent that speaks the newer revision, or with ``old`` the older one."""

    def __init__(
        self,
        sock: socket.socket,
        *,
        resume: str | None = None,
        can: dict[str, Any] | None = None,
        old: bool = False,
        **said: str,
    ) -> None:
        self._socket = sock
        self._socket.settimeout(20)
        self._lines = self._socket.makefile("rb")
        self._numbers = count(1)
        self._can = can or {}
        self._old = old
        hello = {"protocol": 1, "agent": "gardener", "tools": "core", "resume": resume, **said}
        self.send({"memtrig": hello})
        welcome = self.line()["memtrig"]
        self.session, self.resume = welcome["session"], welcome["resume"]
        if old:
            me = {"name": "raw", "version": "1"}
            self.hello = self.ask("initialize", protocolVersion=OLD, capabilities=self._can, clientInfo=me)["result"]
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        """Send one line."""
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        """Send one line, whatever it is; its end is added."""
        self._socket.sendall(line + b"\n")

    def line(self) -> dict[str, Any]:
        """The next line that comes."""
        read: dict[str, Any] = json.loads(self._lines.readline())
        return read

    def begin(self, method: str, **params: Any) -> int:
        """Send a request; returns its number."""
        number = next(self._numbers)
        if not self._old:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": self._can,
            }
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its answer, whatever else comes before it."""
        number = self.begin(method, **params)
        while True:
            answer = self.line()
            if answer.get("id") == number and "method" not in answer:
                return answer

    def call(self, tool: str, given: dict[str, Any], **params: Any) -> dict[str, Any]:
        """Call a tool and return its result."""
        result: dict[str, Any] = self.ask("tools/call", name=tool, arguments=given, **params)["result"]
        return result

    def done(self) -> None:
        """Say no more, and listen on."""
        self._socket.shutdown(socket.SHUT_WR)

    def ended(self) -> bool:
        """Wait for the daemon's end of file."""
        return self._lines.readline() == b""

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def wired(daemon: Daemon, level: str = "internal", **said: Any) -> Wire:
    """An agent on the socket of a level."""
    return Wire(dial(daemon, level).socket, **said)
