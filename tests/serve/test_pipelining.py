"""Many requests in one write: all are answered, in an order in which each sees what was asked before it."""

import socket
import sqlite3
from contextlib import closing

from memtrig import wire

from tests.conftest import Daemon
from tests.serve.soundness import unsound
from tests.talk import Line, agent, dial, figures

MANY = 1000
"""More than a connection may have in flight, so that some wait in the buffer."""


def results(line: Line, *requests: wire.Request) -> list[wire.Result | wire.Error]:
    """Send all requests in one write; return what each was answered, in their order."""
    numbers = line.send(*requests)
    got = line.answers(len(numbers))
    return [got[n].error if isinstance(got[n].error, wire.Error) else got[n].result for n in numbers]  # type: ignore[misc]


def test_parallel_saves_and_deletes_all_take_effect(daemon: Daemon) -> None:
    """BR-001: 20 saves and 5 deletes sent at once: 25 successes, exactly 15 survive, 25 rows in a sound journal."""
    saves = [wire.Save(key=f"key-{n}", content=f"text {n}") for n in range(20)]
    deletes = [wire.Delete(key=f"key-{n}") for n in range(0, 20, 4)]
    with agent(daemon) as line:
        outcomes = results(line, *saves, *deletes)
        assert [type(each) for each in outcomes] == [wire.Saved] * 20 + [wire.Deleted] * 5
        keys = {memory.key for memory in line.ask(wire.List(), wire.Listed).memories}
    assert keys == {f"key-{n}" for n in range(20) if n % 4}
    assert unsound(daemon) == []
    with closing(sqlite3.connect(daemon.home / "state/internal.db")) as database:
        journal = database.execute("SELECT seq, op FROM audit ORDER BY seq").fetchall()
    assert journal == list(enumerate(["save"] * 20 + ["delete"] * 5, 1))
    daemon.start()


def test_a_read_sees_the_writes_that_were_sent_before_it(shared_daemon: Daemon) -> None:
    """Also where the first write is long and prepared on another thread, and the next is short or a read."""
    long = "word " * 20_000
    with agent(shared_daemon) as line:
        for turn in range(5):
            text = f"{turn} {long}"
            outcomes = results(
                line,
                wire.Save(key="seen", content=text),
                wire.Get(key="seen"),
                wire.Save(key="seen", content=f"short {turn}"),
                wire.Get(key="seen"),
                wire.Save(key="seen", content=f"{text} again"),
                wire.Save(key="seen", content=f"short {turn} again"),
                wire.Search(query=f"short {turn}", max_results=1),
                wire.Delete(key="seen"),
                wire.Get(key="seen"),
            )
            assert outcomes[1].memory.content == text  # type: ignore[union-attr]
            assert outcomes[3].memory.content == f"short {turn}"  # type: ignore[union-attr]
            assert outcomes[6].results[0].content == f"short {turn} again"  # type: ignore[union-attr]
            assert outcomes[8].code == "not_found"  # type: ignore[union-attr]


def test_more_requests_than_may_be_in_flight_are_all_answered(shared_daemon: Daemon) -> None:
    """A thousand in one write: what does not fit waits, and goes on by itself when there is room."""
    with agent(shared_daemon) as line:
        line.ask(wire.Save(key="many", content="x"), wire.Saved)
        for request in (
            wire.Ping(),
            wire.Get(key="many"),
            wire.Search(query="nothing"),
            wire.Save(key="many", content="x"),
        ):
            assert not any(isinstance(each, wire.Error) for each in results(line, *[request] * MANY))
    with dial(shared_daemon, "control") as owner:
        assert len(results(owner, *[wire.Act(request=wire.Get(key="many"))] * MANY)) == MANY


def test_hello_and_work_may_come_in_one_write(shared_daemon: Daemon) -> None:
    """A client need not wait for its welcome."""
    with dial(shared_daemon, "internal") as line:
        outcomes = results(line, wire.Hello(protocol=1), wire.Save(key="eager", content="x"), wire.Get(key="eager"))
        assert [type(each) for each in outcomes] == [wire.Welcome, wire.Saved, wire.Got]


def test_a_peer_that_does_not_read_does_not_grow_the_daemon(shared_daemon: Daemon) -> None:
    """Back-pressure: replies of a mebibyte each, asked for by the hundred and not read, do not pile up."""
    with agent(shared_daemon, "restricted") as writer:
        for n in range(2):
            writer.ask(wire.Save(key=f"big-{n}", content=f"{n}" * (1 << 20)), wire.Saved)
    for request in (wire.Get(key="big-0"), wire.List()):
        before = figures(shared_daemon.pid)["rss"]
        with agent(shared_daemon, "restricted") as lazy, agent(shared_daemon) as good:
            numbers = lazy.send(*[request] * 120)
            for _ in range(50):
                assert good.ask(wire.Search(query="anything"), wire.Found)
            assert figures(shared_daemon.pid)["rss"] - before < 80 << 10
            assert set(lazy.answers(len(numbers))) == set(numbers)


def test_who_asks_and_vanishes_leaves_the_daemon_well(shared_daemon: Daemon) -> None:
    """Answers for nobody are dropped; writes that had begun are whole."""
    for n in range(20):
        line = agent(shared_daemon)
        line.send(*[wire.Save(key=f"gone-{n}", content="x" * 20_000), wire.List(), wire.Search(query="x")] * 20)
        line.reset()
    with agent(shared_daemon) as line:
        assert line.ask(wire.List(), wire.Listed).memories


def test_who_has_said_all_may_still_listen(shared_daemon: Daemon) -> None:
    """A client that shuts its sending side down after its last request gets every answer, then the end."""
    with agent(shared_daemon) as line:
        requests = [wire.Save(key="last", content=f"word {n}") for n in range(200)]
        numbers = line.send(*requests, wire.Get(key="last"), wire.Search(query="word"))
        line.socket.shutdown(socket.SHUT_WR)
        got = line.answers(len(numbers))
        assert got[numbers[200]].result.memory.content == "word 199"  # type: ignore[union-attr]
        assert line.ended()
    with dial(shared_daemon, "internal") as silent:
        silent.socket.shutdown(socket.SHUT_WR)
        assert silent.ended()


def test_imports_follow_one_another_in_their_order(shared_daemon: Daemon) -> None:
    """They are analysed on another thread, some at a time: the last one stands, and what comes next sees it."""

    def told(turn: int) -> wire.Request:
        record = wire.ImportRecord(
            content=f"told {turn} times " + "over and over " * (100 if turn % 2 else 1), key="told"
        )
        return wire.Act(request=wire.Import(records=[record]), level="INTERNAL")

    def act(request: wire.Write | wire.Get) -> wire.Act:
        return wire.Act(request=request, level="INTERNAL")

    with dial(shared_daemon, "control") as owner:
        for begin in (0, 40):
            turns = map(told, range(begin, begin + 40))
            *outcomes, got, deleted, gone = results(
                owner, *turns, act(wire.Get(key="told")), act(wire.Delete(key="told")), act(wire.Get(key="told"))
            )
            assert [each.counts for each in outcomes] == [{"new": 1}, *[{"updated": 1}] * 39]  # type: ignore[union-attr]
            assert got.memory.content.startswith(f"told {begin + 39} times")  # type: ignore[union-attr]
            assert isinstance(deleted, wire.Deleted)
            assert gone.code == "not_found"  # type: ignore[union-attr]
