"""``memtrigctl import``: the memories of another program, or of a file that somebody wrote."""

from __future__ import annotations

import sys

from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import PARTIAL
from memtrig.ctl.grammar import CONTROL, LONG, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

FORMATS = (
    "memtrig",
    "bundle",
    "server-memory",
    "memory-trigger",
    "memory-trigger-lines",
    "triggerfish",
    "pam",
    "mcp-memory-service",
    "mem0",
    "portable-memory",
    "claude",
    "chatgpt",
    "basic-memory",
    "claude-code",
    "obsidian",
    "text",
    "repair",
)
"""The formats that a shell completes; the reader's table rules."""
_TAKEN = {
    "new": "new",
    "updated": "in place of others",
    "confirmed": "confirmed",
    "known": "known already",
    "echo": "said before",
    "pending": "waiting for your yes",
    "contested": "contested: what stands weighs more",
    "older": "older than what stands, kept as its history",
    "closed": "kept as history",
}


def run(door: Door, given: dict[str, Any]) -> int:
    """Tell what the file holds, import it, and tell what became of it. Raises Failure."""
    from memtrig.ctl import bundling, output
    from memtrig.ctl.failure import usage
    from memtrig.ctl.importing import Import, Reader, Repairs, progress

    *named, path = given["where"]
    if named == ["bundle"] or (not named and bundling.looks(path)):
        return bundling.run(door, given, path)
    if "trust" in given:
        raise usage("--trust is for a bundle.", "What a file of another format says is a file's word.")
    quiet, dry_run = "json" in given, "dry_run" in given
    screen = output.screen_of(sys.stdout)
    with Reader(path, _format(named), undated="undated" in given) as reader:
        items = iter(reader)
        found = next(items)
        repairs = Repairs(path, given.get("repair"), found["format"], dry_run=dry_run)
        if not quiet:
            output.print_lines(_found(path, found, screen))
        total = found["records"] + sum(found["beside"].values())
        importing = Import(door, given, repairs, progress(total, quiet=quiet))
        try:
            if found["records"] or found["beside"] or found["problems"]:
                importing.run(items, dry_run=dry_run)
        finally:
            repairs.close()
    done = {
        "path": path,
        "level": importing.level,
        "dry_run": dry_run,
        "found": {name: value for name, value in found.items() if name != "type"},
        "counts": importing.counts,
        "entries": importing.entries,
        "not_taken": repairs.counts,
        "repair": repairs.path,
        "backup": importing.backup,
    }
    if quiet:
        output.print_json(done, [])
    else:
        output.print_lines(show(done, screen))
    return code(done)


def show(done: dict[str, Any], screen: Screen) -> list[str]:
    """Say what was, or would be, imported, and what was not and where that is now."""
    counts, lost = done["counts"], done.get("not_taken", {})
    taken = ", ".join(f"{count:,} {_TAKEN.get(name, one_line(name))}" for name, count in counts.items())
    verb = "Would go" if done.get("dry_run") else "Went"
    lines = [f"{verb} to {screen.bold(one_line(done['level']))}: {taken or 'nothing'}."]
    if done.get("entries"):
        beside = ", ".join(f"{count:,} {_TAKEN.get(name, one_line(name))}" for name, count in done["entries"].items())
        lines.append(f"Of what came beside them: {beside}.")
    if done.get("backup"):
        lines.append(f"Before it, backup {one_line(done['backup'])} was made.")
    if lost:
        reasons = ", ".join(f"{one_line(name)} {count:,}" for name, count in lost.items())
        lines.append(f"Not taken: {sum(lost.values()):,} ({reasons}).")
    if done.get("repair"):
        where = one_line(done["repair"])
        lines.append(f"They are in {where}, each with its reason: mend them there, then `memtrigctl import` that file.")
    return lines


def code(done: dict[str, Any]) -> int:
    """Tell by the exit code that not all was taken."""
    return PARTIAL if done.get("not_taken") else 0


def _format(named: list[str]) -> str | None:
    from memtrig.ctl.failure import usage

    if len(named) > 1:
        raise usage("import takes one file.", "Say import FORMAT PATH, or import PATH; files one by one.")
    return named[0] if named else None


def _found(path: str, found: dict[str, Any], screen: Screen) -> list[str]:
    """Tell what a file holds."""
    kinds = ", ".join(f"{one_line(name)} {count:,}" for name, count in found["kinds"].items())
    dates = f"{screen.clock(found['first'])} to {screen.clock(found['last'])}" if found["first"] else ""
    undated = f"{found['undated']:,} without, taken as of today" if found["undated"] else ""
    pairs = (
        ("records", f"{found['records']:,}" + (f": {kinds}" if kinds else "")),
        ("beside them", _counted(found["beside"])),
        ("levels", _counted(found["levels"])),
        ("states", _counted(found["states"]) if set(found["states"]) - {"active"} else ""),
        ("dates", "; ".join(filter(None, (dates, undated)))),
        ("unreadable", _counted(found["problems"])),
        ("notes", f"{found['notes']:,}" if found["notes"] else ""),
    )
    head = f"{screen.bold(one_line(path))} is {one_line(found['title'])} ({one_line(found['format'])})."
    return [head, *screen.facts(pairs), *(f"  {one_line(each)}" for each in found["examples"])]


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{one_line(name)} {count:,}" for name, count in counts.items())


VERB = DaemonVerb(
    "import",
    "import the memories of another program or of a list; exit code 4 if some were not taken",
    "memtrigctl import server-memory memory.jsonl --level confidential --dry-run",
    door=CONTROL,
    patience=LONG,
    arguments=(
        Argument(
            "where",
            "[FORMAT] PATH",
            "the file or folder; its format is told by itself, or named before it: " + " ".join(FORMATS),
            many=True,
            values=FORMATS,
        ),
    ),
    options=(
        Option("level", "--level", "LEVEL", "where it goes; internal unsaid", read=level, values=LEVELS),
        Option("space", "--space", "S", "the space that it goes to; default unsaid"),
        Option("dry_run", "--dry-run", help="tell what would be taken, and take nothing"),
        Option("redact", "--redact", help="take credentials out of texts and keep the rest"),
        Option("undated", "--undated", help="take records whose dates can't be right without these dates"),
        Option("trust", "--trust", help="of a bundle: take it though the level has memories"),
        Option("repair", "--repair", "FILE", "where what is not taken goes; PATH.repair.jsonl unsaid"),
        Option("json", "--json", help="print one JSON document"),
    ),
    show=show,
    code=code,
    stream=run,
)
