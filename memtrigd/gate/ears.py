"""What sessions heard from the user and what they were told by us: in memory, never on disk or in a log."""

from collections import OrderedDict, deque
from contextlib import suppress
from typing import Any, Final

from memtrigd.domain.speech import Heard

SESSIONS: Final = 1024
"""Sessions whose words are kept; the longest silent ones give way."""
TOLD: Final = 64
"""Memories that a session was served of late."""


class Ears:
    """One ear for each session. Used by all threads: each call touches it once, under the interpreter's lock."""

    def __init__(self) -> None:
        self._heard: OrderedDict[str, Heard] = OrderedDict()
        self._told: OrderedDict[str, deque[str]] = OrderedDict()

    def hear(self, session: str, words: str) -> None:
        """Keep what the user just said in a session."""
        heard = self._heard.setdefault(session, Heard())
        heard.hear(words)
        _keep_lately_used(self._heard, session)

    def attests(self, session: str | None, quote: str) -> bool:
        """Tell whether the user stated the quoted words in the session."""
        heard = self._heard.get(session) if session is not None else None
        return heard is not None and heard.attests(quote)

    def holds(self, session: str | None, quote: str) -> bool:
        """Tell whether the user said the quoted words in the session, as a statement or not."""
        heard = self._heard.get(session) if session is not None else None
        return heard is not None and heard.holds(quote)

    def tell(self, session: str | None, memory_id: str) -> None:
        """Note that a session was served a memory."""
        if session is None:
            return
        told = self._told.get(session)
        if told is None:
            told = self._told[session] = deque(maxlen=TOLD)
        told.append(memory_id)
        _keep_lately_used(self._told, session)

    def was_told(self, session: str | None, memory_id: str) -> bool:
        """Tell whether a session was lately served a memory."""
        told = self._told.get(session) if session is not None else None
        return told is not None and memory_id in told

    def left(self, session: str) -> None:
        """Forget what a session was told: nobody is there to parrot it. What it heard stays for who resumes it."""
        self._told.pop(session, None)

    def over(self, session: str) -> None:
        """Forget what was heard in a session: the conversation in which it was said is over."""
        self._heard.pop(session, None)

    def forget(self, session: str) -> None:
        """Forget a session that was ended."""
        self._told.pop(session, None)
        self._heard.pop(session, None)


def _keep_lately_used(ears: OrderedDict[str, Any], session: str) -> None:
    """Put a session last, and let the one that was silent for longest go where there are too many."""
    with suppress(KeyError):  # it may have left meanwhile, on another thread
        ears.move_to_end(session)
    while len(ears) > SESSIONS:
        ears.popitem(last=False)
