"""Hits as a search shows them: the piece that was found of a long text, within the room that there is."""

import msgspec
from memtrig.wire import Record
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.search.snippet import WHOLE, snippet
from memtrigd.serve.lines import tokens
from memtrigd.serve.records import REPLY_BYTES, size

_NOTES = ("context", "quote", "reason")


def glimpse(shown: Record, terms: tuple[str, ...], part: tuple[float, float] = WHOLE) -> Record:
    """Show a record, and those beside it, by the piece of each long text that has most of some terms.

    Of the record's own content only a ``part`` may show why it is a hit, from 0 to 1. ``content_bytes`` says how long
    the whole content is, where it is not whole; ``get`` brings it.
    """
    content = snippet(shown.content, terms, part=part)
    cut = len(shown.content.encode()) if content != shown.content else None
    notes = {name: snippet(said, terms) for name in _NOTES if (said := getattr(shown, name)) is not None}
    beside = {
        name: glimpse(each, terms)
        for name in ("supplement", "newer_lower")
        if (each := getattr(shown, name)) is not None
    }
    return replace(shown, content=content, content_bytes=cut, **notes, **beside)


def cost(shown: Record) -> int:
    """Estimate the tokens that a record takes to read, whichever of its fields are read: as compact JSON."""
    return tokens(msgspec.json.encode(shown).decode())


class Room(Struct):
    """What is left of a reply: bytes, and tokens where the caller has a budget of them."""

    tokens: int | None
    bytes: int = REPLY_BYTES
    left_out: int = 0

    def take(self, whole: Record | None, short: Record) -> Record | None:
        """Take a hit in: whole, if that is wanted and fits, else by its glimpse; else it is counted as left out.

        Where one has no room, neither has any behind it: the best are shown, not the shortest.
        """
        for each in (whole, short):
            if each is None or self.left_out:
                continue
            price, length = 0 if self.tokens is None else cost(each), size(each)
            if each is whole and length > self.bytes:
                continue
            if self.tokens is None or price <= self.tokens:
                self.tokens = None if self.tokens is None else self.tokens - price
                self.bytes -= length
                return each
        self.left_out += 1
        return None
