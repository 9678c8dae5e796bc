"""The clients against a real daemon: what is saved is there, once, whatever happens in between."""

import asyncio
import os
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import memtrig
import pytest
from memtrig import DaemonDown, NotFound, Refused, aio, homes, host

from tests.client.conftest import Peer, Scripted
from tests.conftest import Daemon

Connect = Callable[..., Any]

FACTS = [
    ("english", "garden gate", "The garden gate squeaks when it rains.", "gate squeaks"),
    ("中文", "茶的习惯", "她喝茶的时候从来不加糖。", "喝茶加糖"),
    ("मराठी", "चहाची आवड", "आजीला आले घातलेला चहा आवडतो.", "आल्याचा चहा"),
]


@pytest.mark.parametrize(("language", "key", "content", "question"), FACTS)
def test_a_memory_makes_its_round(
    shared_daemon: Daemon, connect: Connect, language: str, key: str, content: str, question: str
) -> None:
    """Save, get, search, list and delete, in three scripts."""
    with connect(home=str(shared_daemon.home), agent=language) as memory:
        saved = memory.save(key, content, tags=[language], kind="scene")
        record = memory.get(key)
        assert (record.id, record.key, record.content) == (saved.id, key, content)
        assert (record.level, record.tags, record.kind, record.agent) == ("INTERNAL", [language], "scene", language)
        hit = memory.search(question)[0]
        assert (hit.id, hit.content) == (saved.id, content)
        assert hit.score > 0
        assert [each.id for each in memory.list(tag=language)] == [saved.id]
        assert memory.delete(key).level == "INTERNAL"
        assert memory.get(key) is None
        assert memory.list(tag=language) == []
        with pytest.raises(NotFound):
            memory.delete(key)


def test_a_key_is_made_where_none_is_given(shared_daemon: Daemon, connect: Connect) -> None:
    """The answer tells it."""
    with connect(home=str(shared_daemon.home), level="public") as memory:
        saved = memory.save(None, "The bus leaves at nine.", valid_from=datetime(2026, 11, 30, tzinfo=UTC))
        assert memory.get(saved.key).valid_from.startswith("2026-11-30T00:00:00")


def test_a_list_is_read_to_its_end(shared_daemon: Daemon, connect: Connect) -> None:
    """Pages are followed; a limit ends the list; nothing comes twice."""
    with connect(home=str(shared_daemon.home)) as memory:
        keys = [memory.save(f"k{n}", f"number {n}", tags=["n"]).key for n in range(7)]
        assert [each.key for each in memory.list(tag="n")] == keys[::-1]
        assert [each.key for each in memory.list(tag="n", limit=3)] == keys[:3:-1]
        assert memory.list(limit=0) == []
        assert memory.save("k7", "saved after a page that did not reach the end", tags=["n"]).key == "k7"
        assert [each.key for each in memory.list(tag="n")] == ["k7", *keys[::-1]]
        memory.delete("k7")
        assert len({each.id for each in memory.list()}) == len(memory.list()) >= 7


def test_an_iteration_fetches_page_by_page(shared_daemon: Daemon) -> None:
    """Pages of two give the same seven."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        keys = [memory.save(f"p{n}", f"number {n}", tags=["p"]).key for n in range(7)]
        assert [each.key for each in memory.iterate("p", page=2)] == keys[::-1]


@pytest.mark.parametrize(("language", "key", "content", "question"), FACTS)
def test_a_guess_lives_its_life(
    daemon: Daemon, connect: Connect, language: str, key: str, content: str, question: str
) -> None:
    """Proposed, confirmed with the user's words, explained, denied twice, forgotten and not learnt again."""
    with connect(home=str(daemon.home), level="confidential", agent=language) as memory:
        guess = memory.save(key, content, source="self_inferred", tags=[language], entity=language)
        assert guess.status == "pending"
        assert guess.id in [item.memory.id for item in memory.review().items]
        assert memory.confirm(guess.id, quote=content).status == "active"
        assert [step.op for step in memory.why(key).steps] == ["save", "confirm"]
        assert memory.why(id=guess.id).memories[-1].quote == content
        assert memory.deny(key).deny_count == 1
        assert memory.deny(id=guess.id, reason=question).status == "disputed"
        assert memory.history(key).memories[-1].status == "disputed"
        assert memory.forget(tag=language, dry_run=True).count == 1
        assert memory.forget(key, reason=question).memories[0].id == guess.id
        with pytest.raises(Refused) as caught:
            memory.save(key, content, source="self_inferred")
        assert caught.value.code == "forgotten"
        memory.forget(entity=language)
        assert language in [wish.entity for wish in memory.suppressions().suppressions]


def test_the_mind_is_looked_into(daemon: Daemon, connect: Connect) -> None:
    """Ideas, figures and a dream cycle, of the levels in sight."""
    with connect(home=str(daemon.home), level="public", agent="dreamer") as memory:
        guess = memory.save("dream", "She dreams of the sea.", source="self_inferred")
        assert memory.reject(guess.id, reason="mine").status == "rejected"
        memory.save("sea", "She grew up by the sea.", kind="identity", core=True)
        assert "sea" in [idea.memory.key for idea in memory.recall(10).ideas]
        (figures,) = memory.stats().levels
        assert (figures.level, figures.core) == ("PUBLIC", 1)
        dreamt = memory.decay(dry_run=True)
        assert (dreamt.level, dreamt.dry_run, dreamt.expired) == ("PUBLIC", True, 0)
        with pytest.raises(Refused, match="by its key or by its id"):
            memory.deny()
        with pytest.raises(TypeError, match="level"):
            memory.forget("sea", level="public")


def test_whoami_and_status_tell_the_session(shared_daemon: Daemon, connect: Connect) -> None:
    """They show the level, and levels above it are not mentioned."""
    with connect(home=str(shared_daemon.home), level="confidential", agent="clerk") as memory:
        me = memory.whoami()
        assert (me.kind, me.level, me.session, me.agent) == ("agent", "CONFIDENTIAL", memory.session, "clerk")
        assert {each.level for each in memory.status().levels} == {"PUBLIC", "INTERNAL", "CONFIDENTIAL"}


def test_refusals_carry_the_code_of_the_daemon(shared_daemon: Daemon, connect: Connect) -> None:
    """The code is for programs, sentence and hint for people."""
    with connect(home=str(shared_daemon.home)) as memory:
        with pytest.raises(Refused) as caught:
            memory.save("tea", "hot", kind="beverage")
        assert (caught.value.code, caught.value.retryable) == ("bad_kind", False)
        assert "preference" in caught.value.hint
        with pytest.raises(Refused, match="blank"):
            memory.save("  ", "hot")
        with pytest.raises(Refused) as caught:
            memory.save("tea", 5)
        assert caught.value.code == "bad_request"
        assert memory.get("tea") is None


def test_a_session_outlives_the_daemon(daemon: Daemon, connect: Connect) -> None:
    """After a restart and after SIGKILL the same session goes on, and what it saved is there."""
    with connect(home=str(daemon.home)) as memory:
        session = memory.session
        memory.save("tea", "hot")
        daemon.restart()
        assert memory.get("tea").content == "hot"
        daemon.kill()
        daemon.start()
        memory.save("coffee", "black")
        assert memory.whoami().session == memory.session == session
        resume = memory.resume
    with connect(home=str(daemon.home), resume=resume) as memory:
        assert memory.session == session


def test_a_call_waits_for_a_daemon_that_is_coming_back(daemon: Daemon, connect: Connect) -> None:
    """While the socket is missing or dead a call is patient; when the daemon is back it succeeds."""
    with connect(home=str(daemon.home)) as memory, ThreadPoolExecutor(1) as pool:
        memory.save("tea", "hot")
        daemon.kill()
        back = pool.submit(daemon.start)
        assert memory.get("tea").content == "hot"
        back.result()


def test_a_write_whose_acknowledgement_was_lost_is_done_once(
    daemon: Daemon, scripted: Scripted, tmp_path: Path, connect: Connect
) -> None:
    """The daemon commits, is killed before the client hears of it, and answers the repeat as it would have then."""
    with memtrig.connect(home=str(daemon.home)) as witness:

        def lose(client: Peer) -> None:
            with _dial(daemon) as server:
                _pass_on(client, server)
                server.socket.sendall(client.frame())
                acknowledged.append(server.frame())
            daemon.kill()
            daemon.start()

        def deliver(client: Peer) -> None:
            with _dial(daemon) as server:
                for _ in range(2):
                    _pass_on(client, server)

        acknowledged: list[bytes] = []
        scripted.play(lose, deliver)
        with connect(home=str(tmp_path)) as memory:
            saved = memory.save("tea", "hot, without sugar")
        assert len(acknowledged) == 1
        assert saved.outcome == "new"
        (record,) = witness.list()
        assert (record.id, record.seen_count) == (saved.id, 1)


class _dial(Peer):
    """A connection of our own to the real daemon's INTERNAL socket."""

    def __init__(self, daemon: Daemon) -> None:
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.connect(homes.find(str(daemon.home)).level_socket("internal"))
        super().__init__(connected)

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()


def _pass_on(client: Peer, server: Peer) -> None:
    """Carry one request to the daemon and its answer back."""
    server.socket.sendall(client.frame())
    client.socket.sendall(server.frame())


def test_threads_share_a_memory(shared_daemon: Daemon) -> None:
    """Eight threads, one connection: each gets its own answers."""
    with memtrig.connect(home=str(shared_daemon.home), level="restricted") as memory, ThreadPoolExecutor(8) as pool:

        def round_trip(n: int) -> bool:
            memory.save(f"thread {n}", f"content {n}")
            record = memory.get(f"thread {n}")
            return record is not None and record.content == f"content {n}"

        assert all(pool.map(round_trip, range(40)))


def test_a_forked_child_has_a_connection_of_its_own(shared_daemon: Daemon) -> None:
    """Parent and child go on in one session and never read each other's answers."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        memory.save("parent", "before")
        child = os.fork()
        if child == 0:
            try:
                right = all(memory.whoami().session == memory.session for _ in range(20))
                os._exit(0 if right and memory.save("child", "after").outcome == "new" else 1)
            finally:
                os._exit(2)
        contents = [memory.get("parent") for _ in range(20)]
        assert {record.content if record else None for record in contents} == {"before"}
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert memory.get("child") is not None


def test_many_requests_are_in_flight_at_once(shared_daemon: Daemon) -> None:
    """Three hundred saves and gets, over the daemon's cap for one connection, each with its own answer."""

    async def story() -> list[str | None]:
        async with aio.connect(home=str(shared_daemon.home), level="public") as memory:
            await asyncio.gather(*(memory.save(f"k{n}", f"c{n}") for n in range(300)))
            records = await asyncio.gather(*(memory.get(f"k{n}") for n in range(300)))
            return [record.content if record else None for record in records]

    assert asyncio.run(story()) == [f"c{n}" for n in range(300)]


def test_a_host_raises_a_session_while_it_runs(daemon: Daemon) -> None:
    """The next save lands at the new level; so do those after a restart of the daemon, on a new descriptor."""
    home = str(daemon.home)
    with host.connect(home) as control, control.open_session("browser", "public", "confidential") as memory:
        assert memory.session is not None
        assert memory.save("page", "a page").level == "PUBLIC"
        assert control.raise_session(memory.session, "confidential", "it read the tax folder").level == "CONFIDENTIAL"
        assert memory.save("tax", "due in July").level == "CONFIDENTIAL"
        daemon.restart()
        assert memory.save("tax", "due in August").level == "CONFIDENTIAL"
        assert memory.whoami().session == memory.session
        with pytest.raises(Refused) as caught:
            control.raise_session(memory.session, "restricted", "curious")
        assert caught.value.code == "over_ceiling"
        again = control.open_session(None, "public", resume=memory.resume)
        with again:
            assert (again.session, again.whoami().level) == (memory.session, "CONFIDENTIAL")
    with memtrig.connect(home=home) as internal:
        assert internal.get("tax") is None


def test_an_ended_session_is_over(daemon: Daemon) -> None:
    """It is not opened again behind the owner's back."""
    with host.connect(str(daemon.home)) as control, control.open_session("browser", "public") as memory:
        assert memory.session is not None
        assert [(each.session, each.agent) for each in control.sessions().sessions] == [(memory.session, "browser")]
        assert control.end(memory.session).session == memory.session
        with pytest.raises(Refused) as caught:
            memory.get("tea")
        assert caught.value.code == "session_ended"
        assert control.sessions().sessions == []
        (kept,) = control.sessions(all=True).sessions
        assert kept.ended is not None


def test_no_control_socket_is_said_at_once(tmp_path: Path) -> None:
    """A host is told like an agent."""
    with pytest.raises(DaemonDown, match="memtrigd is not running"):
        host.connect(str(tmp_path))
