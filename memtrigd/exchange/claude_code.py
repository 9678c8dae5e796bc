"""Claude Code's memory folders: one file a memory, with its name, a description and a type, and an index of them.

`CLAUDE.md` is guidance: Claude Code goes on reading it, and other agents are told how to work by SPINE.md.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items, markdown
from memtrigd.exchange.containers import Tree, opened, text_of
from memtrigd.exchange.items import Item, Noted, Reading
from memtrigd.exchange.markdown import Note, tags

NAME: Final = "claude-code"
INDEX: Final = "MEMORY.md"
GUIDANCE: Final = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
FOLDER: Final = "memory"
HEAD: Final = 4096
_LINK: Final = re.compile(r"\[[^\]\[]{0,500}\]\((?P<file>[^)\s]{1,500}\.md)\)")


def looks(head: str, path: Path) -> bool:
    """Tell whether a file is a memory, or an index of them."""
    return path.name == INDEX or (path.suffix == ".md" and _is_memory(markdown.note(head)))


def folder(path: Path) -> bool:
    """Tell whether a folder or a zip holds memories of Claude Code: those of a project, or of many."""
    with opened(path) as tree:
        notes = [name for name in tree.names if name.endswith(".md")]
        if any(PurePosixPath(name).name == INDEX for name in notes):
            return True
        return bool(notes) and all(
            PurePosixPath(name).name in GUIDANCE or _is_memory(markdown.note(tree.head(name, HEAD))) for name in notes
        )


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a memory folder, in several, or in one file."""
    with opened(path) as tree:
        yield from tree.left
        mine = [name for name in tree.names if tree.single or _is_mine(name)]
        yield from tree.each(mine, lambda name, file: _file(tree, name, text_of(file), reading))
        yield from tree.others(mine)


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a memory's file, or in a piece of one."""
    note = markdown.note(text)
    yield from _memory(note, text, "", place, reading) if _is_memory(note) else _pieces(note, [], place, reading)


def _is_mine(name: str) -> bool:
    """Whether a file of a folder is read: of whole homes or projects only what is in their memory folders."""
    path = PurePosixPath(name)
    return path.suffix == ".md" and (len(path.parts) == 1 or FOLDER in path.parts or path.name in (INDEX, *GUIDANCE))


def _is_memory(note: Note) -> bool:
    return isinstance(note.front.get("name"), str) and {"description", "type", "metadata"} & note.front.keys() != set()


def _file(tree: Tree, name: str, text: str, reading: Reading) -> Iterator[Item]:
    path = tree.path if tree.single else PurePosixPath(name)
    note = markdown.note(text)
    if path.name in GUIDANCE:
        yield Noted("", "It is guidance, which Claude Code goes on reading; for other agents, see SPINE.md.")
    elif _is_memory(note):
        yield from _memory(note, text, _project(tree, name), "", reading)
    elif path.name == INDEX:
        yield from _index(tree, name, note, reading)
    else:
        yield from _pieces(note, [path.stem], "", reading)


def _project(tree: Tree, name: str) -> str:
    """Which project a memory is of: the folder around the memory folder, as two may have memories of one name."""
    where = (tree.path.resolve() / name).parent if not tree.single else tree.path.resolve().parent
    return where.parent.name if where.name == FOLDER else where.name


def _memory(note: Note, text: str, project: str, place: str, reading: Reading) -> Iterator[Item]:
    """The memory that a file is. Its description is what it is found by, and stands first."""
    front, about = note.front, note.front.get("metadata")
    kind = front.get("type") or (about.get("type") if isinstance(about, dict) else None)
    description, body = _line(front.get("description")), note.body.strip()
    try:
        name = _line(front.get("name"))
        fields = {
            "content": "\n\n".join(filter(None, (description, body))),
            "key": f"{project}/{name}" if project and name else None,
            "tags": tags([kind] if isinstance(kind, str) else [], [project] if project else [], front.get("tags")),
            "created": front.get("created"),
            "updated": front.get("updated") or front.get("modified"),
        }
        yield from items.taken(fields, place, reading)
    except Refusal as refusal:
        yield items.left(place, refusal, text)


def _index(tree: Tree, name: str, note: Note, reading: Reading) -> Iterator[Item]:
    """What an index has beside the names of files: in older folders it has all."""
    where = PurePosixPath(name).parent
    there = {PurePosixPath(each).relative_to(where).as_posix() for each in tree.names if _is_below(each, where)}
    named = 0
    for piece in markdown.pieces(note):
        links = [found["file"] for found in _LINK.finditer(piece.text)]
        if links and all(link.removeprefix("./") in there for link in links):
            named += 1
            continue
        yield from _piece(piece, [], "", reading)
    if named:
        yield Noted("", f"It names {named:,} {'file' if named == 1 else 'files'}, read in their place.")


def _is_below(name: str, where: PurePosixPath) -> bool:
    return not where.parts or where in PurePosixPath(name).parents


def _pieces(note: Note, more: list[str], place: str, reading: Reading) -> Iterator[Item]:
    for piece in markdown.pieces(note):
        yield from _piece(piece, more, place, reading)


def _piece(piece: markdown.Piece, more: list[str], place: str, reading: Reading) -> Iterator[Item]:
    at = place or piece.place
    try:
        fields: dict[str, Any] = {"content": piece.text, "tags": tags([piece.heading] if piece.heading else [], more)}
        yield from items.taken(fields, at, reading)
    except Refusal as refusal:
        yield items.left(at, refusal, piece.text)


def _line(text: Any) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""
