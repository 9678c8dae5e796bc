"""history and why: what was ever said under a key, and how the daemon comes to know it."""

from itertools import accumulate
from typing import Final

from memtrig import wire
from msgspec.msgpack import encode
from msgspec.structs import replace

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.domain.shadowing import Mask
from memtrigd.serve.handlers.settle import addressed
from memtrigd.serve.places import places
from memtrigd.serve.records import REPLY_BYTES, excerpt, record, size
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader, Version

STEPS_BYTES: Final = 1 << 16
"""Bytes of a reply that memories leave to the steps of their lives: some 400 of them."""
PLACES: Final = 20
"""Places in files that are named."""


def history(turn: Turn, request: wire.History) -> wire.Told:
    """Every row of a key in sight, the oldest first. An agent sees what was served, and its own proposals."""
    key = name(request.key, "key")
    discretion = Discretion(turn)
    found = [
        (reader, row)
        for reader in turn.view.readers
        for row in reader.told(key, turn.view.spaces)
        if discretion.allows(reader, row)
    ]
    if not found:
        raise Refusal(
            "not_found",
            f"Nothing was ever said under {key!r} at {turn.view.level.name} or below.",
            "`list` shows keys.",
        )
    found.sort(key=lambda pair: (pair[1].updated, pair[1].level, pair[1].id))
    return _told(turn, found)


def why(turn: Turn, request: wire.Why) -> wire.Told:
    """The life of one served memory, and of those that it replaced; an agent sees of these what `history` shows."""
    row: Memory | None = _erased(turn, request) or addressed(turn, request.key, request.id)
    chain: list[tuple[LevelReader, Memory]] = []
    while row is not None and all(row.id != earlier.id for _, earlier in chain):
        reader = turn.view.reader(row.level)
        assert reader is not None  # the row came from it
        chain.append((reader, row))
        row = reader.by_id(row.supersedes) if row.supersedes else None
    discretion = Discretion(turn)
    told = _told(turn, [(reader, row) for reader, row in chain[::-1] if discretion.allows(reader, row)])
    return replace(told, places=places(*chain[0])[:PLACES]) if turn.actor.is_owner and chain else told


def _erased(turn: Turn, request: wire.Why) -> Memory | None:
    """What is left of an erased memory, for the owner who asks by its id: that it was there."""
    row = turn.view.find(name(request.id, "id")) if turn.actor.is_owner and request.id is not None else None
    return row if row is not None and row.erased and request.key is None else None


class Discretion:
    """What a caller may be told of the rows in sight: the owner all, an agent nothing that was to be forgotten.

    An agent sees neither what was forgotten here or above, rejected or is hidden by a mask, nor what stood in its slot
    before: who wants the last version forgotten does not want an older one brought up. (A slot is looked up once.)
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._slots: dict[tuple[Level, str, str], tuple[list[Mask], Micros | None]] = {}

    def allows(self, reader: LevelReader, row: Memory) -> bool:
        """Tell whether the caller may see the text of a row."""
        if self._turn.actor.is_owner:
            return True
        if self._turn.view.wishes_on(row):
            return False
        if row.status is Status.PENDING:
            return row.session == self._turn.actor.session
        masks, unwanted = self._slot(reader, row)
        if row.status in (Status.REJECTED, Status.FORGOTTEN) or any(mask.hides(row) for mask in masks):
            return False
        return row.status is Status.ACTIVE or unwanted is None or row.updated > unwanted

    def _slot(self, reader: LevelReader, row: Memory) -> tuple[list[Mask], Micros | None]:
        """The masks on a row's key, and when the newest row of its slot that was to be forgotten was said."""
        slot = (row.level, row.space, row.key)
        if slot not in self._slots:
            view = self._turn.view
            masks = view.masks(row.key, view.rivals(row.space))
            hidden = [each for mask in masks if (each := reader.by_id(mask.memory_id)) and mask.hides(each)]
            gone = [each for each in reader.refused(row.key, row.space) if each.status is Status.FORGOTTEN]
            said = [each.updated for each in (*gone, *hidden) if each.space == row.space]
            self._slots[slot] = (masks, max(said, default=None))
        return self._slots[slot]


def discreet(turn: Turn, row: Memory) -> Memory:
    """A row without the reason of a dispute, where the caller is an agent: it may be the owner's own note."""
    return row if turn.actor.is_owner or row.status is not Status.DISPUTED else replace(row, reason=None)


def _told(turn: Turn, rows: list[tuple[LevelReader, Memory]]) -> wire.Told:
    """Tell of rows, the oldest first, as much of the newest as one reply holds; the rest is counted."""
    shown = _in_room([record(discreet(turn, row), turn.now) for _, row in reversed(rows)], REPLY_BYTES - STEPS_BYTES)
    room = REPLY_BYTES - sum(map(size, shown))
    lives = [version for reader, row in rows[len(rows) - len(shown) :] for version in reader.versions(row.id)]
    lives.sort(key=lambda version: (version.change.at, version.seq), reverse=True)
    steps = [_step(turn, version) for version in lives]
    kept = steps[: _fitting([len(encode(step)) for step in steps], room)]
    return wire.Told(
        memories=shown[::-1], steps=kept[::-1], more=len(rows) - len(shown), earlier=len(steps) - len(kept)
    )


def _in_room(records: list[wire.Record], room: int) -> list[wire.Record]:
    """As many of the first as fit by their beginnings, and of these the first whole, as far as there is room left."""
    short = [excerpt(each) for each in records]
    short = short[: _fitting([size(each) for each in short], room)]
    room -= sum(map(size, short))
    shown = []
    for whole, beginning in zip(records, short, strict=False):
        room -= size(whole) - size(beginning)
        shown.append(whole if room >= 0 else beginning)
    return shown


def _fitting(sizes: list[int], room: int) -> int:
    """How many of the first fit into the room."""
    return sum(1 for total in accumulate(sizes) if total <= room)


def _step(turn: Turn, version: Version) -> wire.Step:
    owners_own = version.change.actor == "owner" and not turn.actor.is_owner
    status = version.fields.get("status")
    return wire.Step(
        at=to_iso(version.change.at),
        op=version.change.op,
        actor=version.change.actor,
        id=version.memory_id,
        session=version.change.session,
        reason=None if owners_own else version.change.reason,
        status=status if isinstance(status, str) else None,
        changed=sorted(version.fields),
    )
