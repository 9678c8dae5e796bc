"""A folder, a zip or a single file, as the files that are in it: read where they are, and nothing is ever unpacked.

Names are labels. In a zip they lead nowhere, and in a folder no link is followed; what is larger than it looks, or than
any export is, is told of and not read.
"""

import os
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO, RawIOBase
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Final, TypeAlias, cast

from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items
from memtrigd.exchange.items import Item, Left, Noted
from memtrigd.exchange.lines import LONGEST

MEMBERS: Final = 30_000
"""Files of one folder or zip."""
MEMBER_BYTES: Final = 2 << 30
ALL_BYTES: Final = 8 << 30
RATIO: Final = 200
"""To how many times its size a member may unpack, from ``SMALL`` bytes on: JSON of one kind comes to 20 or 30."""
SMALL: Final = 1 << 20
DIRECTORY_BYTES: Final = 4 << 20
"""Bytes of what a zip says of its members, which is read as a whole."""
DEPTH: Final = 32
WHOLE: Final = "the file"
"""The place of what is not at one place of a file."""
_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_WAYS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1

Opens: TypeAlias = Callable[[str], BinaryIO]
Reads: TypeAlias = Callable[[str, BinaryIO], Iterable[Item]]


class Tree:
    """The files of a folder or zip by their names, with slashes and in order; ``left`` is what of it is not read.

    A single file is a tree of itself, and has no name in it.
    """

    def __init__(self, path: Path, names: list[str], left: list[Item], opens: Opens) -> None:
        self.path = path
        self.names = names
        self.left = left
        self.single = names == [""]
        self._opens = opens

    def open(self, name: str) -> BinaryIO:
        """Open a file to be read once. Raises Refusal; OSError."""
        return self._opens(name)

    def head(self, name: str, size: int) -> str:
        """The beginning of a file as text; empty if it can't be read."""
        try:
            with self.open(name) as file:
                return file.read(size).decode("utf-8-sig", "replace")
        except (Refusal, OSError):
            return ""

    def each(self, names: Iterable[str], reads: Reads) -> Iterator[Item]:
        """What ``reads`` finds in some files, with their names in its places. One that ends early costs its rest."""
        for name in names:
            try:
                with self.open(name) as file:
                    for item in reads(name, file):
                        yield replace(item, place=": ".join(filter(None, (name, item.place))) or WHOLE)
            except Refusal as refusal:
                yield items.left(name or WHOLE, refusal, None)
            except OSError as error:
                yield Left(name or WHOLE, "bad_value", f"It can't be read: {error.strerror or error}.")

    def others(self, read: Iterable[str]) -> Iterator[Noted]:
        """Note what else there is, by kind."""
        rest = Counter(_kind(name) for name in set(self.names) - set(read))
        for kind, count in sorted(rest.items()):
            files = "1 file" if count == 1 else f"{count:,} files"
            yield Noted(kind, f"{files} of this kind: no memories in this format, and not taken.")


def text_of(file: BinaryIO) -> str:
    """A whole file as text, with line feeds alone. Raises Refusal ``too_large``, ``bad_value``; OSError."""
    data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Refusal("too_large", f"It has more than {LONGEST:,} bytes.", "Divide it.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal("bad_value", f"It is not UTF-8 at byte {error.start + 1:,}.", "Convert it to UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def opened(path: Path) -> Iterator[Tree]:
    """Open a folder, a zip or a file. Raises Refusal for a zip that is none or too much; OSError."""
    if path.is_dir():
        yield _folder(path)
    elif not is_zip(path):
        yield Tree(path, [""], [], lambda _: path.open("rb"))
    else:
        with _Checked(path) as file:
            try:
                archive = zipfile.ZipFile(cast(IO[bytes], file))
            except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
                raise Refusal("bad_value", f"The zip can't be read: {error}.", "Download it anew.") from None
            with archive:
                yield _zip(path, archive)


def is_zip(path: Path) -> bool:
    """Tell whether a file begins as a zip does. Raises OSError."""
    if path.is_dir():
        return False
    with path.open("rb") as file:
        return file.read(4) in _MAGIC


def _folder(root: Path) -> Tree:
    names: list[str] = []
    left: list[Item] = []
    real = root.resolve()
    for where, folders, files in os.walk(root):
        here = Path(where).relative_to(root)
        hidden = [each for each in folders if each.startswith(".")]
        left += [Noted(f"{here / each}/", "A hidden folder; it was not looked at.") for each in sorted(hidden)]
        folders[:] = sorted(each for each in folders if each not in hidden)
        if len(here.parts) >= DEPTH and folders:
            left.append(Left(f"{here}/", "too_large", f"It is more than {DEPTH} folders deep; no deeper was looked."))
            folders.clear()
        for each in sorted([*files, *(each for each in folders if (Path(where) / each).is_symlink())]):
            name = (here / each).as_posix()
            try:
                if _is_file(Path(where) / each, name, real, left):
                    names.append(name)
            except OSError as error:
                left.append(Left(name, "bad_value", f"It can't be read: {error.strerror or error}."))
        if len(names) > MEMBERS:
            raise _too_many()
    return Tree(root, names, left, lambda name: _open_file(root / name))


def _is_file(path: Path, name: str, root: Path, left: list[Item]) -> bool:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        if path.resolve().is_relative_to(root):
            left.append(Noted(name, "A link within the folder; it was read where it leads to."))
        else:
            left.append(Left(name, "bad_value", "It is a link that leaves the folder; it was not followed."))
        return False
    if not stat.S_ISREG(mode):
        left.append(Left(name, "bad_value", "It is neither a file nor a folder."))
    return stat.S_ISREG(mode)


def _open_file(path: Path) -> BinaryIO:
    """Open a file that was one a moment ago: never a link, and never what blocks."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(number, "rb")
    if not stat.S_ISREG(os.fstat(number).st_mode):
        file.close()
        raise Refusal("bad_value", "It is no file any more.", "Import again.")
    return file


def _zip(path: Path, archive: zipfile.ZipFile) -> Tree:
    members = [each for each in archive.infolist() if not each.is_dir()]
    if len(members) > MEMBERS:
        raise _too_many()
    if sum(each.file_size for each in members) > ALL_BYTES:
        raise Refusal("too_large", f"The zip unpacks to more than {ALL_BYTES:,} bytes.", "Unpack it and import a part.")
    known: dict[str, zipfile.ZipInfo] = {}
    left: list[Item] = []
    for each in members:
        refusal = _refusal(each, known)
        if refusal is None:
            known[each.filename] = each
        else:
            left.append(items.left(each.filename[:200], refusal, None))
    return Tree(path, sorted(known), left, lambda name: _open_member(archive, known[name]))


def _refusal(member: zipfile.ZipInfo, known: dict[str, Any]) -> Refusal | None:
    """Why a member of a zip is not read."""
    found = next((why for holds, why in _FAULTS if holds(member)), None)
    if found is None and member.filename in known:
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


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    return cast(BinaryIO, BufferedReader(_Member(archive, member)))


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
            raise _too_many()
        return super().read(size)


def _too_many() -> Refusal:
    message = f"There are more than {MEMBERS:,} files in it, or their names are too long."
    return Refusal("too_large", message, "Import a part of it.")


def _kind(name: str) -> str:
    """What a file is told of by: its suffix, or its name."""
    path = PurePosixPath(name)
    return f"*{path.suffix.lower()}" if path.suffix else path.name
