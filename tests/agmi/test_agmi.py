"""The nine edits of agent-memory-integrity: each is reported, or is known not to be."""

import pytest
from agmi.check import run

from tests.agmi.adapter import Memtrigd, MemtrigdAlone

pytestmark = pytest.mark.slow


def test_every_edit_is_reported() -> None:
    """With the journal's end kept elsewhere no edit goes unnoticed, the older copy of everything included."""
    rows = run(Memtrigd())
    assert {row["edit"][:2]: row["verdict"] for row in rows} == {f"T{n}": "REPORTED" for n in range(1, 10)}, rows


def test_only_an_older_copy_of_everything_goes_unnoticed_in_the_files_alone() -> None:
    """The limit that the documentation names: nothing in the files tells that all of them are older."""
    rows = run(MemtrigdAlone())
    expected = {f"T{n}": "REPORTED" for n in range(1, 9)} | {"T9": "ACCEPTED"}
    assert {row["edit"][:2]: row["verdict"] for row in rows} == expected, rows
