"""Routines: what the daemon does by itself, and what it was told by the owner's files, as control.db and these tell."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
from memtrig import wire
from memtrig.homes import Home

from memtrigd.clockwork.copybook import Page
from memtrigd.config import BadConfig, Config, load
from memtrigd.doctor.findings import at, command, fail, ok, span, warn
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros
from memtrigd.embedder.client import Condition
from memtrigd.guidance import spine
from memtrigd.store.backup import backups_of
from memtrigd.store.manifest import listing

LATE: Final = 2
"""Periods after which a job is overdue."""
_DAILY: Final = {"housekeeping": "The daily housekeeping", "dream": "The dream cycle"}
"""What is always done, as control.db calls it and as people do."""


def configuration(home: Home) -> tuple[Config, list[wire.Finding]]:
    """The configuration; one that can't be used is as good as none, and told of."""
    try:
        return load(home), [ok("config", "The configuration can be used.")]
    except BadConfig as error:
        todo = "Mend the file; until then the daemon does not start, and one that runs keeps what it had."
        return Config(), [fail("config", f"{error}", todo)]


def guidance(home: Home) -> list[wire.Finding]:
    """Whether the files of guidance can be used."""
    wrong, config = [], Path(home.config)
    agents = sorted(config.glob(f"agents/*/{spine.NAME}"))
    common = config / spine.NAME
    for path in [*([common] if os.path.lexists(common) else []), *agents]:
        try:
            spine.read(path)
        except spine.Unfit as unfit:
            todo = f"Mend it: {command(home, 'guidance', 'edit')}. Its last good version is in force."
            wrong.append(warn("guidance", f"{path} {unfit}.", todo))
    return wrong or [ok("guidance", "The guidance that is there can be used.")]


def model(home: Home, condition: Condition) -> wire.Finding:
    """How it is with the model; without one every search is answered all the same."""
    if condition.state == "failed":
        back = command(home, "model", "use", "installed")
        todo = f"{command(home, 'model', 'verify')} looks at it; {back} is a way back."
        return warn("model", f"Searches go by the words alone: {condition.message}", todo)
    says = {
        "off": "No model is used: searches go by the words.",
        "warming": "The model is being made ready: until then searches go by the words.",
        "ready": f"The model {condition.name} tells what texts mean.",
    }
    return ok("model", says[condition.state])


def backups(home: Home, level: Level, config: Config, settings: Mapping[str, str], now: Micros) -> list[wire.Finding]:
    """How the last backup and the last drill of a level went."""
    page = _page(settings.get(f"backup.{level.slug}"))
    held = [each for each in listing(backups_of(Path(home.state)))[0] if level in each.levels]
    make, every = f"{command(home, 'backup', 'now')} makes one.", config.backup.every
    good = held[0].at if held else None
    wrong = []
    if good is None and page is not None and now - page.since < LATE * every:
        wrong.append(ok("backup", "No backup is there yet; the first comes soon after the first start.", level))
    elif good is None:
        wrong.append(fail("backup", "No backup holds it.", make, level))
    elif not config.backup.on and now - good > LATE * every:
        says = f"The last backup is {span(now - good)} old, and none are made by themselves."
        wrong.append(warn("backup", says, make, level))
    elif now - good > LATE * every:
        wrong.append(fail("backup", f"The last good backup is {span(now - good)} old.", make, level))
    if page is not None and page.failed is not None:
        says = f"The last backup could not be made ({page.failed}); the last good one is of {at(good)}."
        wrong.append(fail("backup", says, f"See to what is wrong above. Then {make}", level))
    if page is not None and page.drill_failed:
        says = f"The backup of before {at(page.drill)} could not be restored in the drill."
        wrong.append(fail("drill", says, f"A newer one is tried out within a day. Until then, {make}", level))
    tried = None if page is None else page.drill
    if not wrong and tried is None:
        wrong.append(ok("backup", f"The last good backup is of {at(good)}; none was tried out yet.", level))
    elif not wrong and tried is not None and now - tried > LATE * config.backup.drill_every and config.backup.on:
        says = f"No restore was tried out for {span(now - tried)}."
        wrong.append(warn("drill", says, f"Leave the daemon running, or: {command(home, 'backup', 'verify')}", level))
    return wrong or [ok("backup", f"The last good backup is of {at(good)}, the last drill of {at(tried)}.", level)]


def schedules(settings: Mapping[str, str], now: Micros) -> list[wire.Finding]:
    """Whether what is done daily was done."""
    wrong = []
    for job, name in _DAILY.items():
        last = _moment(settings.get(f"last_run.{job}"))
        if last is not None and now - last > LATE * DAY:
            says = f"{name} was last begun {span(now - last)} ago."
            wrong.append(warn("schedules", says, "Let `memtrigd` run: it makes up for it at once."))
        elif last is not None and last > now:
            says = f"{name} was last begun at {at(last)}, which is still to come: the clock was set back."
            wrong.append(warn("schedules", says, "Nothing but to see that the clock is right: it is done again today."))
    for level in Level:
        dream = _dream(settings.get(f"dream.{level.slug}"))
        if dream is not None and dream.failed:
            says = f"The dream cycle of {dream.at} failed."
            wrong.append(warn("schedules", says, "The log has why (`no_dream`); it is tried again each night.", level))
        elif dream is not None and dream.stopped:
            says = f"The dream cycle of {dream.at} stopped: {dream.expired:,} memories would have run out at once."
            wrong.append(warn("schedules", says, "`memtrigctl decay` says more; is the clock right?", level))
    return wrong or [ok("schedules", "What is done daily was done.")]


def unreadable(home: Home) -> Iterator[wire.Finding]:
    """What lies among the backups, looks like one, and is none."""
    names = listing(backups_of(Path(home.state)))[1]
    for name in names:
        todo = "Move it away, or leave it: nothing is restored from it."
        yield warn("backup", f"Backup {name} can't be read.", todo)


def _page(line: str | None) -> Page | None:
    try:
        return None if line is None else msgspec.json.decode(line, type=Page)
    except msgspec.DecodeError:
        return None


def _dream(line: str | None) -> wire.Dream | None:
    try:
        return None if line is None else msgspec.json.decode(line, type=wire.Dream)
    except msgspec.DecodeError:
        return None


def _moment(line: str | None) -> Micros | None:
    return int(line) if line is not None and line.lstrip("-").isdecimal() else None
