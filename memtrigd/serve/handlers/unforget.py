"""unforget: the owner brings back what was forgotten where it lies, or was put away at a level above."""

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.trust import rank_of
from memtrigd.serve.below import release, restraints
from memtrigd.serve.promote import promote
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import lift_wishes


def unforget(turn: Turn, request: wire.Unforget) -> wire.Settled:
    """Let a memory be again what it was before it was forgotten, and lift the wishes that kept it away.

    One that was in service comes back into it, unless its slot is held by a pinned memory or one that weighs as much:
    then it waits beside that for the owner. What had waited or was disputed is that again. A memory of a lower level
    is no longer hidden, denied or to be forgotten up here; ``still`` names the levels in sight that go on with it.
    Raises ``not_found`` for one that was erased, ``bad_time`` for one whose date has passed.
    """
    row = turn.view.find(name(request.id, "id"))
    if row is not None and row.erased:
        raise Refusal("not_found", "This memory was erased: nothing is left of it to bring back.", "Save it anew.")
    if row is not None and row.level is not turn.view.level and release(turn, row):
        return _settled(turn, row, below=True)
    if row is None or row.level is not turn.view.level or row.status is not Status.FORGOTTEN:
        raise Refusal(
            "not_found",
            f"No memory with this id is forgotten, hidden or denied at {turn.view.level.name}.",
            "`memtrigctl history KEY` shows the ids, `memtrigctl why-not KEY` what hides one.",
        )
    if row.expires_at is not None and row.expires_at <= turn.now:
        raise Refusal("bad_time", "The time of this memory is over; it would not be seen.", "Save it anew.")
    back = _brought_back(turn, row)
    lift_wishes(turn, back)
    return _settled(turn, back)


def _settled(turn: Turn, row: Memory, *, below: bool = False) -> wire.Settled:
    return wire.Settled(
        id=row.id,
        key=row.key,
        level=turn.view.level.name,
        status=row.status.value,
        below=below,
        still=list(dict.fromkeys(each.level.name for each in restraints(turn.view, row))),
    )


def _brought_back(turn: Turn, row: Memory) -> Memory:
    """Put a forgotten row where it was, as far as its slot has room; returns it as it now is."""
    store = turn.view.writer
    was = _before_it_was_forgotten(turn, row)
    active = store.active(row.key, row.space)
    holder = active if active is not None and active.served(turn.now) else None
    stands = holder is not None and (holder.pinned or rank_of(holder) >= rank_of(row))
    if was.status is Status.ACTIVE and not stands:
        return promote(turn, row, active, "unforget")
    status = Status.PENDING if was.status is Status.ACTIVE else was.status
    contests = holder.id if holder is not None and status is Status.PENDING else None
    back = replace(row, status=status, reason=was.reason, contests=contests)
    store.amend(back, turn.change("unforget"))
    return back


def _before_it_was_forgotten(turn: Turn, row: Memory) -> Memory:
    store = turn.view.writer
    last = [step for step in store.versions(row.id) if step.fields.get("status") is Status.FORGOTTEN][-1]
    was = store.before(last)
    assert was is not None  # no memory begins forgotten
    return was
