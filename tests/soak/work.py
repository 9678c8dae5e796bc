"""What clients of a soak do: processes of several clients each, of one kind. ``python -m tests.soak.work KIND …``.

The store stays as large as it is: each client has ten keys, says mostly what is there already, and puts away what it
adds. A line of output is a latency (kind, seconds) or begins with FAULT.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from typing import Any

import memtrig
from memtrig import aio

from tests.serve.mcp.raw import NEW

KEYS = 10
PAUSE = 0.5
"""Seconds between two requests of a client, on average: the machine is to be busy, not drowned."""
RECONNECTS = 300
"""Requests after which a client comes anew, resuming its session or beginning one, in turn."""
PUMP_LIVES = 20.0
"""Seconds after which a pump is killed, and another comes."""
PYTHON = [sys.executable, "-m"]


def main(kind: str, clients: int, home: str, name: str) -> None:
    """Be so many clients of a kind, until standard input ends or we are killed."""
    os.environ["MEMTRIG_HOME"] = home
    threading.Thread(target=_end_with_input, daemon=True).start()
    if kind == "asyncio":
        asyncio.run(_all_at_once(clients, name))
        return
    work = {"blocking": blocking, "probe": probe, "pump": pump, "hook": hook, "context": context, "ctl": ctl}[kind]
    threads = [threading.Thread(target=_safely, args=(work, f"{name}-{n}")) for n in range(clients)]
    for thread in threads:
        thread.start()


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def _safely(work: Any, name: str) -> None:
    try:
        work(name)
    except Exception as error:
        _fault(f"{name}: {error!r}")


def _fault(what: str) -> None:
    sys.stdout.write(f"FAULT {what}\n")
    sys.stdout.flush()


def _rest(chance: random.Random, pause: float = PAUSE) -> None:
    time.sleep(chance.uniform(0.5, 1.5) * pause)


# -- clients of the library ------------------------------------------------------------------------------------------


def request(name: str, chance: random.Random) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """Choose a call of the library: its name and arguments."""
    key = f"{name} {chance.randrange(KEYS)}"
    match chance.randrange(20):
        case 0 | 1 | 2 | 3 | 4:
            return "get", (key,), {}
        case 5 | 6 | 7:
            return "search", (f"what {name} likes",), {"max_results": 5}
        case 8:
            return "list", (), {"limit": 20}
        case 9:
            return "recall", (), {}
        case 10:
            return "guidance", ("tea",), {}
        case 11:
            return "delete", (key,), {}
        case 12:
            return "forget", (), {"key": key}
        case 13 | 14:
            said = {"source": "user_explicit", "quote": "tea"}  # also lifts what was forgotten
            return "save", (key, f"{name} likes tea number {chance.randrange(3)}"), said
    return "save", (key, f"{name} likes tea number 1"), {"source": "user_explicit", "quote": "tea"}


def blocking(name: str) -> None:
    """A client of the blocking library."""
    chance, token = random.Random(name), None
    for life in count():
        with memtrig.connect(agent=name, resume=token if life % 2 else None) as memory:
            for _ in range(RECONNECTS):
                method, given, named = request(name, chance)
                with suppress(memtrig.Refused):
                    getattr(memory, method)(*given, **named)
                _rest(chance)
            token = memory.resume


def probe(name: str) -> None:
    """A client whose latencies count: the same few requests all the time."""
    chance = random.Random(name)
    with memtrig.connect(agent=name) as memory:
        memory.save("probe", "a probe likes tea")
        for turn in count():
            method, given = (("get", ("probe",)), ("search", ("tea",)), ("save", ("probe", "a probe likes tea")))[
                turn % 3
            ]
            began = time.perf_counter()
            getattr(memory, method)(*given)
            sys.stdout.write(f"{method} {time.perf_counter() - began:.6f}\n")  # in one piece: print makes two
            sys.stdout.flush()
            _rest(chance, PAUSE / 5)


async def _all_at_once(clients: int, name: str) -> None:
    await asyncio.gather(*(_asynchronous(f"{name}-{n}") for n in range(clients)))


async def _asynchronous(name: str) -> None:
    """A client of the asyncio library."""
    chance, token = random.Random(name), None
    try:
        for life in count():
            async with aio.connect(agent=name, resume=token if life % 2 else None) as memory:
                for _ in range(RECONNECTS):
                    method, given, named = request(name, chance)
                    with suppress(memtrig.Refused):
                        await getattr(memory, method)(*given, **named)
                    await asyncio.sleep(chance.uniform(0.5, 1.5) * PAUSE)
                token = memory.resume
    except Exception as error:
        _fault(f"{name}: {error!r}")


# -- agents of MCP ---------------------------------------------------------------------------------------------------


def pump(name: str) -> None:
    """An agent behind memtrig-mcp, which is killed from time to time."""
    chance = random.Random(name)
    while True:
        process = subprocess.Popen(
            [*PYTHON, "memtrig.mcp_pump", "--agent", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        until = time.monotonic() + PUMP_LIVES
        for number in count():
            if time.monotonic() > until:
                break
            _tool(process, number, *_call(name, chance))
            _rest(chance)
        process.kill()
        process.communicate()


def _call(name: str, chance: random.Random) -> tuple[str, dict[str, Any]]:
    key = f"{name} {chance.randrange(KEYS)}"
    match chance.randrange(4):
        case 0:
            return "get", {"key": key}
        case 1:
            return "search", {"query": name}
        case 2:
            return "list", {"limit": 20}
    return "save", {"key": key, "content": f"{name} likes tea", "source": "auto_detect"}


def _tool(process: "subprocess.Popen[bytes]", number: int, tool: str, given: dict[str, Any]) -> None:
    assert process.stdin is not None and process.stdout is not None
    meta = {
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "soak", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": given, "_meta": meta}
    line = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()
    while (answer := json.loads(process.stdout.readline())).get("id") != number:
        pass
    assert "result" in answer, answer


# -- commands that come and go ---------------------------------------------------------------------------------------


def hook(name: str) -> None:
    """A host's hooks: what the user says is heard, and the conversation ends now and then."""
    chance = random.Random(name)
    for turn in count():
        event = {"hook_event_name": "UserPromptSubmit", "session_id": name, "prompt": f"I like tea, says {name} {turn}"}
        _command("hook", "user-prompt" if turn % 10 else "session-end", said=json.dumps(event))
        _rest(chance, 2.0)


def context(name: str) -> None:
    """A host without hooks."""
    chance = random.Random(name)
    while True:
        _command("context", "--as", "INTERNAL:" + name)
        _rest(chance, 2.0)


def ctl(name: str) -> None:
    """The owner at work: what they save they erase again."""
    chance = random.Random(name)
    for turn in count():
        match turn % 5:
            case 0:
                _command("save", f"diary {name}", f"a diary of {turn}")
            case 1:
                _command("erase", f"diary {name}", "--level", "INTERNAL", "--confirm", "1")
            case 2:
                _command("status")
            case 3:
                _command("search", "tea")
            case 4:
                _command("stats")
        _rest(chance, 3.0)


def _command(*words: str, said: str = "") -> None:
    command = [*PYTHON, "memtrig.ctl", *words]
    done = subprocess.run(command, input=said, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == -signal.SIGALRM:  # a hook that gave up: its host is not to wait longer than a second
        sys.stdout.write("LATE\n")
        sys.stdout.flush()
    elif done.returncode:
        _fault(f"{words}: {done.returncode} {done.stderr!r}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
