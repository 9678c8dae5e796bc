"""The two ways in which memtrigctl speaks: one JSON document for programs, or lines for people."""

from __future__ import annotations

import os
import sys

from memtrig.ctl.render import DANGEROUS, Screen, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from memtrig.ctl.failure import Failure


def print_lines(lines: list[str]) -> None:
    """Print lines for people; a character that the locale lacks appears as its number."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    print("\n".join(lines))


def print_json(document: dict[str, Any], incomplete: list[str]) -> None:
    """Print one document on one line, in UTF-8 whatever the locale; ``incomplete`` is in it only if it names levels."""
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(as_json(document | ({"incomplete": incomplete} if incomplete else {})))


def as_json(document: dict[str, Any]) -> str:
    """Write a document. Text stays readable, but what JSON would let through to a terminal is escaped."""
    import json  # 6 ms that only programs pay

    return json.dumps(document, ensure_ascii=False).translate(_JSON_ESCAPES)


def report(failure: Failure, as_json: bool) -> int:
    """Tell a failure, as JSON on stdout or as a sentence and its hint on stderr. Returns the exit code."""
    if as_json:
        error = {
            "code": failure.code,
            "message": failure.message,
            "hint": failure.hint,
            "retryable": failure.retryable,
        }
        print_json({"error": error}, failure.incomplete)
    else:
        warn_incomplete(failure.incomplete)
        complain(failure.message, failure.hint)
    return failure.exit_code


def complain(message: str, hint: str = "") -> None:
    """Say on stderr what is wrong, and below it the way out."""
    if sys.stderr is not None:
        print(f"memtrigctl: {one_line(message)}", *([f"  {one_line(hint)}"] if hint else []), sep="\n", file=sys.stderr)


def warn_incomplete(levels: list[str]) -> None:
    """Say on stderr that an answer lacks what these levels hold."""
    if levels:
        names = " and ".join(levels)
        complain(f"{names} could not be consulted: this answer is incomplete.", "`memtrigctl status` says more.")


def is_conversation() -> bool:
    """Tell whether a person reads and answers: both ends are a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def screen_of(stream: TextIO) -> Screen:
    """Find out what a stream can show: the width of its terminal, and colours unless NO_COLOR is set."""
    if not stream.isatty():
        return Screen()
    try:
        columns = os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        columns = 80
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(columns, colour)


_JSON_ESCAPES = {
    code: f"\\u{code:04x}" if code < 0x10000 else f"\\udb40\\u{0xDC00 + code - 0xE0000:04x}"
    for code in DANGEROUS
    if code >= 0x7F
}
"""In a document these stand only inside strings, and JSON escapes the controls below them itself."""
