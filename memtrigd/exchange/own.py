"""Our own JSON Lines: a line that says what the file is, then one memory a line, or what comes beside them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items
from memtrigd.exchange.documents import documents, first
from memtrigd.exchange.items import Beside, Item, Reading, Taken
from memtrigd.exchange.lines import lines

NAME: Final = "memtrig"
VERSION: Final = 1
BESIDE: Final = "import_"
"""How the type of a line begins that is no memory."""
MARK: Final = "memtrig"
"""The field of the first line that says what a file of ours is."""


def looks(head: str, _: Path) -> bool:
    """Tell whether a file begins with our line, or a record of ours without one."""
    found = first(head)
    return found is not None and (MARK in found or ("content" in found and found.keys() <= items.FIELDS))


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a file of ours."""
    for line in lines(path):
        if line.refusal is not None:
            yield items.left(line.place, line.refusal, line.raw)
        else:
            yield from again(line.text, line.place, reading)


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a line."""
    for document, part in documents(text):
        try:
            if isinstance(document, Refusal):
                raise document
            if MARK in document:
                _check_head(document)
                continue
            if str(document.get("type")).startswith(BESIDE):
                yield Beside(place, items.entry(document))
                continue
            made, notes = items.record(document, place, reading)
            yield Taken(place, made)
            yield from notes
        except Refusal as refusal:
            yield items.left(place, refusal, part)


def _check_head(head: dict[str, Any]) -> None:
    if head[MARK] != "memories" or head.get("version") != VERSION:
        said = f"{str(head[MARK])[:40]!r} of version {str(head.get('version'))[:20]}"
        raise Refusal("bad_request", f"The line says that it is {said}, which is not known here.", "Update memtrigd.")
