"""PAM, the interchange format "Portable AI Memory": a memory store, alone or in a bundle beside conversations."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Kind, Source, Status
from memtrigd.exchange import elements, items
from memtrigd.exchange.containers import opened
from memtrigd.exchange.items import Ignored, Item, Noted, Reading
from memtrigd.exchange.markdown import tags

NAME: Final = "pam"
STORE: Final = "memory-store.json"
SCHEMA: Final = '"portable-ai-memory"'
_STATES: Final = {
    "active": Status.ACTIVE,
    "superseded": Status.SUPERSEDED,
    "deprecated": Status.SUPERSEDED,
    "archived": Status.SUPERSEDED,
    "retracted": Status.REJECTED,
}
_RULE: Final = "instruction"
_GUESSED: Final = "llm_inference"
_SAID: Final = "explicit_user_input"
_TECHNICAL: Final = {"id", "content_hash", "embedding_ref", "access"}
_KNOWN: Final = {
    "content",
    "type",
    "custom_type",
    "status",
    "tags",
    "confidence",
    "temporal",
    "provenance",
    *_TECHNICAL,
}
_ASIDE: Final = ("relations", "conversations_index")
"""Lists of what is between memories, or beside them."""


def looks(head: str, _: Path) -> bool:
    """Tell whether a file is a memory store: it names its schema first."""
    return head.lstrip().startswith("{") and SCHEMA in head[:2000]


def folder(path: Path) -> bool:
    """Tell whether a folder or a zip is a bundle."""
    with opened(path) as tree:
        return any(_is_store(name) and looks(tree.head(name, 4096), path) for name in tree.names)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a store or a bundle."""
    ignored, others = Ignored(), Counter[str]()
    made = partial(_made, (reading, ignored, others))
    with opened(path) as tree:
        yield from tree.left
        stores = [name for name in tree.names if tree.single or _is_store(name)]
        yield from tree.each(stores, lambda _, file: elements.read(file, made))
        yield from tree.others(stores)
    yield from ignored.told()
    for name, count in others.items():
        yield Noted(name, f"Not taken, as they are no memories: {count:,}.")


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a memory of a store."""
    return elements.again(text, place, partial(_made, (reading, Ignored(), Counter())))


def _is_store(name: str) -> bool:
    return PurePosixPath(name).name == STORE


def _made(within: tuple[Reading, Ignored, Counter[str]], field: str, memory: Any, place: str) -> Iterator[Item]:
    reading, ignored, others = within
    if field in _ASIDE:
        others[field] += 1
    elif field in ("", "memories"):
        if not isinstance(memory, dict) or not isinstance(memory.get("content"), str):
            raise Refusal("bad_request", "It is no memory: it has no `content`.", "Mend it.")
        ignored.add(memory, _KNOWN)
        yield from items.taken(_record(memory), place, reading)


def _record(memory: dict[str, Any]) -> dict[str, Any]:
    kind = str(memory.get("type") or "")
    ours = Kind.RULE if kind == _RULE else kind if kind in [*Kind] else None
    origin, time, surety = (_map(memory.get(name)) for name in ("provenance", "temporal", "confidence"))
    status = str(memory.get("status") or "active")
    if status not in _STATES:
        raise Refusal("bad_value", f"There is no status {status[:40]!r}.", f"They are: {', '.join(_STATES)}.")
    now = surety.get("current")
    return {
        "content": memory["content"],
        "kind": ours,
        "tags": tags(memory.get("tags"), [] if ours or kind == "custom" else [kind], [memory.get("custom_type") or ""]),
        "status": _STATES[status],
        "source": {_GUESSED: Source.SELF_INFERRED, _SAID: Source.USER_EXPLICIT}.get(
            str(origin.get("extraction_method"))
        ),
        "agent": origin.get("platform"),
        "confidence": surety.get("initial") if now is None else now,
        "created": time.get("created_at"),
        "updated": time.get("updated_at"),
        "valid_from": time.get("valid_from"),
        "valid_to": time.get("valid_until"),
    }


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
