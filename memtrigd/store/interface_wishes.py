"""What may be asked of one level about wishes to forget, and about what it hides of the levels below it."""

from collections.abc import Sequence
from typing import Protocol

from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Subject, Suppression


class WishReader(Protocol):
    """Reads of a level's suppressions, masks and denials."""

    def suppressions(self, limit: int | None = None) -> list[Suppression]:
        """What is not to be learnt again, the newest first, all or at most ``limit`` of it.

        Neither lifted ones nor those that an erase left.
        """

    def wishes(self, subject: Subject) -> list[Suppression]:
        """The standing suppressions that cover a subject, those that an erase left too, the newest first; by index."""

    def wishes_about(self, memory_id: str) -> list[Suppression]:
        """Every suppression that was made with a memory, lifted or not."""

    def wish(self, suppression_id: str) -> Suppression | None:
        """The suppression with this id, lifted or not."""

    def was_wished(self, entity: str) -> bool:
        """Tell whether an entity, by its canonical name, was ever to be brought up no more, lifted since or not."""

    def has_wishes(self) -> bool:
        """Tell whether any suppression stands here at all."""

    def digest(self, canonical_text: str) -> bytes:
        """The keyed digest under which a forgotten text is known at this level."""

    def key_digest(self, space: str, key: str) -> bytes:
        """The keyed digest under which an erased key is known at this level."""

    def masks(self, key: str, spaces: Sequence[str]) -> list[Mask]:
        """What deletes at this level hide of a key, for readers of ``spaces``."""

    def masks_on(self, memory_id: str) -> list[Mask]:
        """What deletes and forgets at this level hide of one lower memory, for readers of any space."""

    def masked(self) -> list[str]:
        """The ids of all lower memories that have a mask here, in order."""

    def denied(self) -> list[str]:
        """The ids of all lower memories that were denied here, in order."""
