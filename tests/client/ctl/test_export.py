"""memtrigctl export: what is refused before anybody is asked, and what is said at the end."""

from pathlib import Path

import pytest
from memtrig.ctl import bundling, catalogue
from memtrig.ctl.failure import Failure
from memtrig.ctl.render import Screen
from memtrig.ctl.verbs import export

from tests.client.ctl.test_output import NASTY, NOW, RAW

DONE = {
    "path": NASTY,
    "backup": NASTY,
    "rows": {NASTY: {NASTY: 2, "memory": 1, "entry": 2}},
    "left_out": {NASTY: 3},
    "keyed": {NASTY: {"erased": 1, NASTY: 2}},
    "missing": [NASTY],
}
TAKEN = {
    "dry_run": False,
    "counts": {NASTY: {NASTY: 1}},
    "not_taken": {NASTY: 1},
    "repair": NASTY,
    "backup": NASTY,
}


def test_no_name_reaches_the_terminal_raw() -> None:
    """Of a level, a path or a file in a bundle that somebody else made."""
    for screen in (Screen(now=NOW), Screen(80, now=NOW)):
        for lines in (export.show(DONE, screen), bundling.show(TAKEN, screen)):
            text = "\n".join(lines)
            assert "\\x1b" in text and not RAW & set(text)


def test_what_is_left_out_is_said_and_counted() -> None:
    """One memory is one memory; a level that could not be read gives exit code 4."""
    done = {"path": "p", "backup": "b", "rows": {"PUBLIC": {"memory": 1}}, "left_out": {"INTERNAL": 1, "RESTRICTED": 2}}
    assert export.show(done, Screen(now=NOW))[1:] == [
        "  PUBLIC: 1 memory",
        "Warning: left out, as you asked: INTERNAL (1 memory), RESTRICTED (2 memories).",
    ]
    assert (export.code(done), export.code({**done, "missing": ["RESTRICTED"]})) == (0, 4)


@pytest.mark.parametrize("words", [["pdf", "x"], ["bundle", "x", "y"], ["x", "y", "z"]])
def test_a_format_that_there_is_not_is_refused(words: list[str]) -> None:
    """Before the daemon is asked: there is none here."""
    with pytest.raises(Failure) as refused:
        export.run(None, {"where": words})  # type: ignore[arg-type]
    assert refused.value.code == "usage" and "bundle" in refused.value.hint


def test_a_place_that_is_taken_is_refused(tmp_path: Path) -> None:
    """Also by a link that leads nowhere."""
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in (".", "link"):
        with pytest.raises(Failure) as refused:
            export.run(None, {"where": [str(tmp_path / name)]})  # type: ignore[arg-type]
        assert refused.value.code == "bad_value" and refused.value.exit_code == 2


def test_export_is_in_the_help() -> None:
    """Beside import."""
    assert "export" in catalogue.GROUPS["Moving in and out"]
