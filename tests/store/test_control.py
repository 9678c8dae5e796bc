"""Sessions on disk."""

from collections.abc import Callable

import apsw
import pytest
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.trust import Hearing
from memtrigd.store.interface_control import ControlReader, ControlWriter, SessionRow
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

ROW = SessionRow(
    id="s-1",
    token_hash=b"\x00hash",
    agent="कोई",
    space="project",
    origin="level-public",
    start_level=Level.PUBLIC,
    level=Level.PUBLIC,
    ceiling=Level.CONFIDENTIAL,
    opened=5,
    seen=5,
)


@pytest.fixture
def reader(vault: Vault) -> ControlReader:
    """A read-only handle."""
    return vault.control_reader()


@pytest.fixture
def control(transactions: Transactions) -> Callable[[Callable[[ControlWriter], object]], object]:
    """Run one write of control.db in its transaction."""
    return lambda write: transactions.run_now(None, lambda hands: write(hands.control))


Control = Callable[[Callable[[ControlWriter], object]], object]


def test_a_session_comes_back_by_token_and_by_handle(control: Control, reader: ControlReader) -> None:
    """With every field; an unknown token or handle finds nobody."""
    control(lambda c: c.add(ROW))
    assert reader.by_token(ROW.token_hash) == ROW == reader.by_id("s-1")
    assert reader.by_token(b"other") is None and reader.by_id("other") is None


def test_a_token_is_of_one_session(control: Control) -> None:
    """The database refuses a second session with the same token."""
    control(lambda c: c.add(ROW))
    with pytest.raises(apsw.ConstraintError):
        control(lambda c: c.add(replace(ROW, id="s-2")))


def test_a_raise_is_kept_without_its_reason(control: Control, reader: ControlReader) -> None:
    """The new level is in force and the way there is on record; why is content, and so not in this file."""
    control(lambda c: c.add(ROW))
    assert control(lambda c: c.set_level("s-1", Level.CONFIDENTIAL, 9)) is Level.CONFIDENTIAL
    assert reader.by_id("s-1") == replace(ROW, level=Level.CONFIDENTIAL)
    kept = reader.connection.execute("SELECT session, from_level, to_level, at FROM raised").fetchall()
    assert kept == [("s-1", Level.PUBLIC, Level.CONFIDENTIAL, 9)]


@pytest.mark.parametrize("level", [Level.PUBLIC, Level.INTERNAL])
def test_taint_never_falls(control: Control, reader: ControlReader, level: Level) -> None:
    """A raise to where the session is, or below, changes nothing and names the level in force; SQL can't lower it."""
    control(lambda c: c.add(ROW))
    control(lambda c: c.set_level("s-1", Level.INTERNAL, 9))
    assert control(lambda c: c.set_level("s-1", level, 10)) is Level.INTERNAL
    assert reader.connection.execute("SELECT count(*) FROM raised").fetchone() == (1,)
    with pytest.raises(apsw.ConstraintError, match="taint never falls"):
        control(lambda c: c.connection.execute("UPDATE session SET level = 0"))


@pytest.mark.parametrize(
    ("session", "level", "code"),
    [
        ("s-1", Level.RESTRICTED, "over_ceiling"),
        ("nobody", Level.INTERNAL, "session_unknown"),
        ("over", Level.INTERNAL, "session_ended"),
    ],
)
def test_a_raise_that_may_not_be_is_refused(
    control: Control, reader: ControlReader, session: str, level: Level, code: str
) -> None:
    """Over the ceiling, of nobody, or of a session that is over; nothing is changed."""
    control(lambda c: c.add(ROW))
    control(lambda c: c.add(replace(ROW, id="over", token_hash=b"2", ended=6)))
    with pytest.raises(Refusal) as refused:
        control(lambda c: c.set_level(session, level, 9))
    assert refused.value.code == code
    assert {row.level for row in reader.all(include_ended=True)} == {Level.PUBLIC}


def test_who_can_be_heard_is_kept(control: Control, reader: ControlReader) -> None:
    """A session that nobody feeds is kept as such until one does; what it was opened with comes back."""
    control(lambda c: c.add(ROW))
    control(lambda c: c.add(replace(ROW, id="s-2", token_hash=b"2", hearing=Hearing.UNATTENDED)))
    control(lambda c: c.hear("s-1", Hearing.FEED))
    heard = {row.id: row.hearing for row in reader.all()}
    assert heard == {"s-1": Hearing.FEED, "s-2": Hearing.UNATTENDED}


def test_an_ended_session_is_listed_only_on_request(control: Control, reader: ControlReader) -> None:
    """It ends once; its row stays until it is pruned."""
    control(lambda c: c.add(ROW))
    assert control(lambda c: c.end("s-1", 8)) is True
    assert control(lambda c: c.end("s-1", 9)) is False
    assert reader.all() == []
    assert reader.all(include_ended=True) == [replace(ROW, ended=8)]


def test_pruning_drops_what_was_not_seen_for_long(control: Control, reader: ControlReader) -> None:
    """A session that was seen since stays; one that ended before goes, with the record of its raises."""
    control(lambda c: c.add(ROW))
    control(lambda c: c.add(replace(ROW, id="s-2", token_hash=b"2", opened=6)))
    control(lambda c: c.set_level("s-2", Level.INTERNAL, 7))
    control(lambda c: c.touch("s-1", 100))
    control(lambda c: c.touch("s-1", 50))
    assert control(lambda c: c.prune(100)) == 1
    assert reader.all(include_ended=True) == [replace(ROW, seen=100)]
    assert reader.connection.execute("SELECT count(*) FROM raised").fetchone() == (0,)


def test_a_setting_is_kept(control: Control, reader: ControlReader) -> None:
    """The newest value counts; one that nobody set is None."""
    control(lambda c: c.set_setting("zone", "Asia/Kolkata"))
    control(lambda c: c.set_setting("zone", "UTC"))
    assert (reader.setting("zone"), reader.setting("other")) == ("UTC", None)


def test_where_a_journal_ended_never_goes_back(control: Control, reader: ControlReader) -> None:
    """Each level has its own; an earlier end than the kept one is not taken, since somebody cut the journal."""
    assert reader.journal_end(Level.INTERNAL) is None
    assert control(lambda c: c.keep_journal_end(Level.INTERNAL, 5, "aa"))
    assert control(lambda c: c.keep_journal_end(Level.INTERNAL, 7, "bb"))
    assert not control(lambda c: c.keep_journal_end(Level.INTERNAL, 6, "cc"))
    assert reader.journal_end(Level.INTERNAL) == (7, "bb") and reader.journal_end(Level.PUBLIC) is None
    assert reader.setting("head.internal") == "7:bb"
