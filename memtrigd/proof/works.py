"""Works: what the daemon has done apart, and the function that does each."""

from pathlib import Path
from typing import Any, TypeAlias

from memtrig import wire
from msgspec import Struct

from memtrigd.clockwork.apart import Drilling, Heard, Verifying
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros


class Proving(Struct, frozen=True, tag="prove"):
    """What a proof is made of beside the store in ``state``: the copies are served as the daemon in service serves."""

    state: str
    level: Level
    at: Micros
    zone: str
    guidance: wire.GuidanceShown
    started: Micros
    schema: int
    pid: int
    home: str
    copies: dict[Level, wire.Copies]

    @property
    def above(self) -> list[Level]:
        """The levels that are dropped, from the lowest."""
        return [each for each in Level if self.level in each.and_below() and each is not self.level]


Work: TypeAlias = Verifying | Proving | Drilling


def perform(work: Work, heard: Heard) -> Any:
    """Do a piece of work, and tell how far it is; return what it comes to. Raises the Refusal that it comes to.

    Each loads only what it needs: it is a new process that does it.
    """
    match work:
        case Verifying():
            from memtrigd.clockwork.audits import verified

            return verified(work, heard)
        case Proving():
            from memtrigd.proof.prover import prove

            return prove(work, heard)
        case Drilling():
            from memtrigd.clockwork.ways_back import tried_out

            return tried_out(Path(work.state), pace=lambda: None)
