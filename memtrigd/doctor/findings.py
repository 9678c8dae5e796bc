"""Findings: one line of the doctor's, with what to do about it as the very command where there is one."""

import shlex
from collections.abc import Iterable

from memtrig import wire
from memtrig.homes import Home

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros, to_iso

NAMED = 5
"""Things of one kind that a line names; the others are counted."""


def ok(check: str, says: str, level: Level | None = None) -> wire.Finding:
    """All is well."""
    return wire.Finding(check=check, verdict="ok", says=says, level=_name(level))


def warn(check: str, says: str, todo: str, level: Level | None = None) -> wire.Finding:
    """Nothing is lost or open, and something should be done."""
    return wire.Finding(check=check, verdict="warn", says=says, todo=todo, level=_name(level))


def fail(check: str, says: str, todo: str, level: Level | None = None) -> wire.Finding:
    """Something is damaged, open to others, or not done that keeps memories safe."""
    return wire.Finding(check=check, verdict="fail", says=says, todo=todo, level=_name(level))


def command(home: Home, *words: str) -> str:
    """A command of memtrigctl on this home, as it can be typed into a shell."""
    whose = ["--home", home.root] if home.root else []
    return f"`{shlex.join(['memtrigctl', *whose, *words])}`"


def starting(home: Home) -> str:
    """The command that starts the daemon on this home."""
    return f"`{shlex.join(['memtrigd', *(['--home', home.root] if home.root else [])])}`"


def several(things: Iterable[object], between: str = ", ") -> str:
    """Name the first of some things, and count the others."""
    named = list(map(str, things))
    more = len(named) - NAMED
    return between.join(named[:NAMED]) + (f"{between}and {more:,} more" if more > 0 else "")


def sentences(said: Iterable[str]) -> str:
    """The first of some sentences, and how many others there are."""
    return several(said, " ")


def at(moment: Micros | None) -> str:
    """Say when something was, as people read it."""
    return "never" if moment is None else f"{to_iso(moment)[:16].replace('T', ' ')} UTC"


def span(micros: Micros) -> str:
    """Say how long something is, in the unit that fits."""
    for unit, name in ((DAY, "day"), (DAY // 24, "hour"), (DAY // 1440, "minute"), (1_000_000, "second")):
        if micros >= 2 * unit or unit == 1_000_000:
            return f"{micros // unit:,} {name}{'' if micros // unit == 1 else 's'}"
    return ""


def _name(level: Level | None) -> str | None:
    return None if level is None else level.name
