"""erase: what was said is gone, byte by byte, and is not learnt again. ``serve.erasing`` sees to the bytes."""

from collections.abc import Sequence
from typing import Final

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros
from memtrigd.domain.suppression import Subject
from memtrigd.search.identical import Sameness
from memtrigd.serve.turn import Turn

NAMED: Final = 100
"""How many memories are named in the answer; all are counted."""


class Plan(Struct, frozen=True):
    """What an erase reaches: rows of its level, and lower memories whose key the level has in what hides them."""

    rows: list[Memory]
    traces: list[str]


def erase(
    turn: Turn, request: wire.Erase, backups: Sequence[tuple[str, Micros]], *, counted: bool = False
) -> wire.Erased:
    """Erase all that was ever said under a key at the act's level, in whichever space and state, or one memory.

    ``counted``: somebody has held the owner's count against what all levels have. Raises ``confirm_count`` unless the
    count of a dry run is said back, ``not_found`` where there is nothing. One that is erased already is so once more.
    """
    if (request.key is None) == (request.id is None):
        raise Refusal("bad_request", "Say what to erase: a key or one memory's id.", "Give exactly one of them.")
    plan = _plan(turn, request)
    elsewhere = _elsewhere(turn, request, plan)
    if not request.dry_run:
        if not counted:
            said_back(request, len(plan.rows), f"at {turn.view.level.name}")
        for memory_id in (*(row.id for row in plan.rows if not row.erased), *plan.traces):
            turn.view.writer.erase(memory_id, turn.change("erase"))
    return wire.Erased(
        count=len(plan.rows),
        memories=[_touched(turn, row) for row in plan.rows[:NAMED]],
        level=turn.view.level.name,
        elsewhere=elsewhere,
        backups=_still_in(backups, plan),
        dry_run=request.dry_run,
    )


def _still_in(backups: Sequence[tuple[str, Micros]], plan: Plan) -> list[str]:
    """The backups of the level that were made since the first of it was said; whatever they hold of it, they keep."""
    since = min((row.created for row in plan.rows), default=None)
    return [name for name, at in backups if since is None or at >= since]


def said_back(request: wire.Erase, count: int, where: str) -> None:
    """Raise ``confirm_count`` unless the request says back how many memories would go."""
    if request.confirm != count:
        raise Refusal(
            "confirm_count",
            f"This would erase {count} {'memory' if count == 1 else 'memories'} {where}, for good.",
            f"--dry-run shows them; if you mean it, say the same with --confirm {count}.",
        )


def _plan(turn: Turn, request: wire.Erase) -> Plan:
    store = turn.view.writer
    if request.id is not None:
        row = store.by_id(name(request.id, "id"))
        plan = Plan([] if row is None else [row], [])
    else:
        key = name(request.key or "", "key")
        rows = store.told(key, turn.view.spaces)
        plan = Plan(rows, _traces(turn, key, {row.id for row in rows}))
    if not plan.rows and not plan.traces:
        raise Refusal(
            "not_found", f"There is nothing to erase at {turn.view.level.name}.", "`history` shows what was ever said."
        )
    return plan


def _traces(turn: Turn, key: str, own: set[str]) -> list[str]:
    """Lower memories of which this level has the key: in a mask, or in a wish."""
    store, spaces = turn.view.writer, turn.view.spaces
    named = [mask.memory_id for mask in store.masks(key, spaces)]
    for space in spaces:
        wishes = store.wishes(Subject(key, space, (), b""))
        named += [wish.memory_id for wish in wishes if wish.key == key and wish.memory_id is not None]
    return [memory_id for memory_id in dict.fromkeys(named) if memory_id not in own]


def _elsewhere(turn: Turn, request: wire.Erase, plan: Plan) -> list[str]:
    """The levels in sight that have the same after the erase: rows of the key, or what says the same in service."""
    gone, texts = {row.id for row in plan.rows}, dict.fromkeys(row.content for row in plan.rows if not row.erased)
    keys = dict.fromkeys(row.key for row in plan.rows if not row.erased)
    if request.key is not None:
        keys = dict.fromkeys([name(request.key, "key")])
    found = []
    for reader in turn.view.readers:
        told = (row for key in keys for row in reader.told(key, turn.view.spaces))
        same = (row for sameness in [Sameness(reader)] for text in texts for row in sameness.of(text))
        if any(row.id not in gone for rows in (told, same) for row in rows):
            found.append(reader.level.name)
    return found


def _touched(turn: Turn, row: Memory) -> wire.Touched:
    """A row as it now is: what was erased has no key that tells anything, in the answer that is remembered neither."""
    now = turn.view.writer.by_id(row.id) or row
    return wire.Touched(id=now.id, key=now.key, level=now.level.name, status=now.status.value)
