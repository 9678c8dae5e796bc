"""Who can speak for the user: nobody where no user is, and whoever quotes what was heard."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner, at, content, served
from tests.talk import Line, opened

HOOK = """
import socket, sys
from memtrig import wire
with socket.socket(socket.AF_UNIX) as hook:
    hook.connect(sys.argv[1])
    hook.sendall(wire.call(1, wire.Heard(text=sys.argv[2])))
    data = hook.recv(1 << 16)
print(wire.decode_answer(data[wire.PREFIX :]).result.sessions)
"""
AGENT = """
import subprocess, sys, memtrig
with memtrig.connect("internal", agent="child", home=sys.argv[1]):
    done = subprocess.run([sys.executable, "-c", *sys.argv[2:5]], capture_output=True, text=True, check=True)
    print(done.stdout, end="", flush=True)
    sys.stdin.readline()
"""
HOST = """
import subprocess, sys
child = [sys.executable, "-c", sys.argv[5], *sys.argv[1:]]
with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as agent:
    agent.stdout.readline()
    done = subprocess.run([sys.executable, "-c", *sys.argv[2:5]], capture_output=True, text=True, check=True)
    print(done.stdout, end="", flush=True)
    sys.stdin.readline()
    agent.communicate(input="end", timeout=10)
"""
"""Programs of an agent that starts a hook, and of a host that starts such an agent and then a hook beside it."""


def test_an_unattended_session_has_no_user(owner: Owner) -> None:
    """It can't claim the user's word, nor relay a yes; what it infers waits as ever."""
    line, _ = opened(owner.line, wire.SessionOpen(agent="timer", level="internal", unattended=True))
    with line:
        assert line.refusal(wire.Save(key="timer", content="x", source="user_explicit")).code == "not_yours"
        saved = line.ask(wire.Save(key="timer", content="x", source="self_inferred"), wire.Saved)
        assert line.refusal(wire.Confirm(id=saved.id, quote="yes")).code == "not_yours"
        assert line.ask(wire.Reject(id=saved.id), wire.Settled).status == "rejected"


def test_what_a_hook_heard_attests_a_quote(shared_daemon: Daemon, owner: Owner) -> None:
    """From the first word heard on, a relayed word counts when it was said, in any script, and not otherwise."""
    said = "हो, मला चहा आवडतो. My dose is 1.5 mg！我不吃香菜。"
    with hosted(owner, "gardener") as line:
        hear(shared_daemon, said)
        for number, quote in enumerate(("मला चहा आवडतो", "my dose is 1.5 MG", "我不吃香菜")):
            assert relayed(line, f"heard-{number}", quote).attested
        for number, quote in enumerate(("my dose is 15 mg", "我吃香菜", "吃香菜", "मला चह")):
            assert not relayed(line, f"unheard-{number}", quote).attested
        told = [
            wire.Save(content=f"told {quote}", source="user_explicit", quote=quote) for quote in ("吃香菜", "1.5 mg")
        ]
        assert [line.ask(save, wire.Saved).unheard for save in told] == [True, False]
        guess = line.ask(wire.Save(key="heard-guess", content="She drinks tea", source="self_inferred"), wire.Saved)
        assert line.refusal(wire.Confirm(id=guess.id, quote="certainly")).code == "not_yours"
        assert line.ask(wire.Confirm(id=guess.id, quote="चहा आवडतो"), wire.Settled).status == "active"
        assert line.ask(wire.Get(key="heard-guess"), wire.Got).memory.attested


def test_attested_is_one_rank_with_the_owner(shared_daemon: Daemon, owner: Owner) -> None:
    """The user's heard word replaces the owner's statement; an unheard one waits beside it."""
    owner.does(wire.Save(key="rank", content="The door code is 1"), wire.Saved)
    with hosted(owner, "gardener") as line:
        claim = wire.Save(key="rank", content="The door code is 2", source="user_explicit")
        assert line.ask(claim, wire.Saved).outcome == "contested"
        hear(shared_daemon, "The door code is 3 now")
        claim = wire.Save(key="rank", content="It is 3", source="user_explicit", quote="door code is 3")
        assert line.ask(claim, wire.Saved).outcome == "updated"


def test_words_are_heard_by_their_own_session_alone_and_never_written(shared_daemon: Daemon, owner: Owner) -> None:
    """No file and no log holds them; a session that came later did not hear them."""
    with hosted(owner, "gardener"):
        assert hear(shared_daemon, "the zebra crossed Xanadu at dawn") >= 1
    with hosted(owner, "gardener") as later:
        assert not relayed(later, "zebra", "crossed Xanadu").attested
        later.ask(wire.Forget(key="zebra"), wire.Forgotten)
    files = [path for path in shared_daemon.home.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"zebra crossed" in path.read_bytes()]


def test_a_hook_beside_the_agent_is_heard_and_one_that_the_agent_started_is_not(shared_daemon: Daemon) -> None:
    """The host starts agent and hook; a process with a session of its own, and all that it starts, feeds nobody."""
    with process(shared_daemon, AGENT, "started") as agents_own:
        assert agents_own == "0"
        assert hear(shared_daemon, "my brother plays the sitar") == 1


def test_of_two_hosts_the_nearest_is_meant(shared_daemon: Daemon) -> None:
    """What is typed into a host that runs under another one was not said to the outer one's agent."""
    with process(shared_daemon, AGENT, "started"):
        with process(shared_daemon, HOST, "typed") as inner:
            assert inner == "1"
        assert hear(shared_daemon, "my sister plays the sitar") == 1


def test_the_users_word_is_retired_on_words_that_were_heard(shared_daemon: Daemon, owner: Owner) -> None:
    """Where the user can be heard, an agent quotes them to deny or forget their word; a delete takes less."""
    for key in ("deny", "forget", "entity", "delete"):
        content = wire.Save(key=f"mandate-{key}", content=f"{key} it", entity=f"mandate-{key}")
        owner.does(content, wire.Saved)
    with hosted(owner, "gardener") as line:
        hear(shared_daemon, "That is wrong. Could you forget it? Do not forget Sunday.")
        for unheard in (None, "that was wrong", "forget Sunday"):
            for request in (
                wire.Deny(key="mandate-deny", quote=unheard),
                wire.Forget(key="mandate-forget", quote=unheard),
                wire.Forget(entity="mandate-entity", quote=unheard),
            ):
                assert line.refusal(request).code == "not_yours"
        assert line.ask(wire.Forget(entity="mandate-entity", dry_run=True), wire.Forgotten).count == 1
        denials = [line.ask(wire.Deny(key="mandate-deny", quote="that is wrong"), wire.Settled) for _ in range(2)]
        assert [each.status for each in denials] == ["active", "disputed"]
        asked = wire.Forget(entity="mandate-entity", quote="could you forget it")
        assert line.ask(asked, wire.Forgotten).count == 1
        line.ask(wire.Delete(key="mandate-delete"), wire.Deleted)


def test_an_unattended_session_puts_no_word_of_the_user_away(owner: Owner) -> None:
    """Neither by deny nor forget nor delete, whatever it quotes; what agents noticed it may."""
    owner.does(wire.Save(key="kept-stated", content="x", entity="kept", tags=["kept"]), wire.Saved)
    line, _ = opened(owner.line, wire.SessionOpen(agent="timer", level="internal", unattended=True))
    with line:
        for request in (
            wire.Deny(key="kept-stated", quote="it is wrong"),
            wire.Forget(key="kept-stated", quote="forget it"),
            wire.Forget(entity="kept"),
            wire.Forget(tag="kept"),
            wire.Delete(key="kept-stated"),
        ):
            assert line.refusal(request).code == "not_yours"
        for key in ("noticed-1", "noticed-2"):
            line.ask(wire.Save(key=key, content=f"noticed {key}"), wire.Saved)
        assert line.ask(wire.Deny(key="noticed-1"), wire.Settled).deny_count == 1
        line.ask(wire.Delete(key="noticed-1"), wire.Deleted)
        assert line.ask(wire.Forget(key="noticed-2"), wire.Forgotten).count == 1
        assert line.ask(wire.Get(key="kept-stated"), wire.Got).memory.deny_count == 0


def test_no_agent_denies_the_owners_own_word_away(shared_daemon: Daemon, owner: Owner) -> None:
    """Without a feed its denial demotes once and is counted; the owner is asked, and decides with one word."""
    for key in ("vain-yes", "vain-no", "vain-deny"):
        owner.does(wire.Save(key=key, content="She is a vet"), wire.Saved)
    with at(shared_daemon, "internal", "confidential") as (memory, above):
        for key in ("vain-yes", "vain-no", "vain-deny"):
            assert [memory.deny(key).deny_count for _ in range(3)] == [1, 2, 3]
            assert served(memory, key).effective_importance == 0.1
            assert [above.deny(key).deny_count for _ in range(3)] == [1, 1, 1]
            assert content(above, key) == "She is a vet"
        waiting = {item.memory.key: item for item in owner.waiting() if item.about == "disputed"}
        assert {"vain-yes", "vain-no", "vain-deny"} <= set(waiting)
        assert owner.settles(wire.Confirm(id=waiting["vain-yes"].memory.id)) == "active"
        assert owner.settles(wire.Reject(id=waiting["vain-no"].memory.id)) == "rejected"
        assert owner.settles(wire.Deny(id=waiting["vain-deny"].memory.id)) == "disputed"
        assert served(memory, "vain-yes").deny_count == 0
        assert [content(memory, key) for key in ("vain-no", "vain-deny")] == [None, None]
    assert not {"vain-yes", "vain-no"} & {item.memory.key for item in owner.waiting() if item.about == "disputed"}


@contextmanager
def hosted(owner: Owner, name: str) -> Iterator[Line]:
    """A session that this process, as a host, opened for an agent of its."""
    line, _ = opened(owner.line, wire.SessionOpen(agent=name, level="internal"))
    with line:
        yield line


def relayed(line: Line, key: str, quote: str) -> wire.Record:
    """What is served of a claim of the user's, with a quote of them."""
    line.ask(wire.Save(key=key, content=f"fact of {key}", source="user_explicit", quote=quote), wire.Saved)
    return line.ask(wire.Get(key=key), wire.Got).memory


@contextmanager
def process(daemon: Daemon, program: str, words: str) -> Iterator[str]:
    """Run a program as a child of this process; yields how many sessions heard its hook, and ends it afterwards."""
    arguments = [str(daemon.home), HOOK, str(daemon.home / "run" / "hook.sock"), words, AGENT]
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        yield child.stdout.readline().strip()
        child.communicate(input="end", timeout=20)


def hear(daemon: Daemon, words: str) -> int:
    """Let a process under this one, as a host starts its hooks, tell what the user said; returns how many heard it.

    A connection of this process itself that a test before left behind may take a moment to be gone.
    """
    socket_path = str(daemon.home / "run" / "hook.sock")
    until = time.monotonic() + 10
    while True:
        done = subprocess.run(
            [sys.executable, "-c", HOOK, socket_path, words], capture_output=True, text=True, check=True
        )
        if int(done.stdout) or time.monotonic() > until:
            return int(done.stdout)
