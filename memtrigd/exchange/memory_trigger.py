"""memory-trigger's library, of every version: a folder with all that lies beside the memories, or a file of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items, memory_trigger_beside, memory_trigger_files, memory_trigger_rows
from memtrigd.exchange.elements import sample
from memtrigd.exchange.items import Beside, Item, Noted, Reading, Taken
from memtrigd.exchange.memory_trigger_files import MAIN, MARKS
from memtrigd.exchange.memory_trigger_library import Library

NAME: Final = "memory-trigger"
_ROW: Final = {"kind", "type"}


def looks(head: str, _: Path) -> bool:
    """Tell whether a file begins with rows of this program's."""
    return any(isinstance(row, dict) and "value" in row and row.keys() & _ROW for _, row in sample(head))


def folder(path: Path) -> bool:
    """Tell whether a folder has memories, or backups of them, and what only a library has besides."""
    if not path.is_dir():
        return False
    marks = sum((path / each).exists() for each in MARKS)
    if not (path / MAIN).is_file():
        return marks > 1 and memory_trigger_files.backup_of(path) is not None
    with (path / MAIN).open("rb") as file:
        return marks > 0 or looks(file.read(64 << 10).decode("utf-8-sig", "replace"), path)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a library, or in a file of rows."""
    library = Library(path, reading)
    if path.is_dir():
        yield from library.items()
        return
    with path.open("rb") as file:
        yield from library.rows(file, "")
    if any((path.parent / each).exists() for each in MARKS):
        yield Noted(path.name, "Only this file was read. Its folder has more: import the folder.")


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a row, or in what lies beside them, that was mended."""
    try:
        yield from _again(memory_trigger_files.lenient(text.encode(errors="surrogatepass")), place, reading)
    except Refusal as refusal:
        yield items.left(place, refusal, text)


def _again(found: Any, place: str, reading: Reading) -> Iterator[Item]:
    besides = memory_trigger_beside.BY_FIELD
    if not isinstance(found, dict):
        raise memory_trigger_rows.no_row()
    if str(found.get("type")).startswith("import_"):
        yield Beside(place, items.entry(found))
    elif "suppressed_at" in found:
        yield memory_trigger_beside.wish(memory_trigger_beside.wished(found, reading), place)
    elif "value" not in found and (sort := next(filter(found.__contains__, besides), None)):
        yield from besides[sort](found, place, reading)
    else:
        record, notes = memory_trigger_rows.record(
            memory_trigger_rows.logged(found) if "op" in found else found, place, reading
        )
        yield Taken(place, record)
        yield from notes
