"""``memtrigctl merge``: two sets of memories made one, in a new folder. No daemon is asked."""

from __future__ import annotations

import sys

from memtrig.ctl.failure import PARTIAL
from memtrig.ctl.grammar import Argument, LocalVerb, Option
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

_COUNTED = {
    "active": "in service",
    "pending": "waiting",
    "beside": "beside them",
    "known": "on both sides",
    "overridden": "against the file side, in conflicts.jsonl",
    "forgotten_there": "forgotten on the file side",
    "in_service": "put away on the self side alone",
    "left": "not readable",
}


def run(given: dict[str, Any]) -> int:
    """Merge, and tell what became of both sides; exit code 4 if some could not be read. Raises Failure."""
    from memtrig.ctl import output
    from memtrig.ctl.leaving import Apart

    out = given.get("out", f"{given['self'].rstrip('/')}.merged")
    words = [*["--approve"] * ("approve" in given), "--", given["file"], given["self"], out]
    done: dict[str, Any] = {}
    with Apart("merge", *words) as apart:
        for told in apart:
            done = {name: value for name, value in told.items() if name != "type"}
    if "json" in given:
        output.print_json(done, [])
    else:
        output.print_lines(show(done, output.screen_of(sys.stdout)))
    return PARTIAL if done["left"] else 0


def show(done: dict[str, Any], screen: Screen) -> list[str]:
    """Say what each side came to, and what to do next."""
    out = one_line(done["out"])
    lines = [f"{screen.bold(out)} holds memories.jsonl and report.json."]
    for side, counts in done["counts"].items():
        told = done[side]
        counted = ", ".join(f"{count:,} {_COUNTED.get(name, one_line(name))}" for name, count in counts.items())
        lines.append(f"  {side}: {one_line(told['path'])} ({one_line(told['format'])}): {counted or 'nothing'}")
    if done["conflicts"]:
        lines.append(f"Conflicts: {done['conflicts']:,}; report.json has both texts of each.")
    if done["left"]:
        lines.append(f"Not readable: {done['left']:,}; report.json has each with its reason.")
    return [*lines, f"`memtrigctl import {out}/memories.jsonl --dry-run` tells what would become of it."]


VERB = LocalVerb(
    "merge",
    "make two sets of memories one; exit code 4 if some could not be read",
    "memtrigctl merge ~/agent/references self.txt --out ~/merged",
    arguments=(
        Argument("file", "FILE_SIDE", "a library, file or folder: what it says stands"),
        Argument("self", "SELF_SIDE", "the same of an agent's own impressions: what is new waits"),
    ),
    options=(
        Option("out", "--out", "DIR", "the new folder; SELF_SIDE.merged unsaid"),
        Option("approve", "--approve", help="let stand what the self side is sure of (confidence from 0.8 on)"),
        Option("json", "--json", help="print one JSON document"),
    ),
    run=run,
)
