"""Memories as Markdown for people: a file for each level and space, by entity, dates in the reader's own zone.

What a memory says is data: no text can pose as a heading, a link, an image, a tag of HTML or another memory.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from typing import Final

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.moments import Micros, to_minute

_SPECIAL: Final = frozenset("\\`*_{}[]<>()#+-.!|~&=:$^@")
"""What Markdown, one of its dialects or HTML may read as more than itself."""
_INSIDE: Final = re.compile(r"(?<=[^\W_])-(?=[^\W_])|(?<=\d)\.(?=\d)")
"""Where a mark means nothing, and people read on: in a word of two parts, in a number."""
_LONGEST: Final = 120
"""Bytes of a file's name out of a space's."""


def file_name(level: Level, space: str, taken: set[str]) -> str:
    """A name for a level's and space's file that none of ``taken`` has; letters, digits and dashes of any script."""
    spelt = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else "-" for c in space)
    spelt = spelt.encode()[:_LONGEST].decode(errors="ignore").strip("-")
    stem = f"{level.slug}-{spelt or 'space'}"
    name, number = f"{stem}.md", 1
    while name.casefold() in {each.casefold() for each in taken}:
        number += 1
        name = f"{stem}-{number}.md"
    return name


def page(level: Level, space: str, rows: Iterable[Memory], zone: tzinfo, now: Micros) -> Iterator[bytes]:
    """The page of a level's space. ``rows`` come with those of an entity together; what has run out is left out."""
    yield f"# {level.name}, {plain(space)}\n".encode()
    about: object = rows  # no entity yet
    for row in rows:
        if row.status is Status.ACTIVE and not row.served(now):
            continue
        named = None if row.entity is None else canonical(row.entity)
        if named != about:
            about = named
            yield f"\n## {plain(row.entity) if row.entity else 'Of nobody in particular'}\n\n".encode()
        yield _item(row, zone).encode()


def plain(text: str) -> str:
    """A text in one line that shows as it is: nothing of it is markup, nothing hides or turns what follows."""
    shown = "".join(c if _is_harmless(c) else f"\\u{{{ord(c):x}}}" if c not in "\n\r\t" else " " for c in text)
    return _escaped(" ".join(shown.split()))


def _item(row: Memory, zone: tzinfo) -> str:
    """One memory: its text, indented so that every line is of the item, and what is to be known of it."""
    first, *others = [plain(line) for line in row.content.splitlines() if line.strip()] or [""]
    told = [row.kind.value, to_minute(row.updated, zone)]
    told += [f"until {to_minute(row.expires_at, zone)}"] if row.expires_at is not None else []
    told += [plain(tag) for tag in row.tags]
    text = "".join(f"  {line}  \n" for line in others)
    return f"- {_mark(row)}{first}{'  ' if others else ''}\n{text}  *({'; '.join(told)})*\n"


def _mark(row: Memory) -> str:
    if row.status is Status.PENDING:
        return "**[contests what stands]** " if row.contests is not None else "**[waits for your yes]** "
    if row.status is Status.DISPUTED:
        return "**[disputed: you denied it]** "
    marks = ["pinned"] * row.pinned + ["contested"] * row.contested + ["denied once"] * (row.deny_count > 0)
    return f"**[{', '.join(marks)}]** " if marks else ""


def _escaped(text: str) -> str:
    inside = {match.start() for match in _INSIDE.finditer(text)}
    return "".join(f"\\{c}" if c in _SPECIAL and i not in inside else c for i, c in enumerate(text))


def _is_harmless(character: str) -> bool:
    return unicodedata.category(character) not in _HARMFUL or character in _JOINERS


_HARMFUL: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"
"""Marathi and Persian are spelt with them, and emoji."""
