"""The official MCP memory server's JSON Lines: entities with observations, and relations between entities.

It has neither ids nor dates. Each observation is a memory about its entity; a relation is one in words.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items
from memtrigd.exchange.documents import documents
from memtrigd.exchange.items import Item, Noted, Reading, Taken
from memtrigd.exchange.lines import lines

NAME: Final = "server-memory"
RELATION: Final = "relation"
_ENTITY: Final = {"type", "name", "entityType", "observations"}
_RELATION: Final = {"type", "from", "to", "relationType"}


def looks(head: str, _: Path) -> bool:
    """Tell whether one of the first lines is of this format: a damaged one may be among them."""
    return any(
        isinstance(found, dict) and found.get("type") in ("entity", "relation") and found.keys() & {"name", "from"}
        for line in head.splitlines()[:20]
        for found, _ in documents(line)
    )


def read(path: Path, _: Reading) -> Iterator[Item]:
    """What is in a file of the memory server. Whose entity is missing is noted of a relation, at the end."""
    names: set[str] = set()
    ends: dict[str, str] = {}
    for line in lines(path):
        if line.refusal is not None:
            yield items.left(line.place, line.refusal, line.raw)
            continue
        for document, text in documents(line.text):
            if isinstance(document, dict):
                _note_names(document, names, ends, line.place)
            yield from _entry(document, text, line.place)
    for name, place in ends.items():
        if name not in names:
            yield Noted(place, f"The relation names {name[:60]!r}, of which the file has no entity. It was taken.")


def again(text: str, place: str, _: Reading) -> Iterator[Item]:
    """What is in a line."""
    for document, part in documents(text):
        yield from _entry(document, part, place)


def _entry(document: dict[str, Any] | Refusal, text: str, place: str) -> Iterator[Item]:
    """What one document says, as memories; as a whole it is left if anything of it is of another shape."""
    try:
        if isinstance(document, Refusal):
            raise document
        items.check_characters(document)
        match document:
            case {"type": "entity", "name": str(name)} if name and document.keys() <= _ENTITY:
                records = _of_entity(name, document.get("entityType"), document.get("observations"))
            case {"type": "relation", "from": str(one), "to": str(other), "relationType": str(how)}:
                _check_keys(document)
                records = [wire.ImportRecord(content=f"{one} {how} {other}", entity=one, tags=[RELATION, how])]
            case _:
                raise Refusal("bad_request", "It is neither an entity nor a relation.", "Mend the line.")
        yield from (Taken(place, each) for each in records)
    except Refusal as refusal:
        yield items.left(place, refusal, text)


def _of_entity(name: str, kind: object, observations: object) -> list[wire.ImportRecord]:
    """A memory for each observation; of an entity without any, that it is there and what it is."""
    observations = [] if observations is None else observations
    if not isinstance(observations, list) or not all(isinstance(each, str) for each in observations):
        raise Refusal("bad_value", "The observations are not a list of texts.", "Mend the line.")
    if kind is not None and not isinstance(kind, str):
        raise Refusal("bad_value", "The type of the entity is no text.", "Mend the line.")
    tags = [kind] if kind else []
    told = observations or [f"{name}: {kind}" if kind else name]
    return [wire.ImportRecord(content=each, entity=name, tags=tags) for each in told]


def _check_keys(document: dict[str, Any]) -> None:
    if not document.keys() <= _RELATION:
        raise Refusal("bad_request", "The relation has fields that are not known.", "Mend the line.")


def _note_names(document: dict[str, Any], names: set[str], ends: dict[str, str], place: str) -> None:
    if document.get("type") == "entity" and isinstance(document.get("name"), str):
        names.add(document["name"])
    for end in ("from", "to"):
        if document.get("type") == "relation" and isinstance(document.get(end), str):
            ends.setdefault(document[end], place)
