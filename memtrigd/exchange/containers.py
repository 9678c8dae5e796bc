"""A folder, a zip or a single file, as the files that are in it: read where they are, and nothing is ever unpacked.

Names are labels. In a zip they lead nowhere, and in a folder no link is followed; what is larger than it looks, or than
any export is, is told of and not read.
"""

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, TypeAlias

from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items, zips
from memtrigd.exchange.items import Item, Left, Noted
from memtrigd.exchange.lines import LONGEST

DEPTH: Final = 32
LONGEST_NAME: Final = 300
"""Characters of a name that are told."""
WHOLE: Final = "the file"
"""The place of what is not at one place of a file."""

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

    def title(self, name: str) -> str:
        """What a note is called: its name without the suffix."""
        return _shown(self.path.stem if self.single else PurePosixPath(name).stem)

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
            shown = _shown(name)
            try:
                with self.open(name) as file:
                    for item in reads(name, file):
                        yield replace(item, place=": ".join(filter(None, (shown, item.place))) or WHOLE)
            except Refusal as refusal:
                yield items.left(shown or WHOLE, refusal, None)
            except OSError as error:
                yield Left(shown or WHOLE, "bad_value", f"It can't be read: {error.strerror or error}.")

    def others(self, read: Iterable[str]) -> Iterator[Noted]:
        """Note what else there is, by kind."""
        rest = Counter(_shown(_kind(name)) for name in set(self.names) - set(read))
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
    elif not zips.is_zip(path):
        yield Tree(path, [""], [], lambda _: path.open("rb"))
    else:
        with zips.opened(path) as archive:
            known, left = zips.members(archive)
            names = sorted(known)
            top = PurePosixPath(os.path.commonpath(names)) if names else PurePosixPath()  # it may be hidden itself
            seen = [name for name in names if not _hidden(PurePosixPath(name).relative_to(top).parts)]
            hidden = _not_looked_at(len(names) - len(seen))
            yield Tree(path, seen, [*left, *hidden], lambda name: zips.open_member(archive, known[name]))


def _hidden(parts: tuple[str, ...]) -> bool:
    """Whether a program keeps a file for itself: what begins with a point, and what macOS puts into its zips."""
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _not_looked_at(hidden: int) -> list[Noted]:
    return [Noted("hidden", f"Hidden files and folders were not looked at: {hidden:,}.")] if hidden else []


def _folder(root: Path) -> Tree:
    names: list[str] = []
    left: list[Item] = []
    hidden, real = 0, root.resolve()

    def unreadable(error: OSError) -> None:
        left.append(Left(_shown(str(error.filename)), "bad_value", f"It can't be read: {error.strerror or error}."))

    for where, folders, files in os.walk(root, onerror=unreadable):
        here = Path(where).relative_to(root)
        hidden += sum(_hidden((each,)) for each in [*folders, *files])
        folders[:] = sorted(each for each in folders if not _hidden((each,)))
        if len(here.parts) >= DEPTH and folders:
            left.append(Left(_shown(f"{here}/"), "too_large", f"It is {DEPTH} folders deep; no deeper was looked."))
            folders.clear()
        links = [each for each in folders if (Path(where) / each).is_symlink()]
        for each in sorted([*(each for each in files if not _hidden((each,))), *links]):
            name = (here / each).as_posix()
            why = _fault(Path(where) / each, name, real)
            if why is None:
                names.append(name)
            else:
                left.append(why)
        if len(names) > zips.MEMBERS:
            raise zips.too_many()
    return Tree(root, names, [*left, *_not_looked_at(hidden)], lambda name: _open_file(root / name))


def _fault(path: Path, name: str, root: Path) -> Item | None:
    """Why a file of a folder is not read."""
    name = _shown(name)
    try:
        mode = path.lstat().st_mode
        inside = not stat.S_ISLNK(mode) or path.resolve().is_relative_to(root)
    except (OSError, RuntimeError) as error:  # the latter for links in a circle
        return Left(name, "bad_value", f"It can't be read: {getattr(error, 'strerror', None) or 'links in a circle'}.")
    if not inside:
        return Left(name, "bad_value", "It is a link that leaves the folder; it was not followed.")
    if stat.S_ISLNK(mode):
        return Noted(name, "A link within the folder; it was read where it leads to.")
    return None if stat.S_ISREG(mode) else Left(name, "bad_value", "It is neither a file nor a folder.")


def _open_file(path: Path) -> BinaryIO:
    """Open a file that was one a moment ago: never a link, and never what blocks."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(number, "rb")
    if not stat.S_ISREG(os.fstat(number).st_mode):
        file.close()
        raise Refusal("bad_value", "It is no file any more.", "Import again.")
    return file


def _kind(name: str) -> str:
    """What a file is told of by: its suffix, or its name."""
    path = PurePosixPath(name)
    return f"*{path.suffix.lower()}" if path.suffix else path.name


def _shown(name: str) -> str:
    """A name as it can be told: in some folders they are no UTF-8."""
    return name.encode(errors="surrogateescape").decode(errors="replace")[:LONGEST_NAME]
