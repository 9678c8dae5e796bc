"""What of a bundle was not taken back, as a file's word: a memory without its life, and no word that was heard."""

from collections.abc import Iterator
from typing import Final

import msgspec
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items
from memtrigd.exchange.documents import documents
from memtrigd.exchange.items import Item, Reading, Taken

_NAMES: Final = frozenset(wire.ImportRecord.__struct_fields__) & frozenset(wire.BundledMemory.__struct_fields__)


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a row of a bundle that was mended."""
    for document, part in documents(text):
        try:
            if isinstance(document, Refusal):
                raise document
            row = msgspec.convert(document, wire.AnyBundled)
            if not isinstance(row, wire.BundledMemory):
                raise Refusal("bad_value", "It is no memory.", "Say it anew: `promise`, `alias`, `wellness`, `forget`.")
            said = {name: value for name, value in msgspec.structs.asdict(row).items() if name in _NAMES}
            made, notes = items.record(said, place, reading)
            yield Taken(place, made)
            yield from notes
        except Refusal as refusal:
            yield items.left(place, refusal, part)
        except msgspec.ValidationError as error:
            yield items.left(place, Refusal("bad_value", f"{str(error)[:300]}.", "docs/migration.md."), part)
