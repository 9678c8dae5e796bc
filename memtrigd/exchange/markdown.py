"""Notes in Markdown: what stands before them in YAML, and their pieces, each of which may be a memory. Pure."""

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml
from msgspec import Struct

from memtrigd.domain.errors import Refusal

MOST_FRONT: Final = 64 << 10
"""Characters of front matter: tags and dates, no text."""
DEEPEST: Final = 16
ITEM: Final = re.compile(r"(?P<mark>[-*+•]|\d{1,4}[.)])\s+(?:\[(?P<box>[ xX/-])\]\s+)?(?P<text>\S.*)", re.DOTALL)
_FRONT: Final = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING: Final = re.compile(r"#{1,6}\s+(?P<text>\S.*)")
_BOLD: Final = re.compile(r"\*\*(?P<text>[^*]{1,128})\*\*:?")
_RULE: Final = re.compile(r"(?:[-*_=]\s*){3,}")
_CALLOUT: Final = re.compile(r"\[!(?P<kind>[\w-]{1,40})\][+-]?\s*(?P<title>.*)")
_FENCES: Final = ("```", "~~~")
_TAG_SIGNS: Final = r"#([^\s#.,;:!?()\[\]{}<>\"'`|*=&\\]{1,200})"
_TAG: Final = re.compile(r"(?:(?<=\s)|^)" + _TAG_SIGNS + r"(?=$|[\s.,;:!?)\]])", re.MULTILINE)
_FIRST_TAG: Final = re.compile(_TAG_SIGNS + r"(?=\s|\Z)")
AT_AN_END: Final = 64
"""Tags that are looked for at each end of a text."""


class Note(Struct, frozen=True):
    """A note: its front matter and what is wrong with that, its text and the number of the line where that begins."""

    front: dict[str, Any]
    body: str
    line: int = 1
    fault: str | None = None


class Piece(Struct, frozen=True):
    """A piece of a note: an item with what is indented below it, a paragraph, a quote or a fence."""

    line: int
    text: str
    heading: str | None = None
    item: bool = False
    box: str | None = None
    """What is in the box of a task: a space for one that is open."""

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return f"line {self.line}"


def note(text: str) -> Note:
    """Divide a note from its front matter. What is no YAML there is told of, and the rest is read without it."""
    found = _FRONT.match(text)
    if found is None:
        return Note({}, text)
    body, line = text[found.end() :], text.count("\n", 0, found.end()) + 1
    try:
        return Note(_front(found["yaml"]), body, line)
    except Refusal as refusal:
        return Note({}, body, line, refusal.message)


def _front(text: str) -> dict[str, Any]:
    if len(text) > MOST_FRONT:
        raise Refusal("too_large", f"It has more than {MOST_FRONT:,} characters.", "Write it shorter.")
    try:
        made = yaml.load(text, _Loader)  # noqa: S506 - it makes texts, lists and maps of texts, and nothing else
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at its line {mark.line + 1}" if mark else ""
        raise Refusal("bad_value", f"It is no YAML{where}.", "Mend it.") from None
    if not isinstance(made, dict):
        return {}
    return {str(name): value for name, value in made.items()}


class _Loader(yaml.BaseLoader):
    """Texts as they are written: `no` stays a word, and a date is read like all others."""

    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Read a node, but no alias, as a few of them can stand for more than there is memory, and no deep one."""
        if self.check_event(yaml.AliasEvent) or self._depth == DEEPEST:
            raise yaml.YAMLError("aliases and deep nesting are not read")
        self._depth += 1
        made = super().compose_node(parent, index)
        self._depth -= 1
        return made


def pieces(of: Note, *, bold: bool = False) -> Iterator[Piece]:
    """The pieces of a note. With ``bold`` a line that is bold as a whole is a heading too."""
    title: str | None = None
    block: list[str] = []
    start, sort, fence, gap = 0, "", "", 0
    for number, line in enumerate(of.body.split("\n"), of.line):
        text = line.strip()
        if fence:
            block.append(line)
            fence = "" if text.startswith(fence) else fence
            continue
        if not text:
            gap += 1
            continue
        if block and _goes_on(sort, text, indented=line[0] in " \t", gap=gap):
            block += [""] * gap + [line]
        else:
            yield from _piece(block, sort, start, title)
            above = heading(text, bold=bold)
            title = title if above is None else above
            block = [] if above is not None or _RULE.fullmatch(text) else [line]
            start, sort = number, "item" if ITEM.fullmatch(text) else "quote" if text.startswith(">") else ""
        gap = 0
        fence = text[:3] if text.startswith(_FENCES) and block else ""
    yield from _piece(block, sort, start, title)


def heading(line: str, *, bold: bool = False) -> str | None:
    """The text of a heading, without the signs behind it; with ``bold`` also of a line that is bold as a whole."""
    found = _HEADING.fullmatch(line.strip()) or (_BOLD.fullmatch(line.strip()) if bold else None)
    if found is None:
        return None
    text = found["text"]
    bare = text.rstrip("#")
    return bare.rstrip() if bare[-1:].isspace() else text


def _goes_on(sort: str, text: str, *, indented: bool, gap: int) -> bool:
    """Whether a line belongs to the block above it."""
    if sort == "item":
        return indented or (not gap and not _begins(text))
    if gap:
        return False
    return text.startswith(">") if sort == "quote" else not _begins(text)


def _begins(text: str) -> bool:
    """Whether a line begins something of its own."""
    return bool(ITEM.match(text) or _HEADING.fullmatch(text) or _RULE.fullmatch(text) or text.startswith(">"))


def _piece(block: list[str], sort: str, start: int, title: str | None) -> Iterator[Piece]:
    if not block:
        return
    item = ITEM.fullmatch("\n".join([block[0].strip(), *block[1:]])) if sort == "item" else None
    if item:
        yield Piece(start, item["text"].rstrip(), title, item=True, box=item["box"])
    else:
        yield Piece(start, _quoted(block) if sort == "quote" else "\n".join(block).strip(), title)


def _quoted(block: list[str]) -> str:
    """A quote without its marks; of a callout the title stands alone, as its kind says how it is drawn."""
    lines = [line.strip().lstrip(">").strip() for line in block]
    callout = _CALLOUT.fullmatch(lines[0])
    if callout:
        lines[0] = callout["title"]
    return "\n".join(lines).strip()


def hashtags(text: str) -> list[str]:
    """The tags that stand in a text, without their signs. Numbers are none."""
    return [tag for tag in _TAG.findall(text) if not tag.isdigit()]


def without_hashtags(text: str) -> str:
    """A text without the tags at its ends; those in the midst of it are words of it. Tags alone stay as they are."""
    bare = text.strip()
    for _ in range(AT_AN_END):
        found = _FIRST_TAG.match(bare)
        if found is None:
            break
        bare = bare[found.end() :].lstrip()
    for _ in range(AT_AN_END):
        last = bare.rsplit(None, 1)[-1] if bare else ""
        if not _FIRST_TAG.fullmatch(last):
            break
        bare = bare[: -len(last)].rstrip()
    return bare or text


def tags(*groups: Any) -> list[str]:
    """Tags as lists, or as texts with commas: each once."""
    found: dict[str, None] = {}
    for group in groups:
        for each in group.split(",") if isinstance(group, str) else group if isinstance(group, list) else []:
            tag = str(each).strip().removeprefix("#") if isinstance(each, str | int | float) else ""
            if tag:
                found[tag] = None
    return [*found]
