"""What a memory-trigger library keeps beside its memories: names, wishes to forget, promises, notes of the day."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import to_iso
from memtrigd.exchange import dates, items
from memtrigd.exchange.items import Beside, Item, Noted, Reading
from memtrigd.exchange.memory_trigger_rows import UNASKED

DEFAULTS: Final = {
    "旧书店": "读书",
    "科幻小说": "读书",
    "杂志": "读书",
    "图书馆": "读书",
    "报刊亭": "读书",
    "书店": "读书",
    "篮球": "运动",
    "跑步": "运动",
    "游泳": "运动",
    **dict.fromkeys(
        ("那家拉面店", "那家拉面", "豚骨拉面", "日式拉面", "一兰拉面", "味千拉面", "拉面馆", "拉面店"), "拉面"
    ),
    **dict.fromkeys(("波霸奶茶", "珍珠奶茶", "一点点奶茶"), "奶茶"),
    **dict.fromkeys(("冰美式", "美式咖啡", "拿铁"), "咖啡"),
}
"""The names that one version or another puts into every library by itself: nobody's wish."""
_WISHED: Final = re.compile(
    r"-\s*(?:⚠️?\s*)?不要主动提及：\*\*(?P<entity>.+?)\*\*（(?P<kind>[^）]*)）"
    r"(?:\s*—\s*原因：(?P<reason>.*))?"
)
DUE: Final = " — 截止："
"""What stands between a promise and its deadline in the page that we write."""
_LISTED: Final = re.compile(rf"\s*[-*+]\s+(?:\[(?P<box>[ xX])\]\s+)?(?P<text>\S.*?)(?:{DUE}(?P<due>\S+))?\s*")
_KEPT: Final = ("done", "completed", "fulfilled")


class Wished(Struct, frozen=True):
    """A line of the list of what is not to be brought up. ``memory_id`` is the first that was forgotten with it."""

    entity: str
    kind: str = ""
    memory_id: str = ""
    reason: str = UNASKED
    at: str | None = None


def alias(name: str, entity: object, place: str) -> Iterator[Item]:
    """Another name, but for those that every library has. Raises Refusal."""
    if not isinstance(entity, str):
        raise Refusal("bad_value", "The entity is no text.", "Write a name.")
    if DEFAULTS.get(name) != entity:
        yield Beside(place, items.entry({"type": "import_alias", "alias": name, "entity": entity}))


def wished(fields: dict[str, Any], reading: Reading) -> Wished:
    """A line of ``.suppressed.json``. Raises Refusal."""
    entity = _text(fields, "entity")
    if entity is None:
        raise Refusal("bad_value", "It says no entity.", "Write the name.")
    kind, memory_id = _text(fields, "kind") or "", _text(fields, "memory_id") or ""
    reason, at = _text(fields, "reason") or UNASKED, _time(fields, "suppressed_at", reading)
    return Wished(entity, kind, memory_id, reason, at)


def wished_in(line: str) -> Wished | None:
    """A line of ``suppressed_prompt.md``, None for one that names nothing."""
    found = _WISHED.fullmatch(line.strip())
    return found and Wished(found["entity"], found["kind"], "", (found["reason"] or "").strip() or UNASKED)


def wish(told: Wished, place: str) -> Beside:
    """The wish about an entity."""
    fields = {"type": "import_wish", "entity": told.entity, "reason": told.reason, "at": told.at}
    return Beside(place, items.entry(fields))


def promise(fields: dict[str, Any], place: str, reading: Reading) -> Iterator[Item]:
    """A promise of ``promises.json``. Raises Refusal."""
    text = _text(fields, "text")
    if text is None:
        raise Refusal("bad_value", "It says nothing that was promised.", "Write what it was.")
    created = _time(fields, "created_at", reading)
    done = _time(fields, "completed_at", reading)
    status = fields.get("status")
    if status not in (None, "open", *_KEPT):
        yield Noted(place, f"Its status {str(status)[:40]!r} is none; it was taken as open.")
    if status in _KEPT and done is None:
        done = created or to_iso(reading.now)
        yield Noted(place, "It does not say when it was kept; it was taken as kept when it was made.")
    entry = {
        "type": "import_promise",
        "text": text,
        "deadline": _deadline(fields, reading),
        "created": created,
        "done_at": done if status in _KEPT else None,
    }
    yield Beside(place, items.entry(entry))


def promised_in(line: str, place: str, reading: Reading) -> Iterator[Item]:
    """A line of ``promises.md``, a list that people wrote by hand; other lines than its items are no promises."""
    found = _LISTED.fullmatch(line)
    if found is None:
        if line.strip() and not line.lstrip().startswith("#"):
            yield Noted(place, "A line that is no item of the list; it was not taken as a promise.")
        return
    done = to_iso(reading.now) if (found["box"] or " ") in "xX" else None
    due = _deadline({"deadline": found["due"]}, reading)
    entry = {"type": "import_promise", "text": found["text"].strip(), "deadline": due, "done_at": done}
    yield Beside(place, items.entry(entry))


def wellness(fields: dict[str, Any], place: str, reading: Reading) -> Iterator[Item]:
    """A note of ``wellness.json``. Raises Refusal."""
    recorded, notes = _time(fields, "recorded_at", reading), list[Item]()
    day, mood, hours = _text(fields, "date"), _text(fields, "mood"), fields.get("sleep_hours")
    if mood is None:
        raise Refusal("bad_value", "It says no mood.", "Write how it was.")
    if day is None and recorded is None:
        raise Refusal("bad_time", "It says no day.", "Write it as 2026-11-30.")
    if isinstance(hours, str):
        hours = _number(hours)
    if hours is not None and (isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 <= hours <= 24):
        notes.append(Noted(place, "Its hours of sleep are no number from 0 to 24; it was taken without."))
        hours = None
    entry = {
        "type": "import_wellness",
        "date": day or str(fields["recorded_at"])[:10],
        "mood": mood,
        "recorded": recorded,
        "sleep_hours": hours,
        "sleep_quality": _text(fields, "sleep_quality"),
        "note": _text(fields, "note"),
    }
    yield from [Beside(place, items.entry(entry)), *notes]


BY_FIELD: Final[dict[str, Callable[[dict[str, Any], str, Reading], Iterator[Item]]]] = {
    "mood": wellness,
    "text": promise,
}
"""What an object is, by a field that only it has."""


def _text(fields: dict[str, Any], name: str) -> str | None:
    told = fields.get(name)
    if told is not None and not isinstance(told, str):
        raise Refusal("bad_value", f"Its {name} is no text.", "Mend it.")
    return told if told and told.strip() else None


def _time(fields: dict[str, Any], name: str, reading: Reading) -> str | None:
    told = fields.get(name)
    return None if told in (None, "") else to_iso(dates.happened(told, reading.zone, reading.now))


def _deadline(fields: dict[str, Any], reading: Reading) -> str | None:
    told = fields.get("deadline")
    return None if told in (None, "") else to_iso(dates.planned(told, reading.zone))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
