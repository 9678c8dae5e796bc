"""ChatGPT's export: the calls by which it saved a memory, which are all that it has of them; and lists pasted beside.

A conversation is a tree of nodes. What went to the recipient `bio` was remembered, on whichever branch it was.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import elements, items, plain
from memtrigd.exchange.containers import opened
from memtrigd.exchange.conversations import LONGEST_CONVERSATION, Talk, is_talk
from memtrigd.exchange.documents import value
from memtrigd.exchange.items import Item, Noted, Reading

NAME: Final = "chatgpt"
MARK: Final = "mapping"
MEMORY: Final = "bio"
_CONVERSATIONS: Final = re.compile(r"conversations(?:[-_]\d+)?\.json")


def looks(head: str, _: Path) -> bool:
    """Tell whether a file is one of conversations."""
    return is_talk(head, MARK)


def folder(path: Path) -> bool:
    """Tell whether a folder or a zip holds an export."""
    with opened(path) as tree:
        return any(_has_talk(name) and looks(tree.head(name, 1 << 16), path) for name in tree.names)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in an export, or in its file of conversations."""
    with opened(path) as tree:
        yield from tree.left
        talk = [name for name in tree.names if tree.single or _has_talk(name)]
        lists = [name for name in tree.names if PurePosixPath(name).suffix in plain.SUFFIXES]
        yield from tree.each(talk, lambda _, file: _conversations(file, reading))
        yield from tree.each(lists, lambda _, file: plain.beside(file, reading))
        yield from tree.others([*talk, *lists])


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a conversation, or in the text of a memory."""
    if text.lstrip().startswith("{"):
        yield from elements.again(text, place, lambda _, found, place: _conversation(found, place, Talk(), reading))
    else:
        yield from _memories(text, None, place, reading)


def _has_talk(name: str) -> bool:
    return _CONVERSATIONS.fullmatch(PurePosixPath(name).name) is not None


def _conversations(file: BinaryIO, reading: Reading) -> Iterator[Item]:
    talk = Talk()
    yield from elements.read(
        file, lambda _, found, place: _conversation(found, place, talk, reading), LONGEST_CONVERSATION
    )
    yield from talk.told()


def _conversation(found: Any, place: str, talk: Talk, reading: Reading) -> Iterator[Item]:
    nodes = found.get(MARK) if isinstance(found, dict) else None
    if not isinstance(nodes, dict):
        raise Refusal("bad_request", "It is no conversation: it has no `mapping`.", "Mend it.")
    messages = [
        (number, node["message"])
        for number, node in enumerate(nodes.values(), 1)
        if isinstance(node, dict) and isinstance(node.get("message"), dict)
    ]
    talk.add(len(messages))
    for number, message in messages:
        if message.get("recipient") == MEMORY:
            date = message.get("create_time") or found.get("create_time")
            yield from _memories(_said(message), date, f"{place}, node {number}", reading)


def _said(message: dict[str, Any]) -> str:
    content = message.get("content")
    if not isinstance(content, dict):
        return ""
    parts = content.get("parts")
    texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    return "\n".join(texts) or (content["text"] if isinstance(content.get("text"), str) else "")


def _memories(said: str, date: Any, place: str, reading: Reading) -> Iterator[Item]:
    """What a call had remembered: its text, or, where it is a document of updates, the text of each."""
    texts = _updates(said)
    if not texts:
        yield Noted(place, "The call to save a memory has no text.")
    for text in texts:
        try:
            yield from items.taken({"content": text, "created": date}, place, reading)
        except Refusal as refusal:
            yield items.left(place, refusal, text)


def _updates(said: str) -> list[str]:
    said = said.strip()
    if not said.startswith(("{", "[")):
        return [said] if said else []
    try:
        found = value(said.encode(errors="surrogatepass"))
    except Refusal:
        return [said]
    updates = found.get("updates", [found]) if isinstance(found, dict) else found
    texts = [
        next((each[name] for name in ("content", "memory", "text", "updated_memory") if each.get(name)), None)
        if isinstance(each, dict)
        else each
        for each in (updates if isinstance(updates, list) else [updates])
    ]
    return [text.strip() if isinstance(text, str) else said for text in texts if text != ""]
