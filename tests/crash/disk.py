"""A disk whose power fails: what it may hold afterwards, after any step of a recording.

What was synced is there. What was not may be there or not: each write, each of its sectors, each change of a file's
size and each change of a name by itself, in any order, but that no name hangs on one that never was. What has the same
name twice is told apart by the file behind it, so a rename takes with it what was not yet written.
"""

import os
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tests.crash.recorder import Content, Create, Mark, Remove, Rename, Step, Sync, Truncate, Write

SECTOR: Final = 512
"""Bytes that a disk writes whole or not at all."""
FATES: Final = ("nothing", "anything", "anything", "anything", "everything")
"""How much of what was not synced is there after a cut: one of these, at equal chances."""

Names = dict[str, int | None]
"""What is behind each name: the number of a file, None for a directory."""
Change = Create | Rename | Remove


class File(Struct):
    """A file: what of it is on the disk, and what was done to it since."""

    durable: bytearray
    since: list[Write | Content | Truncate]


class Disk:
    """The files under ``root``, as a process sees them and as they are on the disk. All paths are full ones."""

    def __init__(self, root: Path) -> None:
        """Begin with what there is now; all of it is on the disk."""
        self._root = os.path.realpath(root)
        self._numbers = count()
        self._files: dict[int, File] = {}
        self._seen: Names = {self._root: None}
        for place, directories, files in os.walk(self._root):
            self._seen |= {os.path.join(place, name): None for name in directories}
            for name in files:
                path = os.path.join(place, name)
                self._seen[path] = self._new(Path(path).read_bytes())
        self._durable = dict(self._seen)
        self._since: list[tuple[Change, int | None]] = []

    def take(self, step: Step) -> None:
        """Do a step of a recording."""
        match step:
            case Create():
                number = None if step.directory else self._new(b"")
                _rename(self._seen, step, number)
                self._since.append((step, number))
            case Rename() | Remove():
                _rename(self._seen, step, None)
                self._since.append((step, None))
            case Write() | Content() | Truncate():
                self._behind(step.path).since.append(step)
            case Sync() if step.path in self._seen and self._seen[step.path] is not None:
                file = self._behind(step.path)
                for change in file.since:
                    _change(file.durable, change)
                file.since.clear()
            case Sync():
                self._sync_names(step.path)
            case Mark():
                pass

    def cut(self, random: Random) -> dict[str, bytes | None]:
        """What the disk may hold if the power fails now: the content of each file, None for a directory, by full path.

        Memory that is shared between processes (``-shm``) is never on a disk.
        """
        fate = random.choice(FATES)
        names = self._names_after(fate, random)
        held: dict[str, bytes | None] = {}
        for path, number in names.items():
            if number is None:
                held[path] = None
            elif not path.endswith("-shm"):
                held[path] = _after(self._files[number], fate, random)
        return held

    def _new(self, content: bytes) -> int:
        number = next(self._numbers)
        self._files[number] = File(bytearray(content), [])
        return number

    def _behind(self, path: str) -> File:
        number = self._seen[path]
        assert number is not None, path
        return self._files[number]

    def _sync_names(self, directory: str) -> None:
        """The names in a directory are on the disk: with them goes what they hang on, in order."""
        about = [n for n, (change, _) in enumerate(self._since) if directory in map(os.path.dirname, _of(change))]
        wanted = {path for n in about for path in _of(self._since[n][0])}
        chosen = set(about)
        for n in range(about[-1] if about else -1, -1, -1):
            named = _of(self._since[n][0])
            if any(_is_under(path, each) for path in wanted for each in named):
                chosen.add(n)
                wanted |= named
        left: list[tuple[Change, int | None]] = []
        for n, (change, number) in enumerate(self._since):
            if n in chosen:
                _rename(self._durable, change, number)
                left = [(_moved(each, change), behind) for each, behind in left]
            else:
                left.append((change, number))
        self._since = left

    def _names_after(self, fate: str, random: Random) -> Names:
        names, never = dict(self._durable), set[str]()
        for change, number in self._since:
            lost = fate == "nothing" or (fate == "anything" and random.random() < 0.5)
            if lost or any(_is_under(each, path) for each in _of(change) for path in never):
                never |= _of(change)
            else:
                _rename(names, change, number)
        return names


def lay(held: dict[str, bytes | None], root: Path, place: Path) -> None:
    """Put what a disk holds under ``root`` into another place."""
    for path, content in sorted(held.items()):
        target = place / os.path.relpath(path, os.path.realpath(root))
        if content is None:
            target.mkdir(parents=True, exist_ok=True, mode=0o700)
        elif target.parent.is_dir():
            target.write_bytes(content)
            target.chmod(0o600)


def _rename(names: Names, change: Change, number: int | None) -> None:
    """Do a change of names."""
    match change:
        case Create():
            names[change.path] = number
        case Remove():
            names.pop(change.path, None)
        case Rename():
            inside = [path for path in names if _is_under(path, change.path)]
            moved = {change.to + path[len(change.path) :]: names.pop(path) for path in inside}
            names |= moved


def _of(change: Change) -> set[str]:
    return {change.path, change.to} if isinstance(change, Rename) else {change.path}


def _moved(change: Change, by: Change) -> Change:
    """A change that is not on the disk yet, after the directory that it is in got another name there."""
    if not isinstance(by, Rename) or not _is_under(change.path, by.path) or change.path == by.path:
        return change
    return replace(change, path=by.to + change.path[len(by.path) :])


def _is_under(path: str, above: str) -> bool:
    return path == above or path.startswith(above + os.sep)


def _after(file: File, fate: str, random: Random) -> bytes:
    """What the disk may hold of a file."""
    if not file.since or fate == "nothing":
        return bytes(file.durable)
    held = bytearray(file.durable)
    for change in file.since:
        if fate == "everything":
            _change(held, change)
        elif random.random() < 0.5:
            for part in _torn(change, random):
                _change(held, part)
    return bytes(held)


def _torn(change: Write | Content | Truncate, random: Random) -> Iterable[Write | Content | Truncate]:
    """The sectors of a write that came to the disk."""
    if isinstance(change, Truncate):
        return (change,)
    at, data = (change.at, change.data) if isinstance(change, Write) else (0, change.data)
    whole = random.random() < 0.5
    return (
        Write(change.path, at + begin, data[begin : begin + SECTOR])
        for begin in range(0, len(data), SECTOR)
        if whole or random.random() < 0.7
    )


def _change(held: bytearray, change: Write | Content | Truncate) -> None:
    match change:
        case Write():
            end = change.at + len(change.data)
            held.extend(bytes(max(0, end - len(held))))
            held[change.at : end] = change.data
        case Content():
            held[:] = change.data
        case Truncate():
            del held[change.size :]
            held.extend(bytes(change.size - len(held)))
