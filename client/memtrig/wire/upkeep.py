"""What can be asked about the upkeep of a store."""

from memtrig.wire.requests import Request, Write


class Vacuum(Write, frozen=True, kw_only=True, tag="vacuum"):
    """Archive what was superseded more than 90 days ago at the caller's own level. It stays in ``history``."""

    dry_run: bool = False


class Selfcheck(Request, frozen=True, tag="selfcheck"):
    """Look for memories that contradict the rules of the store, at the levels in sight. Changes nothing."""


class Recover(Request, frozen=True, tag="recover"):
    """Tell what an interrupted write left behind, and what became of it. Replays nothing."""


class Init(Request, frozen=True, tag="init"):
    """Tell what is set up. Nothing needs it: a daemon that answers is ready."""
