"""Who can speak for the user: nobody where no user is, and whoever quotes what was heard."""

import subprocess
import sys

import memtrig
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner, refusal, served
from tests.talk import opened

HOOK = """
import socket, sys
from memtrig import wire
with socket.socket(socket.AF_UNIX) as hook:
    hook.connect(sys.argv[1])
    hook.sendall(wire.call(1, wire.Heard(text=sys.argv[2])))
    data = hook.recv(1 << 16)
print(wire.decode_answer(data[wire.PREFIX :]).result.sessions)
"""


def test_an_unattended_session_has_no_user(owner: Owner) -> None:
    """It can't claim the user's word, nor relay a yes; what it infers waits as ever."""
    line, _ = opened(owner.line, wire.SessionOpen(agent="timer", level="internal", unattended=True))
    with line:
        assert line.refusal(wire.Save(key="timer", content="x", source="user_explicit")).code == "not_yours"
        saved = line.ask(wire.Save(key="timer", content="x", source="self_inferred"), wire.Saved)
        assert line.refusal(wire.Confirm(id=saved.id, quote="yes")).code == "not_yours"
        assert line.ask(wire.Reject(id=saved.id), wire.Settled).status == "rejected"


def test_what_a_hook_heard_attests_a_quote(shared_daemon: Daemon) -> None:
    """From the first word heard on, a relayed word counts when it was said, in any script, and not otherwise."""
    said = "हो, मला चहा आवडतो. My dose is 1.5 mg！我不吃香菜。"
    with memtrig.connect(agent="gardener", home=str(shared_daemon.home)) as memory:
        hear(shared_daemon, said)
        for number, quote in enumerate(("मला चहा आवडतो", "my dose is 1.5 MG", "我不吃香菜")):
            memory.save(f"heard-{number}", f"fact {number}", source="user_explicit", quote=quote)
            assert served(memory, f"heard-{number}").attested
        for number, quote in enumerate(("my dose is 15 mg", "我吃香菜", "मला चह")):
            memory.save(f"unheard-{number}", f"fiction {number}", source="user_explicit", quote=quote)
            assert not served(memory, f"unheard-{number}").attested
        guess = memory.save("heard-guess", "She drinks tea", source="self_inferred")
        assert refusal(memory.confirm, guess.id, quote="certainly").code == "not_yours"
        assert memory.confirm(guess.id, quote="चहा आवडतो").status == "active"
        assert served(memory, "heard-guess").attested


def test_attested_is_one_rank_with_the_owner(shared_daemon: Daemon, owner: Owner) -> None:
    """The user's heard word replaces the owner's statement; an unheard one waits beside it."""
    owner.does(wire.Save(key="rank", content="The door code is 1"), wire.Saved)
    with memtrig.connect(agent="gardener", home=str(shared_daemon.home)) as memory:
        assert memory.save("rank", "The door code is 2", source="user_explicit").outcome == "contested"
        hear(shared_daemon, "The door code is 3 now")
        quote = "door code is 3"
        assert memory.save("rank", "The door code is 3", source="user_explicit", quote=quote).outcome == "updated"


def test_words_are_heard_by_their_own_session_alone_and_never_written(shared_daemon: Daemon) -> None:
    """No file and no log holds them; a session that came later did not hear them."""
    with memtrig.connect(agent="gardener", home=str(shared_daemon.home)):
        assert hear(shared_daemon, "the zebra crossed Xanadu at dawn") >= 1
    with memtrig.connect(agent="gardener", home=str(shared_daemon.home)) as later:
        later.save("zebra", "fact", source="user_explicit", quote="crossed Xanadu")
        assert not served(later, "zebra").attested
        later.forget("zebra")
    files = [path for path in shared_daemon.home.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"zebra crossed" in path.read_bytes()]


def hear(daemon: Daemon, words: str) -> int:
    """Let a process under this one, as a host starts its hooks, tell what the user said; returns how many heard it."""
    socket_path = str(daemon.home / "run" / "hook.sock")
    done = subprocess.run([sys.executable, "-c", HOOK, socket_path, words], capture_output=True, text=True, check=True)
    return int(done.stdout)
