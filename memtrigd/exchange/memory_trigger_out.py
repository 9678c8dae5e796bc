"""A memory-trigger library on its way out: each file as the program itself would have written it, for it to read."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from hashlib import blake2s
from itertools import chain
from typing import Any, Final, Protocol, TypeAlias

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import CORE_KINDS, Memory, Source, Status, canonical
from memtrigd.domain.moments import DAY, Micros
from memtrigd.domain.suppression import Suppression
from memtrigd.exchange.memory_trigger_beside import DUE
from memtrigd.exchange.memory_trigger_rows import UNASKED, filler
from memtrigd.exchange.targets import Target

VERSIONS: Final = ("2.7", "3.1")
Tell: TypeAlias = Callable[[], None]
"""Hears of each memory that is written."""
_ZONE: Final = timezone(timedelta(hours=8))
"""The program writes no other."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FADES: Final = 0.995
_HOMELESS: Final = ("tags", "lang", "quote", "pinned", "valid_from", "valid_to")
_HOMELESS_IN_2_7: Final = ("context", "expires_at")
_PAGE: Final = (
    "# 已遗忘清单（双向遗忘）\n\n以下记忆已从文件标 superseded，且你（agent）自身也应放下，**不要主动提及**：\n\n",
    "\n> 规则：文件是唯一权威源。被遗忘项既不从文件召回，也不从自身印象复述。",
)
_UNUSED: Final[dict[str, Any]] = {
    "anchors": {},
    "preferences": {},
    "identity": {},
    "persona": {},
    "external_sources": [],
}


class Copy(Protocol):
    """What is written out: one level as it was at one moment, read as often as it takes."""

    @property
    def level(self) -> Level:
        """Which level it is."""

    def all(self) -> Iterable[Memory]:
        """Every memory, whatever its status, the oldest first."""

    def wishes(self) -> Iterable[Suppression]:
        """Every suppression, lifted or not."""

    def entries(self) -> Iterable[Entry]:
        """Every entry, closed or not."""


def write(target: Target, copies: Sequence[Copy], version: str, now: Micros, tell: Tell) -> dict[str, dict[str, int]]:
    """Write a library of one of VERSIONS. Returns ``rows`` by sort, and ``homeless``: what of them it has no place for.

    Raises OSError.
    """
    library = _Library(copies, version, now)
    target.write("memory.json", _list(library.rows(tell)))
    target.write("entity_index.json", [_json({"version": 1, "entities": library.index})])
    named = {str(each.body["alias"]): str(each.body["entity"]) for each in library.entries(Sort.ALIAS)}
    target.write("aliases.json", [_json(named)])
    wished = library.wished()
    target.write(".suppressed.json", [_json({"suppressed": wished})])
    target.write("suppressed_prompt.md", [_page(wished).encode()])
    promises = list(library.promises())
    target.write("promises.md", [_promises([] if version != "2.7" else promises).encode()])
    if version != "2.7":
        target.write("promises.json", [_json({"promises": promises})])
    notes = list(library.notes())
    target.write("wellness.json", [_json({"records": notes})])
    target.write("preferences.json", [_json(_UNUSED)])
    target.write("backend_config.json", [_json({"mode": "local", "backend_info": "纯本地文件模式"})])
    counts = {"memory": library.count, "alias": len(named), "suppression": len(wished)}
    counts |= {"promise": len(promises), "note": len(notes)}
    return {"rows": {name: each for name, each in counts.items() if each}, "homeless": dict(library.homeless)}


class _Library:
    """What is written, and what of its rows the other files are made of."""

    def __init__(self, copies: Sequence[Copy], version: str, now: Micros) -> None:
        self._copies = copies
        self._later = version != "2.7"
        self._now = now
        self._forgotten: dict[str, dict[str, Any]] = {}
        self.index: dict[str, dict[str, Any]] = {}
        self.homeless = Counter[str]()
        self.count = 0
        standing = [wish for copy in copies for wish in copy.wishes() if wish.lifted_at is None]
        self._of_entities = [wish for wish in standing if wish.entity is not None]
        self._of_rows = {wish.memory_id: wish for wish in standing if wish.entity is None and wish.memory_id}

    def rows(self, tell: Tell) -> Iterator[dict[str, Any]]:
        """The rows of the memories; what was erased is none. A memory in service has its key as its id, if it can."""
        served = {row.key for copy in self._copies for row in copy.all() if row.status is Status.ACTIVE}
        taken = set[str]()
        for copy in self._copies:
            for memory in copy.all():
                tell()
                if memory.erased:
                    continue
                free = memory.key not in taken and (memory.status is Status.ACTIVE or memory.key not in served)
                own = memory.key if free else _made_id(copy.level, memory)
                taken.add(own)
                row = self._row(memory, own)
                self._remember(memory, row)
                yield row

    def entries(self, *sorts: Sort) -> Iterator[Entry]:
        """The entries of some sorts that stand, and those that were done."""
        for entry in chain.from_iterable(copy.entries() for copy in self._copies):
            done = entry.closed is not None and not (entry.sort is Sort.PROMISE and not entry.body.get("withdrawn"))
            if entry.sort in sorts and not done:
                yield entry

    def wished(self) -> list[dict[str, Any]]:
        """What is not to be brought up: a line for each row that was forgotten, and for entities without any."""
        lines = [
            {
                "entity": self._forgotten[own]["entity"],
                "memory_id": self._forgotten[own]["id"],
                "kind": self._forgotten[own]["kind"],
                "reason": wish.reason,
                "suppressed_at": _iso(wish.at),
            }
            for own, wish in self._of_rows.items()
            if own in self._forgotten
        ]
        told = {canonical(str(line["entity"])) for line in lines}
        for wish in self._of_entities:
            if wish.entity is not None and canonical(wish.entity) not in told:
                told.add(canonical(wish.entity))
                line = {"entity": wish.entity, "memory_id": None, "kind": "general", "reason": wish.reason}
                lines.append({**line, "suppressed_at": _iso(wish.at)})
        return lines

    def promises(self) -> Iterator[dict[str, Any]]:
        """The promises, kept ones too."""
        for entry in self.entries(Sort.PROMISE):
            number = int(_digest(entry.level, entry.id), 16) % 1_000_000
            yield {
                "id": f"pro_{_moment(entry.created):%Y%m%d_%H%M%S}_{number:06}",
                "text": str(entry.body["text"]),
                "deadline": _maybe_iso(entry.due),
                "created_at": _iso(entry.created),
                "status": "open" if entry.closed is None else "done",
                "completed_at": _maybe_iso(entry.closed),
            }

    def notes(self) -> Iterator[dict[str, Any]]:
        """The notes of well-being."""
        for entry in self.entries(Sort.WELLNESS):
            body = {name: value for name, value in entry.body.items() if value is not None}
            first = {"date": body["date"], "mood": body["mood"], "recorded_at": _iso(entry.created)}
            yield first | {name: body[name] for name in ("sleep_hours", "sleep_quality", "note") if name in body}

    def _row(self, memory: Memory, own: str) -> dict[str, Any]:
        ended = memory.status is Status.ACTIVE and not memory.served(self._now)
        status = Status.EXPIRED if ended else memory.status
        wish = self._of_rows.get(memory.id)
        forgot = status is Status.FORGOTTEN and memory.reason != "deleted"
        because = (wish and wish.reason) or memory.reason or UNASKED
        reason = None if forgot and memory.reason in ("forgotten", because) else memory.reason
        row = {
            "id": own,
            "entity": memory.entity or filler(memory.content),
            "type": memory.kind.value,
            "kind": memory.kind.value,
            "sentiment": memory.sentiment,
            "source": "user_explicit" if memory.source is Source.STATED else memory.source.value,
            "confidence": 1.0 if memory.confidence is None else memory.confidence,
            "emotion_tags": list(memory.emotion_tags),
            "value": memory.content,
            "created": _iso(memory.created),
            "updated": _iso(memory.updated),
            "last_recalled": _maybe_iso(memory.last_recalled),
            "status": self._status(status),
            "reason": reason,
            "importance": _importance(memory),
            "core": memory.core or (memory.source is Source.SELF_INFERRED and memory.kind in CORE_KINDS),
        }
        if self._later:
            row |= {"context": memory.context, "expires_at": _maybe_iso(memory.expires_at)}
        if forgot:
            row |= {"forgotten_at": _iso(wish.at if wish else memory.updated), "forget_reason": because}
        if self._later and memory.deny_count:
            row |= {"deny_count": memory.deny_count, "denied_at": _iso(memory.updated)}
        if self._later and status is Status.DISPUTED:
            row |= {"deny_reason": reason, "reason": None}
        if self._later and status is Status.EXPIRED:
            row |= {"expired_at": _iso(memory.updated)}
        return row

    def _status(self, status: Status) -> str:
        """The status in which the program serves as little of a row as we do."""
        match status:
            case Status.ACTIVE | Status.PENDING | Status.SUPERSEDED:
                return status.value
            case Status.DISPUTED:
                return "pending"
            case Status.EXPIRED if self._later:
                return status.value
        return "superseded"

    def _remember(self, memory: Memory, row: dict[str, Any]) -> None:
        self.count += 1
        homeless = _HOMELESS if self._later else (*_HOMELESS, *_HOMELESS_IN_2_7)
        self.homeless.update(name for name in homeless if getattr(memory, name))
        self.homeless.update([] if self._later or not memory.deny_count else ["deny_count"])
        if memory.id in self._of_rows:
            self._forgotten[memory.id] = row
        about = self.index.setdefault(
            row["entity"],
            {
                "count": 0,
                "status": "confirmed",
                "type": row["kind"],
                "kind": row["kind"],
                "aliases": [],
                "first_seen": row["created"],
            },
        )
        about["count"] += 1
        about |= {"last_seen": row["updated"], "last_memory_id": row["id"]}


def _importance(memory: Memory) -> float:
    """Its weight as of when the program counts from: when it was last recalled, or made."""
    since = memory.last_recalled or memory.created
    if since == memory.importance_at:
        return memory.importance
    return float(min(1.0, round(memory.importance * _FADES ** ((since - memory.importance_at) / DAY), 6)))


def _page(wished: list[dict[str, Any]]) -> str:
    """The page for the agent: a line each, whatever is in them."""

    def flat(text: object) -> str:
        return " ".join(str(text).split())

    lines = (
        f"- ⚠️ 不要主动提及：**{flat(each['entity'])}**（{each['kind']}）— 原因：{flat(each['reason'] or UNASKED)}\n"
        for each in wished
    )
    return "".join((_PAGE[0], *lines, _PAGE[1]))


def _promises(promises: list[dict[str, Any]]) -> str:
    def line(promise: dict[str, Any]) -> str:
        due = f"{DUE}{promise['deadline']}" if promise["deadline"] else ""
        return f"- [{'x' if promise['status'] == 'done' else ' '}] {' '.join(promise['text'].split())}{due}\n"

    return "# 承诺追踪\n\n" + "".join(map(line, promises))


def _list(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """The rows as Python would write them all at once."""
    before = "[\n  "
    for row in rows:
        yield (before + json.dumps(row, ensure_ascii=False, indent=2).replace("\n", "\n  ")).encode()
        before = ",\n  "
    yield b"[]" if before == "[\n  " else b"\n]"


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def _made_id(level: Level, memory: Memory) -> str:
    return f"mem_{_moment(memory.created):%Y%m%d_%H%M%S}_{_digest(level, memory.id)}"


def _digest(level: Level, own: str) -> str:
    return blake2s(f"{level.slug} {own}".encode(), digest_size=4).hexdigest()


def _moment(at: Micros) -> datetime:
    return (_EPOCH + timedelta(microseconds=at)).astimezone(_ZONE)


def _iso(at: Micros) -> str:
    return _moment(at).isoformat()


def _maybe_iso(at: Micros | None) -> str | None:
    return None if at is None else _iso(at)
