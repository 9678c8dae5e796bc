"""What a format finds in a file: records, and what is no record, each with its place, so that nothing gets lost."""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import tzinfo
from typing import Any, Final, TypeAlias

import msgspec
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import canonical
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.exchange import dates

HAPPENED: Final = ("created", "updated", "importance_at", "last_recalled")
"""The fields of a record that tell when something was."""
PLANNED: Final = ("expires_at", "valid_from", "valid_to")
MOST: Final = 40
"""Names of fields that are told of."""
FIELDS: Final = frozenset(wire.ImportRecord.__struct_fields__)


class Taken(Struct, frozen=True, tag="record"):
    """A memory, and where in the file it is."""

    place: str
    record: wire.ImportRecord


class Beside(Struct, frozen=True, tag="entry"):
    """What is no memory but comes along: another name, a wish to forget, a promise, a note of the day."""

    place: str
    entry: wire.ImportEntry


class Left(Struct, frozen=True, tag="left"):
    """What can't be taken: why, and the text itself, so that it can be mended.

    ``raw`` is None where it is too long to carry along: then ``place`` says where it is.
    """

    place: str
    code: str
    message: str
    raw: str | None = None
    base64: bool = False
    format: str = ""
    """Whose ``raw`` it is, where the file is of another format than its lines."""


class Noted(Struct, frozen=True, tag="noted"):
    """What is worth telling of what was taken, or of what holds no memory."""

    place: str
    message: str


Item: TypeAlias = Taken | Beside | Left | Noted


class Reading(Struct, frozen=True):
    """What dates are read by. ``undated``: a record whose dates can't be right is taken without them, and noted."""

    zone: tzinfo
    now: Micros
    undated: bool = False


def record(fields: dict[str, Any], place: str, reading: Reading) -> tuple[wire.ImportRecord, list[Noted]]:
    """Make a record of a map of its fields; null is unsaid. Raises Refusal for what no record can have."""
    unknown = sorted(fields.keys() - FIELDS)
    if unknown:
        raise Refusal("bad_request", f"There is no field {unknown[0][:40]!r}.", "docs/migration.md lists the fields.")
    said = {name: value for name, value in fields.items() if value is not None}
    notes = _with_dates(said, place, reading)
    try:
        made = msgspec.convert(said, wire.ImportRecord)
    except msgspec.ValidationError as error:
        raise Refusal("bad_value", f"{str(error)[:300]}.", "docs/migration.md lists the fields.") from None
    check_characters(said)
    return made, notes


def taken(fields: dict[str, Any], place: str, reading: Reading) -> Iterator[Item]:
    """A memory by its fields, and what is worth noting of it. Raises Refusal for what no record can have."""
    made, notes = record(fields, place, reading)
    yield Taken(place, made)
    yield from notes


class Ignored:
    """Which fields of a program's records have no place in ours: counted, and told of at the end."""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def add(self, fields: dict[str, Any], known: Collection[str]) -> None:
        """Count what says anything and is not known."""
        for name, value in fields.items():
            if name not in known and value not in (None, "", [], {}) and (name in self._counts or len(self) < MOST):
                self._counts[name] += 1

    def __len__(self) -> int:
        return len(self._counts)

    def told(self) -> Iterator[Noted]:
        """Say it, once."""
        if self._counts:
            every = ", ".join(f"{name[:40]!r} ({count:,})" for name, count in sorted(self._counts.items()))
            yield Noted("fields", f"Of the records these were not taken: {every}.")


def entry(fields: dict[str, Any]) -> wire.ImportEntry:
    """Make of a map what comes beside memories. Raises Refusal ``bad_value``."""
    check_characters(fields)
    try:
        made: wire.ImportEntry = msgspec.convert(fields, wire.ImportEntry)
    except msgspec.ValidationError as error:
        raise Refusal("bad_value", f"{str(error)[:300]}.", "docs/protocol.md lists the fields.") from None
    return made


def aliases(entity: str, names: Iterable[str], place: str) -> Iterator[Beside]:
    """The other names of an entity, each once, without its own. Raises Refusal ``bad_value``."""
    told = {canonical(entity)}
    for each in filter(str.strip, names):
        if canonical(each) not in told:
            told.add(canonical(each))
            yield Beside(place, entry({"type": "import_alias", "alias": each, "entity": entity}))


def _with_dates(said: dict[str, Any], place: str, reading: Reading) -> list[Noted]:
    """Write the dates of a record in our way; what is none is left out if that was asked for."""
    notes = []
    for name in (*HAPPENED, *PLANNED):
        if name not in said:
            continue
        try:
            said[name] = to_iso(_moment(name, said[name], reading))
        except Refusal as refusal:
            told = f"{name}: {refusal.message}"
            if not reading.undated:
                raise Refusal("bad_time", told, refusal.hint) from None
            del said[name]
            notes.append(Noted(place, f"{told} Taken without it."))
    return notes


def _moment(name: str, value: object, reading: Reading) -> Micros:
    if name in HAPPENED:
        return dates.happened(value, reading.zone, reading.now)
    return dates.planned(value, reading.zone)


def check_characters(value: object) -> None:
    """Raise Refusal ``bad_value`` for half a surrogate pair, which no UTF-8 can hold."""
    texts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    for text in texts:
        if isinstance(text, list):
            check_characters(text)
        elif isinstance(text, str) and _HALF.search(text):
            raise Refusal("bad_value", "It holds half a surrogate pair, which is no character.", "Leave it out.")


def left(place: str, refusal: Refusal, raw: str | bytes | None) -> Left:
    """What is not taken, by the refusal that says why."""
    if isinstance(raw, bytes):
        return Left(place, refusal.code, refusal.message, b64encode(raw).decode(), base64=True)
    return Left(place, refusal.code, refusal.message, raw)


_HALF: Final = re.compile("[\ud800-\udfff]")
