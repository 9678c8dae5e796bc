"""A memory-trigger library as a whole: its memories, and what the later of its files must know of the earlier.

What it forgot, denied or let expire stays so. What it lost is found where it kept it twice: in its backups and in its
log, of which nothing comes back by itself.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Status, canonical
from memtrigd.domain.moments import to_iso
from memtrigd.exchange import items, memory_trigger_beside, memory_trigger_files, memory_trigger_rows
from memtrigd.exchange.elements import Element, elements
from memtrigd.exchange.items import Item, Noted, Reading, Taken
from memtrigd.exchange.lines import Line, lines_of
from memtrigd.exchange.memory_trigger_beside import Wished
from memtrigd.exchange.memory_trigger_files import MAIN

Reads: TypeAlias = Callable[[BinaryIO, str], Iterator[Item]]
"""Finds what is in a file of a name."""
_WISHES: Final = ".suppressed.json"
_LOG: Final = ".wal.jsonl"


class Library:
    """One reading of a library: its items in order, and what of the earlier ones the later must know."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self._path = path
        self._reading = reading
        self._wished: dict[str, Wished] = {}
        self._ids: dict[str, int] = {}
        self._living: set[str] = set()
        self._newest: dict[tuple[str | None, str | None], str] = {}

    def items(self) -> Iterator[Item]:
        """All that is in a folder."""
        wishes: list[tuple[str, Wished]] = []
        yield from self._wishes(wishes)
        self._wished = {wish.memory_id: wish for _, wish in wishes if wish.memory_id}
        sound = memory_trigger_files.is_sound(self._path / MAIN)
        yield from self._main(sound=sound)
        for path in memory_trigger_files.archives_of(self._path):
            yield from self._file(f".archive/{path.name}", lambda file, name: self.rows(file, name, later=False))
        yield from self._file(_LOG, lambda file, name: self._log(file, name, sound=sound))
        for place, wish in wishes:
            yield from self._wish(wish, place)
        yield from self._file("aliases.json", self._aliases)
        yield from self._file("promises.json", self._listed("promises", memory_trigger_beside.promise))
        yield from self._file("promises.md", self._promises)
        yield from self._file("wellness.json", self._listed("records", memory_trigger_beside.wellness))
        yield from memory_trigger_files.others(self._path)

    def rows(self, file: BinaryIO, name: str, *, later: bool = True, torn: bool = False) -> Iterator[Item]:
        """The rows of a list. With ``later`` they are the latest that is known; else those that are known are left out.

        What is ``torn`` is not told of again.
        """
        for element in elements(file):
            place = f"{name}: {element.place}" if name else element.place
            try:
                if element.refusal is not None:
                    raise element.refusal
                found = memory_trigger_files.lenient(element.raw or b"")
                if element.field and not element.number and not isinstance(found, dict):
                    yield Noted(place, "It is no list of rows; it was not taken.")
                else:
                    yield from self._row(found, place, later=later)
            except Refusal as refusal:
                if not torn:
                    yield items.left(place, refusal, _text(element))

    def _main(self, *, sound: bool) -> Iterator[Item]:
        """The memories; of a broken file what can be read, and the rest from the newest backup that is sound."""
        backup = None if sound else memory_trigger_files.backup_of(self._path)
        if not sound:
            instead = f".backup/{backup.name} was read for the rest" if backup else "there is no backup that is whole"
            yield Noted(MAIN, f"The file is broken or missing; {instead}.")
        torn = backup is not None
        yield from self._file(MAIN, lambda file, name: self.rows(file, name, torn=torn))
        if backup is not None:
            yield from self._file(f".backup/{backup.name}", lambda file, name: self.rows(file, name, later=False))

    def _row(self, row: Any, place: str, *, later: bool) -> Iterator[Item]:
        if not isinstance(row, dict):
            raise memory_trigger_rows.no_row()
        own = row.get("id") if isinstance(row.get("id"), str) else None
        if own is not None and own in self._ids:
            if not later:
                return
            if self._ids[own] != hash(row.get("value").__repr__()):
                row = {name: each for name, each in row.items() if name != "id"}
                yield Noted(place, f"Another row has its id {own[:60]!r}; it was taken with a key of its own.")
        if own in self._wished and row.get("status") in (None, "active", "pending", "superseded"):
            row = _forgotten(row, self._wished[own], self._reading)
        record, notes = memory_trigger_rows.record(row, place, self._reading)
        self._learn(own, row, record)
        yield Taken(place, record)
        yield from notes

    def _learn(self, own: str | None, row: dict[str, Any], record: wire.ImportRecord) -> None:
        if own is not None:
            self._ids.setdefault(own, hash(row.get("value").__repr__()))
        if record.status == Status.ACTIVE and record.entity is not None:
            ended = record.expires_at is not None and record.expires_at <= to_iso(self._reading.now)
            self._living.update([] if ended else [canonical(record.entity)])
        said = record.updated or record.created
        if said is not None and record.status != Status.PENDING:
            slot = (record.entity, record.kind)
            self._newest[slot] = max(said, self._newest.get(slot, ""))

    def _log(self, file: BinaryIO, name: str, *, sound: bool) -> Iterator[Item]:
        """What was begun and is not among the memories: it waits, unless it was forgotten or said otherwise since.

        Of what was written to the end, only what a broken file lost.
        """
        begun: dict[str, tuple[Line, dict[str, Any]]] = {}
        for line in lines_of(file):
            place = f"{name}: {line.place}"
            if line.refusal is None and not line.text.strip():
                continue
            try:
                if line.refusal is not None:
                    raise line.refusal
                found = memory_trigger_files.lenient(line.text.encode(errors="surrogatepass"))
                own = str(found.get("memory_id")) if isinstance(found, dict) else ""
                if own and found.get("op") == "commit":
                    if sound:
                        _ended(begun, own, found.get("entity"))
                elif own and own not in self._ids and found.get("op") == "upsert":
                    begun[own] = (line, found)
            except Refusal as refusal:
                yield items.left(place, refusal, line.raw if line.raw is not None else line.text)
        for line, found in begun.values():
            yield from self._begun(found, line.text, f"{name}: {line.place}")

    def _begun(self, found: dict[str, Any], text: str, place: str) -> Iterator[Item]:
        try:
            record, notes = memory_trigger_rows.record(memory_trigger_rows.logged(found), place, self._reading)
            if record.entity is not None and any(_same(record.entity, each.entity) for each in self._wished.values()):
                raise Refusal("forgotten", "It is about what was forgotten.", "Take its entity out if you want it.")
        except Refusal as refusal:
            yield items.left(place, refusal, text)
            return
        since = self._newest.get((record.entity, record.kind), "")
        superseded = record.created is not None and since > record.created
        yield Taken(place, replace(record, status="superseded" if superseded else "pending"))
        became = "something newer is there, so it is history" if superseded else "it waits for your yes"
        yield Noted(place, f"It was begun and is not among the memories: {became}.")
        yield from notes

    def _wishes(self, wishes: list[tuple[str, Wished]]) -> Iterator[Item]:
        """Read what is not to be brought up: from the list, or where that can't be read from the page made of it."""
        seen = len(wishes)
        listed = self._listed("suppressed", lambda fields, place, reading: self._wish_read(fields, place, wishes))
        yield from self._file(_WISHES, listed)
        if len(wishes) > seen or memory_trigger_files.is_sound(self._path / _WISHES, b"{"):
            return

        def page(file: BinaryIO, name: str) -> Iterator[Item]:
            for line in lines_of(file):
                wish = memory_trigger_beside.wished_in(line.text)
                wishes.extend([(f"{name}: {line.place}", wish)] if wish else [])
            yield from ()

        yield from self._file("suppressed_prompt.md", page)

    def _wish_read(self, fields: dict[str, Any], place: str, wishes: list[tuple[str, Wished]]) -> Iterator[Item]:
        wishes.append((place, memory_trigger_beside.wished(fields, self._reading)))
        yield from ()

    def _wish(self, wish: Wished, place: str) -> Iterator[Item]:
        """An entity of which nothing is in service was forgotten as a whole; of another one only rows were."""
        if canonical(wish.entity) not in self._living:
            yield memory_trigger_beside.wish(wish, place)
        elif wish.memory_id not in self._ids:
            message = f"Other memories about {wish.entity[:60]!r} are in service, and which was forgotten is not here."
            raw = {"entity": wish.entity, "kind": wish.kind, "reason": wish.reason, "suppressed_at": wish.at}
            refusal = Refusal("bad_value", message, "Import this line to forget all of the entity.")
            yield items.left(place, refusal, json.dumps(raw, ensure_ascii=False))

    def _aliases(self, file: BinaryIO, name: str) -> Iterator[Item]:
        del file
        found = memory_trigger_files.whole(self._path / name)
        if not isinstance(found, dict):
            raise Refusal("bad_value", "It is no object.", "Write each name with its entity.")
        for number, (alias, entity) in enumerate(found.items(), 1):
            place = f"{name}: name {number}"
            try:
                yield from memory_trigger_beside.alias(alias, entity, place)
            except Refusal as refusal:
                raw = {"type": "import_alias", "alias": alias, "entity": entity}
                yield items.left(place, refusal, json.dumps(raw, ensure_ascii=False))

    def _promises(self, file: BinaryIO, name: str) -> Iterator[Item]:
        for line in lines_of(file):
            yield from memory_trigger_beside.promised_in(line.text, f"{name}: {line.place}", self._reading)

    def _listed(self, field: str, make: Callable[[dict[str, Any], str, Reading], Iterator[Item]]) -> Reads:
        """What reads each object of one list of a file."""

        def reads(file: BinaryIO, name: str) -> Iterator[Item]:
            for element in elements(file):
                place = f"{name}: {element.place}"
                try:
                    if element.refusal is not None:
                        raise element.refusal
                    found = memory_trigger_files.lenient(element.raw or b"")
                    if not isinstance(found, dict) or element.field not in (field, ""):
                        raise Refusal("bad_value", f"It is none of the {field}.", "Mend it.")
                    yield from make(found, place, self._reading)
                except Refusal as refusal:
                    yield items.left(place, refusal, _text(element))

        return reads

    def _file(self, name: str, reads: Reads) -> Iterator[Item]:
        """What is in a file of the folder; nothing, if there is none."""
        try:
            with memory_trigger_files.opened(self._path / name) as file:
                yield from reads(file, name)
        except FileNotFoundError:
            return
        except Refusal as refusal:
            yield items.left(name, refusal, None)
        except OSError as error:
            yield items.left(name, Refusal("bad_value", f"It can't be read: {error.strerror or error}."), None)


def _forgotten(row: dict[str, Any], wish: Wished, reading: Reading) -> dict[str, Any]:
    """A row that is on the list of what was forgotten, as the program itself left it there: a backup is older."""
    at = row.get("forgotten_at") or wish.at or to_iso(reading.now)
    reason = row.get("forget_reason") or wish.reason
    return {**row, "status": "superseded", "forgotten_at": at, "forget_reason": reason}


def _ended(begun: dict[str, tuple[Line, dict[str, Any]]], own: str, entity: object) -> None:
    """Take out what was written to its end: where it went into an older row, the log names that instead of it."""
    if begun.pop(own, None) is None:
        last = next((each for each, (_, found) in reversed(begun.items()) if found.get("entity") == entity), None)
        begun.pop(last or "", None)


def _same(one: str, other: str) -> bool:
    return canonical(one) == canonical(other)


def _text(element: Element) -> str | bytes | None:
    try:
        return None if element.raw is None else element.raw.decode()
    except UnicodeDecodeError:
        return element.raw
