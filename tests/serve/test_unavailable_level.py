"""A damaged level takes nobody else down, is named in every reply that lacks it, and is never written over."""

from collections.abc import Iterator

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, dial, error_of, opened

DAMAGE = b"not a database at all, but somebody's only copy "


@pytest.fixture(scope="module", name="damaged")
def _damaged() -> Iterator[Daemon]:
    """A daemon whose internal.db was damaged while it was stopped; the other levels hold a memory each."""
    daemon = Daemon()
    try:
        daemon.start()
        for level in ("public", "internal", "confidential"):
            with agent(daemon, level) as line:
                line.ask(wire.Save(key=level, content=f"said at {level}", tags=["said"]), wire.Saved)
        daemon.stop()
        with (daemon.home / "state/internal.db").open("r+b") as file:
            file.write(DAMAGE)
        yield daemon.start()
    finally:
        daemon.remove()


@pytest.mark.parametrize("level", ["internal", "confidential", "restricted"])
@pytest.mark.parametrize(
    "request_",
    [
        wire.Get(key="public"),
        wire.Get(key="no such key"),
        wire.Search(query="said"),
        wire.List(),
        wire.List(limit=0),
        wire.Delete(key="no such key"),
        wire.Save(content=" "),
        wire.Whoami(),
        wire.GetStatus(),
    ],
    ids=repr,
)
def test_every_reply_that_lacks_the_level_says_so(damaged: Daemon, level: str, request_: wire.Request) -> None:
    """Errors too: "not found" may only mean "not looked"."""
    with agent(damaged, level) as line:
        assert line.exchange(request_).incomplete == ["INTERNAL"]


def test_a_welcome_and_a_refusal_to_decode_say_so_too(damaged: Daemon) -> None:
    """Replies that consult nothing name the level as well: every reply does."""
    with dial(damaged, "confidential") as line:
        assert line.exchange(wire.Hello(protocol=wire.PROTOCOL)).incomplete == ["INTERNAL"]
        assert line.exchange(wire.SessionList()).incomplete == ["INTERNAL"]
    with dial(damaged, "control") as control:
        assert control.exchange(wire.SessionList()).incomplete == ["INTERNAL"]
    with dial(damaged, "public") as line:
        assert line.exchange(wire.Hello(protocol=wire.PROTOCOL)).incomplete == []


def test_who_may_not_see_the_level_sees_no_difference(damaged: Daemon) -> None:
    """PUBLIC is not told, in results or in errors, that something above is amiss."""
    with agent(damaged, "public") as line:
        for request in (
            wire.Get(key="public"),
            wire.Get(key="x"),
            wire.Search(query="said"),
            wire.List(),
            wire.GetStatus(),
        ):
            assert line.exchange(request).incomplete == []
        assert line.ask(wire.Save(key="public-2", content="x"), wire.Saved)


def test_the_other_levels_are_served(damaged: Daemon) -> None:
    """What can be read is read, and written."""
    with agent(damaged, "restricted") as line:
        got = line.exchange(wire.List(tag="said")).result
        assert isinstance(got, wire.Listed)
        assert {memory.key for memory in got.memories} == {"public", "confidential"}
        assert isinstance(line.exchange(wire.Save(key="r", content="x")).result, wire.Saved)


def test_writes_at_the_level_are_refused(damaged: Daemon) -> None:
    """With a code of their own; the owner's status shows which level it is."""
    with agent(damaged, "internal") as line:
        for request in (wire.Save(key="i", content="x"), wire.Delete(key="internal")):
            assert error_of(line.exchange(request)).code == "level_unavailable"
    with dial(damaged, "control") as owner:
        answer = owner.exchange(wire.GetStatus())
        assert isinstance(answer.result, wire.StatusReport)
        assert [level.level for level in answer.result.levels if not level.available] == ["INTERNAL"]
        assert answer.incomplete == ["INTERNAL"]


def test_a_raise_to_the_level_is_refused_and_changes_nothing(damaged: Daemon) -> None:
    """Its reason has no place there; the session stays where it is."""
    with dial(damaged, "control") as control:
        line, welcome = opened(control, wire.SessionOpen(level="public", ceiling="restricted"))
        with line:
            order = wire.SessionRaise(session=welcome.session, level="INTERNAL", reason="it read a letter")
            assert control.refusal(order).code == "level_unavailable"
            assert line.ask(wire.Whoami(), wire.Me).level == "PUBLIC"


def test_the_file_is_left_as_it_is(damaged: Daemon) -> None:
    """Not a byte is written, and no empty database is put in its place: it may be all there is to rescue."""
    path = damaged.home / "state/internal.db"
    before = path.read_bytes()
    with agent(damaged, "internal") as line:
        line.refusal(wire.Save(key="i", content="x"))
    damaged.restart()
    assert path.read_bytes() == before
    assert before.startswith(DAMAGE)
    assert "level_unavailable" in damaged.log
