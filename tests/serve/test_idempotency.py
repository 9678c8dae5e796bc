"""A retry with the same key is answered with what the first try was answered, and writes nothing."""

from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, dial, opened


def test_a_repeated_save_is_done_once(shared_daemon: Daemon) -> None:
    """Without the key it would have been counted as said twice."""
    save = wire.Save(key="once", content="x", idempotency_key="k1")
    with agent(shared_daemon) as line:
        first, second = line.ask(save, wire.Saved), line.ask(save, wire.Saved)
        assert first == second
        line.send(save, save, save)
        assert [answer.result for answer in line.answers(3).values()] == [first] * 3
        assert line.ask(wire.Get(key="once"), wire.Got).memory.seen_count == 1


def test_a_repeated_delete_is_done_once(shared_daemon: Daemon) -> None:
    """The retry is not told that there is nothing to delete, nor does it delete what was saved since."""
    delete = wire.Delete(key="del", idempotency_key="k2")
    with agent(shared_daemon) as line:
        line.ask(wire.Save(key="del", content="x"), wire.Saved)
        first = line.ask(delete, wire.Deleted)
        line.ask(wire.Save(key="del", content="y"), wire.Saved)
        assert line.ask(delete, wire.Deleted) == first
        assert line.ask(wire.Get(key="del"), wire.Got).memory.content == "y"


def test_a_key_of_another_request_is_refused(shared_daemon: Daemon) -> None:
    """The same key with other content is a mistake, not a retry."""
    with agent(shared_daemon) as line:
        line.ask(wire.Save(key="reused", content="x", idempotency_key="k3"), wire.Saved)
        assert line.refusal(wire.Save(key="reused", content="y", idempotency_key="k3")).code == "key_reused"
        assert line.refusal(wire.Delete(key="reused", idempotency_key="k3")).code == "key_reused"
        assert line.ask(wire.Get(key="reused"), wire.Got).memory.content == "x"


def test_a_refused_request_does_not_use_up_its_key(shared_daemon: Daemon) -> None:
    """Only what was done is remembered."""
    with agent(shared_daemon) as line:
        delete = wire.Delete(key="later", idempotency_key="k4")
        assert line.refusal(delete).code == "not_found"
        line.ask(wire.Save(key="later", content="x"), wire.Saved)
        assert line.ask(delete, wire.Deleted)


def test_another_session_may_use_the_same_key(shared_daemon: Daemon) -> None:
    """Keys are a session's own: they tell nobody what others did."""
    with agent(shared_daemon) as one, agent(shared_daemon) as other:
        first = one.ask(wire.Save(key="mine-1", content="x", idempotency_key="k5"), wire.Saved)
        assert other.ask(wire.Save(key="mine-2", content="y", idempotency_key="k5"), wire.Saved).id != first.id


def test_a_retry_after_a_raise_writes_nothing_at_the_new_level(shared_daemon: Daemon) -> None:
    """The first try was at the old level; its answer is still the answer."""
    save = wire.Save(key="raised", content="x", idempotency_key="k6")
    with dial(shared_daemon, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(level="public", ceiling="restricted"))
        with line:
            first = line.ask(save, wire.Saved)
            control.ask(wire.SessionRaise(session=welcome.session, level="restricted", reason="x"), wire.Raised)
            assert line.ask(save, wire.Saved) == first
            record = line.ask(wire.Get(key="raised"), wire.Got).memory
            assert (record.id, record.level, record.seen_count) == (first.id, "PUBLIC", 1)


def test_a_retry_after_kill_9_is_answered_as_before(daemon: Daemon) -> None:
    """Answers given are on the disk with what they are about."""
    save = wire.Save(key="killed", content="x", idempotency_key="k7")
    with dial(daemon, "internal") as line:
        welcome = line.ask(wire.Hello(protocol=1), wire.Welcome)
        first = line.ask(save, wire.Saved)
    daemon.kill()
    daemon.start()
    with dial(daemon, "internal") as line:
        line.ask(wire.Hello(protocol=1, resume=welcome.resume), wire.Welcome)
        assert line.ask(save, wire.Saved) == first
        assert line.ask(wire.Get(key="killed"), wire.Got).memory.seen_count == 1


def test_the_owners_key_is_for_one_level(shared_daemon: Daemon) -> None:
    """The same text at another level is another request: it must not be answered with the first one's."""
    save = wire.Save(key="owned", content="x", idempotency_key="k-level")
    with dial(shared_daemon, "control") as owner:
        owner.ask(wire.Act(request=save, level="public"), wire.Saved)
        assert owner.ask(wire.Act(request=save, level="public"), wire.Saved).level == "PUBLIC"
        assert owner.refusal(wire.Act(request=save, level="restricted")).code == "key_reused"
