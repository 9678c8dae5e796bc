"""Breakages that only a power cut shows."""

from typing import Final

from tests.mutants.catalogue import Edit, Mutant

CUTS: Final = "tests/crash/test_power_cuts.py::test_what_was_answered_is_there_after_a_power_cut"

CUT_OFF: Final = (
    Mutant(
        "commits that do not wait for the disk, at a power cut",
        (Edit("memtrigd/store/pragmas.py", '("synchronous", "full")', '("synchronous", "off")'),),
        (f"{CUTS}[saves-0]",),
    ),
    Mutant(
        "commits that wait for the disk at checkpoints only",
        (Edit("memtrigd/store/pragmas.py", '("synchronous", "full")', '("synchronous", "normal")'),),
        (f"{CUTS}[saves-0]",),
    ),
    Mutant(
        "new names that do not wait for the disk",
        (Edit("memtrigd/store/files.py", "    _sync(path, os.O_DIRECTORY)\n", "    path.stat()\n"),),
        (f"{CUTS}[the first start-0]",),
    ),
    Mutant(
        "an emptied log that does not wait for the disk",
        (Edit("memtrigd/store/upkeep.py", "sync_file(Path(self._connection.filename_wal))", "pass"),),
        (f"{CUTS}[erase-0]",),
    ),
    Mutant(
        "a restore that is answered before its intent is on the disk",
        (
            Edit(
                "memtrigd/store/restore.py",
                "    draft.rename(state / INTENT)\n    sync_directory(state)\n",
                "    draft.rename(state / INTENT)\n",
            ),
        ),
        (f"{CUTS}[restore-0]",),
    ),
)
"""What was answered must be on the disk before."""
