"""``make demo``: the story of the daemon on a throw-away home. Every line shown is run, every ✓ was checked."""

import os
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import memtrig
import msgspec
from memtrig import host, wire
from memtrig.connection import dial

from tests.conftest import Daemon

SAVES = 300
KILLED_AFTER = 100


class Story:
    """Shows what is typed, what comes back, and what that proves. A claim that fails ends it all, exit code 1."""

    def __init__(self, daemon: Daemon, *, colour: bool) -> None:
        self.daemon = daemon
        self.home = os.fspath(daemon.home)
        self.names: dict[str, Any] = {"memtrig": memtrig, "host": host}
        self._colour = colour

    def scene(self, title: str) -> None:
        """Begin a scene."""
        print(f"\n{self._paint('1', title)}")

    def claim(self, text: str, holds: object) -> None:
        """State what has been shown."""
        if not holds:
            print(self._paint("31", f"  ✗ {text}"), flush=True)
            sys.exit(1)
        print(self._paint("32", f"  ✓ {text}"), flush=True)

    def shell(self, line: str) -> tuple[int, str]:
        """Run a line of memtrigctl; return its exit code and what it printed."""
        print(f"  {self._paint('36', '$ ' + line)}")
        _, *arguments = shlex.split(line)
        done = subprocess.run(
            [sys.executable, "-m", "memtrig.ctl", *arguments], capture_output=True, text=True, timeout=20, check=False
        )
        said = (done.stdout + done.stderr).strip()
        self._show(said)
        return done.returncode, said

    def python(self, line: str) -> Any:
        """Evaluate a line of Python and show its value or the refusal; an assignment shows nothing."""
        print(f"  {self._paint('36', '>>> ' + line)}")
        target, bound, _ = line.partition(" = ")
        if bound:
            exec(line, self.names)
            return self.names.get(target)
        try:
            value = eval(line, self.names)
        except memtrig.Refused as refusal:
            self._show(f"{refusal.code}: {refusal.message}")
            return refusal
        self._show(repr(value))
        return value

    def _show(self, text: str) -> None:
        print("\n".join("  " + line for line in text.splitlines()))

    def _paint(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._colour else text


def levels(story: Story) -> None:
    """Three agents, one key: each saves at its own level and reads the highest copy that it may see."""
    story.scene("1  One key at three levels")
    texts = {"public": "The office opens at nine", "internal": "Meera has the key", "confidential": "The code is 4711"}
    for level, text in texts.items():
        code, said = story.shell(f"memtrigctl --as {level}:{level}-bot save office.door '{text}'")
        assert (code, said) == (0, f"Saved office.door at {level.upper()}."), said
    story.python("public, internal, confidential = map(memtrig.connect, ['public', 'internal', 'confidential'])")
    read = {level: story.python(f'{level}.get("office.door").content') for level in texts}
    story.claim("each reads the highest copy that it may see: it shadows those below", read == texts)
    found = [
        story.python(f'[hit.key for hit in {level}.search("opens at nine")]') for level in ("public", "confidential")
    ]
    story.claim("shadows fall before search: no stale lower text comes up through it", found == [["office.door"], []])
    for level in texts:
        story.names[level].close()


def refusals(story: Story) -> None:
    """Nothing above the session's level can be read, nothing below it written."""
    story.scene("2  No read up, no write down")
    story.shell("memtrigctl --as confidential:desk save board.vote 'Five to two'")
    code, said = story.shell("memtrigctl --as public:scout get board.vote")
    never = _ctl("--as", "public:scout", "get", "never.was")
    story.claim(
        "to PUBLIC the key does not exist: the same answer as for one that never was",
        code == 1 and said.replace("board.vote", "never.was") == never,
    )
    with memtrig.connect("public") as agent:
        seen = [*agent.search("vote five two"), *[m for m in agent.list() if m.key == "board.vote"]]
    story.claim("nor does a search or a list at PUBLIC show a trace of it", not seen)
    code, _ = story.shell("memtrigctl --as confidential:desk save leak 'Five to two' --level public")
    story.claim("an agent's command has no level: a usage error, nothing was sent", code == 2)
    story.claim("the save request has no level field", "level" not in wire.Save.__struct_fields__)
    request = {"type": "save", "key": "leak", "content": "Five to two", "level": "PUBLIC"}
    print(f"  {request} as a raw frame:")
    error = _raw(story.home, request)
    print(f"  {error.code}: {error.message}")
    story.claim(
        "a frame that has one all the same is refused", error.code == "bad_request" and _get("public", "leak") is None
    )


def raises(story: Story) -> None:
    """A host raises a session while it runs; what it saves then lands at the new level, after a restart too."""
    story.scene("3  A session that read something secret is raised by its host")
    control = story.python("control = host.connect()")
    agent = story.python('agent = control.open_session("browser", level="public", ceiling="confidential")')
    before = story.python('agent.save("today", "Reading the news").level')
    story.python('control.raise_session(agent.session, "confidential", reason="opened the payroll").level')
    after = story.python('agent.save("today", "The payroll is wrong").level')
    story.claim("the next save lands at the new level", (before, after) == ("PUBLIC", "CONFIDENTIAL"))
    story.claim("and what PUBLIC had stays as it was", _get("public", "today") == "Reading the news")
    down = story.python('control.raise_session(agent.session, "internal", reason="all done")')
    story.claim("a level never falls", getattr(down, "code", "") == "taint_never_falls")
    print("  (the daemon is stopped and started again)")
    story.daemon.restart()
    again = story.python('agent.save("tomorrow", "Call the accountant").level')
    story.claim("the session comes back at the level it was raised to", again == "CONFIDENTIAL")
    code, _ = story.shell("memtrigctl list")
    story.claim("the seat belt: started by a process that holds a session, memtrigctl is not the owner", code == 1)
    agent.close()
    control.close()


def killed(story: Story) -> None:
    """The daemon is killed while it is written to; nothing acknowledged is lost, nothing written twice."""
    story.scene(f"4  kill -9 among {SAVES} saves")
    acknowledged: list[str] = []
    enough = threading.Event()

    def write() -> None:
        with memtrig.connect(agent="diarist") as memory:
            for number in range(SAVES):
                acknowledged.append(memory.save(f"page.{number}", f"Page {number} of the diary", tags=["diary"]).id)
                if len(acknowledged) == KILLED_AFTER:
                    enough.set()

    writer = threading.Thread(target=write)
    writer.start()
    enough.wait(30)
    pid = story.daemon.pid
    story.daemon.kill()
    safe = list(acknowledged)
    story.daemon.start()
    with memtrig.connect() as reader:
        found = {memory.id for memory in reader.list(tag="diary")}
    print(f"  process {pid} killed after {len(safe)} acknowledged saves; process {story.daemon.pid} has the store now")
    story.claim("every acknowledged memory is there", found.issuperset(safe))
    writer.join(60)
    with memtrig.connect() as reader:
        pages = reader.list(tag="diary")
    once = len(pages) == SAVES and all(page.seen_count == 1 for page in pages)
    story.claim(f"the client went on by itself: {SAVES} saves, {len(pages)} memories, none twice", once)


def languages(story: Story) -> None:
    """Words are found inside sentences of three scripts."""
    story.scene("5  Search in English, 中文 and मराठी")
    for key, text in {
        "user.tea": "She takes her tea without sugar",
        "user.run": "她每天早上在公园跑步，然后喝咖啡。",
        "user.read": "तिला मराठी कविता वाचायला आवडतात.",
        "user.car": "The car is in the garage until Friday",
    }.items():
        _ctl("save", key, text)
    for query, key in {
        "what about sugar?": "user.tea",
        "公园跑步": "user.run",
        "कोणती कविता आवडते?": "user.read",
    }.items():
        _, said = story.shell(f"memtrigctl search '{query}' -n 1")
        story.claim(f"{key} comes first", key in said and "user.car" not in said)


def _get(level: str, key: str) -> str | None:
    with memtrig.connect(level) as memory:
        found = memory.get(key)
    return found.content if found else None


def _ctl(*arguments: str) -> str:
    """Run memtrigctl without showing it."""
    command = [sys.executable, "-m", "memtrig.ctl", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    return (done.stdout + done.stderr).strip()


def _raw(home: str, request: dict[str, str]) -> wire.Error:
    """Say hello at the CONFIDENTIAL socket, then send a request that no client library would; return the error."""
    greeting = wire.call(1, wire.Hello(protocol=wire.PROTOCOL))
    body = msgspec.msgpack.encode({"id": 2, "request": request})
    with dial(os.path.join(home, "run", "level", "confidential.sock")) as connection:
        connection.sendall(greeting + len(body).to_bytes(wire.PREFIX, "big") + body)
        connection.shutdown(socket.SHUT_WR)
        stream = connection.makefile("rb")
        answers = [wire.decode_answer(stream.read(int.from_bytes(stream.read(wire.PREFIX), "big"))) for _ in range(2)]
    (error,) = (answer.error for answer in answers if answer.id == 2)
    assert isinstance(error, wire.Error), answers
    return error


SCENES: tuple[Callable[[Story], None], ...] = (levels, refusals, raises, killed, languages)


def main() -> None:
    """Play all scenes on a home that is gone afterwards."""
    daemon = Daemon(seat_belt=True)
    os.environ["MEMTRIG_HOME"] = os.fspath(daemon.home)
    try:
        story = Story(daemon.start(), colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
        print(f"memtrigd plays its story on a throw-away home, MEMTRIG_HOME={story.home}")
        for scene in SCENES:
            scene(story)
    finally:
        daemon.remove()
    print("\nThat was all. `make run` starts the daemon on your own memories.")


if __name__ == "__main__":
    main()
