"""confirm, reject, deny: the user's yes and no, said by the owner or relayed by an agent with a quote."""

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import MAX_NOTE, name, text
from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import DISPUTED_AT
from memtrigd.domain.memory import Memory, Source, Status
from memtrigd.domain.trust import Hearing, Speaker, after_denial, outweighs, rank, rank_of
from memtrigd.serve.below import deny_below
from memtrigd.serve.mandate import check_retiring
from memtrigd.serve.promote import confirmed, promote
from memtrigd.serve.turn import Turn

_UNDECIDED = (Status.PENDING, Status.DISPUTED)


def confirm(turn: Turn, request: wire.Confirm) -> wire.Settled:
    """Put a waiting memory into service on the user's word; what it contested makes way if it weighs no more."""
    row = _undecided(turn, request.id)
    if row.expires_at is not None and row.expires_at <= turn.now:
        raise Refusal("bad_time", "The time of this memory is over; it would not be seen.", "Save it anew.")
    speaker = _with_the_users_word(turn, request.quote)
    source = Source.STATED if speaker.owner else Source.USER_EXPLICIT
    active = turn.view.writer.active(row.key, row.space)
    holder = active if active is not None and active.served(turn.now) else None
    if holder is not None and holder.pinned and not speaker.owner:
        raise Refusal("not_yours", "The owner pinned the memory that this one contests.", "memtrigctl review")
    if holder is not None and rank(source, attested=speaker.attested) < rank_of(holder):
        raise Refusal(
            "not_yours",
            "The memory that this one contests is the user's own word; a relayed yes does not outweigh it.",
            "The owner decides: memtrigctl review.",
        )
    quote = request.quote if request.quote is not None else row.quote
    if active is not None and active.id == row.id:  # it stands, in spite of what agents deny
        active = None
    told = replace(row, source=source, attested=speaker.attested, quote=quote, confidence=None)
    return settled(promote(turn, confirmed(told), active, "confirm"))


def reject(turn: Turn, request: wire.Reject) -> wire.Settled:
    """Keep a waiting memory out of service for good. A session may take its own proposals back unasked."""
    row = _undecided(turn, request.id)
    if row.session is None or row.session != turn.actor.session:
        _with_the_users_word(turn, request.quote)
    reason = _note(request.reason) or "rejected"
    gone = replace(row, status=Status.REJECTED, reason=reason, contested=False)
    turn.view.writer.amend(gone, turn.change("reject", reason))
    return settled(gone)


def deny(turn: Turn, request: wire.Deny) -> wire.Settled:
    """Demote a memory that the user calls wrong; at the second time it is disputed and served no more."""
    row = addressed(turn, request.key, request.id)
    reason = _note(request.reason)
    speaker = check_retiring(turn, [row], request.quote)
    if row.level is not turn.view.level:
        page = deny_below(turn, row, reason, last=not outweighs(speaker, row))
        return replace(settled(row), level=turn.view.level.name, deny_count=page.deny_count, below=True)
    lesser = after_denial(row, speaker, turn.now)
    if lesser.status is Status.DISPUTED:
        lesser = replace(lesser, reason=reason or "denied twice")
    turn.view.writer.amend(lesser, turn.change("deny", reason))
    return settled(lesser)


def addressed(turn: Turn, key: str | None, memory_id: str | None) -> Memory:
    """The served memory that a key or an id means to this caller. Raises ``bad_request`` unless one is given."""
    if (key is None) == (memory_id is None):
        raise Refusal("bad_request", "Name the memory by its key or by its id.", "Give exactly one of them.")
    if key is not None:
        clean = name(key, "key")
        spaces = turn.view.spaces if turn.view.every_space else turn.view.spaces[:1]
        found = next((won for s in spaces if (won := turn.view.winner(clean, s, turn.now))), None)
        row = found.memory if found else None
    else:
        row = turn.view.find(name(memory_id or "", "id"))
        row = row if row is not None and turn.view.serves(row, turn.now) else None
    if row is None:
        raise Refusal("not_found", f"No such memory is visible at {turn.view.level.name}.", "`list` shows what is.")
    return row


def _undecided(turn: Turn, memory_id: str) -> Memory:
    """A row at the caller's own level that waits for a decision. An agent is told of no others' proposals.

    It is pending, or disputed; or, for the owner, active and denied as often as makes others disputed.
    """
    row = turn.view.writer.by_id(name(memory_id, "id"))
    own = row is not None and (turn.actor.is_owner or row.status is Status.DISPUTED or _proposed_here(turn, row))
    stands_denied = row is not None and turn.actor.is_owner and row.served(turn.now) and row.deny_count >= DISPUTED_AT
    if row is None or not own or not (row.status in _UNDECIDED or stands_denied):
        raise Refusal(
            "not_found",
            f"No memory with this id waits for an answer at {turn.view.level.name}.",
            "`review` lists what waits.",
        )
    return row


def _proposed_here(turn: Turn, row: Memory) -> bool:
    """Tell whether the caller may know of a proposal: its own session's; an agent's name is a mere label."""
    return row.session == turn.actor.session


def _with_the_users_word(turn: Turn, quote: str | None) -> Speaker:
    """Raise ``not_yours`` unless the owner speaks, or an agent quotes the user and nothing speaks against it."""
    speaker = turn.speaker(quote)
    if speaker.owner:
        return speaker
    if quote is None or speaker.hearing is Hearing.UNATTENDED:
        raise Refusal(
            "not_yours", "An agent relays the user's answer, with their words as quote.", "Ask the user first."
        )
    if not speaker.relays_the_user(Source.USER_EXPLICIT):
        raise Refusal("not_yours", "The user was not heard to say this.", "Quote them word by word.")
    return speaker


def _note(value: str | None) -> str | None:
    return None if value is None else text(value, "reason", MAX_NOTE)


def settled(row: Memory) -> wire.Settled:
    """What became of a memory."""
    return wire.Settled(
        id=row.id,
        key=row.key,
        level=row.level.name,
        status=row.status.value,
        deny_count=row.deny_count,
        pinned=row.pinned,
    )
