"""Lines for models: stored text as data, one line each, that can't pose as anything else; and what it costs to read."""

import re
from collections.abc import Iterable
from typing import Final

_DENSE: Final = "\u0900"
"""From here on (Devanagari, Thai, CJK …) a character takes about two thirds of a token; below a quarter."""
_TIES: Final = "\u200c\u200d"
"""Joiners: invisible like the marks that turn a line round, but Hindi, Marathi and emoji are spelt with them."""
_KEPT: Final = (
    _TIES + "\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""What is seen though Python does not call it printable: the spaces of all scripts."""
NAME: Final = 80
"""Characters of a name in a line."""
_TAG: Final = re.compile(r"[<＜﹤](?=[\u200c\u200d]*\w|[\s\u200c\u200d]*[/!?|])")
"""What begins a tag to a reader, and so might close the block that a line stands in."""


def tokens(text: str) -> int:
    """Estimate the tokens of a text: 4 characters a token in Latin script, 1.5 beyond; high rather than low."""
    dense = sum(c >= _DENSE for c in text)
    return int(dense / 1.5 + (len(text) - dense) / 4) + 1


def visible(text: str) -> str:
    """A text without what is not seen: controls, overrides of direction, what smuggles words past a person's eyes.

    Those are the Unicode categories Cc, Cf, Cs, Co and Cn; ends of lines, tabs and spaces stay, as do joiners.
    """
    return "\n".join(line if line.isprintable() else _seen(line) for line in text.replace("\r\n", "\n").split("\n"))


def _seen(line: str) -> str:
    return "".join(each for each in line if each.isprintable() or each in _KEPT)


def plain(text: str) -> str:
    """A text on one line with nothing in it that is not seen, and nothing that a reader takes for a tag.

    White space is collapsed; ``<`` before a word becomes ``‹``.
    """
    seen = visible(" ".join(text.split()))
    return _TAG.sub("‹", " ".join(seen.split()))


def escaped(document: str) -> str:
    """A JSON document that says the same with escapes for what is not seen and for what a reader takes for a tag."""
    if not document.isprintable():
        document = "".join(each if each.isprintable() or each in _TIES else _escape(each) for each in document)
    return _TAG.sub(lambda found: _escape(found[0]), document)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))


def data_line(text: str, limit: int, way: str = "") -> str:
    """A text as ``plain`` has it; what is beyond ``limit`` characters is cut, and the line says so, and the ``way``."""
    if len(text) <= limit:
        return plain(text)
    shown, left = plain(text[:limit]), len(text) - limit
    return f"{shown}… ({left:,} characters more{way})"


def memory_line(key: str, content: str, notes: Iterable[str], limit: int, way: str = "") -> str:
    """A memory as it stands in any prompt, text or block: its key, what it says, what to know before it is used.

    ``notes`` are our own words; a name in one comes through ``data_line``.
    """
    said = ", ".join(filter(None, notes))
    return f"{data_line(key, NAME)}: {data_line(content, limit, way)} ({said})"
