"""What sessions heard from the user and what they were told by us: in memory, never on disk or in a log."""

from collections import OrderedDict, deque
from contextlib import suppress
from typing import Final

from memtrigd.domain.levels import Level
from memtrigd.domain.speech import Heard, Utterance

SESSIONS: Final = 1024
"""Sessions of one level whose words are kept; the longest silent ones give way. Of one level: what is heard above must
not have a low session lose the user's word."""
TOLD: Final = 64
"""Memories that a session was served of late."""


class Ears:
    """One ear for each session. Used by all threads: each call touches it once, under the interpreter's lock."""

    def __init__(self) -> None:
        self._heard: dict[Level, OrderedDict[str, Heard]] = {level: OrderedDict() for level in Level}
        self._told: dict[str, deque[str]] = {}
        """Only of sessions that are connected, so that it needs no bound."""

    def hear(self, session: str, level: Level, words: str | Utterance) -> None:
        """Keep what the user just said in a session that is at a level now; at a lower one it may have heard before.

        Where many sessions hear the same, one Utterance for all of them is kept once.
        """
        ears = self._heard[level]
        ears.setdefault(session, Heard()).hear(words)
        with suppress(KeyError):  # it may have left meanwhile, on another thread
            ears.move_to_end(session)
        while len(ears) > SESSIONS:
            ears.popitem(last=False)

    def attests(self, session: str | None, quote: str) -> bool:
        """Tell whether the user stated the quoted words in the session."""
        return any(heard.attests(quote) for heard in self._of(session))

    def holds(self, session: str | None, quote: str) -> bool:
        """Tell whether the user said the quoted words in the session, as a statement or not."""
        return any(heard.holds(quote) for heard in self._of(session))

    def tell(self, session: str | None, memory_id: str) -> None:
        """Note that a session was served a memory."""
        if session is not None:
            self._told.setdefault(session, deque(maxlen=TOLD)).append(memory_id)

    def was_told(self, session: str | None, memory_id: str) -> bool:
        """Tell whether a session was lately served a memory."""
        told = self._told.get(session) if session is not None else None
        return told is not None and memory_id in told

    def left(self, session: str) -> None:
        """Forget what a session was told: nobody is there to parrot it. What it heard stays for who resumes it."""
        self._told.pop(session, None)

    def over(self, session: str) -> None:
        """Forget what was heard in a session: the conversation in which it was said is over."""
        for ears in self._heard.values():
            ears.pop(session, None)

    def forget(self, session: str) -> None:
        """Forget a session that was ended."""
        self.left(session)
        self.over(session)

    def _of(self, session: str | None) -> list[Heard]:
        """What a session heard, at whichever levels it was."""
        found = (ears.get(session) for ears in self._heard.values()) if session is not None else ()
        return [heard for heard in found if heard is not None]
