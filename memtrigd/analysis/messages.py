"""What is told on the pipes of the analysis: one batch of records, and then what it comes to."""

from memtrig import wire
from msgspec import Struct

from memtrigd.gate.policy import Actor


class Preparing(Struct, frozen=True):
    """A batch is to be screened and prepared for ``actor``; ``zone`` is that of naive times, by its IANA name."""

    request: wire.Import
    actor: Actor
    zone: str
