"""What the rest of the daemon may ask of control.db: whatever must outlive the daemon and names no content."""

from typing import Protocol

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Hearing


class SessionRow(Struct, frozen=True, kw_only=True):
    """A session as it is kept. ``origin`` is the socket that minted it; of the resume token only a hash is here."""

    id: str
    token_hash: bytes
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    origin: str
    start_level: Level
    level: Level
    ceiling: Level
    opened: Micros
    seen: Micros
    ended: Micros | None = None
    hearing: Hearing = Hearing.NONE
    untrusted: bool = False
    """It read what strangers wrote: what it says waits for the owner. It never ends."""


class ControlReader(Protocol):
    """Reads of what must outlive the daemon and names no content: sessions and settings."""

    def by_token(self, token_hash: bytes) -> SessionRow | None:
        """The session whose resume token has this hash, ended or not."""

    def by_id(self, session: str) -> SessionRow | None:
        """The session with this handle, ended or not."""

    def all(self, *, include_ended: bool = False, limit: int = -1) -> list[SessionRow]:
        """The sessions, the newest first: ``limit`` of them at most, every one if it is negative."""

    def count(self) -> int:
        """How many sessions are kept, ended or not."""

    def setting(self, name: str) -> str | None:
        """The value of a setting, or None."""

    def settings(self, prefix: str) -> dict[str, str]:
        """The settings whose names begin so, in order."""

    def journal_end(self, level: Level) -> tuple[int, str] | None:
        """Where a level's journal ended when that was last kept: number and seal of its newest row."""


class ControlWriter(ControlReader, Protocol):
    """Writes of sessions and settings, each inside the writer's transaction."""

    def add(self, row: SessionRow) -> None:
        """Keep a new session."""

    def set_level(self, session: str, level: Level, at: Micros) -> Level:
        """Raise a living session to ``level``; return the level then in force, which may be higher.

        Raises Refusal ``session_unknown``, ``session_ended`` or ``over_ceiling``.
        """

    def hear(self, session: str, hearing: Hearing) -> None:
        """Note that a session's user can be heard: from then on a relayed word counts only if it was."""

    def distrust(self, session: str) -> None:
        """Note that a session read what strangers wrote. There is no way back."""

    def touch(self, session: str, at: Micros) -> None:
        """Note that the session was there at ``at``."""

    def end(self, session: str, at: Micros) -> bool:
        """End a session for good; tell whether it was still living."""

    def prune(self, before: Micros) -> int:
        """Drop the sessions that ended or were last seen before ``before``; return how many."""

    def keep_journal_end(self, level: Level, seq: int, seal: str) -> bool:
        """Keep where a level's journal ends; False if it ended later once, which then stays the anchor."""

    def set_setting(self, name: str, value: str) -> None:
        """Keep a setting."""

    def drop_setting(self, name: str) -> None:
        """Drop a setting, if there is one."""
