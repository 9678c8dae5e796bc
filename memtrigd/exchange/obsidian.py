"""Notes in Markdown, as Obsidian keeps them: each item, paragraph and callout is a memory about what its note is about.

What is written stays as it is written, links too. Comments are not for anybody else to read: they are not taken.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items, markdown
from memtrigd.exchange.containers import opened, text_of
from memtrigd.exchange.items import Item, Noted, Reading
from memtrigd.exchange.markdown import Note, Piece, hashtags, tags, without_hashtags

NAME: Final = "obsidian"
NOTE: Final = ".md"
_SIGNS: Final = re.compile(r"\[\[[^\]\n]{1,500}\]\]|%%|^> ?\[!\w|^(?:[-*] )?\w[\w -]{0,60}:: \S", re.MULTILINE)
_COMMENT: Final = re.compile(r"%%.*?%%", re.DOTALL)
_BLOCK_ID: Final = re.compile(r"(?<![ \t])[ \t]+\^[A-Za-z0-9-]+$", re.MULTILINE)
_FIELD: Final = re.compile(r"\A(?P<name>[^\s:][^:\n]{0,60}?)::[ \t]+(?P<value>\S.*)", re.DOTALL)
_EMBED: Final = re.compile(r"!\[\[[^\]\n]{1,500}\]\]")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_CREATED: Final = ("created", "date", "created_at", "date created")
_UPDATED: Final = ("updated", "modified", "updated_at", "date modified", "last_modified")
_ALIASES: Final = ("aliases", "alias")
_TAKEN: Final = {"tags", "tag", "title", "type", *_ALIASES, *_CREATED, *_UPDATED}


def looks(head: str, path: Path) -> bool:
    """Tell whether a file is a note with front matter and something that only Obsidian's have."""
    return path.suffix == NOTE and bool(markdown.note(head).front) and _SIGNS.search(head) is not None


def folder(path: Path) -> bool:
    """Tell whether a folder or a zip holds notes."""
    with opened(path) as tree:
        return any(name.endswith(NOTE) for name in tree.names)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in notes."""
    return in_notes(path, lambda text, title: _note(text, title, reading))


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a piece of a note."""
    for piece in markdown.pieces(Note({}, text)):
        yield from _piece(piece, {}, place, reading)


def _note(text: str, title: str, reading: Reading) -> Iterator[Item]:
    whole = markdown.note(text)
    body, comments = _COMMENT.subn(lambda found: "\n" * found[0].count("\n"), whole.body)
    yield from notes_of(whole, _TAKEN)
    if comments:
        yield Noted("", f"{comments:,} {'comment was' if comments == 1 else 'comments were'} not taken.")
    embeds = len(_EMBED.findall(body))
    if embeds:
        yield Noted("", f"What {embeds:,} embedded {'link shows' if embeds == 1 else 'links show'} was not taken.")
    about = common(whole, title)
    yield from _names(whole, about["entity"])
    for piece in markdown.pieces(Note({}, body, whole.line)):
        yield from _piece(piece, about, piece.place, reading)


def _names(whole: Note, entity: str | None) -> Iterator[Item]:
    """The other names of what a note is about. A note about a day has none: nothing in it would be found by them."""
    front = {name.casefold(): value for name, value in whole.front.items()}
    given = list[str]()
    for told in map(front.get, _ALIASES):
        given += told.split(",") if isinstance(told, str) else told if isinstance(told, list) else []
    if given and entity is None:
        yield Noted("front matter", "Its aliases name a day, and were not taken.")
    elif entity is not None:
        try:
            yield from items.aliases(entity, [each.strip() for each in given if isinstance(each, str)], "front matter")
        except Refusal as refusal:
            yield Noted("front matter", f"Its aliases were not taken: {refusal.message}")


def in_notes(path: Path, note: Callable[[str, str], Iterator[Item]]) -> Iterator[Item]:
    """What a file, a folder or a zip of notes holds, by what ``note`` finds in the text and the title of each."""
    with opened(path) as tree:
        yield from tree.left
        notes = [name for name in tree.names if tree.single or name.endswith(NOTE)]
        yield from tree.each(notes, lambda name, file: note(text_of(file), tree.title(name)))
        yield from tree.others(notes)


def notes_of(whole: Note, known: set[str]) -> Iterator[Noted]:
    """What of the front matter has no place in a memory, and what is wrong with it."""
    if whole.fault:
        yield Noted("front matter", f"{whole.fault} What it says was not taken.")
    names = sorted(repr(name[:40]) for name, value in whole.front.items() if value and name.casefold() not in known)
    if names:
        yield Noted("front matter", f"Of it these were not taken: {', '.join(names[: items.MOST])}.")


def common(whole: Note, title: str) -> dict[str, Any]:
    """What all pieces of a note share: what it is about, its tags and its dates. One about a day is of that day."""
    front = {name.casefold(): value for name, value in whole.front.items()}
    named = front.get("title") if isinstance(front.get("title"), str) else None
    day = _DAY.match(title)
    kind = front.get("type")
    return {
        "entity": named or (None if day else title) or None,
        "tags": tags(front.get("tags"), front.get("tag"), [kind] if isinstance(kind, str) and kind != "note" else []),
        "created": _date(front, _CREATED) or (day.group() if day else None),
        "updated": _date(front, _UPDATED),
    }


def _date(front: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((front[name] for name in names if isinstance(front.get(name), str) and front[name].strip()), None)


def _piece(piece: Piece, about: dict[str, Any], place: str, reading: Reading) -> Iterator[Item]:
    try:
        yield from items.taken(_fields(piece, about), place, reading)
    except Refusal as refusal:
        yield items.left(place, refusal, piece.text)


def _fields(piece: Piece, about: dict[str, Any]) -> dict[str, Any]:
    found = hashtags(piece.text)
    text = without_hashtags(re.sub(r"(?<=\S)  +", " ", _BLOCK_ID.sub("", piece.text)))
    field = _FIELD.match(text)
    heading = [piece.heading] if piece.heading and piece.heading != about.get("entity") else []
    return about | {
        "content": f"{field['name'].strip()}: {field['value']}" if field else text,
        "tags": tags(about.get("tags"), heading, found, task(piece)),
    }


def task(piece: Piece) -> list[str]:
    """The tag of a task: whether it is done, or was given up."""
    states = {None: [], " ": ["task"], "x": ["task", "done"], "X": ["task", "done"], "-": ["task", "cancelled"]}
    return states.get(piece.box, ["task"])
