"""why-not: which rules hide a memory from a session. Asked of the whole vault, answered for one level and space."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from memtrig import wire

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import DISPUTED_AT
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import to_iso
from memtrigd.domain.shadowing import Winner
from memtrigd.domain.trust import rank_of
from memtrigd.gate.view import View, narrowed
from memtrigd.serve.turn import Turn

NAMED: Final = 500
"""How many rules are named; the rest is counted."""


def why_not(turn: Turn, request: wire.WhyNot) -> wire.Hidden:
    """Name each rule that hides a row of a key, or the one row with an id, from a session at the level asked about.

    Names of agents grant and refuse nothing, so that ``agent`` changes no answer; a session's own space does.
    """
    if (request.key is None) == (request.id is None):
        raise Refusal("bad_request", "Name the memory by its key or by its id.", "Give exactly one of them.")
    space = None if request.space is None else name(request.space, "space")
    if request.agent is not None:
        name(request.agent, "agent")
    seen = narrowed(turn.view, space)
    rows = _rows(turn, request)
    won = seen.winner(rows[0].key, seen.own_space, turn.now)
    rules = (rule for row in rows if won is None or row.id != won.memory.id for rule in _rules(turn, seen, row, won))
    named = list(islice(rules, NAMED))
    return wire.Hidden(
        level=seen.level.name,
        served=None if won is None else _touched(won.memory),
        rules=named,
        more=sum(1 for _ in rules),
    )


def _rows(turn: Turn, request: wire.WhyNot) -> list[Memory]:
    """Every row that is asked about, the newest first. Raises ``not_found``."""
    if request.id is not None:
        row = turn.view.find(name(request.id, "id"))
        rows = [] if row is None else [row]
    else:
        key = name(request.key or "", "key")
        rows = [row for reader in turn.view.readers for row in reader.told(key, turn.view.spaces)]
    if not rows:
        raise Refusal("not_found", "Nothing was ever said by this name, at any level.", "`list` shows the keys.")
    return sorted(rows, key=lambda row: (row.updated, row.level, row.id), reverse=True)


def _rules(turn: Turn, seen: View, row: Memory, won: Winner | None) -> Iterator[wire.Rule]:
    """Each rule that by itself would keep a row from the session; what shadows it only where no other does."""
    found = [*_of_its_place(seen, row), *_of_its_state(turn, row)]
    found += [rule for rule in _of_levels_above(seen, row) if seen.reader(row.level) is not None]
    if not found and won is not None:
        found.append(_shadowed(seen, row, won))
    yield from found


def _of_its_place(seen: View, row: Memory) -> Iterator[wire.Rule]:
    if seen.reader(row.level) is None:
        yield _rule(
            "level",
            row,
            f"It lies at {row.level.name}, and a session at {seen.level.name} reads that level and those below.",
            f"Open a session at {row.level.name}, or say it again at {seen.level.name} if it may be known there.",
        )
    if not seen.sees(row.space):
        yield _rule(
            "space",
            row,
            f"It lies in the space {row.space!r}; the session sees {' and '.join(map(repr, seen.spaces))}.",
            "Open a session in that space.",
        )


def _of_its_state(turn: Turn, row: Memory) -> Iterator[wire.Rule]:
    if row.erased:
        yield _rule("erased", row, "It was erased: nothing is left of it.", "Nothing brings it back; say it anew.")
    elif row.status is Status.PENDING:
        yield _rule("pending", row, "It is a proposal that waits for the owner's yes.", f"memtrigctl confirm {row.id}")
    elif row.status is not Status.ACTIVE:
        why = f": {row.reason}" if row.reason and row.reason != row.status.value else ""
        yield _rule("status", row, f"It is {row.status.value}{why}.", _WAY_BACK[row.status].format(id=row.id))
    elif not row.served(turn.now) and row.expires_at is not None:
        yield _rule("expired", row, f"Its time ended at {to_iso(row.expires_at)}.", "Save it anew with a later time.")


def _of_levels_above(seen: View, row: Memory) -> Iterator[wire.Rule]:
    """What levels in the session's sight do to a row below them."""
    back = f"memtrigctl unforget {row.id}"
    for level in dict.fromkeys(level for level, _ in seen.wishes_on(row)):
        yield _rule("forgotten", row, f"It was asked at {level.name} not to be mentioned again.", back)
    for mask in seen.masks(row.key, seen.spaces):
        if mask.hides(row):
            yield _rule("mask", row, f"A delete or forget at {mask.level.name} hides the copy as it was then.", back)
    if seen.denials(row) >= DISPUTED_AT:
        yield _rule("denied", row, f"It was denied {seen.denials(row)} times at levels above its own.", back)


def _shadowed(seen: View, row: Memory, won: Winner) -> wire.Rule:
    other = won.memory
    if rank_of(other) > rank_of(row):
        why = "weighs more"
    elif other.space != row.space and other.space == seen.own_space:
        why = f"is of the session's own space {other.space!r}"
    else:
        why = f"is at {other.level.name}"
    beside = next((each for each in (won.supplement, won.newer_lower) if each is not None and each.id == row.id), None)
    shown = " It is shown beside it." if beside is not None else ""
    return _rule("shadowed", row, f"{other.id} stands before it, which {why}.{shown}", f"memtrigctl forget {other.id}")


def _rule(rule: str, row: Memory, says: str, hint: str) -> wire.Rule:
    return wire.Rule(rule=rule, memory=_touched(row), says=says, hint=hint)


def _touched(row: Memory) -> wire.Touched:
    return wire.Touched(id=row.id, key=row.key, level=row.level.name, status=row.status.value)


_WAY_BACK: Final = {
    Status.SUPERSEDED: "`memtrigctl why KEY` shows what replaced it.",
    Status.REJECTED: "Say it yourself: memtrigctl save.",
    Status.DISPUTED: "memtrigctl confirm {id}",
    Status.EXPIRED: "Save it anew with a later time.",
    Status.FORGOTTEN: "memtrigctl unforget {id}",
}
"""What there is to do about each state that is not served."""
