"""What may be asked of one level about credentials that its texts hold."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct

from memtrigd.domain.entries import Entry
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros
from memtrigd.domain.suppression import Suppression

if TYPE_CHECKING:
    from memtrigd.store.interface import Change

Clean: TypeAlias = Callable[[str], str]
"""A text without credentials."""


class Holder(StrEnum):
    """What has texts."""

    MEMORY = "memory"
    ARCHIVE = "archive"
    WISH = "wish"
    ENTRY = "entry"
    EVENT = "event"
    ANSWER = "answer"


class Texts(Struct, frozen=True):
    """The texts of one row, each with its field. ``number`` is its place in a walk, ``slot`` a memory's space and key.

    The texts of a memory's versions are called ``history``; those that the row has as well are not there twice.
    """

    number: int
    id: str
    at: Micros
    texts: tuple[tuple[str, str], ...]
    slot: tuple[str, str] | None = None


class ScrubReader(Protocol):
    """Reads of every text of a level, in service or not."""

    def texts(self, holder: Holder, after: int, limit: int) -> list[Texts]:
        """A slice of a walk over all rows of a sort, in number order after ``number``; of memories the archive too."""

    def forced(self) -> set[str]:
        """The ids of memories whose credentials the owner wanted to be kept."""

    def scrubbed(self) -> list[str]:
        """The ids of memories that credentials were taken out of."""

    def all_wishes(self) -> list[Suppression]:
        """Every suppression that names anything, lifted or not."""

    def all_masks(self) -> list[tuple[str, str]]:
        """The key and the lower memory of each mask."""


class ScrubWriter(ScrubReader, Protocol):
    """Writes that leave nothing of what was there, but for the log, which ``Upkeep.scrub`` empties."""

    def rewrite(self, memory: Memory, clean: Clean, terms: Sequence[str], change: "Change") -> None:
        """Put a memory's texts and those of its versions in the place of what they were, with a new salt.

        One journal row vouches for all of it. What was answered about the memory is forgotten.
        """

    def retell(self, wish: Suppression, change: "Change") -> None:
        """Put a suppression's key, entity, reason and digests in the place of what they were, with a new salt."""

    def rephrase(self, entry: Entry, change: "Change") -> None:
        """Put an entry's texts in the place of what they were, with a new salt."""

    def silence(self, number: int, change: "Change") -> None:
        """Take the reason of the event with this number away, and keep that of the change in its place."""

    def mask_under(self, key: str, old: str, memory_id: str) -> None:
        """Let what hides a lower memory under its ``old`` key be under its new one."""

    def drop_answers(self, numbers: list[int]) -> None:
        """Forget some answers that were given, by their numbers."""
