"""Plain text and Markdown: a memory a line, as lists are pasted; what is indented below a line belongs to it.

A heading is a tag of what stands under it. ``[2026-03-02] - text`` has its date, as assistants print their memories.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from msgspec.structs import replace

from memtrigd.domain.claim import MAX_TAG
from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items, markdown
from memtrigd.exchange.items import Item, Left, Noted, Reading, Taken
from memtrigd.exchange.lines import Line, lines, lines_of

NAME: Final = "text"
SUFFIXES: Final = (".txt", ".md")
"""Of lists that lie among the files of another format."""
_ITEM: Final = re.compile(r"(?:[-*+•‣–]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)")
_DATED: Final = re.compile(r"\[(?P<date>\d{4}-\d\d-\d\d[^\]]{0,40}|unknown)\]\s*(?:[-–:]\s*)?(?P<text>\S.*)", re.DOTALL)
_RULE: Final = re.compile(r"[-*_=\s]{3,}")


def looks(head: str, _: Path) -> bool:
    """Tell whether it is text: no document of any kind that another program has a name for."""
    return "\x00" not in head and not head.lstrip().startswith(("{", "[{", "[\n", "<?xml", "<!DOCTYPE"))


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a file of text."""
    return read_lines(lines(path), reading)


def beside(file: BinaryIO, reading: Reading) -> Iterator[Item]:
    """What is in a list that lies among the files of another format."""
    for item in read_lines(lines_of(file), reading):
        yield replace(item, format=NAME) if isinstance(item, Left) else item


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a piece of text from one place."""
    for item in read_lines((Line(n, each) for n, each in enumerate(text.split("\n"), 1)), reading):
        yield replace(item, place=place)


def read_lines(read: Iterable[Line], reading: Reading) -> Iterator[Item]:
    """What is in some lines."""
    heading: str | None = None
    block: list[Line] = []
    fenced = in_front = False
    for line in read:
        if line.refusal is not None:
            yield items.left(line.place, line.refusal, line.raw)
            continue
        text = line.text.strip()
        if line.number == 1 and text == "---":
            in_front = True
            yield Noted(line.place, "The front matter, between the lines of hyphens, was not taken.")
        elif in_front:
            in_front = text not in ("---", "...")
        elif fenced or (text.startswith("```") and block):
            block.append(line)
            fenced = fenced != text.startswith("```")
        elif block and text and line.text[0] in " \t" and not _ITEM.fullmatch(text):
            block.append(line)
        else:
            yield from _taken(block, heading, reading)
            block, fenced = [], text.startswith("```")
            title = markdown.heading(text)
            if title is not None:
                heading = title
            elif text and not _RULE.fullmatch(text):
                block = [line]
    yield from _taken(block, heading, reading)


def _taken(block: list[Line], heading: str | None, reading: Reading) -> Iterator[Item]:
    """The memory that some lines are."""
    if not block:
        return
    place = block[0].place
    whole = "\n".join(line.text for line in block)
    try:
        made, notes = items.record(_fields(block, heading), place, reading)
        yield Taken(place, made)
        yield from notes
    except Refusal as refusal:
        yield items.left(place, refusal, whole)


def _fields(block: list[Line], heading: str | None) -> dict[str, Any]:
    first, *others = [line.text for line in block]
    item = _ITEM.fullmatch(first.strip())
    text = "\n".join([item["text"] if item else first.strip(), *(each.strip() for each in others)])
    dated = _DATED.fullmatch(text)
    date = {} if dated is None or dated["date"] == "unknown" else {"created": dated["date"].strip()}
    tags = [heading] if heading and len(heading) <= MAX_TAG else []
    return {"content": dated["text"] if dated else text, "tags": tags, **date}
