"""week: what agents learned, guessed, contested and forgot lately; not what the owner or the dream cycle did."""

from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Final

import msgspec
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import DAY, Micros, instant, to_iso
from memtrigd.gate.view import View
from memtrigd.serve.records import REPLY_BYTES, excerpt, record
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import Change, LevelReader

MOST_DAYS: Final = 366
MAX_ITEMS: Final = 500
SECTIONS: Final = ("learned", "guessed", "contested", "forgot")
_SAID: Final = ("save", "confirm")
_PUT_AWAY: Final = {"forget": "forgotten", "delete": "deleted", "deny": "denied"}
_PUT_AWAY_BELOW: Final = {"mask": "hidden", "deny_below": "denied"}


class _Find(Struct, frozen=True):
    """A memory of the week: when and by whom what was done last of its sort, and the memory as it is now."""

    about: str
    at: Micros
    note: str
    memory: Memory
    against: Memory | None = None


def week(turn: Turn, request: wire.Week) -> wire.Weekly:
    """Tell the week at the levels in sight: all is counted, the newest of each section are shown.

    It costs as much as happened in it, however much the store holds.
    """
    if not 1 <= request.days <= MOST_DAYS:
        raise Refusal("bad_value", f"days is {request.days}.", f"Ask for 1 to {MOST_DAYS} days; a week has 7.")
    if not 1 <= request.limit <= MAX_ITEMS:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_ITEMS} items.")
    since = turn.now - request.days * DAY if request.since is None else instant(request.since)
    counts = dict.fromkeys(SECTIONS, 0)
    newest: dict[str, list[_Find]] = {about: [] for about in SECTIONS}
    for finds in _walks(turn, since):
        kept = dict.fromkeys(SECTIONS, 0)
        for find in finds:
            counts[find.about] += 1
            kept[find.about] += 1
            if kept[find.about] <= request.limit:  # more of one walk can't be shown
                newest[find.about].append(find)
    for section in newest.values():
        section.sort(key=lambda find: (find.at, find.memory.id), reverse=True)
    items = _shared(newest, request.limit, turn.now)
    return wire.Weekly(since=to_iso(since), counts=counts, items=items, more=sum(counts.values()) - len(items))


def _walks(turn: Turn, since: Micros) -> Iterator[Iterator[_Find]]:
    """What there is to find, each walk from the newest: at each level of its own memories, then of lower ones."""
    for reader in turn.view.readers:
        yield _of_level(reader, since, turn.now)
        yield _of_lower(turn.view, reader, since)


def _of_level(reader: LevelReader, since: Micros, now: Micros) -> Iterator[_Find]:
    """What agents did at a level that still holds, the newest first: each memory once for what was said of it and once
    for what put it away. Whoever put it away last did it; the owner's yes leaves a memory the agent's who saved it.
    """
    seen: set[tuple[bool, str]] = set()
    for step in reader.versions_since(since):
        change, away = step.change, step.change.op in _PUT_AWAY
        of_agent = change.session is not None
        if (away, step.memory_id) in seen or not (away or (change.op in _SAID and of_agent)):
            continue
        seen.add((away, step.memory_id))
        memory = reader.by_id(step.memory_id) if of_agent else None
        about = None if memory is None else _about(change.op, memory, now)
        if memory is not None and about is not None:
            against = _contested(reader, memory, now) if about == "contested" else None
            yield _Find(about, change.at, _note(change, memory), memory, against)


def _of_lower(view: View, reader: LevelReader, since: Micros) -> Iterator[_Find]:
    """Lower memories that agents forgot or denied for the readers of a level, and that still are: each once."""
    seen: set[str] = set()
    for event in reader.events_since(since):
        if event.op not in _PUT_AWAY_BELOW or event.about is None or event.about in seen:
            continue
        seen.add(event.about)
        memory = view.find(event.about) if event.session is not None else None
        if memory is None or memory.erased:
            continue
        page = reader.ledger(memory.id)
        if reader.masks_on(memory.id) if event.op == "mask" else page is not None and page.deny_count:
            done = f"{_PUT_AWAY_BELOW[event.op]} for readers of {reader.level.name}"
            yield _Find("forgot", event.at, f"{done} by {event.actor}, {to_iso(event.at)}", memory)


def _about(op: str, memory: Memory, now: Micros) -> str | None:
    """The section of a memory, None where what was done is no longer so."""
    if op == "deny":
        return "forgot" if memory.status is Status.DISPUTED or (memory.served(now) and memory.deny_count) else None
    if op in _PUT_AWAY:
        return "forgot" if memory.status is Status.FORGOTTEN and memory.reason != "erased" else None
    if memory.status is Status.PENDING:
        return "guessed" if memory.contests is None else "contested"
    return "learned" if memory.served(now) else None


def _contested(reader: LevelReader, memory: Memory, now: Micros) -> Memory | None:
    """What a proposal speaks against, if it still stands."""
    holder = reader.active(memory.key, memory.space)
    return holder if holder is not None and holder.served(now) else None


def _shared(newest: dict[str, list[_Find]], limit: int, now: Micros) -> list[wire.Item]:
    """Show what one reply has room for, one of each section in turn, so that none crowds out another."""
    in_turn = (find for find in chain.from_iterable(zip_longest(*newest.values())) if find is not None)
    items: list[wire.Item] = []
    room = REPLY_BYTES
    for find in in_turn:
        item = _item(find, now)
        room -= len(msgspec.msgpack.encode(item))
        if room < 0 or len(items) == limit:
            break
        items.append(item)
    return sorted(items, key=lambda item: SECTIONS.index(item.about))


def _item(find: _Find, now: Micros) -> wire.Item:
    return wire.Item(
        about=find.about,
        memory=excerpt(record(find.memory, now)),
        against=None if find.against is None else excerpt(record(find.against, now)),
        note=find.note,
    )


def _note(change: Change, memory: Memory) -> str:
    who = f"{change.actor}, {to_iso(change.at)}"
    done = "disputed" if memory.status is Status.DISPUTED else _PUT_AWAY.get(change.op)
    return who if done is None else f"{done} by {who}"
