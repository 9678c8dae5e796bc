"""What may be asked of one level about what comes back to it from elsewhere, with its life."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from memtrigd.domain.memory import Memory

if TYPE_CHECKING:
    from memtrigd.store.interface import Change, Version

BROUGHT: Final = "bundle"
"""The op of the event that tells of a bundle, which it is ``about``: its reason is where the bundle was made."""


class BringReader(Protocol):
    """Reads of what came here before."""

    def brought(self, source: str) -> bool:
        """Tell whether rows of this bundle were taken here."""

    def has_event(self, change: "Change", about: str | None) -> bool:
        """Tell whether this very event is here."""


class BringWriter(BringReader, Protocol):
    """Writes of memories with their lives. Each step gets its own row in the journal, as of when it was taken there."""

    def bring(self, memory: Memory, steps: Sequence["Version"], terms: Sequence[str]) -> None:
        """Add a memory as it stands with all the steps of its life; their numbers are the journal's own."""

    def go_on(self, before: Memory, memory: Memory, steps: Sequence["Version"], terms: Sequence[str]) -> None:
        """Put a memory that is here, as it stands ``before``, into a later state, by further steps of its life."""
