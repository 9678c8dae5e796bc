"""The registry of sessions: levels only rise, tokens belong to one door, what is ended stays ended."""

import hashlib
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.gate.conversations import CONVERSATIONS
from memtrigd.gate.doors import HANDED, LEVEL_DOORS, SOCKET_DOORS, Door
from memtrigd.gate.peers import Process
from memtrigd.gate.sessions import Labels, Sessions, check_raise
from memtrigd.store.interface_control import SessionRow

PUBLIC_DOOR = LEVEL_DOORS[Level.PUBLIC]
HOLDER = Process(100, 1)


class Counted:
    """Ids in a row, so that a test can name them."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def memory(self, level: Level) -> str:
        """Mint a memory's id."""
        return f"m{next(self._numbers)}"

    def session(self, level: Level) -> str:
        """Mint a session's handle."""
        return f"s{next(self._numbers)}"

    def token(self, level: Level) -> str:
        """Mint a token."""
        return f"t{next(self._numbers)}"


class Registry(Sessions):
    """Sessions over a control.db that is a dictionary."""

    def __init__(self) -> None:
        self.disk: dict[bytes, SessionRow] = {}
        super().__init__(Counted(), self.disk.get)

    def begin(self, door: Door, level: Level, ceiling: Level | None = None) -> tuple[SessionRow, str]:
        """Mint a session and keep it on the disk."""
        row, token = self.mint(door, Labels(), level, level if ceiling is None else ceiling, 0)
        self.disk[row.token_hash] = row
        return row, token


def refused(code: str, *call: object) -> None:
    """Call what must refuse with ``code``."""
    function, *arguments = call
    with pytest.raises(Refusal) as raised:
        function(*arguments)  # type: ignore[operator]
    assert raised.value.code == code


def nothing() -> None:
    """Close nothing."""


def test_a_level_is_looked_up_and_not_remembered() -> None:
    """A raise holds for whoever asks after it, however long the connection has been there."""
    sessions = Registry()
    row, _ = sessions.begin(HANDED, Level.PUBLIC, Level.RESTRICTED)
    sessions.attach(row, HOLDER, nothing)
    sessions.raised(row.id, Level.CONFIDENTIAL)
    assert sessions.current(row.id).level is Level.CONFIDENTIAL
    assert sessions.counts() == {Level.CONFIDENTIAL: 1}


@given(st.lists(st.sampled_from(Level)))
def test_no_order_of_raises_takes_a_level_down(raises: list[Level]) -> None:
    """Two raises at once may be put in force in any order: the highest holds."""
    sessions = Registry()
    row, _ = sessions.begin(HANDED, Level.INTERNAL, Level.RESTRICTED)
    sessions.attach(row, HOLDER, nothing)
    for level in raises:
        sessions.raised(row.id, level)
    assert sessions.current(row.id).level is max([Level.INTERNAL, *raises])


@pytest.mark.parametrize("start", Level)
@pytest.mark.parametrize("ceiling", Level)
@pytest.mark.parametrize("to", Level)
def test_a_raise_goes_neither_down_nor_over_the_ceiling(start: Level, ceiling: Level, to: Level) -> None:
    """All sixty-four cases."""
    if ceiling < start:
        return
    row, _ = Registry().begin(HANDED, start, ceiling)
    if to < start:
        refused("taint_never_falls", check_raise, row, to)
    elif to > ceiling:
        refused("over_ceiling", check_raise, row, to)
    else:
        check_raise(row, to)
    refused("session_ended", check_raise, replace(row, ended=1), to)


@pytest.mark.parametrize("minted_at", [*SOCKET_DOORS, HANDED], ids=lambda door: door.name)
def test_a_token_works_only_on_the_door_that_minted_it(minted_at: Door) -> None:
    """A token that leaks to another socket opens nothing there."""
    sessions = Registry()
    row, token = sessions.begin(minted_at, Level.PUBLIC)
    for door in (*SOCKET_DOORS, HANDED):
        if door is minted_at:
            assert sessions.resume(door, token).id == row.id
        else:
            refused("session_unknown", sessions.resume, door, token)


def test_a_token_that_nobody_minted_is_unknown() -> None:
    """Any text may be tried, half a surrogate included."""
    sessions = Registry()
    for token in ("", "x", "\ud83d", "x" * 10_000):
        refused("session_unknown", sessions.resume, PUBLIC_DOOR, token)


def test_a_token_is_kept_as_a_digest_only() -> None:
    """Who reads control.db can't resume with what is there."""
    row, token = Registry().begin(HANDED, Level.PUBLIC)
    assert row.token_hash == hashlib.sha256(token.encode()).digest()
    assert all(value not in (token, token.encode()) for value in (getattr(row, f) for f in row.__struct_fields__))


def test_a_connected_session_resumes_at_its_current_level() -> None:
    """A second connection sees what a raise has put in force, before the disk is asked."""
    sessions = Registry()
    row, token = sessions.begin(HANDED, Level.PUBLIC, Level.RESTRICTED)
    sessions.attach(row, HOLDER, nothing)
    sessions.raised(row.id, Level.RESTRICTED)
    assert sessions.resume(HANDED, token).level is Level.RESTRICTED


def test_who_comes_back_before_the_disk_is_ready_is_known() -> None:
    """A line that drops right after hello resumes its session while the row is still on its way to control.db."""
    sessions = Registry()
    row, token = sessions.mint(PUBLIC_DOOR, Labels(), Level.PUBLIC, Level.PUBLIC, 0)
    settled = sessions.hold(row)
    assert sessions.resume(PUBLIC_DOOR, token) == row
    settled(None)
    refused("session_unknown", sessions.resume, PUBLIC_DOOR, token)
    sessions.disk[row.token_hash] = row
    assert sessions.resume(PUBLIC_DOOR, token) == row


def test_ending_closes_every_connection_and_voids_the_session() -> None:
    """Whoever still holds a line to it is answered with session_ended."""
    sessions = Registry()
    row, token = sessions.begin(PUBLIC_DOOR, Level.PUBLIC)
    closed = []
    for number in range(3):
        sessions.attach(row, HOLDER, lambda number=number: closed.append(number))
    sessions.end(row.id)
    sessions.disk[row.token_hash] = replace(row, ended=1)
    assert closed == [0, 1, 2]
    refused("session_ended", sessions.current, row.id)
    refused("session_ended", sessions.resume, PUBLIC_DOOR, token)
    assert list(sessions.connected()) == []


def test_a_session_is_connected_until_its_last_connection_goes() -> None:
    """Holders are known as long as one of their lines is there."""
    sessions = Registry()
    row, _ = sessions.begin(PUBLIC_DOOR, Level.PUBLIC)
    lines = [lambda: None, lambda: None]
    for line in lines:
        sessions.attach(row, HOLDER, line)
    sessions.detach(row.id, lines[0])
    assert [(connected.id, lines) for connected, lines in sessions.connected()] == [(row.id, 1)]
    assert sessions.holders() == {HOLDER}
    sessions.detach(row.id, lines[1])
    assert sessions.holders() == set()
    sessions.detach(row.id, lines[1])


def test_each_connection_has_its_holder() -> None:
    """Whoever resumes a session holds it too, and the others hold on when the first one goes."""
    sessions, second = Registry(), Process(200, 1)
    row, _ = sessions.begin(HANDED, Level.PUBLIC)
    lines = [lambda: None, lambda: None]
    for holder, line in zip((HOLDER, second), lines, strict=True):
        sessions.attach(row, holder, line)
    assert sessions.holders() == {HOLDER, second}
    assert sessions.opened_by(second) == {row.id}
    sessions.detach(row.id, lines[0])
    assert sessions.holders() == {second}
    assert sessions.opened_by(HOLDER) == set()


def test_only_a_host_has_opened_sessions_of_its_own() -> None:
    """A process that said hello on a level socket is an agent, not a host."""
    sessions = Registry()
    row, _ = sessions.begin(PUBLIC_DOOR, Level.PUBLIC)
    sessions.attach(row, HOLDER, nothing)
    assert not sessions.opened_by(HOLDER)
    row, _ = sessions.begin(HANDED, Level.PUBLIC)
    sessions.attach(row, HOLDER, nothing)
    assert sessions.opened_by(HOLDER)
    assert not sessions.opened_by(Process(HOLDER.pid, HOLDER.start + 1))


SHELL, HOST, OUTER = Process(300, 3), Process(200, 2), Process(150, 1)
"""A hook's parent, the host that started it by this shell, and another host that this one runs under."""


def hosted(registry: Registry, host: Process, level: Level, labels: Labels | None = None) -> str:
    """Connect a session that a host holds itself; returns its handle."""
    row, _ = registry.mint(HANDED, labels or Labels(), level, level, 0)
    registry.attach(row, host, lambda: None)
    return row.id


@given(st.lists(st.sampled_from(Level), min_size=1))
def test_a_hook_stands_for_the_lowest_session_of_the_nearest_host(levels: list[Level]) -> None:
    """Whatever order they came in, and whatever another host has that this one runs under."""
    registry = Registry()
    for level in levels:
        hosted(registry, HOST, level)
    hosted(registry, OUTER, Level.PUBLIC)
    adopted = registry.adopted((SHELL, HOST, OUTER))
    assert adopted is not None
    assert adopted.level is min(levels)
    assert registry.adopted((SHELL,)) is None


def test_a_conversation_is_lent_to_sessions_without_one() -> None:
    """To those that are there and those that come, of that host alone, until it is over or another begins."""
    registry = Registry()
    before = hosted(registry, HOST, Level.PUBLIC)
    registry.converse((SHELL, HOST, OUTER), "first")
    after, own = (
        hosted(registry, HOST, Level.INTERNAL),
        hosted(registry, HOST, Level.INTERNAL, Labels(conversation="own")),
    )
    elsewhere = hosted(registry, Process(400, 4), Level.INTERNAL)
    named = [registry.current(each).conversation for each in (before, after, own, elsewhere)]
    assert named == ["first", "first", "own", None]
    registry.converse((SHELL, HOST, OUTER), "second")
    assert [registry.current(each).conversation for each in (before, after, own)] == ["second", "second", "own"]
    assert registry.part((HOST,), "first") == []
    assert {row.id for row in registry.part((HOST,), "second")} == {before, after}
    assert [registry.current(each).conversation for each in (before, after, own)] == [None, None, "own"]


def test_a_host_is_told_of_its_own_conversation_before_that_of_one_under_it() -> None:
    """The nearer the host is to the hook that named a conversation, the more it counts."""
    registry = Registry()
    registry.converse((SHELL, OUTER), "outer")
    registry.converse((SHELL, HOST, SHELL, OUTER), "inner")
    assert registry.current(hosted(registry, OUTER, Level.PUBLIC)).conversation == "outer"
    assert registry.current(hosted(registry, HOST, Level.PUBLIC)).conversation == "inner"


def test_of_many_conversations_the_last_ones_are_known() -> None:
    """Hooks may name as many as they like; memory for them is bounded."""
    registry = Registry()
    for number in range(CONVERSATIONS + 1):
        registry.converse((Process(1000 + number, 1),), str(number))
    assert registry.current(hosted(registry, Process(1000, 1), Level.PUBLIC)).conversation is None
    assert registry.current(hosted(registry, Process(1001, 1), Level.PUBLIC)).conversation == "1"
