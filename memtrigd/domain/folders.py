"""A folder as a source: what its files say now against what they said before, and what that does to memories.

A line is known by its text, wherever in the folder it stands. Where a line gave way to another one at its place, the
other is the same memory in new words; where it gave way to nothing its memory closes. Much at once is held back.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

FEW: Final = 5
"""Memories that close without a question."""


GONE: Final = 0
"""The number of a line that its file has no more, and whose memory has not closed yet."""


class Line(Struct, frozen=True, array_like=True):
    """A line as it was taken up: its number, the digest of its text, and the memory that it is.

    Where it is none ``code`` says why it was refused.
    """

    number: int
    digest: str
    memory: str | None = None
    code: str | None = None


class Wanted(Struct, frozen=True):
    """What is to become of the line at ``index`` of a file's new lines: a memory anew, in place of ``replaces``."""

    index: int
    replaces: str | None = None


class Page(Struct, frozen=True):
    """A file's new lines, as far as they are known, and which of them are to be taken."""

    lines: list[Line]
    wanted: list[Wanted]


class Plan(Struct, frozen=True):
    """What is to be done: pages by file, and per file the memories that no line of the folder has any more.

    A file that is gone has an empty page. ``closing`` is in all files; ``held`` tells that so many are not closed
    unasked.
    """

    pages: dict[str, Page]
    closing: dict[str, list[str]]
    held: bool = False

    @property
    def count(self) -> int:
        """How many memories would close."""
        return sum(map(len, self.closing.values()))


Before = Mapping[str, Sequence[Line]]
After = Mapping[str, Sequence[tuple[int, str]]]
"""Files with the number and digest of each line."""


def planned(before: Before, after: After) -> Plan:
    """Decide what the files that were read anew do to memories; a file that is gone has no lines in ``after``.

    Files of ``before`` that are not in ``after`` stay as they are. A memory closes once, in the first of its files.
    """
    known = {line.digest: line.memory for lines in before.values() for line in lines if line.memory is not None}
    standing = _digests(before, after)
    pages = {file: _page(before.get(file, ()), lines, known, standing) for file, lines in after.items()}
    kept = {line.memory for file, lines in before.items() if file not in after for line in lines}
    kept |= {line.memory for page in pages.values() for line in page.lines}
    kept |= {each.replaces for page in pages.values() for each in page.wanted}
    closing = dict[str, list[str]]()
    for file in after:
        gone = dict.fromkeys(line.memory for line in before.get(file, ()) if line.memory is not None)
        if mine := [memory for memory in gone if memory not in kept]:
            closing[file] = mine
            kept.update(mine)
    every = {line.memory for lines in before.values() for line in lines if line.memory is not None}
    left = any(lines for lines in after.values()) or any(before[file] for file in before if file not in after)
    return Plan(pages, closing, _is_much(sum(map(len, closing.values())), len(every), left=left))


def _is_much(closing: int, of: int, *, left: bool) -> bool:
    """Tell whether so many memories are not closed unasked: more than half, or all there are, and no line is left."""
    return closing > 0 and (not left or (closing > FEW and 2 * closing > of))


def waiting(before: Before, plan: Plan, files: Collection[str]) -> Plan:
    """The plan where what would close in ``files`` waits: its lines stay as they were, without a number."""
    pages = dict(plan.pages)
    for file in files:
        gone = set(plan.closing[file])
        left = [replace(line, number=GONE) for line in before[file] if line.memory in gone]
        pages[file] = Page([*pages[file].lines, *left], pages[file].wanted)
    closing = {file: memories for file, memories in plan.closing.items() if file not in files}
    return Plan(pages, closing)


def anew(plan: Plan) -> Plan:
    """The plan where every line is taken once more, as its folder's lines count as something else by now."""
    pages = {
        file: Page(page.lines, [*page.wanted, *(Wanted(at) for at, line in enumerate(page.lines) if line.memory)])
        for file, page in plan.pages.items()
    }
    return Plan(pages, plan.closing, plan.held)


def _digests(before: Before, after: After) -> set[str]:
    """Every text that the folder has now."""
    unread = {line.digest for file, lines in before.items() if file not in after for line in lines}
    return unread | {digest for lines in after.values() for _, digest in lines}


def _page(old: Sequence[Line], new: Sequence[tuple[int, str]], known: Mapping[str, str], standing: set[str]) -> Page:
    heirs = dict(_changed([line for line in old if line.number != GONE], [digest for _, digest in new], standing))
    lines, wanted = [], []
    seen = set[str]()
    for index, (number, digest) in enumerate(new):
        lines.append(Line(number, digest, known.get(digest)))
        if digest not in known:
            replaces = None if digest in seen else heirs.get(index)
            wanted.append(Wanted(index, replaces))
            seen.add(digest)
    return Page(lines, wanted)


def _changed(old: Sequence[Line], new: Sequence[str], standing: set[str]) -> Iterator[tuple[int, str]]:
    """The new lines that stand where another one stood, of which nothing is left in the folder."""
    same = SequenceMatcher(None, [line.digest for line in old], list(new), autojunk=False)
    taken = set[str]()
    for what, first, last, begin, end in same.get_opcodes():
        if what != "replace" or last - first != end - begin:
            continue
        for line, index in zip(old[first:last], range(begin, end), strict=True):
            if line.memory is not None and line.digest not in standing and line.memory not in taken:
                taken.add(line.memory)
                yield index, line.memory
