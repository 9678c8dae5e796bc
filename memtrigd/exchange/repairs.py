"""Repair files: what an import did not take, a line each, with the reason and the record or the text that it was.

Whoever has mended the record or the text imports the file like any other. The reason is not read again.
"""

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items, own
from memtrigd.exchange.documents import documents, first
from memtrigd.exchange.items import Beside, Item, Left, Reading, Taken
from memtrigd.exchange.lines import lines

NAME: Final = "repair"

Again: TypeAlias = Callable[[str, str, Reading], Iterator[Item]]
"""Finds what is in a text of a format, at a place."""


def looks(head: str, _: Path) -> bool:
    """Tell whether a file begins with a line of a repair file."""
    found = first(head)
    return found is not None and found.get(own.MARK) == NAME


def read(formats: Mapping[str, Again], path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a repair file, each text read as that of its format."""
    for line in lines(path):
        if line.refusal is not None:
            yield items.left(line.place, line.refusal, line.raw)
            continue
        for document, text in documents(line.text):
            try:
                if isinstance(document, Refusal):
                    raise document
                yield from _mended(formats, document, line.place, reading)
            except Refusal as refusal:
                yield items.left(line.place, refusal, text)


def _mended(formats: Mapping[str, Again], repair: dict[str, Any], place: str, reading: Reading) -> Iterator[Item]:
    fields, entry, raw, name = (repair.get(each) for each in ("record", "entry", "raw", "format"))
    if isinstance(fields, dict):
        made, notes = items.record(fields, place, reading)
        yield Taken(place, made)
        yield from notes
    elif isinstance(entry, dict):
        yield Beside(place, items.entry(entry))
    elif isinstance(raw, str) and isinstance(name, str) and name in formats:
        text = _decoded(raw) if repair.get("base64") else raw
        for item in formats[name](text, place, reading):
            yield replace(item, format=name) if isinstance(item, Left) else item
    else:
        raise Refusal("bad_request", "The line has no record, and no text of a known format.", "Mend it at its source.")


def _decoded(raw: str) -> str:
    try:
        return b64decode(raw, validate=True).decode()
    except ValueError:
        raise Refusal("bad_value", "It is still no UTF-8.", "Write the text itself, without `base64`.") from None
