"""The files of a memory-trigger library: which there are, which can be read, and what stands in for a broken one."""

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange.documents import value
from memtrigd.exchange.elements import elements
from memtrigd.exchange.items import Noted
from memtrigd.exchange.lines import LONGEST

MAIN: Final = "memory.json"
MARKS: Final = ("entity_index.json", "backend_config.json", ".wal.jsonl", ".suppressed.json", ".backup", ".archive")
"""What only a library has beside its memories."""
_READ: Final = ("aliases.json", "promises.json", "promises.md", "wellness.json", "suppressed_prompt.md", MAIN)
_MADE: Final = frozenset(
    (".promise_notified.json", ".promise_reminders.md", ".embeddings.json", ".anchor_embeddings.json", ".lock")
)
"""What the program makes of the rest, and makes anew."""
_BOM: Final = b"\xef\xbb\xbf"
_NAMED: Final = 10


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file of a library: never a link, which may lead anywhere, and never what blocks.

    Raises FileNotFoundError; Refusal ``bad_value``; OSError.
    """
    if path.is_symlink():
        raise Refusal("bad_value", "It is a link; it was not followed.", "Put the file itself there.")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Refusal("bad_value", "It is no file.", "Put the file itself there.")
        yield file


def whole(path: Path) -> Any:
    """What a small file of JSON holds. Raises as ``opened``, and Refusal ``too_large`` or ``bad_value``."""
    with opened(path) as file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Refusal("too_large", f"It has more than {LONGEST:,} bytes.", "Divide it.")
    return lenient(data.removeprefix(_BOM))


def lenient(raw: bytes) -> Any:
    """Read a value of JSON in which a number may be none, as in what Python writes. Raises Refusal ``bad_value``."""
    try:
        return value(raw)
    except Refusal:
        try:
            return _DECODER.decode(raw.decode().strip())
        except (ValueError, RecursionError):
            pass
        raise


def is_sound(path: Path, root: bytes = b"[") -> bool:
    """Tell whether the program itself would read a file, a list or an object: it can't, if one character is wrong."""
    try:
        with opened(path) as file:
            if not file.read(64).removeprefix(_BOM).lstrip().startswith(root):
                return False
            file.seek(0)
            return all(each.raw is not None and each.refusal is None and _parses(each.raw) for each in elements(file))
    except (Refusal, OSError):
        return False


def backup_of(folder: Path) -> Path | None:
    """The newest backup of the memories that can be read: by the time in its name, which a copy keeps."""
    found = sorted(_within(folder / ".backup", re.compile(r"memory_\d{4}-.*\.json")), reverse=True)
    return next((path for path in found if is_sound(path)), None)


def archives_of(folder: Path) -> list[Path]:
    """What was put away as long superseded, the latest first."""
    return sorted(_within(folder / ".archive", re.compile(r".*\.json")), reverse=True)


def others(folder: Path) -> Iterator[Noted]:
    """Note what of a library is not taken: a copy of what was broken, and what is no part of one."""
    rest = []
    for name in sorted(each.name for each in os.scandir(folder)):
        if name.startswith(f"{MAIN}.corrupt"):
            yield Noted(name, "What the program once found broken. It was not read; import it by its own name.")
        elif name == "preferences.json":
            yield from _preferences(folder / name)
        elif name not in (*_READ, *_MADE, *MARKS) and not name.endswith((".tmp", ".repair.jsonl")):
            rest.append(name[:60])
    if rest:
        more = f" and {len(rest) - _NAMED:,} more" if len(rest) > _NAMED else ""
        yield Noted("folder", f"No part of a library, and not read: {', '.join(rest[:_NAMED])}{more}.")


def _preferences(path: Path) -> Iterator[Noted]:
    """What no version ever used; people may have."""
    try:
        told = whole(path)
    except (Refusal, OSError):
        told = True
    if told and (not isinstance(told, dict) or any(told.values())):
        yield Noted(path.name, "It is not empty. No version uses it, and it was not taken.")


def _within(folder: Path, pattern: re.Pattern[str]) -> list[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    return [folder / each.name for each in os.scandir(folder) if pattern.fullmatch(each.name)]


def _parses(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a field is there twice")
    return made


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=float)
