"""Lines for models: stored text as data, one line each, that can't pose as anything else; and what it costs to read."""

import re
from typing import Final

_DENSE: Final = "\u0900"
"""From here on (Devanagari, Thai, CJK …) a character takes about two thirds of a token; below a quarter."""
_TIES: Final = "\u200c\u200d"
"""Joiners: invisible like the marks that turn a line round, but Hindi, Marathi and emoji are spelt with them."""
_TAG: Final = re.compile(r"[<＜﹤](?=\w|\s*[/!?])")
"""What begins a tag to a reader, and so might close the block that a line stands in."""


def tokens(text: str) -> int:
    """Estimate the tokens of a text: 4 characters a token in Latin script, 1.5 beyond; high rather than low."""
    dense = sum(c >= _DENSE for c in text)
    return int(dense / 1.5 + (len(text) - dense) / 4) + 1


def plain(text: str) -> str:
    """A text on one line with nothing in it that is not seen, and nothing that a reader takes for a tag.

    White space is collapsed. Left out are controls, overrides of direction and the characters that smuggle words past a
    person's eyes (Unicode categories Cc, Cf, Cs, Co, Cn). ``<`` before a word becomes ``‹``.
    """
    spaced = " ".join(text.split())
    seen = "".join(each for each in spaced if each.isprintable() or each in _TIES)
    return _TAG.sub("‹", " ".join(seen.split()))


def data_line(text: str, limit: int) -> str:
    """A text as ``plain`` has it; what is beyond ``limit`` characters is cut, and the line says so."""
    if len(text) <= limit:
        return plain(text)
    shown, left = plain(text[:limit]), len(text) - limit
    return f"{shown}… ({left:,} characters more)"
