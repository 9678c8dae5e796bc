"""What is asked and answered about the health of the daemon, its files and what it does by itself."""

from msgspec import Struct

from memtrig.wire.requests import Request
from memtrig.wire.results import Result


class Doctor(Request, frozen=True, tag="doctor"):
    """Look whether anything is wrong. Changes nothing, but with ``repair``; may take minutes.

    With ``repair`` indexes that are not what the rows ask for are made anew before, after a backup. Rows stay.
    """

    repair: bool = False


class Finding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was looked at. ``verdict`` is ok, warn or fail; ``todo`` is what to do where it is not ok."""

    check: str
    verdict: str
    says: str
    todo: str | None = None
    level: str | None = None


class Diagnosis(Result, frozen=True, tag="diagnosis"):
    """Everything that was looked at, in the order of a reading; ``server`` is the version of whoever looked."""

    findings: list[Finding]
    server: str
    protocol: int
