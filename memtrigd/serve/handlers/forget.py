"""forget, suppressions: "don't mention it again", kept. The rows stay for the owner; nothing is erased."""

from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Final

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import MAX_NOTE, MAX_TAG, name, text
from memtrigd.domain.claim import kind as read_kind
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import to_iso
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.serve.below import hide
from memtrigd.serve.entries import within_a_reply
from memtrigd.serve.mandate import check_retiring, check_wishing
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import keep_entity_wish, keep_wish

AGENT_LIMIT: Final = 20
"""How many memories an agent forgets without saying the count back: a misread wish must not empty the house."""
NAMED: Final = 100
"""How many of the memories reached are named in the answer; all are counted."""
_REACHED: Final = (Status.ACTIVE.value, Status.PENDING.value, Status.DISPUTED.value)


def forget(turn: Turn, request: wire.Forget) -> wire.Forgotten:
    """Forget what matches at the caller's own level, hide matching lower copies from its readers, and keep the wish.

    Proposals of other sessions go with it, but an agent is not told of them: they count for nothing in its answer.
    """
    _exactly_one(request)
    reason = None if request.reason is None else text(request.reason, "reason", MAX_NOTE)
    reached = list(_matching(turn, request))
    known = [row for row in reached if _may_name(turn, row)]
    below = _hidden_below(turn, request, reached)
    if not known and not below and (request.entity is None or request.kind is not None):
        raise Refusal(
            "not_found",
            f"Nothing to forget: no memory matches at {turn.view.level.name}.",
            "`list` and `search` show what there is; --dry-run shows what would be forgotten.",
        )
    wish = None
    if not request.dry_run:
        check_wishing(check_retiring(turn, [*known, *below], request.quote))
        _count_said_back(turn, request, len(known) + len(below))
        wish = _carry_out(turn, request, reached, below, reason)
    return wire.Forgotten(
        count=len(known),
        memories=[_touched(row, request.dry_run) for row in known[:NAMED]],
        levels=[turn.view.level.name],
        elsewhere=list(dict.fromkeys(row.level.name for row in below)),
        dry_run=request.dry_run,
        suppressed=wish,
        hidden=len(below),
    )


def suppressions(turn: Turn, request: wire.Suppressions) -> wire.Wishes:
    """What is not to be brought up, of the levels in sight. An agent is told entities alone, never keys or reasons.

    One reply has room for so many: of the newest of each level in turn, so that no level crowds out another.
    """
    owner = turn.actor.is_owner
    told = [
        [(reader.level, wish) for wish in reader.suppressions() if owner or wish.scope is Scope.ENTITY]
        for reader in turn.view.readers
    ]
    found = [each for each in chain.from_iterable(zip_longest(*told)) if each is not None]
    shown = within_a_reply(_shown(level, wish, owner=owner) for level, wish in found)
    shown.sort(key=lambda wish: (wish.at, wish.id), reverse=True)
    return wire.Wishes(suppressions=shown, more=len(found) - len(shown))


def _shown(level: Level, wish: Suppression, *, owner: bool) -> wire.Wish:
    return wire.Wish(
        id=wish.id,
        scope=wish.scope.value,
        level=level.name,
        at=to_iso(wish.at),
        entity=wish.entity,
        key=wish.key if owner else None,
        reason=wish.reason if owner else None,
    )


def _may_name(turn: Turn, row: Memory) -> bool:
    """Tell whether the caller may be told of a row: of proposals that wait an agent knows its own alone."""
    return turn.actor.is_owner or row.status is not Status.PENDING or row.session == turn.actor.session


def _exactly_one(request: wire.Forget) -> None:
    given = [field for field in ("key", "id", "entity", "tag") if getattr(request, field) is not None]
    if len(given) != 1:
        raise Refusal("bad_request", "Say what to forget by exactly one of key, id, entity or tag.", "")
    if request.kind is not None:
        read_kind(request.kind)


def _matching(turn: Turn, request: wire.Forget) -> Iterator[Memory]:
    """The rows that a wish reaches at the caller's own level."""
    store, spaces = turn.view.writer, turn.view.spaces
    asked = read_kind(request.kind)
    kind = None if asked is None else asked.value
    if request.id is not None:
        row = store.by_id(name(request.id, "id"))
        rows = [row] if row is not None and row.status.value in _REACHED and row.space in spaces else []
    elif request.key is not None:
        rows = [row for row in store.told(name(request.key, "key"), spaces) if row.status.value in _REACHED]
    else:
        names = turn.view.names_of(request.entity)
        rows = list(store.select(spaces, _REACHED, entities=names, tag=_tag(request), kind=kind))
    return (row for row in rows if kind is None or row.kind.value == kind)


def _hidden_below(turn: Turn, request: wire.Forget, reached: list[Memory]) -> list[Memory]:
    """Lower rows that can't be touched from here, only hidden from the readers up here.

    They match, or they are copies that what is forgotten stood before: without it they would come to light.
    """
    view = turn.view
    stood = [row for row in reached if row.served(turn.now)]
    shadowed = [copy for row in stood for copy in view.copies(row.key, view.rivals(row.space))]
    found = {row.id: row for row in (*_matching_below(turn, request), *shadowed) if row.level is not view.level}
    return [
        row
        for row in found.values()
        if row.served(turn.now)
        and not any(mask.hides(row) for mask in view.masks(row.key, view.rivals(row.space)))
        and not view.wishes_on(row)
    ]


def _matching_below(turn: Turn, request: wire.Forget) -> Iterator[Memory]:
    """The active rows of lower levels that match."""
    active = (Status.ACTIVE.value,)
    for reader in turn.view.readers:
        if reader.level == turn.view.level:
            continue
        if request.key is not None:
            rows = [r for s in turn.view.spaces if (r := reader.active(name(request.key, "key"), s)) is not None]
        elif request.id is not None:
            row = reader.by_id(name(request.id, "id"))
            rows = [row] if row is not None and row.space in turn.view.spaces else []
        else:
            names = turn.view.names_of(request.entity)
            rows = list(reader.select(turn.view.spaces, active, entities=names, tag=_tag(request)))
        yield from (row for row in rows if request.kind is None or row.kind is read_kind(request.kind))


def _tag(request: wire.Forget) -> str | None:
    return None if request.tag is None else name(request.tag, "tag", MAX_TAG)


def _count_said_back(turn: Turn, request: wire.Forget, count: int) -> None:
    if turn.actor.is_owner or count <= AGENT_LIMIT or request.confirm == count:
        return
    raise Refusal(
        "confirm_count",
        f"This would forget {count} memories.",
        f"Ask the user; if they mean it, send the same with confirm={count}.",
    )


def _carry_out(
    turn: Turn, request: wire.Forget, reached: list[Memory], below: list[Memory], reason: str | None
) -> str | None:
    store = turn.view.writer
    for row in reached:
        why = "forgotten" if reason in (None, "deleted") else reason  # "deleted" is what a mere delete leaves
        gone = replace(row, status=Status.FORGOTTEN, reason=why, contested=False)
        store.amend(gone, turn.change("forget", reason))
    for row in below:
        hide(turn, row, row.space)
    wishes = [keep_wish(turn, row, reason) for row in [*reached, *below]]
    if request.entity is not None and request.kind is None:  # with a kind it is not all of the entity
        wishes.append(keep_entity_wish(turn, request.entity, reason))
    return wishes[-1].id if wishes else None


def _touched(row: Memory, dry_run: bool) -> wire.Touched:
    status = row.status if dry_run else Status.FORGOTTEN
    return wire.Touched(id=row.id, key=row.key, level=row.level.name, status=status.value)
