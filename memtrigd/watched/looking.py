"""Looking at a folder without reading it: which files it has, and what of it can't be taken up."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from memtrigd.exchange.byhand import JSONS, TEXTS

MAX_FILES: Final = 2000
"""Files of one folder."""
MAX_ENTRIES: Final = 10_000
"""Names that are looked at in one folder, at each look."""
MAX_BYTES: Final = 1 << 20
"""Bytes of one file."""
DEPTH: Final = 8
"""Folders within folders."""

Stamp: TypeAlias = tuple[int, ...]


class Sight(Struct, frozen=True):
    """What was seen: files by their path below the folder, each with its stamp; folders; and what can't be taken up.

    A file of ``troubles`` is there, but is not among ``files``; a folder of theirs may hold files that nobody saw.
    """

    files: dict[str, Stamp]
    folders: list[Path]
    troubles: dict[str, str]

    def hides(self, file: str) -> bool:
        """Tell whether a file that is not seen may be there all the same."""
        return any(each in (file, "") or file.startswith(f"{each}/") for each in self.troubles)


def look(root: Path) -> Sight | str:
    """Walk through a folder. Returns the trouble where there is no folder that could be walked through."""
    why = unfit(root)
    if why is not None:
        return why
    sight, left = Sight({}, [root], {}), [MAX_ENTRIES]
    _walk(root, "", sight, left)
    return sight


def unfit(root: Path) -> str | None:
    """Why a path can't be a folder to watch, None if it can: it must be a folder of ours that no stranger writes to."""
    try:
        status = root.lstat()
    except (OSError, ValueError):
        return "is not there"
    if not stat.S_ISDIR(status.st_mode):
        return "is no folder"
    return strange(status)


def strange(status: os.stat_result) -> str | None:
    """Why what a file or folder holds may be a stranger's, None if it is ours."""
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    if status.st_mode & stat.S_IWOTH:
        return "can be written by everybody"
    return None


def stamp_of(status: os.stat_result) -> Stamp:
    """What changes whenever a file does."""
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)


def _walk(folder: Path, below: str, sight: Sight, left: list[int]) -> None:
    try:
        with os.scandir(folder) as entries:
            found = sorted(_up_to(entries, left), key=lambda each: each.name)
    except OSError as error:
        sight.troubles[below] = f"can't be read: {error.strerror}"
        return
    if left[0] <= 0:
        sight.troubles[below] = f"has more than {MAX_ENTRIES:,} names"
    for entry in found:
        name = f"{below}/{entry.name}" if below else entry.name
        if entry.name.startswith(".") or not _is_utf8(entry.name):
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # it went away since
        if stat.S_ISDIR(status.st_mode):
            why = strange(status) or ("lies too deep" if below.count("/") >= DEPTH - 1 else None)
            if why is not None:
                sight.troubles[name] = why
                continue
            sight.folders.append(folder / entry.name)
            _walk(folder / entry.name, name, sight, left)
        elif entry.name.lower().endswith((*TEXTS, *JSONS)):
            _see(name, status, sight)


def _see(name: str, status: os.stat_result, sight: Sight) -> None:
    why = _no_file(status)
    if why is None and len(sight.files) >= MAX_FILES:
        why = f"is beyond the first {MAX_FILES:,} files"
    if why is None:
        sight.files[name] = stamp_of(status)
    else:
        sight.troubles[name] = why


def _no_file(status: os.stat_result) -> str | None:
    if stat.S_ISLNK(status.st_mode):
        return "is a link, which is not followed"
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    if status.st_size > MAX_BYTES:
        return f"has more than {MAX_BYTES:,} bytes"
    return strange(status)


def _up_to(entries: "Iterator[os.DirEntry[str]]", left: list[int]) -> "Iterator[os.DirEntry[str]]":
    for entry in entries:
        left[0] -= 1
        if left[0] < 0:
            return
        yield entry


def _is_utf8(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False
