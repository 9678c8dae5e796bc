"""One visit of a hostile peer: its bytes go out in its manner, what comes back is held against what must come back."""

import json
import random
import re
import select
import socket
import time
from contextlib import suppress
from typing import NamedTuple

from memtrig import wire

from memtrigd.domain.errors import CODES
from tests.conftest import Daemon
from tests.fuzz.scripts import Script
from tests.talk import Line, dial, opened

PATIENCE = 20.0
"""Seconds in which all is answered."""
_LAST = b'\n{"jsonrpc":"2.0","id":"last","method":"ping","params":{}}\n'
_SESSION = re.compile(rb"\bs[a-z2-7]{16}\b")


class Heard(NamedTuple):
    """What came back, whose session it was, and what is wrong with it."""

    said: bytes
    sessions: list[str]
    wrong: str | None = None


def visit(daemon: Daemon, script: Script) -> Heard:
    """Come, talk and go as the script says."""
    chance = random.Random(script.number)
    line, sessions = _come(daemon, script, chance)
    with line:
        line.socket.settimeout(PATIENCE)
        try:
            if script.greeting:
                line.raw(script.greeting)
                begun = b"" if script.heard_out else line.socket.recv(1 << 16)
                sessions += [each.decode() for each in _SESSION.findall(begun)]
            if not script.heard_out:
                _leave(line, script, chance)
                return Heard(b"", sessions)
            data = script.data + (_LAST if script.lines else b"")
            said = _exchange(line.socket, data, script.manner, chance)
        except TimeoutError:
            return Heard(b"", sessions, f"not all was answered within {PATIENCE} s")
    if script.lines and said[:1] in (b"{", b""):  # a greeting that is none is taken for a frame
        sessions += [each.decode() for each in _SESSION.findall(said.partition(b"\n")[0])]
        return Heard(said, sessions, wrong_lines(said))
    return Heard(said, sessions, wrong_frames(script.greeting + data, said))


def _come(daemon: Daemon, script: Script, chance: random.Random) -> tuple[Line, list[str]]:
    if script.door != "handed":
        return dial(daemon, script.door), []
    with dial(daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(agent="handed", level=chance.choice(("PUBLIC", "INTERNAL"))))
    return line, [welcome.session]


def _leave(line: Line, script: Script, chance: random.Random) -> None:
    """Go in the middle of one's own words, or of the answer."""
    data = script.data[: chance.randrange(len(script.data) + 1)] if script.manner == "cut" else script.data
    line.socket.setblocking(False)
    with suppress(BlockingIOError):
        line.socket.send(data)
    if script.manner == "mid-reply" and select.select([line.socket], [], [], 0.05)[0]:
        with suppress(ConnectionResetError):
            line.socket.recv(chance.choice((1, 3, 100)))
    if chance.random() < 0.5:
        line.reset()


def _exchange(sock: socket.socket, data: bytes, manner: str, chance: random.Random) -> bytes:
    """Send all, at once or in pieces, and hear all that comes until the daemon closes; first of all, or late."""
    sock.setblocking(False)
    said, left, ended = bytearray(), memoryview(data), False
    deaf_until = time.monotonic() + (0.1 if manner == "deaf" else 0)
    deadline = time.monotonic() + PATIENCE
    pauses = 15 if manner == "pieces" else 0
    while time.monotonic() < deadline:
        listens = time.monotonic() >= deaf_until
        readable, writable, _ = select.select([sock] if listens else [], [sock] if left else [], [], 0.02)
        if writable:
            size = chance.choice((1, 2, 5, 100, 5000)) if pauses else len(left)
            try:
                left = left[sock.send(left[:size]) :]
            except BlockingIOError:
                pass
            except (BrokenPipeError, ConnectionResetError):  # the stream was given up: what was answered is there
                left, ended = left[:0], True
            if pauses:
                pauses -= 1
                time.sleep(0.003)
        if not left and not ended:
            ended = True
            with suppress(OSError):
                sock.shutdown(socket.SHUT_WR)
        if readable:
            try:
                piece = sock.recv(1 << 18)
            except ConnectionResetError:
                piece = b""
            said += piece
            if not piece:
                return bytes(said)
    raise TimeoutError


def wrong_frames(sent: bytes, said: bytes) -> str | None:
    """What is wrong with answers to frames: each whole one has one, and no fault of the daemon is among them."""
    due = _whole_frames(sent)
    answers = []
    while said:
        size = int.from_bytes(said[: wire.PREFIX], "big")
        body, said = said[wire.PREFIX : wire.PREFIX + size], said[wire.PREFIX + size :]
        if len(body) < size:
            return "half an answer"
        answers.append(wire.decode_answer(body))
    answers = [each for each in answers if not isinstance(each.notice, wire.Notice)]
    codes = [each.error.code for each in answers if isinstance(each.error, wire.Error)]
    strange = [code for code in codes if code not in CODES or code == "internal"]
    if strange:
        return f"errors {strange}"
    return None if len(answers) == due else f"{len(answers)} answers to {due} frames"


def _whole_frames(sent: bytes) -> int:
    """How many answers some bytes get: one for each whole frame, and one for the length that ends the stream."""
    due = 0
    while len(sent) >= wire.PREFIX:
        size = int.from_bytes(sent[: wire.PREFIX], "big")
        if size > wire.MAX_FRAME:
            return due + 1
        if len(sent) < wire.PREFIX + size:
            break
        due, sent = due + 1, sent[wire.PREFIX + size :]
    return due


def wrong_lines(said: bytes) -> str | None:
    """What is wrong with answers to lines: each is JSON, none tells of a fault, and the last request has one."""
    told = [json.loads(line) for line in said.splitlines() if line.strip()]
    for each in told:
        error = each.get("error")
        if error and (error["code"] == -32603 or (error.get("data") or {}).get("code") == "internal"):
            return f"an internal error: {error}"
    greeted = bool(told) and "memtrig" in told[0] and "error" not in told[0]["memtrig"]
    if greeted and not any(each.get("id") == "last" and "method" not in each for each in told):
        return "the last request was not answered"
    return None
