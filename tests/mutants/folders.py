"""Breakages of folders as a source, and the tests that are to notice."""

from typing import Final

from tests.mutants.catalogue import Edit, Mutant

FOLLOWING: Final = "memtrigd/watched/following.py"
LOOKING: Final = "memtrigd/watched/looking.py"
READING: Final = "memtrigd/watched/reading.py"
RULES: Final = "memtrigd/domain/folders.py"
TAKING: Final = "memtrigd/watched/taking.py"
TOOK: Final = "tests/watched/test_taking.py"
HELD: Final = "tests/watched/test_holding.py"

FOLLOWED: Final = (
    Mutant(
        "a folder that agents may write to speaks with authority",
        (Edit("memtrigd/watched/registry.py", '"agent": Source.SELF_INFERRED', '"agent": Source.FILE_IMPORT'),),
        (f"{TOOK}::test_what_agents_may_write_waits_for_a_yes",),
    ),
    Mutant(
        "a folder closes what the user said",
        (Edit(TAKING, "and row.session == turn.actor.session and not row.pinned and rank", "and bool(row) and rank"),),
        (f"{TOOK}::test_a_folder_closes_only_what_it_said",),
    ),
    Mutant(
        "a folder that is away is empty",
        (
            Edit(
                FOLLOWING,
                '            self._troubles, self._since = {"": sight}, {}\n',
                "            return Sight({}, [], {})\n",
            ),
        ),
        (f"{HELD}::test_a_folder_that_is_away_closes_nothing",),
    ),
    Mutant(
        "a file that can't be read is gone",
        (Edit(FOLLOWING, "if file not in sight.files and not sight.hides(file)]", "if file not in sight.files]"),),
        (f"{HELD}::test_a_file_that_cant_be_taken_up_keeps_what_it_said",),
    ),
    Mutant(
        "links out of a folder are followed",
        (
            Edit(LOOKING, "entry.stat(follow_symlinks=False)", "entry.stat()"),
            Edit(
                "memtrigd/watched/reading.py",
                "_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW",
                "_FILE = os.O_RDONLY",
            ),
        ),
        (f"{HELD}::test_a_file_that_cant_be_taken_up_keeps_what_it_said",),
    ),
    Mutant(
        "whatever vanishes closes",
        (Edit(RULES, "return closing > 0 and (not left or (closing > FEW and 2 * closing > of))", "return False"),),
        ("tests/domain/test_folders.py::test_much_at_once_is_held",),
    ),
    Mutant(
        "a memory closes at once",
        (Edit(FOLLOWING, "if self._since[file][1] > ripe]", "if self._since[file][1] > ripe + 99]"),),
        (f"{HELD}::test_a_memory_closes_only_once_its_line_is_gone_for_a_while",),
    ),
)
"""What a file may not do."""
