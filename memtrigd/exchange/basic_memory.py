"""basic-memory's notes: observations, relations, and the prose between them, which is a memory like the others.

An observation is an item with a category in brackets; a box is none, that is a task. A relation is an item that ends
with a link, behind what relates the note to it; a link alone is `links_to`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Kind
from memtrigd.exchange import items, markdown
from memtrigd.exchange.containers import opened
from memtrigd.exchange.items import Item, Reading
from memtrigd.exchange.markdown import Note, Piece, hashtags, tags, without_hashtags
from memtrigd.exchange.obsidian import NOTE, common, in_notes, notes_of, task
from memtrigd.exchange.server_memory import RELATION

NAME: Final = "basic-memory"
HEAD: Final = 4096
MARK: Final = "permalink"
LINK: Final = "links_to"
LONGEST_RELATION: Final = 2000
_HEADINGS: Final = ("observations", "relations")
_OBSERVATION: Final = re.compile(r"\[(?P<category>[^\[\]()\n]{1,60})\]\s+(?P<text>\S.*)", re.DOTALL)
_RELATION: Final = re.compile(
    r"(?P<how>[^\[\].;:!?,\n]{0,60}?)\s*\[\[(?P<target>[^\]|#\n]+)[^\]\n]*\]\]\s*(?:\((?P<context>[^\n]*)\))?\s*"
)
_CONTEXT: Final = re.compile(r"(?P<text>.*\S)\s+\((?P<context>[^()\n]{1,400})\)\s*", re.DOTALL)
_TAKEN: Final = {"title", "type", "permalink", "tags", "created", "date", "updated", "modified"}


def looks(head: str, path: Path) -> bool:
    """Tell whether a file is a note of basic-memory: it has a permalink."""
    return path.suffix == NOTE and MARK in markdown.note(head).front


def folder(path: Path) -> bool:
    """Tell whether a folder or a zip holds such notes, among its first ones."""
    with opened(path) as tree:
        notes = [name for name in tree.names if name.endswith(NOTE)][:20]
        return any(MARK in markdown.note(tree.head(name, HEAD)).front for name in notes)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in notes."""
    return in_notes(path, lambda text, title: _note(text, title, reading))


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in an item or a paragraph of a note."""
    for piece in markdown.pieces(Note({}, text)):
        yield from _piece(piece, {}, place, reading)


def _note(text: str, title: str, reading: Reading) -> Iterator[Item]:
    whole = markdown.note(text)
    yield from notes_of(whole, _TAKEN)
    about = common(whole, title)
    for piece in markdown.pieces(whole):
        yield from _piece(piece, about, piece.place, reading)


def _piece(piece: Piece, about: dict[str, Any], place: str, reading: Reading) -> Iterator[Item]:
    try:
        yield from items.taken(about | _fields(piece, about), place, reading)
    except Refusal as refusal:
        yield items.left(place, refusal, f"- {piece.text}" if piece.item and not piece.box else piece.text)


def _fields(piece: Piece, about: dict[str, Any]) -> dict[str, Any]:
    if piece.item and piece.box is None:
        observation = _OBSERVATION.fullmatch(piece.text)
        if observation:
            return _observed(observation["category"].strip(), observation["text"], about)
        relation = _RELATION.fullmatch(piece.text) if len(piece.text) <= LONGEST_RELATION else None
        if relation:
            return _related(relation, about)
    shared = about.get("tags"), _heading(piece, about)
    return {"content": piece.text, "tags": tags(*shared, hashtags(piece.text), task(piece))}


def _observed(category: str, text: str, about: dict[str, Any]) -> dict[str, Any]:
    """An observation: its category is its kind where there is one of that name, and a tag otherwise."""
    context = _CONTEXT.fullmatch(text)
    body = context["text"] if context else text
    kind = category.casefold() if category.casefold() in [*Kind] else None
    return {
        "content": without_hashtags(body),
        "kind": kind,
        "tags": tags(about.get("tags"), [] if kind else [category], hashtags(body)),
        "context": context["context"] if context else None,
    }


def _related(relation: re.Match[str], about: dict[str, Any]) -> dict[str, Any]:
    how, target = relation["how"].strip() or LINK, relation["target"].strip()
    return {
        "content": " ".join(filter(None, (about.get("entity"), how, target))),
        "tags": tags(about.get("tags"), [RELATION, how]),
        "context": relation["context"] or None,
    }


def _heading(piece: Piece, about: dict[str, Any]) -> list[str]:
    heading = piece.heading
    return [] if not heading or heading == about.get("entity") or heading.casefold() in _HEADINGS else [heading]
