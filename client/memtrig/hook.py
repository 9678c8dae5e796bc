"""memtrigctl hook: between a host's hook (JSON on stdin, an answer on stdout) and the daemon's hook socket.

The user waits for it at every prompt. So it starts in no time, each step has a deadline, and whatever goes wrong it
answers nothing and ends with 0: many a host takes other codes for a veto. What went wrong is told on stderr.
"""

from __future__ import annotations

import _socket
import gc
import os
import select
import signal
import sys
import time

import msgpack

from memtrig import homes
from memtrig.hook_hosts import EVENTS, HOSTS, SILENT, Said, answer
from memtrig.limits import PREFIX
from memtrig.mcp_relay import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPTIONS = ("host", "home", "budget")
BUDGETS = {"session-start": 1500, "user-prompt": 500}
"""Tokens of context, unless the command line says how many."""
READING = 0.3
"""Seconds in which the host must have said all."""
WAITING = 0.3
"""Seconds that the daemon has."""
OVERDUE = 0.85
"""Seconds from the start of the process after which it ends wherever it is."""
LONGEST_INPUT = 4 << 20
"""Bytes that are read, of the host and of the daemon: JSON of these many is taken apart in time, whatever it holds."""
LONGEST_WORDS = 1 << 20
"""Bytes of what the user says that the daemon takes."""
LONGEST_QUERY = 2000
"""Characters of it by which memories are looked up: what the user wants is at its beginning."""


class Trouble(Exception):
    """Why there is no answer; for stderr."""


def main(words: list[str]) -> int:
    """Run one hook: ``EVENT [--host NAME] [--home DIR] [--budget N]``. Always returns 0."""
    try:
        gc.disable()  # it would look at the parts of a large message again and again, and nothing here outlives it
        _set_limit()
        _say(run(words))
    except OSError as error:
        _complain(error.strerror or error)
    except (Trouble, ValueError) as error:
        _complain(error)
    except (Exception, KeyboardInterrupt) as error:  # a fault of ours, or Ctrl-C in the host's terminal
        _complain(type(error).__name__)
    return 0


def run(words: list[str]) -> str:
    """Read what the host says, tell the daemon, and return what the host is to hear. Raises Trouble, OSError."""
    event, options = arguments(words)
    message = parse(_read(0, READING).removeprefix(b"\xef\xbb\xbf"))
    if not isinstance(message, dict):
        raise Trouble("stdin holds no JSON object")
    said = Said(message, event, options["host"])
    requests = _requests(event, said, options["budget"])
    results = _exchange(homes.find(options["home"]).hook_socket, requests)
    return answer(said, results.get("guidance", {}).get("text") or "")


def arguments(words: list[str]) -> tuple[str, dict[str, Any]]:
    """Read the command line. Raises Trouble for what can't be understood."""
    options: dict[str, Any] = dict.fromkeys(OPTIONS)
    events = []
    left = iter(words)
    for word in left:
        name, equals, value = word[2:].partition("=")
        if not word.startswith("--"):
            events.append(word)
        elif name in OPTIONS:
            options[name] = value if equals else next(left, "")
        else:
            raise Trouble(f"{word!r} is no option of hook")
    if len(events) != 1 or events[0] not in EVENTS:
        raise Trouble(f"hook needs one of {', '.join(EVENTS)}")
    if options["host"] not in (None, *HOSTS):
        raise Trouble(f"the hosts are {', '.join(HOSTS)}")
    try:
        options["budget"] = int(options["budget"] or BUDGETS.get(events[0], 0))
    except ValueError:
        raise Trouble("--budget is a number of tokens") from None
    return events[0], options


def _requests(event: str, said: Said, budget: int) -> list[dict[str, Any]]:
    """What the daemon is told and asked, in one piece."""
    if event == "session-end":
        return [{"type": "hook.end", "conversation": said.conversation}]
    requests: list[dict[str, Any]] = [{"type": "hook.open", "conversation": said.conversation}]
    if said.words is not None and len(said.words.encode()) <= LONGEST_WORDS:
        requests.append({"type": "heard", "text": said.words})
    elif said.words is not None:
        _complain("what the user said is too long to be heard")
    if said.shape != SILENT:
        wanted = {"type": "guidance.get", "budget_tokens": budget, "state_only": event == "user-prompt"}
        query = said.words[:LONGEST_QUERY] if said.words is not None else None
        requests.append(wanted | ({"query": query} if query else {}))
    return requests


def _exchange(path: str, requests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Ask all at once; return the results by their types. Refusals are told on stderr. Raises Trouble, OSError."""
    until = time.monotonic() + WAITING
    out = bytearray()
    for number, request in enumerate(requests, 1):
        body = msgpack.packb({"id": number, "request": request})
        out += len(body).to_bytes(PREFIX, "big") + body
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.setblocking(False)
    connection.connect(path)  # a daemon that takes nobody in refuses at once
    results: dict[str, dict[str, Any]] = {}
    arrived, answered = bytearray(), 0
    while answered < len(requests):
        if not _ready(connection.fileno(), until - time.monotonic(), out=bool(out)):
            raise Trouble("the daemon does not answer in time")
        if out:
            del out[: connection.send(out)]
            continue
        data = connection.recv(1 << 16)
        if not data:
            raise Trouble("the daemon closed the connection")
        arrived += data
        if len(arrived) > LONGEST_INPUT:
            raise Trouble("the daemon says too much")
        while len(arrived) >= PREFIX and len(arrived) >= (end := PREFIX + int.from_bytes(arrived[:PREFIX], "big")):
            message = msgpack.unpackb(bytes(arrived[PREFIX:end]))
            del arrived[:end]
            answered += 1
            if error := message.get("error"):
                _complain(error["code"])
            elif result := message.get("result"):
                results[result["type"]] = result
    return results


def _read(descriptor: int, seconds: float) -> bytes:
    """Read to the end, or as far as it came in time. Raises Trouble for what is too much."""
    until = time.monotonic() + seconds
    data = bytearray()
    while _ready(descriptor, until - time.monotonic(), out=False):
        piece = os.read(descriptor, 1 << 18)
        if not piece:
            break
        data += piece
        if len(data) > LONGEST_INPUT:
            raise Trouble("stdin holds too much")
    return bytes(data)


def _ready(descriptor: int, seconds: float, *, out: bool) -> bool:
    """Wait until a descriptor can be written or read; tell whether it can."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT if out else select.POLLIN)
    return bool(poll.poll(max(0, seconds * 1000)))


def _set_limit() -> None:
    """Let a timer of the system end the process, should any step hang on something that nobody thought of."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, max(0.05, OVERDUE - _age()))


def _age() -> float:
    """Seconds since this process was started, before any of our code ran; 0 where the system does not tell."""
    try:
        stat = os.open("/proc/self/stat", os.O_RDONLY)
        ticks = int(os.read(stat, 4096).rpartition(b")")[2].split()[19])
        os.close(stat)
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def _say(text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


def _complain(what: object) -> None:
    """Say on stderr what is wrong, if anybody listens there: codes and reasons, never what was said."""
    try:
        plain = "".join(each for each in str(what)[:200] if each.isprintable())
        sys.stderr.write(f"memtrigctl hook: {plain}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Python flushes once more at its end
