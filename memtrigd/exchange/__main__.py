"""`python -m memtrigd.exchange PATH`: what memtrigctl starts to have a file or a folder read.

It prints msgpack, map after map: first what it holds, as a whole; then each item; then that this was all. It reads
that and nothing else.
"""

import argparse
import sys
import time
from pathlib import Path

import msgspec
import tzlocal

from memtrigd.domain.errors import Refusal
from memtrigd.exchange.findings import findings
from memtrigd.exchange.formats import chosen
from memtrigd.exchange.items import Reading


def main(argv: list[str] | None = None) -> int:
    """Read one file or folder; exit code 1 if that is not possible, which is told as the last map."""
    asked = _asked(argv)
    write, encode = sys.stdout.buffer.write, msgspec.msgpack.encode
    try:
        path = Path(asked.file)
        format = chosen(asked.format, path)
        reading = Reading(tzlocal.get_localzone(), time.time_ns() // 1000, asked.undated)
        write(encode(findings(format.name, format.title, format.read(path, reading))))
        sys.stdout.flush()
        for item in format.read(path, reading):
            write(encode(item))
        write(encode({"type": "end"}))
    except Refusal as refusal:
        write(encode({"type": "error", "code": refusal.code, "message": refusal.message, "hint": refusal.hint}))
        return 1
    except OSError as error:
        write(encode({"type": "error", "code": "bad_value", "message": f"{error.strerror or error}.", "hint": ""}))
        return 1
    return 0


def _asked(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("memtrigd.exchange", description=__doc__)
    parser.add_argument("file", help="the file or folder")
    parser.add_argument("--format", help="its format; told by itself otherwise")
    parser.add_argument("--undated", action="store_true", help="take records without the dates that can't be right")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
