"""``memtrigctl import``: the memories of another program, or of a file that somebody wrote."""

from __future__ import annotations

import sys

from memtrig.ctl import destinations
from memtrig.ctl.failure import PARTIAL
from memtrig.ctl.grammar import CONTROL, LONG, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line, width, wrap
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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
    goes = destinations.Destinations(given.pop("level", ()), keep="keep_levels" in given)
    if named == ["bundle"] or (not named and bundling.looks(path)):
        return bundling.run(door, given | goes.of_a_bundle(), path)
    if "trust" in given:
        raise usage("--trust is for a bundle.", "What a file of another format says is a file's word.")
    quiet, dry_run = "json" in given, "dry_run" in given
    screen = output.screen_of(sys.stdout)
    with Reader(path, _format(named), undated="undated" in given) as reader:
        items = iter(reader)
        found = next(items)
        repairs = Repairs(path, given.get("repair"), found["format"], dry_run=dry_run)
        if not quiet:
            output.print_lines(_found(path, found, goes, screen))
        total = found["records"] + sum(found["beside"].values())
        importing = Import(door, given, goes, repairs, progress(total, quiet=quiet))
        try:
            if found["records"] or found["beside"] or found["problems"]:
                importing.run(items, goes.among(found), dry_run=dry_run)
        finally:
            repairs.close()
    done = {
        "path": path,
        "level": goes.usual,
        "dry_run": dry_run,
        "found": {name: value for name, value in found.items() if name != "type"},
        "counts": importing.counts,
        "entries": importing.entries,
        "levels": importing.levels,
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
    lost = done.get("not_taken", {})
    levels = done.get("levels") or {done["level"]: done}
    said = [_went(name, came, screen, dry_run=done.get("dry_run", False)) for name, came in levels.items()]
    if done.get("backup"):
        said.append(f"Before it, backup {one_line(done['backup'])} was made.")
    elif "backup" in done and not done["dry_run"] and (done["counts"] or done["entries"]):
        said.append("Nothing was written, so no backup was made.")
    if lost:
        reasons = ", ".join(f"{one_line(name)} {count:,}" for name, count in lost.items())
        said.append(f"Not taken: {sum(lost.values()):,} ({reasons}).")
    if done.get("repair"):
        said.append("They are here, each with its reason; mend them there, then `memtrigctl import` that file:")
    lines = [line for each in said for line in _wrapped(each, screen)]
    return [*lines, f"  {one_line(done['repair'])}"] if done.get("repair") else lines


def _went(name: str, came: dict[str, Any], screen: Screen, *, dry_run: bool) -> str:
    """Say what became of what goes to one level."""
    verb = "Would go" if dry_run else "Went"
    memories, beside = _taken(came["counts"]), _taken(came.get("entries", {}))
    beside = f"; beside them {beside}" if beside else ""
    return f"{verb} to {screen.bold(one_line(name))}: {memories or 'nothing'}{beside}."


def _taken(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {_TAKEN.get(name, one_line(name))}" for name, count in counts.items())


def code(done: dict[str, Any]) -> int:
    """Tell by the exit code that not all was taken."""
    return PARTIAL if done.get("not_taken") else 0


def _format(named: list[str]) -> str | None:
    from memtrig.ctl.failure import usage

    if len(named) > 1:
        raise usage("import takes one file.", "Say import FORMAT PATH, or import PATH; files one by one.")
    return named[0] if named else None


def _found(path: str, found: dict[str, Any], goes: destinations.Destinations, screen: Screen) -> list[str]:
    """Tell what a file holds, where it goes, and what is proposed of that."""
    kinds = ", ".join(f"{one_line(name)} {count:,}" for name, count in found["kinds"].items())
    dates = f"{screen.clock(found['first'])} to {screen.clock(found['last'])}" if found["first"] else ""
    undated = f"{found['undated']:,} without, taken as of today" if found["undated"] else ""
    pairs = (
        ("records", f"{found['records']:,}" + (f": {kinds}" if kinds else "")),
        ("beside them", _counted(found["beside"])),
        ("their levels", _counted(found["levels"])),
        ("states", _counted(found["states"]) if set(found["states"]) - {"active"} else ""),
        ("dates", "; ".join(filter(None, (dates, undated)))),
        ("unreadable", _counted(found["problems"])),
        ("notes", f"{found['notes']:,}" if found["notes"] else ""),
        ("goes to", goes.told()),
        ("proposed", goes.proposal(found)),
    )
    head = _wrapped(
        f"{screen.bold(one_line(path))} is {one_line(found['title'])} ({one_line(found['format'])}).", screen
    )
    examples = (line for each in found["examples"] for line in _wrapped(f"  {one_line(each)}", screen, "    "))
    return [*head, *_facts(pairs, screen), *examples]


def _facts(pairs: Sequence[tuple[str, str]], screen: Screen) -> list[str]:
    """Named values below each other, each on as many lines as it takes."""
    room = max((len(name) for name, value in pairs if value), default=0) + 4
    named = zip(screen.facts(pairs), (value for _, value in pairs if value), strict=True)
    if screen.columns is None:
        return [fact for fact, _ in named]
    lines = []
    for fact, value in named:
        first, *others = wrap(one_line(value), max(20, screen.columns - room))
        lines += [fact.removesuffix(one_line(value)) + first, *(" " * room + line for line in others)]
    return lines


def _wrapped(sentence: str, screen: Screen, indent: str = "") -> list[str]:
    """A harmless sentence on as many lines as it takes; one in which the terminal's signs stand takes one."""
    if screen.columns is None or "\x1b" in sentence or width(sentence) <= screen.columns:
        return [sentence]
    first, *others = wrap(sentence, screen.columns - len(indent))
    return [first, *(indent + line for line in others)]


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
        Option(
            "level",
            "--level",
            "[KIND=]LEVEL",
            "where it goes, or what is of a kind: relationship=confidential; internal unsaid; may be repeated",
            read=destinations.read,
            many=True,
            values=LEVELS,
        ),
        Option("keep_levels", "--keep-levels", help="what says its level goes there, the rest as --level says"),
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
