"""What it takes to rid one level of credentials: walks that only read, and the changes that they lead to."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, TypeAlias

from memtrig import wire
from msgspec import Struct, field
from msgspec.structs import replace

from memtrigd.domain.entries import Sort
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.moments import Micros
from memtrigd.domain.scrubbing import Cleaner, cleaned, key_of
from memtrigd.domain.secrets import find, redacted
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.search.analyser import memory_terms
from memtrigd.store.interface import Change, LevelReader, LevelWriter
from memtrigd.store.interface_scrubbing import Holder, Texts

LUMP: Final = 20
"""Rows that are read at a time: some have a mebibyte of text."""
SLICE: Final = 20
"""Rows that one transaction rewrites, unless their key changes: then all that have it, or it would be two."""
NAMED: Final = 1000
"""Credentials that are named; the others are counted."""

Pace: TypeAlias = Callable[[], None]
Readers: TypeAlias = Mapping[Level, LevelReader]
"""The level itself and those below it."""
Act: TypeAlias = Callable[[LevelWriter, Change], object]
"""One transaction's part of the work."""


class Report(Struct):
    """What was found so far."""

    forced: bool
    """Take out also what the owner forced."""
    count: int = 0
    scrubbed: int = 0
    found: list[wire.OldSecret] = field(default_factory=list)
    since: dict[Level, Micros] = field(default_factory=dict)
    """When the first was said at each level: backups from then on have it."""
    renamed: dict[tuple[str, str], str] = field(default_factory=dict)
    """The new keys of slots, by space and old key: copies at higher levels go with them."""

    def note(self, level: Level, holder: Holder, row: Texts, *, kept: bool) -> bool:
        """Note the credentials of a row; tell whether there are any."""
        named = Holder.MEMORY if holder is Holder.ARCHIVE else holder
        found = [(name, secret) for name, text in row.texts for secret in find(text)]
        for name, secret in found:
            self.count += 1
            self.scrubbed += not kept or self.forced
            self.since[level] = min(row.at, self.since.get(level, row.at))
            if len(self.found) < NAMED:
                told = wire.OldSecret(
                    level=level.name,
                    id=row.id or str(row.number),
                    holder=named.value,
                    field=name,
                    kind=secret.kind,
                    start=secret.start,
                    forced=kept,
                )
                self.found.append(told)
        return bool(found)


class _Slot(Struct):
    """The rows of one key that have to change, and what is known of their credentials."""

    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)


def in_memories(readers: Readers, level: Level, report: Report, pace: Pace) -> list[Act]:
    """Find the credentials in memories, the archive and their versions, and what takes them out."""
    reader = readers[level]
    forced, slots = reader.forced(), dict[tuple[str, str], _Slot]()
    acts: list[Act] = []
    for holder in (Holder.MEMORY, Holder.ARCHIVE):
        for row in _walk(reader, holder, pace):
            assert row.slot is not None  # a memory has one
            kept = row.id in forced
            if not report.note(level, holder, row, kept=kept) and row.slot not in report.renamed:
                continue
            slot = slots.setdefault(row.slot, _Slot())
            if kept and not report.forced:
                slot.kept.add(row.id)
            else:
                slot.ids.append(row.id)
                slot.texts += [text for _, text in row.texts]
    for place, slot in slots.items():
        pace()
        acts += _rewriting(reader, place, slot, report) if slot.ids else []
    return acts


def in_the_rest(readers: Readers, level: Level, report: Report, pace: Pace) -> list[Act]:
    """Find the credentials in what is beside the memories, once these have none, and what takes them out."""
    reader = readers[level]
    forced = {each for lower in readers.values() for each in lower.forced()} if not report.forced else set[str]()
    acts: list[Act] = [*_masks(readers, level, forced), *_wishes(readers, level, report, forced)]
    for row in _walk(reader, Holder.ENTRY, pace):
        if report.note(level, Holder.ENTRY, row, kept=False):
            acts.append(partial(_rephrase, row))
    for row in _walk(reader, Holder.EVENT, pace):
        if report.note(level, Holder.EVENT, row, kept=False):
            acts.append(partial(_silence, row))
    about = {each for lower, other in readers.items() if lower is not level for each in other.scrubbed()}
    numbers = [
        row.number
        for row in _walk(reader, Holder.ANSWER, pace)
        if any(text in about or find(text) for _, text in row.texts)
    ]
    return acts + [partial(_drop, numbers[at : at + SLICE]) for at in range(0, len(numbers), SLICE)]


def _walk(reader: LevelReader, holder: Holder, pace: Pace) -> Iterator[Texts]:
    after = -1
    while rows := reader.texts(holder, after, LUMP):
        for row in rows:
            pace()
            yield row
        after = rows[-1].number


def _rewriting(reader: LevelReader, place: tuple[str, str], slot: _Slot, report: Report) -> list[Act]:
    """What rewrites the rows of a slot. All that takes long is done now, on the thread that reads."""
    (space, key), cleaner = place, Cleaner(slot.texts)
    rows = [row for row in reader.told(key, [space]) if not row.erased]
    anew = key
    if not slot.kept:
        keys = (key_of(row, cleaner) for row in rows)
        anew = report.renamed.get(place) or next((each for each in keys if each != key), key)
    rewrite = _Rewrite(place, anew, cleaner, report)
    for row in rows:
        rewrite.terms(cleaned(row, cleaner, anew))
    if anew != key:
        return [partial(rewrite.act, [row.id for row in rows])]
    return [partial(rewrite.act, slot.ids[at : at + SLICE]) for at in range(0, len(slot.ids), SLICE)]


class _Rewrite:
    """Rewrites rows of a slot under a key, and remembers what it took to work out."""

    def __init__(self, place: tuple[str, str], key: str, cleaner: Cleaner, report: Report) -> None:
        self._report = report
        self._place = place
        self._key = key
        self._cleaner = cleaner
        self._terms: dict[tuple[object, ...], list[str]] = {}

    def terms(self, memory: Memory) -> list[str]:
        """What the index should have of a memory."""
        if memory.status is not Status.ACTIVE:
            return []
        said = memory.key, memory.content, memory.entity, memory.tags, memory.context
        if said not in self._terms:
            self._terms[said] = memory_terms(*said)
        return self._terms[said]

    def act(self, ids: list[str], store: LevelWriter, change: Change) -> None:
        """Rewrite some rows; of those that are to have another key also what was said under it meanwhile."""
        (space, key), anew = self._place, self._key
        if anew != key:
            anew = self._report.renamed[self._place] = _free(store, space, anew)
        for row in store.told(key, [space]):
            if not row.erased and (row.id in ids or anew != key):
                fresh = cleaned(row, self._cleaner, anew)
                store.rewrite(fresh, self._cleaner.clean, self.terms(fresh), change)


def _free(reader: LevelReader, space: str, key: str) -> str:
    """The key, or if others have it already the first with a number that none has: two secrets read alike without."""
    tried, number = key, 1
    while reader.told(tried, [space]):
        number += 1
        tried = f"{key} {number}"
    return tried


def _wishes(readers: Readers, level: Level, report: Report, forced: set[str]) -> Iterator[Act]:
    """Wishes name what their memories do, and know the texts of these by digests: both follow the memories."""
    reader = readers[level]
    for wish in reader.all_wishes():
        named = tuple((name, text) for name in _OF_WISHES if (text := getattr(wish, name)) is not None)
        row = Texts(0, wish.id, wish.at, named)
        report.note(level, Holder.WISH, row, kept=wish.memory_id in forced)
        fresh = wish if wish.memory_id in forced else _as_its_memory(readers, level, wish)
        if fresh != wish:
            yield partial(_retell, fresh)


def _as_its_memory(readers: Readers, level: Level, wish: Suppression) -> Suppression:
    clean = Cleaner(filter(None, (wish.key, wish.entity, wish.reason))).clean
    texts = {name: clean(text) for name in _OF_WISHES if (text := getattr(wish, name)) is not None}
    memory = _find(readers, wish.memory_id)
    if memory is not None and wish.scope is Scope.MEMORY:
        return replace(wish, **{**texts, "key": memory.key}, digest=readers[level].digest(canonical(memory.content)))
    return replace(wish, **texts)


def _masks(readers: Readers, level: Level, forced: set[str]) -> Iterator[Act]:
    """Masks lie under the keys of what they hide."""
    for key, memory_id in readers[level].all_masks():
        memory = _find(readers, memory_id)
        fresh = redacted(key) if memory is None else memory.key
        if fresh != key and memory_id not in forced and not key.startswith(_ERASED):
            yield partial(_mask_under, fresh, key, memory_id)


def _find(readers: Readers, memory_id: str | None) -> Memory | None:
    rows = (reader.by_id(memory_id) for reader in readers.values() if memory_id is not None)
    return next((row for row in rows if row is not None and not row.erased), None)


def _retell(wish: Suppression, store: LevelWriter, change: Change) -> None:
    store.retell(wish, change)


def _mask_under(key: str, old: str, memory_id: str, store: LevelWriter, change: Change) -> None:
    store.mask_under(key, old, memory_id)


def _rephrase(row: Texts, store: LevelWriter, change: Change) -> None:
    entry = store.entry(row.id)
    if entry is None:
        return
    clean = Cleaner(text for _, text in row.texts).clean
    body = {name: clean(value) if isinstance(value, str) else value for name, value in entry.body.items()}
    name = canonical(str(body["alias"])) if entry.sort is Sort.ALIAS else entry.name and clean(entry.name)
    store.rephrase(replace(entry, body=body, name=name), change)


def _silence(row: Texts, store: LevelWriter, change: Change) -> None:
    (_, reason), *_ = row.texts
    store.silence(row.number, replace(change, reason=redacted(reason)))


def _drop(numbers: list[int], store: LevelWriter, change: Change) -> None:
    store.drop_answers(numbers)


_OF_WISHES: Final = ("key", "entity", "reason")
_ERASED: Final = "erased."
"""What the key begins with that a mask has when its memory's key was erased."""
