"""An agent's own impressions, written down for memory-trigger: `entity | kind | value | sentiment | confidence`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Kind, Source
from memtrigd.exchange import items
from memtrigd.exchange.items import Item, Reading
from memtrigd.exchange.lines import lines
from memtrigd.exchange.memory_trigger_rows import KINDS

NAME: Final = "memory-trigger-lines"
UNSAID_CONFIDENCE: Final = 0.6
_FEWEST: Final = 3


def looks(head: str, _: Path) -> bool:
    """Tell whether most of the first lines that are no comments have three columns, and a kind in the second."""
    said = [line for line in head.splitlines() if line.strip() and not line.startswith("#")][:5]
    kinds = [parts[1] for line in said if len(parts := _parts(line)) >= _FEWEST]
    return sum(kind in KINDS for kind in kinds) * 2 > len(said)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in such a file."""
    for line in lines(path):
        if line.refusal is not None:
            yield items.left(line.place, line.refusal, line.raw)
        else:
            yield from again(line.text, line.place, reading)


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a line. Where a column is not what it should be nothing is put right: the agent can write it anew."""
    if not text.strip() or text.lstrip().startswith("#"):
        return
    try:
        yield from items.taken(_fields(text), place, reading)
    except Refusal as refusal:
        yield items.left(place, refusal, text)


def _fields(text: str) -> dict[str, Any]:
    parts = _parts(text)
    if len(parts) < _FEWEST:
        raise Refusal("bad_value", "It has not three columns.", "Write: entity | kind | value.")
    entity, kind, value, sentiment, confidence = [*parts, "", ""][:5]
    if kind not in KINDS:
        raise Refusal("bad_kind", f"There is no kind {kind[:40]!r}.", f"The kinds are: {' '.join(Kind)}.")
    if not entity or not value or value in KINDS:
        raise Refusal("bad_value", "It has no entity or no value.", "Write: entity | kind | value.")
    return {
        "content": value,
        "kind": kind,
        "entity": entity,
        "sentiment": sentiment or None,
        "source": Source.SELF_INFERRED.value,
        "confidence": _number(confidence),
    }


def _number(told: str) -> float:
    try:
        return float(told) if told else UNSAID_CONFIDENCE
    except ValueError:
        raise Refusal("bad_value", f"{told[:40]!r} is no confidence.", "Write a number from 0 to 1.") from None


def _parts(line: str) -> list[str]:
    return [part.strip() for part in line.split("|")]
