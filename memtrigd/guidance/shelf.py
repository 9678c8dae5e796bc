"""The shelf: the last versions of each file of guidance, in the state directory. The newest one is the last good."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtrigd.domain.moments import Micros
from memtrigd.guidance.spine import Unfit, decoded, version_of

KEPT: Final = 20
"""Versions of one file."""


class Edition(Struct, frozen=True):
    """A version of a file, and since when it is in force."""

    text: str
    version: str
    at: Micros


class Shelf:
    """The versions of one file, each in a file of its own that is named by its time and version."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def editions(self) -> list[Edition]:
        """The versions that are kept, the newest first. One that is not what its name says is left out."""
        return [edition for path in reversed(self._paths()) if (edition := _edition(path)) is not None]

    def newest(self) -> Edition | None:
        """The last good version."""
        return next((edition for path in reversed(self._paths()) if (edition := _edition(path)) is not None), None)

    def put(self, text: str, at: Micros) -> Edition:
        """Keep a text that is in force from now on, after all that is kept. Raises OSError where it can't be written.

        It is durable under its name or not there at all.
        """
        paths = self._paths()
        at = max(at, _time(paths[-1]) + 1) if paths else at  # a clock that was set back mixes up no order
        edition = Edition(text, version_of(text), at)
        self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self._place / f"{at:020d}-{edition.version}.md", text, replace=True)
        for path in paths[: max(0, len(paths) + 1 - KEPT)]:
            with suppress(OSError):
                path.unlink()
        return edition

    def _paths(self) -> list[Path]:
        """The files, the oldest first."""
        with suppress(OSError):
            return sorted(path for path in self._place.iterdir() if _is_kept(path.name))
        return []


def write_whole(path: Path, text: str, *, replace: bool) -> None:
    """Write a file whole or not at all, for us alone. Raises OSError: FileExistsError unless it may ``replace``."""
    draft = path.with_name(f".{path.name}.{os.getpid()}~")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if replace:
            draft.replace(path)
        else:
            path.hardlink_to(draft)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()


def _is_kept(name: str) -> bool:
    time, _, rest = name.partition("-")
    return len(time) == 20 and time.isdecimal() and rest.endswith(".md")


def _time(path: Path) -> Micros:
    return int(path.name.partition("-")[0])


def _edition(path: Path) -> Edition | None:
    try:
        text = decoded(path.read_bytes())
    except (OSError, Unfit):
        return None
    version = path.stem.partition("-")[2]
    return Edition(text, version, _time(path)) if version == version_of(text) else None
