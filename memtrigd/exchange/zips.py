"""Zips: what their members say of themselves is looked at before any is read, and no more is read than they say."""

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO, RawIOBase
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Final, cast

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items
from memtrigd.exchange.items import Left

MEMBERS: Final = 30_000
"""Files of one folder or zip."""
MEMBER_BYTES: Final = 2 << 30
ALL_BYTES: Final = 8 << 30
RATIO: Final = 200
"""To how many times its size a member may unpack, from ``SMALL`` bytes on: JSON of one kind comes to 20 or 30."""
SMALL: Final = 1 << 20
DIRECTORY_BYTES: Final = 4 << 20
"""Bytes of what a zip says of its members, which is read as a whole."""
_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_WAYS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1


def is_zip(path: Path) -> bool:
    """Tell whether a file begins as a zip does. Raises OSError."""
    if path.is_dir():
        return False
    with path.open("rb") as file:
        return file.read(4) in _MAGIC


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip. Raises Refusal ``bad_value`` for what is none, ``too_large``; OSError."""
    with _Checked(path) as file:
        try:
            archive = zipfile.ZipFile(cast(IO[bytes], file))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise Refusal("bad_value", f"The zip can't be read: {error}.", "Download it anew.") from None
        with archive:
            yield archive


def members(archive: zipfile.ZipFile) -> tuple[dict[str, zipfile.ZipInfo], list[Left]]:
    """What can be read of a zip by its names, and what can't. Raises Refusal ``too_large`` for all of it."""
    found = [each for each in archive.infolist() if not each.is_dir()]
    if len(found) > MEMBERS:
        raise too_many()
    if sum(each.file_size for each in found) > ALL_BYTES:
        raise Refusal("too_large", f"The zip unpacks to more than {ALL_BYTES:,} bytes.", "Unpack it and import a part.")
    known: dict[str, zipfile.ZipInfo] = {}
    left: list[Left] = []
    for each in found:
        name = each.filename.replace("\\", "/")  # as some programs on Windows write it
        refusal = _refusal(each, name in known)
        if refusal is None:
            known[name] = each
        else:
            left.append(items.left(name[:200], refusal, None))
    return known, left


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    """Open a file in a zip. Whatever is wrong with it is a Refusal ``bad_value``, where it is read or before."""
    return cast(BinaryIO, BufferedReader(_Member(archive, member)))


def too_many() -> Refusal:
    """Why a folder or a zip is not read at all."""
    message = f"There are more than {MEMBERS:,} files in it, or their names are too long."
    return Refusal("too_large", message, "Import a part of it.")


def _refusal(member: zipfile.ZipInfo, twice: bool) -> Refusal | None:
    """Why a member of a zip is not read."""
    found = next((why for holds, why in _FAULTS if holds(member)), None)
    if found is None and twice:
        return Refusal("bad_value", "A file of this name is there already.", "Unpack the zip, and look at both.")
    return found and Refusal(*found)


def _leads_out(member: zipfile.ZipInfo) -> bool:
    """Whether a name is none, or would lead elsewhere where somebody unpacked it."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    parts = path.parts
    return not parts or path.is_absolute() or ".." in parts or "\0" in member.orig_filename or ":" in parts[0]


_FAULTS: Final[tuple[tuple[Callable[[zipfile.ZipInfo], bool], tuple[str, str, str]], ...]] = (
    (_leads_out, ("bad_value", "Its name leads out of the zip.", "No export has such a file.")),
    (
        lambda member: stat.S_ISLNK(member.external_attr >> 16),
        ("bad_value", "It is a link.", "Import what it leads to."),
    ),
    (
        lambda member: bool(member.flag_bits & _ENCRYPTED),
        ("bad_value", "It is encrypted.", "Unpack the zip, and import the folder."),
    ),
    (
        lambda member: member.compress_type not in _WAYS,
        ("bad_value", "It is compressed in a way that is not read.", "Unpack it, and import the folder."),
    ),
    (
        lambda member: member.file_size > MEMBER_BYTES,
        ("too_large", f"It unpacks to more than {MEMBER_BYTES:,} bytes.", "Divide it."),
    ),
    (
        lambda member: member.file_size > SMALL and member.file_size > RATIO * member.compress_size,
        ("too_large", f"It unpacks to more than {RATIO} times its size.", "Unpack it, if you trust it."),
    ),
)


class _Member(RawIOBase):
    """A file in a zip: what is wrong with it is a Refusal. It never gives more bytes than the zip says that it has."""

    def __init__(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        with _damage():
            self._file = archive.open(member)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _damage():
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        told = f"It is damaged in the zip: {str(error)[:200]}. What was read before that was taken."
        raise Refusal("bad_value", told, "Download it anew.") from None


class _Checked(FileIO):
    """A zip's file, of which no more is read at once than the names of ``MEMBERS`` files."""

    def read(self, size: int | None = -1) -> bytes | None:  # type: ignore[override]
        if size is None or size < 0:
            size = max(0, os.fstat(self.fileno()).st_size - self.tell())
        if size > DIRECTORY_BYTES:
            raise too_many()
        return super().read(size)
