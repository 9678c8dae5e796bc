"""What a file holds, told before anything is imported: how much of what, from when, and what is wrong with it."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind
from memtrigd.exchange.items import Beside, Item, Left, Noted, Taken

PROPOSED: Final = dict.fromkeys((Kind.RELATIONSHIP.value, Kind.EMOTION.value, "wellness"), Level.CONFIDENTIAL.name)
"""What had better go higher than the rest: what concerns others too, and how the user is. They decide."""
SHOWN: Final = 20
"""Problems and notes that are told one by one; all of them are counted."""


class Findings(Struct, frozen=True, tag="found"):
    """Figures of a file. ``kinds``, ``levels`` and ``states`` count its records, ``problems`` what can't be taken.

    ``beside`` counts what comes along, by its sort. ``proposed`` names levels for kinds and sorts that are among them;
    the rest goes to INTERNAL, if nobody says another. ``first`` and ``last`` are the dates between which its records
    were made; ``undated`` have none.
    """

    format: str
    title: str
    records: int
    kinds: dict[str, int]
    levels: dict[str, int]
    states: dict[str, int]
    problems: dict[str, int]
    notes: int
    undated: int
    first: str | None = None
    last: str | None = None
    examples: list[str] = []
    beside: dict[str, int] = {}
    proposed: dict[str, str] = {}


def findings(format: str, title: str, items: Iterable[Item]) -> Findings:
    """Go through what a file holds, once."""
    kinds, levels, states, problems = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    beside = Counter[str]()
    first = last = None
    records = notes = undated = 0
    examples: list[str] = []
    for item in items:
        match item:
            case Taken(record=record):
                records += 1
                kinds[(record.kind or Kind.GENERAL).strip().lower()] += 1
                states[record.status] += 1
                levels.update([record.level.upper()] if record.level else [])
                if record.created is None:
                    undated += 1
                else:  # all are written in UTC and alike, so that they sort as texts
                    first, last = min(first or record.created, record.created), max(last or "", record.created)
            case Beside(entry=entry):
                beside[str(entry.__struct_config__.tag).removeprefix("import_")] += 1
            case Left():
                problems[item.code] += 1
                examples += [f"{item.place}: {item.message}"][: SHOWN - len(examples)]
            case Noted():
                notes += 1
                examples += [f"{item.place}: {item.message}"][: SHOWN - len(examples)]
    counts = dict(kinds.most_common()), dict(levels), dict(states), dict(problems)
    proposed = {each: level for each, level in PROPOSED.items() if kinds[each] or beside[each]}
    return Findings(format, title, records, *counts, notes, undated, first, last, examples, dict(beside), proposed)
