"""A file on its way into the store: read in a process of its own, sent in batches, and what was not taken written down.

The daemon reads no path that anybody names, and memtrigctl no format: a reader that holds nothing parses the file.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections import deque
from itertools import chain

import msgpack

from memtrig.ctl import output, talk
from memtrig.ctl.failure import Failure, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from memtrig.ctl.destinations import Destinations
    from memtrig.ctl.door import Door

    Batch: TypeAlias = tuple[str, list[dict[str, Any]]]

BATCH = 4
"""Records in one request: some milliseconds of the writer, who has no more for anybody at a time."""
BATCH_CHARACTERS = 1 << 17
"""Characters in one request, but that one record always fits."""
_HERE = {"known", "echo"}
"""Outcomes of what writes nothing."""
LONGEST = 64 << 20
"""Bytes of one item of the reader's: a line of a file, and what msgpack makes of it."""


class Reader:
    """The process that reads a file or folder; iterating gives what it found, map by map, first of all the figures."""

    def __init__(self, path: str, format: str | None, *, undated: bool) -> None:
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it has no name that a file can have"
            raise usage(f"{path!r} can't be read: {why}.", "Name a file or a folder.", "bad_value") from None
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise usage(f"{path!r} is neither a file nor a folder.", "Name one.", "bad_value")
        command = [sys.executable, "-P", "-m", "memtrigd.exchange"]  # -P: nothing of the working directory is run
        command += [f"--format={format}"] * (format is not None) + ["--undated"] * undated + ["--", path]
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
        )

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdout is not None
        self._process.kill()
        self._process.stdout.close()
        self._process.wait()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for item in msgpack.Unpacker(self._process.stdout, max_buffer_size=LONGEST):
            if item["type"] == "end":
                return
            if item["type"] == "error":
                raise Failure(item["code"], item["message"], item["hint"])
            yield item
        raise Failure("internal", "The file could not be read to its end.", "Please report this, with the file's kind.")


class Repairs:
    """The repair file: made with the first record that is not taken, for the user alone, never over another file."""

    def __init__(self, source: str, named: str | None, format: str, *, dry_run: bool = False) -> None:
        self.path: str | None = None
        self.counts: dict[str, int] = {}
        self._format = format
        self._dry_run = dry_run
        source = os.path.normpath(source)  # a folder's slash is no part of its name
        numbers = ("", *(f"-{n}" for n in range(2, 100)))
        self._names = [named] if named else [f"{source}.repair{number}.jsonl" for number in numbers]
        self._file: int | None = None
        if not dry_run:
            self._check()

    def _check(self) -> None:
        """Raise Failure ``bad_value`` where no file could be made, before anything is imported."""
        folder = os.path.dirname(self._names[0]) or "."  # noqa: PTH120
        taken = len(self._names) == 1 and os.path.lexists(self._names[0])
        if taken or not os.access(folder, os.W_OK):
            why = "is there already" if taken else "can't be written there"
            raise usage(f"A repair file {why}.", "Say with --repair FILE where what is not taken goes.", "bad_value")

    def add(self, reason: dict[str, Any], text: dict[str, Any]) -> None:
        """Write down what was not taken: why, and the record or the text."""
        self.counts[reason["code"]] = self.counts.get(reason["code"], 0) + 1
        if self._dry_run:
            return
        line = {"memtrig": "repair", "version": 1, **reason, "format": self._format, **text}
        data = output.as_json(line).encode() + b"\n"
        file = self._opened()
        while data:
            data = data[os.write(file, data) :]

    def close(self) -> None:
        """Bring it to the disk."""
        if self._file is not None:
            os.fsync(self._file)
            os.close(self._file)
            self._file = None

    def _opened(self) -> int:
        if self._file is not None:
            return self._file
        for name in self._names:
            try:
                self._file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
            self.path = name
            return self._file
        raise Failure("bad_value", "There is no name left for a repair file.", "Say one with --repair FILE.")


class Import:
    """One import: what is asked of the daemon, and what became of the records. ``tell`` hears of each batch."""

    def __init__(
        self, door: Door, given: dict[str, Any], goes: Destinations, repairs: Repairs, tell: Callable[[int], None]
    ) -> None:
        self.counts: dict[str, int] = {}
        self.entries: dict[str, int] = {}
        self.levels: dict[str, dict[str, dict[str, int]]] = {}
        """Of both, what went to each level."""
        self.backup: str | None = None
        self._door = door
        self._goes = goes
        self._repairs = repairs
        self._tell = tell
        self._options: dict[str, Any] = {name: given[name] for name in ("space", "redact", "dry_run") if name in given}
        self._done = 0
        self._sent: deque[Batch] = deque()

    def run(self, items: Iterator[dict[str, Any]], levels: list[str], *, dry_run: bool) -> None:
        """Take all records, which may go to some levels. Raises Failure, which then says how far it got."""
        batches = self._batches(items)
        try:
            if dry_run:
                self._take_all(batches)
            elif news := self._news(batches):
                begun = self._door.ask("import.begin", {"level": levels[0], "levels": levels[1:]}).result
                self.backup = begun["backup"]["name"]
                self._take_all(chain(news, batches))
                self._door.ask("import.end", {"id": begun["id"]})
        except Failure as failure:
            failure.message += f" {self._done:,} records were through by then; the same again takes the rest."
            raise

    def _news(self, batches: Iterator[Batch]) -> list[Batch]:
        """Ask of batches what would become of them, until there is something new, which is given with what follows.

        What is known already writes nothing, and needs no backup.
        """
        with self._door.pipeline() as pipeline:
            for batch in batches:
                self._sent.append(batch)
                for reply in pipeline.put(self._asked(*batch, dry_run=True)):
                    if is_news(reply.result):
                        return self._unsaid()
                    self._took(reply.result)
            for reply in pipeline.rest():
                if is_news(reply.result):
                    return self._unsaid()
                self._took(reply.result)
        return []

    def _unsaid(self) -> list[Batch]:
        """The batches of which nothing is decided yet."""
        batches = [*self._sent]
        self._sent.clear()
        return batches

    def _take_all(self, batches: Iterator[Batch]) -> None:
        with self._door.pipeline() as pipeline:
            for batch in batches:
                self._sent.append(batch)
                for reply in pipeline.put(self._asked(*batch)):
                    self._took(reply.result)
            for reply in pipeline.rest():
                self._took(reply.result)

    def _batches(self, items: Iterator[dict[str, Any]]) -> Iterator[Batch]:
        """What there is for each level, so much at a time."""
        waiting: dict[str, list[dict[str, Any]]] = {}
        characters: dict[str, int] = {}
        for item in items:
            if item["type"] == "left":
                self._leave(item)
            elif item["type"] in ("record", "entry"):
                level = self._goes.of(item)
                room = len(item["record"]["content"]) if "record" in item else 0
                batch = waiting.setdefault(level, [])
                if batch and (len(batch) == BATCH or characters[level] + room > BATCH_CHARACTERS):
                    yield level, waiting.pop(level)
                    batch = waiting.setdefault(level, [])
                characters[level] = room + (characters[level] if batch else 0)
                batch.append(item)
        yield from waiting.items()

    def _asked(self, level: str, batch: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        batch.sort(key=lambda each: "entry" in each)  # what comes beside memories is taken after them
        records = [each["record"] for each in batch if "record" in each]
        entries = [each["entry"] for each in batch if "entry" in each]
        fields = {"records": records} | ({"entries": entries} if entries else {}) | self._options | more
        return {"type": "act", "request": talk.make_request("import", fields), "level": level}

    def _took(self, result: dict[str, Any]) -> None:
        level, batch = self._sent.popleft()
        here = self.levels.setdefault(level, {"counts": {}, "entries": {}})
        for name, total in (("counts", self.counts), ("entries", self.entries)):
            for outcome, count in result.get(name, {}).items():
                for each in (total, here[name]):
                    each[outcome] = each.get(outcome, 0) + count
        for refused in result.get("refused", []):
            item = batch[refused["number"]]
            reason = {name: refused.get(name, "") for name in ("code", "message", "hint")}
            what = {name: item[name] for name in ("record", "entry") if name in item}
            self._repairs.add({"place": item["place"], **reason}, what)
        self._done += len(batch)
        self._tell(self._done)

    def _leave(self, item: dict[str, Any]) -> None:
        reason = {name: item[name] for name in ("place", "code", "message")}
        text = {"raw": item["raw"]} if item.get("raw") is not None else {}
        whose = {"format": item["format"]} if item.get("format") else {}
        self._repairs.add(reason, {**whose, **text, **({"base64": True} if item.get("base64") else {})})


def is_news(result: dict[str, Any]) -> bool:
    """Tell whether a batch writes anything, by what it was answered."""
    return bool((result["counts"].keys() | result.get("entries", {}).keys()) - _HERE)


def progress(total: int, *, quiet: bool) -> Callable[[int], None]:
    """Make what shows on a terminal how far it got."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return lambda _: None

    def tell(done: int) -> None:
        end = "\n" if done >= total else ""
        print(f"\r{done:,} of {total:,} records", end=end, file=sys.stderr, flush=True)

    return tell
