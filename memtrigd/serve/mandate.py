"""Whose leave it takes to put the user's word away: asked before every deny, forget, delete and expire."""

from collections.abc import Iterable

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory
from memtrigd.domain.trust import Hearing, Speaker, is_users_word, may_delete, may_deny, may_wish
from memtrigd.serve.turn import Turn


def check_retiring(turn: Turn, rows: Iterable[Memory], quote: str | None) -> Speaker:
    """Return who denies or forgets these memories. Raises ``not_yours`` where one is the user's word and they are not.

    Raises ``untrusted`` where strangers may be speaking, and one is not what the session said itself.
    The refusal names none of the rows, and says the same of one as of many.
    """
    speaker = turn.speaker(quote)
    rows = list(rows)
    if not speaker.owner and not speaker.heard and any(row.pinned for row in rows):
        raise _pinned()
    if not all(may_deny(speaker, row) for row in rows):
        if speaker.untrusted and not any(map(is_users_word, rows)):
            raise _strangers()
        raise _no_user() if speaker.hearing is Hearing.UNATTENDED else _unheard(quote)
    return speaker


def check_wishing(speaker: Speaker) -> None:
    """Raise ``untrusted`` where strangers may be speaking: they would keep all agents from learning something."""
    if not may_wish(speaker):
        raise Refusal(
            "untrusted",
            "This session read what strangers wrote, and a wish to forget can't wait for the owner.",
            "What it proposed itself it takes back with reject; else let the user say it in another session.",
        )


def check_ending(turn: Turn, row: Memory) -> None:
    """Raise ``untrusted`` where strangers may be speaking, and a memory is not what the session said itself."""
    speaker = turn.speaker(None)
    if speaker.untrusted and not may_deny(speaker, row):
        raise _strangers()


def check_deleting(turn: Turn, row: Memory) -> None:
    """Raise ``not_yours`` where a memory is the user's word and no user is there, ``untrusted`` for strangers."""
    if row.pinned and not turn.actor.is_owner:
        raise _pinned()
    if not may_delete(turn.speaker(None), row):
        raise _strangers() if turn.actor.untrusted and not is_users_word(row) else _no_user()


def _pinned() -> Refusal:
    return Refusal(
        "not_yours",
        "The owner pinned this; an agent changes it only where the user was heard to want it.",
        "Tell the user: `memtrigctl pin --off` lets it go.",
    )


def _strangers() -> Refusal:
    return Refusal(
        "untrusted",
        "This session read what strangers wrote, so it puts away only what it said itself.",
        "Leave it as it is, or let the user say it in another session.",
    )


def _no_user() -> Refusal:
    return Refusal(
        "not_yours",
        "This weighs as the user's word, and no user is there in an unattended session.",
        "Leave it as it is, and ask the user in a session of theirs.",
    )


def _unheard(quote: str | None) -> Refusal:
    message = "This weighs as the user's word, and the user was not heard to want it away."
    hint = "Send the user's own words as quote." if quote is None else "Quote the user word by word."
    return Refusal("not_yours", message, hint)
