"""Taking back what a session did at a level to no memory of it: wishes, and lower memories hidden and denied."""

from collections import Counter

from memtrigd.domain.memory import Memory
from memtrigd.serve.below import forgive
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import lift
from memtrigd.store.interface import Event


def take_back(turn: Turn, session: str, *, dry_run: bool) -> tuple[int, list[Memory]]:
    """Take back, the newest first, what stands as the session left it; or only tell what it would be.

    Returns how much it was, and the lower memories among it. What was lifted, hidden or denied otherwise since stays.
    """
    events = turn.view.writer.session_events(session)
    below = _lower(turn, events)
    done = sum(_wish(turn, event, dry_run=dry_run) for event in events)
    masked = {event.about for event in events if event.op == "mask"}
    denials = Counter(event.about for event in events if event.op == "deny_below")
    touched = [row for row in below if _released(turn, row, row.id in masked, denials[row.id], dry_run=dry_run)]
    return done + len(touched), touched


def _lower(turn: Turn, events: list[Event]) -> list[Memory]:
    """The lower memories that events are about, each once."""
    named = dict.fromkeys(each.about for each in events if each.about and each.op in ("mask", "deny_below"))
    return [row for memory_id in named if (row := turn.view.find(memory_id)) is not None and not row.erased]


def _wish(turn: Turn, event: Event, *, dry_run: bool) -> bool:
    """Lift a wish that the session kept, or let one stand again that it lifted; tell whether it was as it left it."""
    store = turn.view.writer
    wish = store.wish(event.about) if event.about and event.op in ("suppress", "lift") else None
    if wish is None or wish.lifted_at != (None if event.op == "suppress" else event.at):
        return False
    if not dry_run and event.op == "suppress":
        lift(turn, wish.id)
    elif not dry_run:
        store.reinstate(wish.id, turn.change("reinstate"))
    return True


def _released(turn: Turn, row: Memory, masked: bool, denials: int, *, dry_run: bool) -> bool:
    """Show a lower memory again that the session hid, and take back as many denials as it made and still stand."""
    store = turn.view.writer
    page = store.ledger(row.id)
    hidden = masked and bool(store.masks_on(row.id))
    denied = min(denials, page.deny_count) if page is not None else 0
    if not dry_run and hidden:
        store.unmask(row.id, turn.change("unmask"))
    if not dry_run and page is not None and denied:
        forgive(turn, page, denied)
    return hidden or denied > 0
