"""When to try again, and which session to ask for: decided here alike for the blocking and the asyncio client."""

from __future__ import annotations

import os
from time import monotonic

from memtrig import wire
from memtrig.errors import MemtrigError, ProtocolError, Refused

FIRST_PAUSE = 0.01
"""Seconds before the second attempt; each further pause is twice as long."""
LONGEST_PAUSE = 0.5


class Patience:
    """How long one call may still go on. Times are seconds on the monotonic clock."""

    __slots__ = ("_pause", "deadline", "repeating")

    def __init__(self, timeout: float) -> None:
        self.deadline = monotonic() + timeout
        self.repeating = False
        self._pause = FIRST_PAUSE

    def left(self) -> float:
        """Return the seconds that are left, negative once the time is up."""
        return self.deadline - monotonic()

    def pause(self, failure: MemtrigError) -> float:
        """Return how long to wait before the next attempt; raise ``failure`` if it's final or the time is up.

        Pauses are shortened at random by up to a half, lest the clients of a restarted daemon come back in step.
        """
        pause = self._pause * (1 - os.urandom(1)[0] / 512)
        if not failure.retryable or monotonic() + pause >= self.deadline:
            raise failure
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self.repeating = True
        return pause


class Ticket:
    """What a client holds of its session: the handle, and the token that re-attaches to it."""

    __slots__ = ("renewable", "resume", "session")

    def __init__(self, resume: str | None, *, renewable: bool) -> None:
        self.session: str | None = None
        self.resume = resume
        self.renewable = renewable

    def accept(self, welcome: wire.Welcome) -> None:
        """Keep what the daemon gave. Raises ProtocolError if it re-attached to another session than was asked for."""
        if self.session is not None and self.resume is not None and welcome.session != self.session:
            raise ProtocolError("protocol_error", f"Session {self.session} was asked for; {welcome.session} came back.")
        self.session, self.resume = welcome.session, welcome.resume

    def give_up(self, refusal: Refused, request: wire.Request | None, patience: Patience) -> None:
        """Let go of a session that the daemon no longer knows; raise ``refusal`` where no new one may take its place.

        A session that a host opened has a level that only the host may choose. A token from the caller's own hand
        was meant. And the daemon recognises a repeated write only within its session.
        """
        if refusal.code != "session_unknown" or not self.renewable or self.session is None:
            raise refusal
        self.resume = None
        if patience.repeating and isinstance(request, wire.Write):
            raise Refused(
                refusal.code,
                "The session is gone, so nobody can tell whether the write was done before the connection broke.",
                "Look, and write again if need be: the next call starts a new session.",
            ) from refusal
