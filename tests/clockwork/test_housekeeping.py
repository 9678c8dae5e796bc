"""What is done once a day."""

from pathlib import Path

from memtrigd.clockwork.housekeeping import ANSWERS_KEPT, housekeeping
from memtrigd.domain.levels import Level
from memtrigd.store.interface import Change, Hands, Remembered
from memtrigd.store.queueing import Done, Job, Outcome
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions, WriterLane

NOW = 2 * ANSWERS_KEPT


class WritesAtOnce(WriterLane):
    """The lane of the writer without its thread."""

    def put(self, job: Job) -> None:
        """Commit the job now."""
        self.perform([job])


def _deliver(outcomes: list[tuple[Done, Outcome]]) -> None:
    for done, outcome in outcomes:
        done(outcome)


def _fail(error: Exception) -> None:
    raise AssertionError("the disk failed") from error


def _note(hands: Hands) -> None:
    assert hands.writer is not None
    hands.writer.note(Change(op="session.raise", actor="owner", session="s-1", at=1))


def _cut(vault: Vault, level: Level) -> None:
    """Take the newest row out of a journal behind the daemon's back, with what it tells of."""
    connection = vault.writers()[level].connection
    connection.execute("DROP TRIGGER IF EXISTS audit_is_not_cut")
    ((seq,),) = connection.execute(
        "DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit) RETURNING seq"
    ).fetchall()
    connection.execute("DELETE FROM event WHERE seq = ?", (seq,))


def test_each_journals_end_is_kept_outside_its_file(tmp_path: Path) -> None:
    """So a journal that is cut at its end later is found out, also after the next day's housekeeping."""
    with Vault.open(tmp_path / "state") as vault:
        transactions, job = Transactions(vault), housekeeping(WritesAtOnce(vault, _deliver, _fail), list)
        for level in Level:
            for _ in range(1 + level):
                transactions.run_now(level, _note)
        job.run(NOW)
        ends = {level: vault.readers()[level].journal_end() for level in Level}
        assert [seq for seq, _ in ends.values()] == [1, 2, 3, 4]
        assert {level: vault.control_reader().journal_end(level) for level in Level} == ends
        assert [vault.verify(level) for level in Level] == [[]] * 4
        _cut(vault, Level.INTERNAL)
        job.run(NOW + job.every)
        assert [bool(vault.verify(level)) for level in Level] == [False, True, False, False]


def test_old_answers_are_dropped_and_newer_ones_are_not(tmp_path: Path) -> None:
    """A retry within the promised time still gets the answer that the first try got."""
    with Vault.open(tmp_path / "state") as vault:

        def remember(hands: Hands) -> None:
            assert hands.writer is not None
            for key, at in (("old", NOW - ANSWERS_KEPT - 1), ("new", NOW - ANSWERS_KEPT)):
                hands.writer.remember(None, key, Remembered(b"digest", b"reply"), None, at)

        Transactions(vault).run_now(Level.PUBLIC, remember)
        housekeeping(WritesAtOnce(vault, _deliver, _fail), list).run(NOW)
        reader = vault.readers()[Level.PUBLIC]
        assert reader.remembered(None, "old") is None and reader.remembered(None, "new") is not None
