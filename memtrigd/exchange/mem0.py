"""mem0: what its `get_all` gives, now or in older versions, and exports of its platform, whose fields are the user's.

Of the latter each value is a memory, told by the path of fields that leads to it.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import elements, items
from memtrigd.exchange.containers import opened
from memtrigd.exchange.items import Ignored, Item, Reading
from memtrigd.exchange.markdown import tags
from memtrigd.exchange.server_memory import RELATION

NAME: Final = "mem0"
LISTS: Final = ("", "results", "memories", "data", "facts")
_TEXTS: Final = ("memory", "text", "data", "content", "fact")
_SCOPES: Final = ("user_id", "agent_id", "run_id")
_DATES: Final = ("created_at", "updated_at", "expiration_date")
_MARKS: Final = {*_SCOPES, "hash", "created_at", "app_id"}
_PAGING: Final = {"count", "next", "previous", "total", "page", "page_size", "version"}
_TECHNICAL: Final = {"id", "hash", "score", "event"}
_KNOWN: Final = {*_TEXTS, *_SCOPES, *_DATES, *_TECHNICAL, "categories", "metadata"}
_CATEGORIES: Final = {"metadata.category", "metadata.categories", "metadata.tags"}
DEEPEST: Final = 16


def looks(head: str, _: Path) -> bool:
    """Tell whether a file has memories as mem0 writes them. One with fields of the user's own can't be told."""
    return any(
        field in LISTS and isinstance(each, dict) and _text(each)[0] in _TEXTS[:3] and each.keys() & _MARKS
        for field, each in elements.sample(head)
    )


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in an export."""
    ignored = Ignored()
    with opened(path) as tree:
        yield from tree.each(tree.names, lambda _, file: elements.read(file, partial(_made, reading, ignored)))
    yield from ignored.told()


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a memory or a relation of an export."""
    return elements.again(text, place, partial(_made, reading, Ignored()))


def _made(reading: Reading, ignored: Ignored, field: str, found: Any, place: str) -> Iterator[Item]:
    match found:
        case {"source": str(one), "target": str(other)} | {"source": str(one), "destination": str(other)}:
            how = str(found.get("relationship") or found.get("relation") or "is related to")
            record = {"content": f"{one} {how} {other}", "entity": one, "tags": tags([RELATION], [how])}
            yield from items.taken(record, place, reading)
        case dict() if field in LISTS and _text(found)[0]:
            ignored.add(found, _KNOWN)
            yield from items.taken(_record(found, ignored), place, reading)
        case int() | float() | str() | None if field in _PAGING:
            return
        case _:
            for path, said in _leaves(found, () if field in LISTS else (field,)):
                content = ": ".join(filter(None, (" ".join(path), said)))
                yield from items.taken({"content": content, "tags": tags([*path[:1]])}, place, reading)


def _text(memory: dict[str, Any]) -> tuple[str, str]:
    """The field that has the text of a memory, and the text."""
    return next(((name, memory[name]) for name in _TEXTS if isinstance(memory.get(name), str)), ("", ""))


def _record(memory: dict[str, Any], ignored: Ignored) -> dict[str, Any]:
    about = memory.get("metadata") if isinstance(memory.get("metadata"), dict) else {}
    assert isinstance(about, dict)
    ignored.add({f"metadata.{name}": each for name, each in about.items()}, _CATEGORIES)
    whose = [f"{name.removesuffix('_id')}:{memory[name]}" for name in ("user_id", "run_id") if memory.get(name)]
    groups = memory.get("categories"), about.get("category"), about.get("categories"), about.get("tags"), whose
    return {
        "content": _text(memory)[1],
        "key": f"mem0:{memory['id']}" if isinstance(memory.get("id"), str | int) else None,
        "tags": tags(*groups),
        "agent": memory.get("agent_id"),
        "created": memory.get("created_at"),
        "updated": memory.get("updated_at"),
        "expires_at": memory.get("expiration_date"),
    }


def _leaves(found: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each value with the fields that lead to it; an object in a list whose values are plain is one."""
    if len(path) > DEEPEST:
        raise Refusal("bad_value", "It is nested too deeply.", "Write it flat.")
    if isinstance(found, dict):
        for name, each in found.items():
            yield from _leaves(each, (*path, name))
    elif isinstance(found, list):
        for each in found:
            if isinstance(each, dict) and not any(isinstance(part, dict | list) for part in each.values()):
                yield path, "; ".join(f"{name}: {part}" for name, part in each.items() if part is not None)
            else:
                yield from _leaves(each, path)
    elif isinstance(found, bool):
        yield path, "yes" if found else "no"
    elif found is not None and str(found).strip():
        yield path, str(found)
