"""What sessions heard from the user and what they were told by us: in memory, never on disk or in a log."""

from collections import OrderedDict, deque
from typing import Final

from msgspec import Struct, field

from memtrigd.domain.speech import Heard

SESSIONS: Final = 1024
"""Sessions whose words are kept; the longest silent ones give way."""
TOLD: Final = 64
"""Memories that a session was served of late."""


class _Ear(Struct):
    heard: Heard = field(default_factory=Heard)
    told: deque[str] = field(default_factory=lambda: deque(maxlen=TOLD))


class Ears:
    """One ear for each session. Used by all threads: each call touches it once, under the interpreter's lock."""

    def __init__(self) -> None:
        self._ears: OrderedDict[str, _Ear] = OrderedDict()

    def hear(self, session: str, words: str) -> None:
        """Keep what the user just said in a session."""
        self._ear(session).heard.hear(words)

    def attests(self, session: str | None, quote: str) -> bool:
        """Tell whether the user said the quoted words in the session."""
        ear = self._ears.get(session) if session is not None else None
        return ear is not None and ear.heard.attests(quote)

    def tell(self, session: str | None, memory_id: str) -> None:
        """Note that a session was served a memory."""
        if session is not None:
            self._ear(session).told.append(memory_id)

    def was_told(self, session: str | None, memory_id: str) -> bool:
        """Tell whether a session was lately served a memory."""
        ear = self._ears.get(session) if session is not None else None
        return ear is not None and memory_id in ear.told

    def forget(self, session: str) -> None:
        """Forget a session that was ended."""
        self._ears.pop(session, None)

    def _ear(self, session: str) -> _Ear:
        ear = self._ears.get(session)
        if ear is None:
            ear = self._ears[session] = _Ear()
            while len(self._ears) > SESSIONS:
                self._ears.popitem(last=False)
        else:
            self._ears.move_to_end(session)
        return ear
