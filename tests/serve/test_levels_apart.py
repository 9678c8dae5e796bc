"""What belongs to one level is told at no lower one: each rule by itself, where the histories would need luck."""

from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, dial


def test_an_agent_is_told_no_count_of_sessions(shared_daemon: Daemon) -> None:
    """It would tell a low session when a raised one leaves; the owner is told."""
    with agent(shared_daemon) as line, dial(shared_daemon, "control") as owner:
        assert all(level.sessions is None for level in line.ask(wire.GetStatus(), wire.StatusReport).levels)
        assert all(level.sessions is not None for level in owner.ask(wire.GetStatus(), wire.StatusReport).levels)


def test_an_idempotency_key_used_above_is_free_below(shared_daemon: Daemon) -> None:
    """Else its refusal would tell below that something was written above."""
    with dial(shared_daemon, "control") as owner:
        for level in ("CONFIDENTIAL", "PUBLIC"):
            save = wire.Save(content=f"said at {level}", key="apart", idempotency_key="used above")
            assert owner.ask(wire.Act(request=save, level=level), wire.Saved).level == level
