"""What may be asked of one level about its journal."""

from typing import Protocol

from msgspec import Struct

from memtrigd.domain.moments import Micros


class Sealed(Struct, frozen=True):
    """A row of the journal. ``about`` is what changed, empty where nothing of the level did; ``seal`` hexadecimal."""

    seq: int
    at: Micros
    op: str
    about: str
    actor: str
    session: str | None
    seal: str


class JournalReader(Protocol):
    """Reads of the journal of one level."""

    def journal(self, place: int | None, since: Micros | None, limit: int, *, oldest_first: bool) -> list[Sealed]:
        """The journal's rows behind ``place``, a number, that are not older than ``since``; ``limit`` at most."""

    def journal_end(self) -> tuple[int, str]:
        """The number and the seal (hexadecimal) of the journal's newest row: an anchor to keep outside the file."""
