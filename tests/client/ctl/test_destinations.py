"""To which level an import brings what, and how that and what a file holds is told on a terminal."""

from importlib import import_module
from typing import Any

import pytest
from memtrig.ctl.destinations import Destinations, read
from memtrig.ctl.failure import Failure
from memtrig.ctl.render import Screen, width

FOUND: dict[str, Any] = {
    "format": "memory-trigger",
    "title": "a library of memory-trigger",
    "records": 12,
    "kinds": {"general": 8, "relationship": 3, "emotion": 1},
    "levels": {"PUBLIC": 1, "SECRET": 1},
    "states": {"active": 12},
    "problems": {"bad_value": 1},
    "notes": 1,
    "undated": 2,
    "first": "2026-01-01T00:00:00+00:00",
    "last": "2026-02-01T00:00:00+00:00",
    "examples": [
        "我的笔记/" + "日记" * 40 + ".md: line 3: तारीख समजत नाही, म्हणून ही ओळ घेतली गेली नाही, आणि ती दुरुस्त करता येते."
    ],
    "beside": {"wellness": 2, "alias": 1},
    "proposed": {"relationship": "CONFIDENTIAL", "emotion": "CONFIDENTIAL", "wellness": "CONFIDENTIAL"},
}


def goes(*said: str, keep: bool = False) -> Destinations:
    """What was said on a command line."""
    return Destinations([*map(read, said)], keep=keep)


def record(kind: str | None = None, level: str | None = None) -> dict[str, Any]:
    """A record as the reader gives it."""
    return {"type": "record", "record": {"content": "x", "kind": kind, "level": level}}


@pytest.mark.parametrize(
    ("said", "item", "level"),
    [
        ([], record(), "INTERNAL"),
        (["public"], record(), "PUBLIC"),
        (["emotion=Confidential"], record(" Emotion"), "CONFIDENTIAL"),
        (["emotion=confidential", "restricted"], record("habit"), "RESTRICTED"),
        (["general=public"], record(), "PUBLIC"),
        (["wellness=restricted"], {"type": "entry", "entry": {"type": "import_wellness"}}, "RESTRICTED"),
        (["wellness=restricted"], {"type": "entry", "entry": {"type": "import_wish"}}, "INTERNAL"),
        ([], record(level="RESTRICTED"), "INTERNAL"),
    ],
)
def test_the_owner_says_where_it_goes(said: list[str], item: dict[str, Any], level: str) -> None:
    """All of it, or each kind; what a record says of itself is the daemon's to hold against that."""
    assert goes(*said).of(item) == level


@pytest.mark.parametrize(
    ("item", "level"),
    [
        (record(level="public"), "PUBLIC"),
        (record("emotion", "PUBLIC"), "CONFIDENTIAL"),
        (record("emotion", "RESTRICTED"), "RESTRICTED"),
        (record("emotion"), "CONFIDENTIAL"),
        (record(level="SECRET"), "INTERNAL"),
        ({"type": "entry", "entry": {"type": "import_wish"}}, "INTERNAL"),
    ],
)
def test_what_says_its_level_goes_there_or_higher(item: dict[str, Any], level: str) -> None:
    """Never below what was said of its kind; a level that is none counts as unsaid, and is refused later."""
    assert goes("emotion=confidential", keep=True).of(item) == level


def test_the_levels_to_back_up_are_those_that_something_may_go_to() -> None:
    """By what is in the file, from the lowest."""
    assert goes().among(FOUND) == ["INTERNAL"]
    assert goes("emotion=restricted", "habit=public").among(FOUND) == ["INTERNAL", "RESTRICTED"]
    assert goes("confidential", keep=True).among(FOUND) == ["PUBLIC", "CONFIDENTIAL"]
    whole = {**FOUND, "levels": {"PUBLIC": 4, "RESTRICTED": 8}, "beside": {}}
    assert goes(keep=True).among(whole) == ["PUBLIC", "RESTRICTED"]


def test_what_is_proposed_is_what_nobody_decided() -> None:
    """A kind whose level was said, and what goes higher anyway, is proposed nothing."""
    assert goes("emotion=internal").proposal(FOUND) == (
        "CONFIDENTIAL for relationship with --level relationship=confidential; "
        "CONFIDENTIAL for wellness with --level wellness=confidential; each to its own level with --keep-levels"
    )
    assert goes("restricted", keep=True).proposal(FOUND) == ""


def test_a_level_is_said_once() -> None:
    """Of all, and of each kind."""
    for said in (("public", "internal"), ("habit=public", "habit=internal")):
        with pytest.raises(Failure):
            goes(*said)
    assert Destinations("RESTRICTED", keep=False).usual == "RESTRICTED"


def test_no_line_is_wider_than_the_terminal() -> None:
    """In Chinese and Marathi too; nothing of it is cut, and into a pipe it goes as it is."""
    verb = import_module("memtrig.ctl.verbs.import")
    path = "/home/阿澈/" + "माझ्या आठवणी " * 9
    where = goes("emotion=confidential", keep=True)
    done = {
        "level": "INTERNAL",
        "dry_run": False,
        "counts": {"older": 1200, "pending": 3, "contested": 4, "known": 12},
        "entries": {"known": 3, "new": 4},
        "backup": None,
        "not_taken": {"bad_value": 12, "forgotten": 3, "too_large": 4, "secret": 5, "bad_level": 6},
        "repair": path + ".repair.jsonl",
    }
    for columns in (40, 80):
        screen = Screen(columns)
        lines = [*verb._found(path, FOUND, where, screen), *verb.show(done, screen)[:-1]]
        assert max(map(width, lines)) <= columns
        plain = [*verb._found(path, FOUND, where, Screen()), *verb.show(done, Screen())[:-1]]
        assert "".join("".join(lines).split()) == "".join("".join(plain).split())
    assert verb.show(done, Screen(40))[-1] == f"  {' '.join(path.split())} .repair.jsonl"
