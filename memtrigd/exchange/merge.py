"""`python -m memtrigd.exchange.merge FILE_SIDE SELF_SIDE OUT`: what memtrigctl starts to have two made one.

It reads the two, writes a new folder, and asks no daemon. At the end it prints, as msgpack, what became of them.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec
import tzlocal

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import to_iso
from memtrigd.exchange import merging, own
from memtrigd.exchange.formats import chosen
from memtrigd.exchange.items import Item, Reading
from memtrigd.exchange.targets import target

MEMORIES: Final = "memories.jsonl"
CONFLICTS: Final = "conflicts.jsonl"
REPORT: Final = "report.json"
_HEAD: Final = msgspec.json.encode({own.MARK: "memories", "version": own.VERSION}) + b"\n"


def main(argv: list[str] | None = None) -> int:
    """Merge; exit code 1 if that is not possible, which is told as the last map."""
    asked = _asked(argv)
    os.umask(0o077)
    try:
        _say({"type": "end", **merged(asked.file, asked.self, Path(asked.out), approve=asked.approve)})
    except Refusal as refusal:
        _say({"type": "error", "code": refusal.code, "message": refusal.message, "hint": refusal.hint})
        return 1
    except OSError as error:
        _say({"type": "error", "code": "bad_value", "message": f"{error.strerror or error}.", "hint": ""})
        return 1
    return 0


def merged(file_side: str, self_side: str, out: Path, *, approve: bool) -> dict[str, Any]:
    """Write a folder with the memories of two sides, the conflicts and a report; returns the report, with no texts.

    Raises Refusal where one side can't be read at all, or the folder can't be written; OSError.
    """
    reading = Reading(tzlocal.get_localzone(), time.time_ns() // 1000)
    sides = {"file": _opened(file_side, reading), "self": _opened(self_side, reading)}
    reads = {side: read for side, (_, read) in sides.items()}
    merge = merging.Merge(merging.known(reads["file"](), reads["self"]()), approve=approve)
    head = {
        "made": to_iso(reading.now),
        "file": {"path": file_side, "format": sides["file"][0]},
        "self": {"path": self_side, "format": sides["self"][0]},
        "approve": approve,
    }
    with target(out, zipped=False) as place:
        lines = chain([_HEAD], merge.file_side(reads["file"]()), merge.self_side(reads["self"]()))
        place.write(MEMORIES, lines)
        _check_read(merge)
        if merge.overridden:
            place.write(CONFLICTS, chain([_HEAD], (msgspec.json.encode(each) + b"\n" for each in merge.overridden)))
        whole: dict[str, Any] = head | merging.report(merge)
        place.write(REPORT, [msgspec.json.format(msgspec.json.encode(whole)) + b"\n"])
    told = ("counts", "conflicts", "left", "notes")
    return {"out": str(out), **head, "counts": whole["counts"], **{name: len(whole[name]) for name in told[1:]}}


def _opened(path: str, reading: Reading) -> tuple[str, Callable[[], Iterator[Item]]]:
    format = chosen(None, Path(path))
    return format.name, partial(format.read, Path(path), reading)


def _check_read(merge: merging.Merge) -> None:
    """A file side of which nothing can be read is no empty one: what is merged would be the guesses alone."""
    counts = merge.counts["file"]
    if counts["left"] and counts["left"] == counts.total():
        raise Refusal("bad_value", "Nothing of the file side can be read.", "`memtrigctl import --dry-run` tells why.")


def _say(told: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.msgpack.encode(told))
    sys.stdout.flush()


def _asked(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("memtrigd.exchange.merge", description=__doc__)
    parser.add_argument("file", help="the side whose word stands")
    parser.add_argument("self", help="the side of an agent's own impressions")
    parser.add_argument("out", help="where it goes: a name that nothing has")
    parser.add_argument("--approve", action="store_true", help="let stand what the self side is sure of")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
