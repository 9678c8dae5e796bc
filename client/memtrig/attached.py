"""What every memory has, whatever is asked of it: a session, one question at a time, and an end."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Protocol, Self

from memtrig import wire
from memtrig.errors import IncompleteView
from memtrig.frames import R
from memtrig.link import Link


class Ask(Protocol):
    """One question of a session, and its answer, which must be of the kind asked for."""

    def __call__(self, request: wire.Request, kind: type[R], /) -> R:
        """Ask it."""


class Attached:
    """One session over a link. Use it as a context manager, or ``close()`` it."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.incomplete: tuple[str, ...] = ()
        """The levels that the last answer lacks: they are locked or damaged. There is an IncompleteView warning too."""

    @property
    def session(self) -> str | None:
        """The session's handle, by which a host or the owner names it."""
        return self._link.ticket.session

    @property
    def resume(self) -> str | None:
        """The token that goes on with this session in another connection. Keep it secret: it is the session."""
        return self._link.ticket.resume

    def close(self) -> None:
        """Close the connections, those of notices too. The session itself stays, for who has its token."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, request: wire.Request, kind: type[R]) -> R:
        result, missing = self._link.call(request, kind)
        self.incomplete = tuple(missing)
        if missing:
            warnings.warn(f"the answer lacks {', '.join(missing)}", IncompleteView, stacklevel=3)
        return result
