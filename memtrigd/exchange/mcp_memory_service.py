"""The export of mcp-memory-service: one object with what it says of itself, and the memories."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Kind
from memtrigd.exchange import elements, items
from memtrigd.exchange.containers import opened
from memtrigd.exchange.documents import value
from memtrigd.exchange.items import Ignored, Item, Reading
from memtrigd.exchange.markdown import tags

NAME: Final = "mcp-memory-service"
LIST: Final = "memories"
_TECHNICAL: Final = {"content_hash", "embedding", "export_source", "created_at_iso", "updated_at_iso"}
_KNOWN: Final = {"content", "tags", "created_at", "updated_at", "memory_type", "metadata", *_TECHNICAL}


def looks(head: str, _: Path) -> bool:
    """Tell whether a file begins as this program's exports do, or has memories with its fields."""
    return any(
        (field == "export_metadata" and isinstance(each, dict))
        or (field in ("", LIST) and isinstance(each, dict) and "content" in each and "content_hash" in each)
        for field, each in elements.sample(head)
        if not (isinstance(each, dict) and "provenance" in each)
    )


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in an export."""
    ignored = Ignored()
    with opened(path) as tree:
        yield from tree.each(tree.names, lambda _, file: elements.read(file, partial(_made, reading, ignored)))
    yield from ignored.told()


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a memory of an export."""
    return elements.again(text, place, partial(_made, reading, Ignored()))


def _made(reading: Reading, ignored: Ignored, field: str, memory: Any, place: str) -> Iterator[Item]:
    if field == "export_metadata":
        return
    if not isinstance(memory, dict) or not isinstance(memory.get("content"), str):
        raise Refusal("bad_request", "It is no memory: it has no `content`.", "Mend it.")
    about = _about(memory.get("metadata"))
    kind = str(memory.get("memory_type") or "").strip().casefold()
    ignored.add(memory, _KNOWN)
    ignored.add({f"metadata.{name}": each for name, each in about.items()}, {"metadata.source", "metadata.tags"})
    fields = {
        "content": memory["content"],
        "tags": tags(memory.get("tags"), about.get("tags"), [] if kind in [*Kind] else [kind]),
        "kind": kind if kind in [*Kind] else None,
        "created": memory.get("created_at") or memory.get("created_at_iso"),
        "updated": memory.get("updated_at") or memory.get("updated_at_iso"),
        "agent": about.get("source") if isinstance(about.get("source"), str) else None,
    }
    yield from items.taken(fields, place, reading)


def _about(metadata: Any) -> dict[str, Any]:
    """What is said about a memory: an object, or the text of one."""
    if isinstance(metadata, str) and metadata.strip():
        try:
            metadata = value(metadata.encode(errors="surrogatepass"))
        except Refusal:
            return {"text": metadata}
    return metadata if isinstance(metadata, dict) else {}
