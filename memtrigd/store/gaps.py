"""Gaps: the bytes of a page between what is used of it, in which SQLite leaves copies of what it moved elsewhere.

With secure_delete SQLite overwrites what is deleted, and whole pages that are freed. But when a page is split, the rows
that stay are packed anew and those that went are left behind them: 9 of 1600 erased rows had such a copy. The bytes
mean nothing to SQLite, whoever reads the page meanwhile and however a write of them is torn
(sqlite.org/fileformat2.html, section 1.6).
"""

from collections.abc import Iterator
from struct import Struct
from typing import Final

import apsw

PIECE: Final = 1 << 20
"""Bytes that are read at a time: whole pages, of whatever size."""
MOST_PAGES: Final = 1 << 25
"""Pages of a file that can be told apart: where there are more, an overflow page may begin like one of a tree."""

_HEADER: Final = 100
"""Bytes of the database's header, on the first page."""
_INTERIOR: Final = (2, 5)
_LEAF: Final = (10, 13)
_TREES: Final = frozenset((*_INTERIOR, *_LEAF))
_head = Struct(">3xHH").unpack_from
_pointers = Struct(">H").iter_unpack
_NOTHING: Final = bytes(1 << 16)


def page_size(first: bytes) -> int:
    """The size of a database's pages, by the beginning of the file."""
    size = int.from_bytes(first[16:18], "big")
    return 1 << 16 if size == 1 else size


def in_piece(piece: bytes, at: int, size: int) -> Iterator[tuple[int, int]]:
    """Where in a file there are gaps that hold anything, and their lengths; ``piece`` are its pages from ``at`` on.

    A page that contradicts itself is passed over: it is damaged, and what is in it may be all that is left of a row.
    """
    for page in range(0, len(piece), size):
        begin = page if page or at else _HEADER
        kind = piece[begin]
        if kind not in _TREES:
            continue
        cells, top = _head(piece, begin)
        pointers = begin + (12 if kind in _INTERIOR else 8)
        low = pointers + 2 * cells
        high = page + (top or 1 << 16)
        if not low <= high <= page + size <= len(piece):
            continue
        if not _NOTHING.startswith(piece[low:high]) and _all_behind(piece[pointers:low], high - page):
            yield at + low, high - low


def _all_behind(pointers: bytes, place: int) -> bool:
    """Whether all cells of a page begin at ``place`` or behind it."""
    return all(pointer >= place for (pointer,) in _pointers(pointers))


def clear(file: apsw.VFSFile, begin: int, end: int) -> int:
    """Overwrite with zeros what the gaps hold from one byte of a database to another; return how many did.

    Both are multiples of PIECE or the end of the file. They last when this returns. Nobody may write meanwhile, and the
    log must be empty: else there are newer pages than these. It is SQLite's own file, for another descriptor that is
    closed would drop the locks of this process.
    """
    size = page_size(file.xRead(_HEADER, 0))
    found = 0
    for at in range(begin, end, PIECE):
        for place, length in in_piece(file.xRead(min(PIECE, end - at), at), at, size):
            file.xWrite(_NOTHING[:length], place)
            found += 1
    if found:
        file.xSync(apsw.SQLITE_SYNC_FULL)
    return found
