"""Where an export is written: beside its place, for the owner alone, and renamed into it when all of it is there."""

import errno
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Final, Protocol

from msgspec import Struct

from memtrigd.domain.errors import Refusal

_DRAFT: Final = ".{}.partial"
"""What is being written; what a crash left of one the next export to the same place takes away."""
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Of what is in a zip: the same content is the same bytes."""


class Written(Struct, frozen=True):
    """A file that was written."""

    sha256: str
    bytes: int


class Target(Protocol):
    """A folder or a zip that takes files by their names."""

    def write(self, name: str, pieces: Iterable[bytes]) -> Written:
        """Write one file. Raises OSError."""


@contextmanager
def target(place: Path, *, zipped: bool) -> Iterator[Target]:
    """Let an export be written, and put it into its place at the end. Where that fails nothing of it is left.

    Raises Refusal ``bad_value`` where something is there already or nothing can be, ``disk_full``.
    """
    draft = place.with_name(_DRAFT.format(place.name))
    if not place.name or os.path.lexists(place):
        raise Refusal("bad_value", f"{str(place)!r} is there already.", "Name a new one: nothing is written over.")
    try:
        _remove(draft)
        if zipped:
            with _opened(draft) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                yield _Zip(archive)
        else:
            draft.mkdir(mode=0o700)
            yield _Folder(draft)
        _settle(draft, place)
    except BaseException as error:
        _remove(draft)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _refusal(error) from error
        raise


class _Folder:
    def __init__(self, root: Path) -> None:
        self._root = root

    def write(self, name: str, pieces: Iterable[bytes]) -> Written:
        path = self._root / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _opened(path) as file:
            written = _copy(pieces, file)
            file.flush()
            os.fsync(file.fileno())
        return written


class _Zip:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def write(self, name: str, pieces: Iterable[bytes]) -> Written:
        info = zipfile.ZipInfo(name, _DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        with self._archive.open(info, "w", force_zip64=True) as file:
            return _copy(pieces, file)


def _copy(pieces: Iterable[bytes], file: IO[bytes]) -> Written:
    digest, size = sha256(), 0
    for piece in pieces:
        file.write(piece)
        digest.update(piece)
        size += len(piece)
    return Written(digest.hexdigest(), size)


def _opened(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _settle(draft: Path, place: Path) -> None:
    """Bring it to the disk, then to its name, which is nobody's: not even one that came meanwhile is written over."""
    folders = [draft, *(each for each in draft.rglob("*") if each.is_dir())] if draft.is_dir() else [draft]
    for each in folders:
        _sync(each)
    if draft.is_dir():
        draft.rename(place)  # not onto a file, nor onto a folder with anything in it
    else:
        os.link(draft, place)
        draft.unlink()
    _sync(place.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(draft: Path) -> None:
    if draft.is_dir() and not draft.is_symlink():
        shutil.rmtree(draft)
    else:
        draft.unlink(missing_ok=True)


def _refusal(error: OSError) -> Refusal:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refusal(
            "disk_full", "There is no room for the export; nothing of it was kept.", "Free some space.", retryable=True
        )
    return Refusal("bad_value", f"It can't be written there: {error.strerror or error}.", "Name another place.")
