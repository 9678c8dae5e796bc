"""Files: whether each level's database and control.db are what they should be, down to every page and row."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memtrig import wire
from memtrig.homes import Home

from memtrigd.doctor.findings import at, command, fail, ok, sentences, span, starting, warn
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.search.analyser import terms_of
from memtrigd.store import control
from memtrigd.store.backup import backups_of
from memtrigd.store.checking import verify
from memtrigd.store.examination import Examined, Opening, examine, examine_control, header
from memtrigd.store.manifest import Manifest, listing
from memtrigd.store.restore import INTENT
from memtrigd.store.schema import CONTROL, LEVELS
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.verification import Pace

SKEW: Final[Micros] = 60_000_000
"""How far a clock may be behind what was written: two of them never agree to the microsecond."""
_HOLDS: Final = "Every page, row and index entry is as it should be, and the journal vouches for them."


def of_level(
    home: Home, level: Level, open_file: Opening, against: Refusal | None, *, known: bool, pace: Pace
) -> tuple[list[wire.Finding], Examined | None]:
    """Examine a level. ``known``: there was a file once; ``against`` is what the daemon has against it."""
    state, name = Path(home.state), file_name(level)
    path = state / name
    if not path.exists():
        if not known:
            return [ok("integrity", f"{name} is not made yet.", level)], None
        says = f"{name} is gone; it was there before."
        return [fail("integrity", says, way_back(home, level, pace), level)], None
    try:
        version = header(path, LEVELS[level])
        if version != LEVELS[level].version:
            return [_of_version(name, "integrity", version, LEVELS[level].version, level)], None
        found = examine(state, level, open_file, terms_of, pace)
    except Refusal as refusal:
        if refusal.retryable:
            return [warn("integrity", refusal.message, refusal.hint, level)], None
        return [fail("integrity", refusal.message, way_back(home, level, pace), level)], None
    return list(_told(home, level, found, against, pace)), found


def of_control(home: Home, open_file: Opening, pace: Pace) -> tuple[list[wire.Finding], dict[str, str]]:
    """Examine control.db; return its settings, too."""
    path = Path(home.state) / control.FILE
    todo = f"Stop the daemon; {command(home, 'restore', '--control')} puts that of the newest sound backup there."
    if not path.exists():
        makes = f"Start {starting(home)}: it makes a new one from what it finds."
        return [warn("control", "control.db is not there.", makes)], {}
    try:
        version = header(path, CONTROL)
        if version != CONTROL.version:
            return [_of_version(path.name, "control", version, CONTROL.version, None)], {}
        problems, settings = examine_control(Path(home.state), open_file, pace)
    except Refusal as refusal:
        passes = warn("control", refusal.message, refusal.hint)
        return [passes if refusal.retryable else fail("control", refusal.message, todo)], {}
    if problems:
        return [fail("control", f"control.db: {sentences(problems)}", todo)], settings
    return [ok("control", "control.db is sound.")], settings


def under_way(home: Home) -> Iterator[wire.Finding]:
    """Whether a restore was begun and not ended."""
    if (Path(home.state) / INTENT).exists():
        yield warn(
            "restore", "A restore was laid ready, and is not finished.", f"Start {starting(home)}: it finishes it."
        )


def clock(newest: Micros, now: Micros, drift: Micros) -> Iterator[wire.Finding]:
    """Whether the clock is behind what was written, or was set while the daemon ran."""
    todo = (
        "Set the clock right (`timedatectl` shows it). Memories that were saved meanwhile keep the times that they got."
    )
    if newest - now > SKEW:
        says = f"The clock is {span(newest - now)} behind what was written last, at {at(newest)}."
        yield warn("clock", says, todo)
    if abs(drift) > SKEW:
        way = "back" if drift < 0 else "forward"
        yield warn("clock", f"The clock was set {way} by {span(abs(drift))} since the daemon started.", todo)
    if newest - now <= SKEW and abs(drift) <= SKEW:
        yield ok(
            "clock", "The clock is not behind anything that was written; whether it is right can't be told from here."
        )


def newest_sound(state: Path, level: Level | None, pace: Pace) -> Manifest | None:
    """The newest backup that still is what was written, as far as a level goes, or control.db (None); it is read."""
    for manifest in listing(backups_of(state))[0]:
        wanted = [] if level is None else [level]
        if level is not None and level not in manifest.levels:
            continue
        if not any(verify(backups_of(state) / manifest.name, manifest, wanted, pace=pace).values()):
            return manifest
    return None


def way_back(home: Home, level: Level, pace: Pace) -> str:
    """What to do about a level that can't be used: the newest backup that was just read through, and the command."""
    found = newest_sound(Path(home.state), level, pace)
    if found is None:
        return "No sound backup holds it. Keep the file, and look for a copy elsewhere before anything else."
    back = command(home, "restore", found.name, "--level", level.slug)
    return f"With the daemon running, {back} puts back the backup of {at(found.at)}, which was just verified."


def _of_version(name: str, check: str, version: int, knows: int, level: Level | None) -> wire.Finding:
    """A file whose schema is not this program's."""
    if version > knows:
        says = f"{name} has schema {version}; this memtrigd knows {knows}."
        return fail(check, says, "Start the newer memtrigd that wrote it.", level)
    says = f"{name} has schema {version}, and is brought up to {knows} at the next start."
    return warn(check, says, "Start `memtrigd`: it makes a backup before.", level)


def _told(home: Home, level: Level, found: Examined, refusal: Refusal | None, pace: Pace) -> Iterator[wire.Finding]:
    name, repair = file_name(level), command(home, "doctor", "--repair")
    if found.schema or found.torn:
        says = f"{name}: {sentences([*found.schema, *found.torn])}"
        yield fail("integrity", says, way_back(home, level, pace), level)
        return
    if refusal is not None:
        says = f"The daemon does not serve {name}: {refusal.message}"
        first = "Stop the daemon, say" if found.mendable else "Restart the daemon. If that does not help:"
        yield fail("integrity", says, f"{first} {repair if found.mendable else way_back(home, level, pace)}", level)
    if found.index:
        says = f"The indexes of {name} are not what its rows ask for: {sentences(found.index)}"
        yield fail("index", says, f"{repair} makes them anew from the rows.", level)
    if found.journal:
        says = f"The journal of {name} does not vouch for what is there: {sentences(found.journal)}"
        todo = f"{command(home, 'audit', 'verify')} lists all. {way_back(home, level, pace)}"
        yield fail("audit", says, todo, level)
    if refusal is None and not found.index and not found.journal:
        yield ok("integrity", _HOLDS, level)
