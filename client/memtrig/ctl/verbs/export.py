"""``memtrigctl export``: all memories, or some, in files that are the user's own."""

from __future__ import annotations

import os
import sys

from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import PARTIAL, usage
from memtrig.ctl.grammar import CONTROL, LONG, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

FORMATS = ("bundle", "markdown", "memory-trigger")
VERSIONS = ("2.7", "3.1")
"""Of memory-trigger, whose library is written."""
_KEYED = {"erased": "what was erased is not refused elsewhere", "masks": "what it hid shows elsewhere"}


def run(door: Door, given: dict[str, Any]) -> int:
    """Have a backup made, or take the one that is named, have it written out, and tell what was. Raises Failure."""
    from memtrig.ctl import output
    from memtrig.ctl.leaving import Apart, progress

    format, path = _where(given["where"])
    if os.path.lexists(path):
        raise usage(f"{path!r} is there already.", "Name a new one: nothing is written over.", "bad_value")
    backup = given["from"] if "from" in given else door.ask("backup.now", {}).result["backup"]["name"]
    words = [format, f"--backup={backup}"]
    options = (("only", "--level"), ("max_level", "--max-level"), ("space", "--space"), ("engine", "--version"))
    words += [f"{flag}={given[name]}" for name, flag in options if name in given]
    words += [f"--home={door.home.root}"] * (door.home.root is not None)
    total, done = 0, dict[str, "Any"]()
    with Apart("export", *words, "--", path) as apart:
        for told in apart:
            total = told.get("memories", total)
            if told["type"] == "progress" and "json" not in given:
                progress(told["done"], total)
            done = told
    result = {name: value for name, value in done.items() if name != "type"}
    if "json" in given:
        output.print_json(result, [])
    else:
        output.print_lines(show(result, output.screen_of(sys.stdout)))
    return code(result)


def show(done: dict[str, Any], screen: Screen) -> list[str]:
    """Say what was written and, above all, what was not."""
    lines = [f"{screen.bold(one_line(done['path']))} holds, as of backup {one_line(done['backup'])}:"]
    for name, rows in done["rows"].items():
        counted = ", ".join(f"{count:,} {one_line(_many(each, count))}" for each, count in rows.items())
        lines.append(f"  {one_line(name)}: {counted or 'nothing'}")
    left = done.get("left_out", {})
    if left:
        counted = ", ".join(f"{one_line(name)} ({count:,} {_many('memory', count)})" for name, count in left.items())
        lines.append(f"Warning: left out, as you asked: {counted}.")
    for name, counts in done.get("keyed", {}).items():
        told = "; ".join(f"{_KEYED.get(each, one_line(each))} ({count:,})" for each, count in counts.items())
        lines.append(f"Of {one_line(name)} only this store knows by its own key: {told}.")
    homeless = done.get("homeless", {})
    if homeless:
        counted = ", ".join(f"{one_line(name)} ({count:,})" for name, count in homeless.items())
        lines.append(f"It has no place for, and does not hold: {counted}.")
    if done.get("missing"):
        names = ", ".join(map(one_line, done["missing"]))
        lines.append(f"Warning: the backup lacks {names}, and so does this: see `memtrigctl status`.")
    return lines


def code(done: dict[str, Any]) -> int:
    """Tell by the exit code that a level could not be read."""
    return PARTIAL if done.get("missing") else 0


def _where(words: list[str]) -> tuple[str, str]:
    if len(words) == 1:
        return "bundle", words[0]
    if len(words) > 2 or words[0] not in FORMATS:
        raise usage("export takes a format and a place.", f"The formats are: {', '.join(FORMATS)}.")
    return words[0], words[1]


def _version(word: str) -> str:
    if word not in VERSIONS:
        raise ValueError(f"the versions are: {', '.join(VERSIONS)}")
    return word


def _many(row: str, count: int) -> str:
    plural = row[:-1] + "ies" if row.endswith("y") else f"{row}es" if row.endswith("s") else f"{row}s"
    return row if count == 1 else plural


VERB = DaemonVerb(
    "export",
    "write memories out: as a bundle, as Markdown, or for memory-trigger",
    "memtrigctl export bundle ~/memories.zip --max-level internal",
    door=CONTROL,
    patience=LONG,
    arguments=(
        Argument(
            "where",
            "[FORMAT] PATH",
            "a new folder, or a zip of a bundle; bundle unsaid: " + " ".join(FORMATS),
            many=True,
            values=FORMATS,
        ),
    ),
    options=(
        Option("only", "--level", "LEVEL", "only this level", read=level, values=LEVELS),
        Option("max_level", "--max-level", "LEVEL", "leave higher levels out", read=level, values=LEVELS),
        Option("space", "--space", "S", "only this space"),
        Option("from", "--from", "BACKUP", "what a backup holds; a new one unsaid"),
        Option("engine", "--version", "V", "of memory-trigger; 3.1 unsaid", read=_version, values=VERSIONS),
        Option("json", "--json", help="print one JSON document"),
    ),
    at_most=("only", "max_level"),
    show=show,
    code=code,
    stream=run,
)
