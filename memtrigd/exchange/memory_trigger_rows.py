"""A row of a memory-trigger library as a record: of what is wrong with it, what is certain is mended and noted."""

import math
from collections.abc import Iterator
from typing import Any, Final

from memtrig import wire

from memtrigd.domain.claim import MAX_KEY
from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import DISPUTED_AT
from memtrigd.domain.memory import Kind, Source, Status
from memtrigd.exchange import items
from memtrigd.exchange.items import Noted, Reading

KINDS: Final = frozenset(each.value for each in Kind)
_SOURCES: Final = frozenset(each.value for each in Source) - {Source.STATED.value}
_STATUSES: Final = frozenset(("active", "pending", "superseded", "expired"))
# fmt: off
FIELDS: Final = frozenset((
    "id", "entity", "type", "kind", "sentiment", "source", "confidence", "emotion_tags", "value", "created",
    "updated", "last_recalled", "status", "reason", "importance", "core", "context", "expires_at", "forgotten_at",
    "forget_reason", "deny_count", "denied_at", "deny_reason", "expired_at",
))
# fmt: on
"""Every field that a row of any version has."""
UNASKED: Final = "用户要求遗忘"
"""The reason of whoever gave none when something was forgotten."""


def record(row: dict[str, Any], place: str, reading: Reading) -> tuple[wire.ImportRecord, list[Noted]]:
    """Make a record of a row; its id becomes the key. Raises Refusal for what can't be mended with certainty."""
    mending = _Mending(row)
    made, notes = items.record(dict(mending.fields()), place, reading)
    return made, [*(Noted(place, each) for each in mending.notes), *notes]


def filler(value: str) -> str:
    """What the program puts where a row has no entity: the beginning of its text. It names nothing."""
    return (value.strip().splitlines() or [""])[0][:40]


def logged(found: dict[str, Any]) -> dict[str, Any]:
    """The row that a line of the log would have made."""
    row = {name: each for name, each in found.items() if name in FIELDS}
    return {**row, "id": found.get("memory_id"), "created": found.get("ts"), "status": "pending"}


def no_row() -> Refusal:
    """What is said of what is no row."""
    return Refusal("bad_value", "It is no row of a library: those are objects.", "Write a row with `value` and `kind`.")


class _Mending:
    """A row on its way, and what was done to it."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.notes: list[str] = []

    def fields(self) -> Iterator[tuple[str, object]]:
        """The fields of the record. Raises Refusal."""
        row = self.row
        entity, kind, value = self._place()
        source = self._source()
        yield "content", value
        yield "kind", kind
        yield "entity", entity
        yield "source", source
        if isinstance(row.get("id"), str) and 0 < len(row["id"].strip()) <= MAX_KEY:
            yield "key", row["id"]
        yield "confidence", self._share("confidence")
        yield "importance", self._share("importance")
        yield "emotion_tags", self._moods()
        for name in ("sentiment", "context"):
            yield name, self._text(name)
        yield "core", self._core(source)
        for name in ("created", "updated", "last_recalled", "expires_at"):
            yield name, row.get(name) or None
        yield "importance_at", row.get("last_recalled") or row.get("created") or None
        yield from self._state()
        unknown = sorted(str(name)[:40] for name in row.keys() - FIELDS)
        if unknown:
            self.notes.append(f"Fields that no version has were not taken: {', '.join(unknown[:10])}.")

    def _place(self) -> tuple[str | None, str | None, str]:
        """Entity, kind and value, each where it belongs."""
        row = self.row
        entity, value = self._text("entity"), row.get("value")
        if isinstance(value, str) and entity == filler(value):
            entity = None
        kind = self._text("kind") or self._text("type")
        if kind is not None and kind.strip().lower() not in KINDS:
            if isinstance(value, str) and value.strip().lower() in KINDS:
                kind, value = value, kind
                self.notes.append("Its kind and its value were swapped; they were put back.")
            elif entity is not None and entity.strip().lower() in KINDS:
                entity, kind = kind, entity
                self.notes.append("Its kind and its entity were swapped; they were put back.")
            else:
                raise Refusal("bad_kind", f"There is no kind {kind[:40]!r}.", f"The kinds are: {' '.join(Kind)}.")
        elif kind is None:
            self.notes.append("It has no kind; it was taken as general.")
        if not isinstance(value, str) or not value.strip():
            raise Refusal("bad_value", "It has no value.", "Write what is to be remembered.")
        return entity, kind, value

    def _source(self) -> str | None:
        source = self._text("source")
        if source is None or source in _SOURCES:
            return source
        self.notes.append(f"Its source {source[:40]!r} is none; it was taken as what an agent noticed.")
        return Source.AUTO_DETECT.value

    def _core(self, source: str | None) -> bool | None:
        core = self.row.get("core")
        if core is not None and not isinstance(core, bool):
            self.notes.append("Its core is neither true nor false; it was taken by its kind.")
            return None
        if core and source == Source.SELF_INFERRED.value:
            self.notes.append("What was only inferred is not core here: it fades.")
            return None
        return core

    def _state(self) -> Iterator[tuple[str, object]]:
        """What became of it: a denied row is disputed, a forgotten one forgotten, both in the words of its own time."""
        row, status = self.row, self._text("status") or "active"
        if status == "confirmed":
            self.notes.append("Its status `confirmed` is that of an entity; it was taken as active.")
            status = "active"
        if status not in _STATUSES:
            raise Refusal("bad_value", f"There is no status {status[:40]!r}.", f"They are: {' '.join(_STATUSES)}.")
        denials = row.get("deny_count") or 0
        if isinstance(denials, bool) or not isinstance(denials, int) or denials < 0:
            self.notes.append("Its deny_count is no number; it was taken as 0.")
            denials = 0
        reason, denied, forgot = (self._text(name) for name in ("reason", "deny_reason", "forget_reason"))
        if status == "superseded" and row.get("forgotten_at"):
            status = Status.FORGOTTEN.value
            yield "forget_reason", forgot or UNASKED
        if status == "pending" and denials >= DISPUTED_AT:
            status = Status.DISPUTED.value
        if denied is not None and reason is not None:
            self.notes.append("Why it was denied was not taken: there is a reason already.")
        yield "reason", reason or denied
        yield "status", status
        yield "deny_count", denials

    def _moods(self) -> list[str]:
        told = self.row.get("emotion_tags")
        if told is None or told == []:
            return []
        if isinstance(told, str):
            self.notes.append("Its emotion_tags were a text; they were taken as a list.")
            told = told.replace("，", ",").replace("、", ",").split(",")
        every = told if isinstance(told, list) else [told]
        kept = [each.strip() for each in every if isinstance(each, str) and each.strip()]
        if len(kept) < len(every):
            self.notes.append("What was no text among its emotion_tags was not taken.")
        return kept

    def _share(self, name: str) -> float | None:
        """A number from 0 to 1, or None where it is none: what was never a number is no memory's fault."""
        told = self.row.get(name)
        if told is None:
            return None
        try:
            number = float(told) if isinstance(told, int | float | str) and not isinstance(told, bool) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number) and 0.0 <= number <= 1.0:
            return number
        self.notes.append(f"Its {name} is no number from 0 to 1; it was taken without.")
        return None

    def _text(self, name: str) -> str | None:
        told = self.row.get(name)
        if told is not None and not isinstance(told, str):
            self.notes.append(f"Its {name} is no text; it was taken without.")
            return None
        return told if told and told.strip() else None
