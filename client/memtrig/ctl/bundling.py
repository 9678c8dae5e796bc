"""A bundle on its way back: read in a process of its own, each level's rows in batches, and what was not taken."""

from __future__ import annotations

import os
import sys

from memtrig.ctl import output, talk
from memtrig.ctl.failure import PARTIAL, Failure, usage
from memtrig.ctl.importing import BATCH_CHARACTERS, Repairs, is_news
from memtrig.ctl.leaving import Apart, progress
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

BATCH = 16
"""Rows in one request: some 25 ms of the writer, half of what the daemon would take."""
MARK = b'"memtrig": "bundle"'
_TAKEN = {"new": "new", "known": "known already", "ahead": "gone on since"}
_KEYED = {"erased": "what was erased there is not refused here", "masks": "what was hidden under an erased key shows"}


def looks(path: str) -> bool:
    """Tell whether a folder is a bundle; a zip is told by its name before the path."""
    try:
        with open(os.path.join(path, "manifest.json"), "rb") as file:  # noqa: PTH118, PTH123
            return MARK in file.read(200)
    except (OSError, ValueError):
        return False


def run(door: Door, given: dict[str, Any], path: str) -> int:
    """Tell what a bundle holds, take it, and tell what became of it. Raises Failure."""
    for name in ("space", "redact", "undated"):
        if name in given:
            raise usage(f"--{name} says nothing to a bundle: it comes back as it was.", "Leave it out.")
    quiet, dry_run = "json" in given, "dry_run" in given
    screen = output.screen_of(sys.stdout)
    with Apart("bundle_in", "--", path) as apart:
        told = iter(apart)
        found = next(told)
        repairs = Repairs(path, given.get("repair"), "bundle", dry_run=dry_run)
        if not quiet:
            output.print_lines(_found(path, found, screen))
        returning = Returning(door, given, found, repairs, quiet=quiet)
        try:
            returning.run(told)
        finally:
            repairs.close()
    done = {
        "path": path,
        "dry_run": dry_run,
        "found": {name: value for name, value in found.items() if name != "type"},
        "counts": returning.counts,
        "not_taken": repairs.counts,
        "repair": repairs.path,
        "backup": returning.backup,
    }
    if quiet:
        output.print_json(done, [])
    else:
        output.print_lines(show(done, screen))
    return PARTIAL if repairs.counts else 0


class Returning:
    """One bundle's way back: what is asked of the daemon, level by level from the lowest."""

    def __init__(
        self, door: Door, given: dict[str, Any], found: dict[str, Any], repairs: Repairs, *, quiet: bool
    ) -> None:
        wanted = given.get("level")
        self.levels = [level for level, rows in found["rows"].items() if rows and wanted in (None, level)]
        self.counts: dict[str, dict[str, int]] = {}
        self.backup: str | None = None
        self._door = door
        self._found = found
        self._repairs = repairs
        self._quiet = quiet
        self._options: dict[str, Any] = {name: given[name] for name in ("trust", "dry_run") if name in given}
        self._total = sum(sum(found["rows"][level].values()) for level in self.levels)
        self._done = 0
        self._begun: str | None = None

    def run(self, told: Iterator[dict[str, Any]]) -> None:
        """Take all rows. Every level is asked first whether it takes any, so that none is half of a refusal."""
        try:
            for level in self.levels:
                self._ask(level, [], dry_run=True)
            self._take_all(told)
            if self._begun is not None:
                self._door.ask("import.end", {"id": self._begun})
        except Failure as failure:
            failure.message += f" {self._done:,} rows were through by then; the same again takes the rest."
            raise

    def _begin(self) -> None:
        begun = self._door.ask("import.begin", {"level": self.levels[0], "levels": self.levels[1:]}).result
        self.backup = begun["backup"]["name"]
        self._begun = begun["id"]

    def _take_all(self, told: Iterator[dict[str, Any]]) -> None:
        batch: list[dict[str, Any]] = []
        characters = 0
        for item in told:
            if item["type"] == "end" or item["level"] not in self.levels:
                continue
            if item["type"] == "left":
                reason = {name: item[name] for name in ("place", "code", "message")}
                self._repairs.add(reason, {"raw": item["raw"]} if item["raw"] is not None else {})
                continue
            room = len(item["row"].get("content", "")) + 120 * len(item["row"].get("history", ()))
            full = len(batch) == BATCH or characters + room > BATCH_CHARACTERS
            if batch and (full or batch[0]["level"] != item["level"]):
                self._take(batch)
                batch, characters = [], 0
            batch.append(item)
            characters += room
        if batch:
            self._take(batch)

    def _take(self, batch: list[dict[str, Any]]) -> None:
        level, rows = batch[0]["level"], [each["row"] for each in batch]
        if self._begun is None and "dry_run" not in self._options:
            result = self._ask(level, rows, dry_run=True)  # what is known already writes nothing, and needs no backup
            if is_news(result):
                self._begin()
                result = self._ask(level, rows)
        else:
            result = self._ask(level, rows)
        counts = self.counts.setdefault(level, {})
        for outcome, count in result["counts"].items():
            counts[outcome] = counts.get(outcome, 0) + count
        for refused in result.get("refused", []):
            item = batch[refused["number"]]
            reason = {name: refused.get(name, "") for name in ("code", "message", "hint")}
            self._repairs.add({"place": item["place"], **reason}, {"raw": output.as_json(item["row"])})
        self._done += len(batch)
        if not self._quiet:
            progress(self._done, self._total)

    def _ask(self, level: str, rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        which = {"source": self._found["sources"][level], "origin": self._found["origins"][level]}
        request = talk.make_request("bundle.take", {**which, "rows": rows, **self._options, **more})
        result: dict[str, Any] = self._door.ask("act", {"request": request, "level": level}).result
        return result


def show(done: dict[str, Any], screen: Screen) -> list[str]:
    """Say what was, or would be, taken, and what was not and where that is now."""
    verb, lost = "Would go" if done["dry_run"] else "Went", done["not_taken"]
    lines = []
    for level, counts in done["counts"].items():
        taken = ", ".join(f"{count:,} {_TAKEN.get(name, one_line(name))}" for name, count in counts.items())
        lines.append(f"{verb} to {screen.bold(one_line(level))}: {taken or 'nothing'}.")
    if done["backup"]:
        lines.append(f"Before it, backup {one_line(done['backup'])} was made.")
    elif not done["dry_run"] and done["counts"]:
        lines.append("Nothing was written, so no backup was made.")
    if lost:
        reasons = ", ".join(f"{one_line(name)} {count:,}" for name, count in lost.items())
        lines.append(f"Not taken: {sum(lost.values()):,} ({reasons}).")
    if done["repair"]:
        where = one_line(done["repair"])
        lines.append(f"They are in {where}, each with its reason; `memtrigctl import` takes it as a file's word.")
    return lines or ["There is nothing in it."]


def _found(path: str, found: dict[str, Any], screen: Screen) -> list[str]:
    """Tell what a bundle holds."""
    lines = [f"{screen.bold(one_line(path))} is a bundle, made {screen.clock(found['made'])}."]
    for level, rows in found["rows"].items():
        counted = ", ".join(f"{one_line(name)} {count:,}" for name, count in rows.items())
        lines.append(f"  {one_line(level)}: {counted or 'nothing'}")
    for level, counts in found["keyed"].items():
        told = "; ".join(f"{_KEYED.get(each, one_line(each))} ({count:,})" for each, count in counts.items())
        lines.append(f"  Of {one_line(level)} only its old store knows by its own key: {told}.")
    if found["settings"]:
        lines.append(f"  Its settings stay in it: {', '.join(map(one_line, found['settings']))}.")
    return lines
