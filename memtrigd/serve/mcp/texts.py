"""Short texts for models: what a person would say of a memory in one line, within a budget of tokens."""

from collections.abc import Iterable
from typing import Final

from memtrig.wire import Record

from memtrigd.serve.lines import NAME, data_line, memory_line, tokens

BUDGET: Final = 8000
"""Tokens of one reply's text, unless the tool says otherwise; hosts cut at 25,000."""
LINE: Final = 400
"""Characters of a content that stand in a list; get brings the whole."""
_WAY: Final = ": get it"
PART: Final = 6000
"""Tokens of a content that are given at a time."""


def one_line(text: str, limit: int = LINE) -> str:
    """A text on one line, escaped so that it can't begin another, and cut with a word that says so."""
    return data_line(text, limit, _WAY)


def named(name: str) -> str:
    """A key or another name within a sentence."""
    return data_line(name, NAME)


def line(memory: Record) -> str:
    """A memory on one line: its key, what it says, and what a model must know before it uses it."""
    notes = [memory.kind, memory.updated[:10]]
    notes += [f"about {named(memory.entity)}"] if memory.entity else []
    notes += ["a guess" if memory.source == "self_inferred" else ""]
    notes += ["contested: ask the user" if memory.contested else ""]
    notes += ["a lower level says something newer" if memory.newer_lower else ""]
    notes += [f"{memory.content_bytes:,} bytes: get it"] if memory.content_bytes else []
    return memory_line(memory.key, memory.content, notes, LINE, _WAY)


def part(text: str, offset: int = 0, budget: int = PART) -> str:
    """The longest piece of a text from ``offset`` on that the budget has room for; one character in any case."""
    piece = text[offset : offset + 4 * budget]
    if tokens(piece) <= budget:
        return piece
    low, high = 1, len(piece)
    while low < high:  # a token more for a character more at the most: what fits is found by halving
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(piece[:middle]) <= budget else (low, middle - 1)
    return piece[:low]


def within(lines: Iterable[str], budget: int = BUDGET) -> list[str]:
    """As many whole lines as the budget has room for: the first in any case."""
    kept: list[str] = []
    for each in lines:
        budget -= tokens(each) + 1
        if kept and budget < 0:
            break
        kept.append(each)
    return kept


def incomplete(missing: tuple[str, ...]) -> str:
    """A sentence about levels that could not be read, or nothing."""
    return f"Not all could be read: {', '.join(missing)} is not available now." if missing else ""
