"""Sessions of a host: opened over the control socket, handed over as descriptors, raised while they run."""

import contextlib
import socket
import threading

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import Line, agent, dial, opened


def raise_(control: Line, session: str, level: str) -> wire.Raised:
    """Raise a session."""
    return control.ask(wire.SessionRaise(session=session, level=level, reason="it read a letter"), wire.Raised)


def refused_raise(control: Line, session: str, level: str) -> str:
    """Try to raise a session; returns the code."""
    return control.refusal(wire.SessionRaise(session=session, level=level, reason="x")).code


def test_a_raise_holds_for_the_next_request_of_an_open_connection(shared_daemon: Daemon) -> None:
    """The level is looked up at every request: reads widen and saves land higher on the same descriptor."""
    with dial(shared_daemon, "control") as control, agent(shared_daemon, "confidential") as above:
        above.ask(wire.Save(key="raise-secret", content="seen from above only"), wire.Saved)
        line, welcome = opened(control, wire.SessionOpen(agent="browser", level="public", ceiling="confidential"))
        with line:
            assert (welcome.level, welcome.ceiling) == ("PUBLIC", "CONFIDENTIAL")
            assert line.ask(wire.Save(key="raise-note", content="before"), wire.Saved).level == "PUBLIC"
            assert line.refusal(wire.Get(key="raise-secret")).code == "not_found"
            assert raise_(control, welcome.session, "CONFIDENTIAL").level == "CONFIDENTIAL"
            assert line.ask(wire.Save(key="raise-note", content="after"), wire.Saved).level == "CONFIDENTIAL"
            assert line.ask(wire.Get(key="raise-secret"), wire.Got).memory.level == "CONFIDENTIAL"
            assert line.refusal(wire.Delete(key="raise-other")).code == "not_found"
    with agent(shared_daemon, "public") as below:
        assert below.ask(wire.Get(key="raise-note"), wire.Got).memory.content == "before"


def test_a_session_goes_neither_down_nor_over_its_ceiling(shared_daemon: Daemon) -> None:
    """Refused with a code for each; to where it is already is no error."""
    with dial(shared_daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(level="internal", ceiling="confidential"))
        with line:
            assert refused_raise(control, welcome.session, "PUBLIC") == "taint_never_falls"
            assert refused_raise(control, welcome.session, "RESTRICTED") == "over_ceiling"
            assert refused_raise(control, welcome.session, "SECRET") == "bad_level"
            assert refused_raise(control, "nobody", "RESTRICTED") == "session_unknown"
            assert raise_(control, welcome.session, "INTERNAL").level == "INTERNAL"
            assert line.ask(wire.Whoami(), wire.Me).level == "INTERNAL"


def test_without_a_ceiling_a_session_stays_where_it_is(shared_daemon: Daemon) -> None:
    """Nobody allowed more; and a ceiling under the level is a mistake."""
    with dial(shared_daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(level="public"))
        with line:
            assert refused_raise(control, welcome.session, "INTERNAL") == "over_ceiling"
        assert control.refusal(wire.SessionOpen(level="internal", ceiling="public")).code == "over_ceiling"
        assert control.refusal(wire.SessionOpen(level="secret")).code == "bad_level"
        assert control.refusal(wire.SessionOpen(agent="\n")).code == "bad_value"


def test_the_session_of_a_socket_stays_at_the_level_of_the_socket(shared_daemon: Daemon) -> None:
    """The socket is start and ceiling; not even the owner raises it."""
    with dial(shared_daemon, "control") as control, agent(shared_daemon, "public") as line:
        me = line.ask(wire.Whoami(), wire.Me)
        assert (me.level, me.ceiling) == ("PUBLIC", "PUBLIC")
        assert refused_raise(control, str(me.session), "INTERNAL") == "over_ceiling"


@pytest.mark.parametrize("kind", ["socket", "descriptor"])
def test_a_token_resumes_only_where_it_was_minted(shared_daemon: Daemon, kind: str) -> None:
    """The token of one level's socket is nothing to another's or to session.open, and the other way round."""
    with dial(shared_daemon, "control") as control, dial(shared_daemon, "internal") as other:
        if kind == "socket":
            line = dial(shared_daemon, "public")
            welcome = line.ask(wire.Hello(protocol=1), wire.Welcome)
            assert control.refusal(wire.SessionOpen(resume=welcome.resume)).code == "session_unknown"
        else:
            line, welcome = opened(control, wire.SessionOpen(level="public"))
            again, resumed = opened(control, wire.SessionOpen(resume=welcome.resume))
            again.close()
            assert resumed.session == welcome.session
        line.close()
        assert other.refusal(wire.Hello(protocol=1, resume=welcome.resume)).code == "session_unknown"
        assert other.ask(wire.Hello(protocol=1), wire.Welcome).session != welcome.session


def test_a_reconnect_is_the_same_session_with_its_labels(shared_daemon: Daemon) -> None:
    """Names given with the token change nothing."""
    with dial(shared_daemon, "internal") as first:
        welcome = first.ask(wire.Hello(protocol=1, agent="gardener", space="garden"), wire.Welcome)
        first.ask(wire.Ping(), wire.Pong)
        with dial(shared_daemon, "internal") as second:
            again = second.ask(wire.Hello(protocol=1, agent="thief", resume=welcome.resume), wire.Welcome)
    assert (again.session, again.agent, again.space) == (welcome.session, "gardener", "garden")


def test_a_reconnect_right_after_hello_is_the_same_session(shared_daemon: Daemon) -> None:
    """However soon the line drops: else a write that is repeated after it would be done twice."""
    for _ in range(20):
        with dial(shared_daemon, "internal") as first:
            welcome = first.ask(wire.Hello(protocol=1), wire.Welcome)
        with dial(shared_daemon, "internal") as second:
            again = second.ask(wire.Hello(protocol=1, resume=welcome.resume), wire.Welcome)
        assert again.session == welcome.session


def test_a_raise_of_a_session_that_is_away_waits_for_it(shared_daemon: Daemon) -> None:
    """Dropping the line does not wash the level off."""
    with dial(shared_daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(level="public", ceiling="restricted"))
        line.close()
        raise_(control, welcome.session, "RESTRICTED")
        line, again = opened(control, wire.SessionOpen(resume=welcome.resume, level="public"))
        with line:
            assert again.level == "RESTRICTED"
            assert line.ask(wire.Whoami(), wire.Me).level == "RESTRICTED"


def test_a_raise_outlives_a_killed_daemon(daemon: Daemon) -> None:
    """What was answered is on the disk: after kill -9 the token resumes at the raised level, and saves land there."""
    with dial(daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(level="public", ceiling="restricted"))
        raise_(control, welcome.session, "CONFIDENTIAL")
    line.close()
    daemon.kill()
    daemon.start()
    with dial(daemon, "control") as control:
        line, again = opened(control, wire.SessionOpen(resume=welcome.resume))
        with line:
            assert (again.session, again.level, again.ceiling) == (welcome.session, "CONFIDENTIAL", "RESTRICTED")
            assert line.ask(wire.Save(key="k", content="v"), wire.Saved).level == "CONFIDENTIAL"
            assert refused_raise(control, welcome.session, "INTERNAL") == "taint_never_falls"


def test_the_session_of_a_socket_outlives_a_restart(daemon: Daemon) -> None:
    """A client that reconnects to a restarted daemon is who it was."""
    with dial(daemon, "internal") as line:
        welcome = line.ask(wire.Hello(protocol=1, agent="gardener"), wire.Welcome)
        line.ask(wire.Save(key="k", content="v"), wire.Saved)
    daemon.restart()
    with dial(daemon, "internal") as line:
        again = line.ask(wire.Hello(protocol=1, resume=welcome.resume), wire.Welcome)
    assert (again.session, again.agent) == (welcome.session, "gardener")


def test_ending_closes_the_connections_and_voids_the_token(shared_daemon: Daemon) -> None:
    """An ended session is over for every holder of its token, also for one that comes later."""
    with dial(shared_daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(level="public"))
        again, _ = opened(control, wire.SessionOpen(resume=welcome.resume))
        control.ask(wire.SessionEnd(session=welcome.session), wire.Ended)
        assert line.ended()
        assert again.ended()
        line.close()
        again.close()
        assert control.refusal(wire.SessionOpen(resume=welcome.resume)).code == "session_ended"
        assert refused_raise(control, welcome.session, "PUBLIC") == "session_ended"
        sessions = control.ask(wire.SessionList(all=True), wire.Sessions).sessions
        assert next(s for s in sessions if s.session == welcome.session).ended
        connected = control.ask(wire.SessionList(), wire.Sessions).sessions
        assert welcome.session not in [s.session for s in connected]


def test_a_handed_descriptor_has_its_session_already(shared_daemon: Daemon) -> None:
    """Hello could only change who it is."""
    with dial(shared_daemon, "control") as control:
        line, _ = opened(control, wire.SessionOpen(level="public"))
        with line:
            assert line.refusal(wire.Hello(protocol=1)).code in ("not_here", "bad_request")
            assert line.refusal(wire.SessionList()).code == "not_here"


def test_the_list_counts_connections_and_names_origins(shared_daemon: Daemon) -> None:
    """The owner sees who is connected, how often, and through which door."""
    with dial(shared_daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(agent="twice", level="public", ceiling="internal"))
        again, _ = opened(control, wire.SessionOpen(resume=welcome.resume))
        with line, again, agent(shared_daemon, "restricted", agent="once"):
            sessions = control.ask(wire.SessionList(), wire.Sessions).sessions
            told = {s.agent: (s.origin, s.level, s.ceiling, s.connections) for s in sessions}
            assert told["twice"] == ("fd", "PUBLIC", "INTERNAL", 2)
            assert told["once"] == ("level-restricted", "RESTRICTED", "RESTRICTED", 1)


def test_a_list_that_is_too_long_says_how_much_it_leaves_out(daemon: Daemon) -> None:
    """The newest come first, up to the limit; the others are counted, connected ones and those that are kept."""
    with dial(daemon, "control") as control, contextlib.ExitStack() as stack:
        handles: list[str] = []
        for number in range(5):
            line, welcome = opened(control, wire.SessionOpen(agent=f"a-{number}"))
            stack.enter_context(line)
            handles.insert(0, welcome.session)
            if number < 3:
                control.ask(wire.SessionEnd(session=welcome.session), wire.Ended)
        for whole in (handles, handles[:2]):
            for limit in (1, 2, 4, 500):
                told = control.ask(wire.SessionList(all=whole is handles, limit=limit), wire.Sessions)
                assert [each.session for each in told.sessions] == whole[:limit]
                assert told.more == len(whole[limit:])
        for limit in (0, -1, 501):
            assert control.refusal(wire.SessionList(limit=limit)).code == "bad_value"


def test_sessions_opened_at_once_are_all_different(shared_daemon: Daemon) -> None:
    """BR-010: 8 at once, 5 rounds, give 40 sessions and 40 working descriptors."""
    barrier = threading.Barrier(8)
    handles: list[str] = []

    def host() -> None:
        with dial(shared_daemon, "control") as control:
            for _ in range(5):
                barrier.wait(20)
                line, welcome = opened(control, wire.SessionOpen(level="public"))
                with line:
                    assert line.ask(wire.Whoami(), wire.Me).session == welcome.session
                handles.append(welcome.session)

    threads = [threading.Thread(target=host) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(handles) == len(set(handles)) == 40


def test_sessions_opened_in_one_write_come_with_a_descriptor_each(shared_daemon: Daemon) -> None:
    """BR-010, pipelined on one connection: as many descriptors as answers, each of the session it came with."""
    with dial(shared_daemon, "control") as control:
        control.send(*[wire.SessionOpen(level="public") for _ in range(16)])
        data, descriptors, sessions = b"", [], []
        while len(sessions) < 16:
            piece, fds, _, _ = socket.recv_fds(control.socket, 1 << 16, 32)
            data += piece
            descriptors += fds
            while len(data) >= 4 and len(data) >= (end := 4 + int.from_bytes(data[:4], "big")):
                sessions.append(wire.decode_answer(data[4:end]).result.session)  # type: ignore[union-attr]
                data = data[end:]
        lines = [Line(socket.socket(fileno=descriptor)) for descriptor in descriptors]
        assert [line.ask(wire.Whoami(), wire.Me).session for line in lines] == sessions
        for line in lines:
            line.close()
