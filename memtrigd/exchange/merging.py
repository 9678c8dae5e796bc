"""Two sets of memories made one: the file side's word stands, and of the agent's own side what is new waits.

An agent's impression of what the file tells something else about, of the same entity and kind, is a conflict: it is in
no memory, but listed with both texts, and written out so that the user can take it all the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec
from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain import aliases
from memtrigd.domain.memory import Source, Status, canonical
from memtrigd.domain.trust import CONFIDENT
from memtrigd.exchange.items import Beside, Item, Left, Noted, Taken

Slot: TypeAlias = tuple[str, str | None]
SHOWN: Final = 200
"""Characters of a text that a report shows."""


class Conflict(Struct, frozen=True, omit_defaults=True):
    """Something of the self side that is not in the merged memories, and what stands against it."""

    place: str
    why: str
    text: str
    entity: str | None = None
    kind: str | None = None
    stands: str | None = None


class Known(Struct, frozen=True):
    """What both sides must be held against before anything is written: other names, and wishes of the file side."""

    names: dict[str, frozenset[str]]
    named: dict[str, str]
    wished: frozenset[str]

    def entity(self, name: str) -> str:
        """The one name by which an entity is told from others here."""
        return min(aliases.names_of(name, self.names))


def known(file_side: Iterable[Item], self_side: Iterable[Item]) -> Known:
    """Go through both sides once, for what lies beside their memories. The file side's names come first."""
    named: dict[str, str] = {}
    wished = set[str]()
    for own, side in ((True, file_side), (False, self_side)):
        for item in side:
            if isinstance(item, Beside) and isinstance(item.entry, wire.ImportAlias):
                named.setdefault(canonical(item.entry.alias), item.entry.entity)
            elif own and isinstance(item, Beside) and isinstance(item.entry, wire.ImportWish):
                wished.add(item.entry.entity)
    names = aliases.classes(named.items())
    whole = Known(names, named, frozenset())
    return replace(whole, wished=frozenset(map(whole.entity, wished)))


class Merge:
    """A merge under way: the file side goes first, and all of it. ``approve``: what the self side is sure of stands."""

    def __init__(self, known: Known, *, approve: bool) -> None:
        self.counts: dict[str, Counter[str]] = {"file": Counter(), "self": Counter()}
        self.left: list[tuple[str, Left]] = []
        self.notes: list[tuple[str, Noted]] = []
        self.conflicts: list[Conflict] = []
        self.overridden: list[wire.ImportRecord] = []
        self._known = known
        self._approve = approve
        self._standing: dict[Slot, str] = {}
        self._texts = set[str]()
        self._rows = set[tuple[str | None, str]]()
        self._forgotten = set[str]()
        self._beside = set[bytes]()

    def file_side(self, items: Iterable[Item]) -> Iterator[bytes]:
        """The lines of the file side: all that can be taken."""
        for item in self._taken("file", items):
            if isinstance(item, Beside):
                yield from self._entry("file", item)
                continue
            record = item.record
            text = canonical(record.content)
            self._rows.add((record.key, text))
            if record.status == Status.ACTIVE:
                self._texts.add(text)
                self._standing.setdefault(self._slot(record), record.content)
            elif record.status == Status.FORGOTTEN:
                self._forgotten.add(text)
            self.counts["file"][record.status] += 1
            yield _line(record)

    def self_side(self, items: Iterable[Item]) -> Iterator[bytes]:
        """The lines of the self side that the file side has nothing against."""
        for item in self._taken("self", items):
            if isinstance(item, Beside):
                yield from self._entry("self", item)
                continue
            record = item.record
            slot, text = self._slot(record), canonical(record.content)
            unwanted = text in self._forgotten and self._waits(record)
            same = (record.key, text) in self._rows or (text in self._texts and self._waits(record))
            if same and not unwanted:
                self.counts["self"]["known"] += 1
                continue
            self._rows.add((record.key, text))
            if why := self._against(record, slot, text):
                self._conflict(item, why, self._standing.get(slot))
                continue
            made = self._own(record) if self._waits(record) else record
            if made.status == Status.ACTIVE:
                self._standing.setdefault(slot, made.content)
                self._texts.add(text)
            self.counts["self"][made.status] += 1
            yield _line(made)

    def _against(self, record: wire.ImportRecord, slot: Slot, text: str) -> str:
        if text in self._forgotten or (record.entity is not None and slot[0] in self._known.wished):
            return "forgotten there"
        if record.status == Status.FORGOTTEN and text in self._texts:
            return "in service"
        return "overridden" if self._waits(record) and record.entity is not None and slot in self._standing else ""

    def _conflict(self, item: Taken, why: str, stands: str | None) -> None:
        record = item.record
        shown = stands[:SHOWN] if stands is not None and why == "overridden" else None
        self.conflicts.append(
            Conflict(item.place, why, record.content[:SHOWN], record.entity, record.kind, shown),
        )
        self.counts["self"][why.replace(" ", "_")] += 1
        if why == "overridden":
            self.overridden.append(replace(self._own(record), status=Status.PENDING.value))

    def _own(self, record: wire.ImportRecord) -> wire.ImportRecord:
        """An impression as it goes on: it waits, unless it is sure and that was to be enough."""
        source = record.source or Source.SELF_INFERRED.value
        sure = 1.0 if record.confidence is None and record.source is not None else record.confidence or 0.0
        stands = self._approve and sure >= CONFIDENT and record.status == Status.ACTIVE
        return replace(record, source=source, status=(Status.ACTIVE if stands else Status.PENDING).value)

    def _entry(self, side: str, item: Beside) -> Iterator[bytes]:
        """What lies beside the memories: once, and where the sides differ as the file side has it."""
        line = _line(item.entry)
        if line in self._beside:
            self.counts[side]["known"] += 1
            return
        self._beside.add(line)
        why = "" if side == "file" else self._beside_against(item.entry)
        if why:
            text = getattr(item.entry, "alias", None) or item.entry.entity  # type: ignore[union-attr]
            self.conflicts.append(Conflict(item.place, why, str(text), item.entry.entity))  # type: ignore[union-attr]
            self.counts[side][why.replace(" ", "_")] += 1
            return
        self.counts[side]["beside"] += 1
        yield line

    def _beside_against(self, entry: wire.ImportEntry) -> str:
        match entry:
            case wire.ImportAlias():
                other = self._known.named.get(canonical(entry.alias), entry.entity)
                return "overridden" if canonical(other) != canonical(entry.entity) else ""
            case wire.ImportWish():
                about = self._known.entity(entry.entity)
                return "in service" if any(named == about for named, _ in self._standing) else ""
        return ""

    def _taken(self, side: str, items: Iterable[Item]) -> Iterator[Taken | Beside]:
        for item in items:
            if isinstance(item, Left):
                self.left.append((side, item))
                self.counts[side]["left"] += 1
            elif isinstance(item, Noted):
                self.notes.append((side, item))
            else:
                yield item

    def _slot(self, record: wire.ImportRecord) -> Slot:
        return ("" if record.entity is None else self._known.entity(record.entity)), record.kind

    @staticmethod
    def _waits(record: wire.ImportRecord) -> bool:
        """Whether a record is an impression of how things are, not of how they were."""
        return record.status in (Status.ACTIVE, Status.PENDING)


def report(merge: Merge) -> dict[str, Any]:
    """What became of everything, for people and programs."""
    return {
        "counts": {side: dict(sorted(counts.items())) for side, counts in merge.counts.items()},
        "conflicts": [msgspec.to_builtins(each) for each in merge.conflicts],
        "left": [{"side": side, **_told(item)} for side, item in merge.left],
        "notes": [{"side": side, **_told(item)} for side, item in merge.notes],
    }


def _told(item: Left | Noted) -> dict[str, Any]:
    return {name: value for name, value in msgspec.to_builtins(item).items() if name != "type" and value}


def _line(record: Struct) -> bytes:
    return msgspec.json.encode(record) + b"\n"
