"""What the daemon says when it will not or can't do a thing: one exception, one table of codes."""

from typing import Final


class Refusal(Exception):
    """A typed error that goes back to the caller as it stands.

    ``code`` is stable and for programs, ``message`` a plain sentence, ``hint`` the way out. ``retryable`` promises
    that the same request may succeed later without any change. Neither text may hold what the caller can't see.
    """

    def __init__(self, code: str, message: str, hint: str = "", *, retryable: bool = False) -> None:
        if code not in CODES:
            raise AssertionError(f"error code {code!r} is not in the table")
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.retryable = retryable


CODES: Final[dict[str, str]] = {
    # what was asked
    "bad_frame": "The bytes are not a frame of this protocol.",
    "bad_request": "The request has an unknown operation or field, a missing field, or a value of the wrong type.",
    "bad_value": "A field has a value that can't be stored: blank, too long, or with characters that have no place.",
    "bad_kind": "The kind is not one of the ten.",
    "bad_source": "The source is not one of those that a claim may have.",
    "bad_level": "The level is not one of the four.",
    "bad_time": "A time can't be read.",
    "bad_cursor": "The cursor is not one that this daemon gave for this list.",
    "too_large": "A field or a frame is over its documented limit.",
    "protocol_version": "The client speaks a version of the protocol that this daemon does not.",
    "hello_first": "The first request on a level socket must be hello.",
    "key_reused": "The idempotency key was used before for a different request.",
    # who asks
    "not_here": "This socket does not carry that operation.",
    "not_yours": "The caller may not do that to this memory or session.",
    "owner_from_agent": "A control request came from a process that runs under an agent.",
    "over_ceiling": "The session may not be raised above the ceiling it was opened with.",
    "taint_never_falls": "A session's level only rises; a lower one needs a new session.",
    "session_unknown": "No session has this handle or resume token on this socket.",
    "session_ended": "The session was ended.",
    "untrusted": "The session read what strangers wrote, so it may not do what can't wait for the owner's yes.",
    "confirm_count": "So much would be forgotten that an agent must say the count back.",
    "secret": "A text holds a credential: a password, a key or a token.",
    "forgotten": "The user asked to forget this, and only the user's word brings it back.",
    # what was found
    "not_found": "No such memory is visible at this level.",
    "slot_taken": "The key belongs to another memory than the one to be replaced.",
    "diverged": "A memory changed here and in a bundle, each in its way; what is here stays.",
    "level_not_empty": "The level has memories, and a bundle goes there only if the owner says to trust it.",
    # how the daemon is
    "busy": "Too much work is waiting at this level.",
    "quota": "The agent has or saves as much as the owner lets it at this level.",
    "disk_full": "The disk is full; nothing of the request was written.",
    "store_locked": "Another process holds the database; nothing of the request was written.",
    "level_unavailable": "The database of this level can't be used; the daemon does not write over it.",
    "stopping": "The daemon is stopping or has lost its disk; the request may or may not have been written.",
    "internal": "The daemon has a fault; the log has its trace.",
}
