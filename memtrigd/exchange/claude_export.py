"""Claude's export: what it remembers is memories, what was said in conversations is not.

`memories.json` has one text about all conversations and one a project, in Markdown: each paragraph or item is a memory,
its heading a tag. It has no dates. The layout is as people found it: nobody promises it.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import elements, items, markdown, plain
from memtrigd.exchange.containers import Tree, opened
from memtrigd.exchange.conversations import LONGEST_CONVERSATION, Talk, is_talk
from memtrigd.exchange.documents import value
from memtrigd.exchange.items import Item, Left, Noted, Reading
from memtrigd.exchange.markdown import tags

NAME: Final = "claude"
MARK: Final = "chat_messages"
ALL: Final = "conversations_memory"
PROJECTS: Final = "project_memories"
_FILES: Final = ("memories.json", "conversations.json", "projects.json")


def looks(head: str, _: Path) -> bool:
    """Tell whether a file is one of an export: that of memories, or of conversations."""
    return is_talk(head, MARK) or (head.lstrip().startswith(("[", "{")) and f'"{ALL}"' in head)


def folder(path: Path) -> bool:
    """Tell whether a folder or a zip holds an export."""
    with opened(path) as tree:
        return any(_name(name) in _FILES and looks(tree.head(name, 1 << 16), path) for name in tree.names)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in an export, or in one file of it."""
    with opened(path) as tree:
        yield from tree.left
        mine = [name for name in tree.names if tree.single or _name(name) in _FILES]
        projects = _projects(tree)
        yield from tree.each(mine, lambda name, file: _file(name, file, projects, reading))
        lists = [name for name in tree.names if PurePosixPath(name).suffix in plain.SUFFIXES]
        yield from tree.each(lists, lambda _, file: plain.beside(file, reading))
        yield from tree.others([*mine, *lists])


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in an element of the memories' file, or in a text in Markdown that was one of its memories."""
    if text.lstrip().startswith("{"):
        yield from elements.again(text, place, lambda field, found, place: _made({}, reading, field, found, place))
    else:
        yield from _texts(text, [], place, reading)


def _file(name: str, file: BinaryIO, projects: dict[str, str], reading: Reading) -> Iterator[Item]:
    if _name(name) == "projects.json":
        yield Noted("projects", "Their instructions and files are no memories, and were not taken.")
        return
    talk = Talk()

    def made(field: str, found: Any, place: str) -> Iterator[Item]:
        if isinstance(found, dict) and isinstance(found.get(MARK), list):
            talk.add(len(found[MARK]))
        else:
            yield from _made(projects, reading, field, found, place)

    yield from elements.read(file, made, LONGEST_CONVERSATION)
    yield from talk.told()


def _made(projects: dict[str, str], reading: Reading, field: str, found: Any, place: str) -> Iterator[Item]:
    """What one person's memories are; the file may be a list of such, or be one."""
    whole = {field: found} if field else found
    if not isinstance(whole, dict):
        raise Refusal("bad_request", "It is neither memories nor a conversation.", "Mend it.")
    for name, each in whole.items():
        if name == ALL and isinstance(each, str):
            yield from _texts(each, [], f"{place}, {name}", reading)
        elif name == PROJECTS and isinstance(each, dict):
            for project, text in each.items():
                yield from _of_project(project, text, projects, place, reading)
        elif name in (ALL, PROJECTS) and each is not None:
            raise Refusal("bad_value", f"{name} is not what it was in other exports.", "Mend it, or import it as text.")
        elif name not in ("account_uuid", "uuid") and each:
            yield Noted(place, f"The field {name[:40]!r} is not known, and was not taken.")


def _of_project(project: str, text: Any, projects: dict[str, str], place: str, reading: Reading) -> Iterator[Item]:
    if not isinstance(text, str):
        yield Left(place, "bad_value", f"The memory of project {project[:40]!r} is no text.")
        return
    yield from _texts(text, [f"project:{projects.get(project, project)}"], f"{place}, {project[:40]}", reading)


def _texts(text: str, more: list[str], place: str, reading: Reading) -> Iterator[Item]:
    for piece in markdown.pieces(markdown.note(text), bold=True):
        at = f"{place} {piece.place}"
        try:
            fields = {"content": piece.text, "tags": tags([piece.heading] if piece.heading else [], more)}
            yield from items.taken(fields, at, reading)
        except Refusal as refusal:
            yield items.left(at, refusal, piece.text)


def _projects(tree: Tree) -> dict[str, str]:
    """The names of projects by their ids, as far as they can be read."""
    names: dict[str, str] = {}
    for file in tree.names:
        if _name(file) == "projects.json":
            try:
                with tree.open(file) as opened_file:
                    for element in elements.elements(opened_file):
                        _note_name(element.raw, names)
            except (Refusal, OSError):  # `read` tells of it
                continue
    return names


def _note_name(raw: bytes | None, names: dict[str, str]) -> None:
    try:
        project = value(raw or b"")
    except Refusal:
        return
    match project:
        case {"uuid": str(key), "name": str(name)} if name.strip():
            names[key] = name.strip()[:100]


def _name(path: str) -> str:
    return PurePosixPath(path).name
