"""Configuration: ``config/memtrigd.toml``, checked as a whole. No file is a good configuration."""

import os
import stat
import tomllib
from datetime import tzinfo
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import tzlocal
from memtrig.homes import Home
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import DEFAULT_LEVEL, Level, parse_level
from memtrigd.domain.moments import DAY, Micros
from memtrigd.domain.quotas import Quota
from memtrigd.domain.retention import Keep
from memtrigd.embedder.choice import Choice, choice


class Owner(Struct, frozen=True, forbid_unknown_fields=True):
    """``[owner]``. ``seat_belt``: refuse the owner's verbs to processes that run under an agent."""

    seat_belt: bool = True


class Time(Struct, frozen=True, forbid_unknown_fields=True):
    """``[time]``. ``zone``: an IANA name in which times without an offset are read; unsaid, the machine's."""

    zone: str | None = None


class Notify(Struct, frozen=True, forbid_unknown_fields=True):
    """``[notify]``. ``command``: a program with its arguments, run once for each promise that falls due; unsaid, none.

    ``promises``: whether it is run; ``max_level``: up to which level; ``say_text``: whether the promise's text goes to
    its standard input, in place of "A promise is due."
    """

    command: list[str] = []
    promises: bool = True
    max_level: str = DEFAULT_LEVEL.name
    say_text: bool = False

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels whose promises are told of. Raises Refusal for a ``max_level`` that is none."""
        return parse_level(self.max_level).and_below()


class Backup(Struct, frozen=True, forbid_unknown_fields=True):
    """``[backup]``. ``on``: whether the daemon makes backups by itself, every so many hours, and tries one out.

    ``keep_daily`` and so on: of how many days, weeks and months the newest is kept. ``copies``: further directories
    that get each, by absolute paths; ``never_leaves``: the levels that are not in those.
    """

    on: bool = True
    every_hours: float = 24
    drill_every_days: float = 7
    keep_daily: int = 7
    keep_weekly: int = 4
    keep_monthly: int = 6
    copies: list[str] = []
    never_leaves: list[str] = []

    @property
    def every(self) -> Micros:
        """The time between backups. Raises ValueError for less than an hour."""
        return _period("every_hours", self.every_hours, DAY // 24)

    @property
    def drill_every(self) -> Micros:
        """The time between drills. Raises ValueError for less than a day."""
        return _period("drill_every_days", self.drill_every_days, DAY)

    @property
    def keep(self) -> Keep:
        """What is kept. Raises ValueError for negative numbers."""
        keep = Keep(self.keep_daily, self.keep_weekly, self.keep_monthly)
        if min(keep.daily, keep.weekly, keep.monthly) < 0:
            raise ValueError("keep_daily, keep_weekly and keep_monthly under [backup] can't be negative")
        return keep

    @property
    def directories(self) -> tuple[Path, ...]:
        """Where copies go. Raises ValueError for a relative path: it would depend on where the daemon was started."""
        for directory in self.copies:
            if not Path(directory).is_absolute():
                raise ValueError(f"copies under [backup] names {directory!r}, which is not an absolute path")
        return tuple(map(Path, self.copies))

    @property
    def kept_in(self) -> frozenset[Level]:
        """The levels that are in no copy. Raises Refusal for one that is none."""
        return frozenset(map(parse_level, self.never_leaves))


class Semantic(Struct, frozen=True, forbid_unknown_fields=True):
    """``[semantic]``. ``on``: whether searches go by meaning too, where a model is installed; unsaid, they do.

    ``model``: a directory with a ``model.onnx`` and a ``tokenizer.json``, by its absolute path, instead of that model.
    MEMTRIG_SEMANTIC=off in the daemon's environment stands for ``on = false`` where nothing is said.
    """

    on: bool | None = None
    model: str | None = None

    @property
    def choice(self) -> Choice:
        """Which model is wanted. Raises ValueError for a relative path."""
        if self.model is not None and not Path(self.model).is_absolute():
            raise ValueError(f"model under [semantic] is {self.model!r}, which is not an absolute path")
        return choice(self.on, self.model)


class Log(Struct, frozen=True, forbid_unknown_fields=True):
    """``[log]``. ``level``: the least that is logged; ``debug`` has a line for each request, without its contents."""

    level: Literal["debug", "info", "warning", "error", "critical"] = "info"


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """All of it, with its defaults."""

    owner: Owner = Owner()
    time: Time = Time()
    notify: Notify = Notify()
    backup: Backup = Backup()
    quota: Quota = Quota()
    semantic: Semantic = Semantic()
    log: Log = Log()

    @property
    def zone(self) -> tzinfo:
        """The zone of naive times."""
        return ZoneInfo(self.time.zone) if self.time.zone else tzlocal.get_localzone()


class BadConfig(Exception):
    """The configuration can't be used; the message names the file and what is wrong in it."""


def load(home: Home) -> Config:
    """Read the configuration of a home. Raises BadConfig for unknown names, wrong types, or a zone nobody knows."""
    path = Path(home.config) / "memtrigd.toml"
    try:
        config = msgspec.convert(tomllib.loads(_text(path)), Config)
        backup = config.backup
        config.quota.check()
        _ = config.semantic.choice
        _ = config.notify.levels, backup.every, backup.drill_every, backup.keep, backup.directories, backup.kept_in
    except FileNotFoundError:
        config = Config()
    except RecursionError as error:
        raise BadConfig(f"{path}: its values are nested too deeply") from error
    except (OSError, ValueError, msgspec.ValidationError, Refusal) as error:
        raise BadConfig(f"{path}: {error}") from error
    try:
        _ = config.zone
    except (OSError, ValueError, ZoneInfoNotFoundError) as error:
        wrong = (
            f"zone = {config.time.zone!r} under [time]" if config.time.zone else "this machine's own, or that in TZ,"
        )
        advice = f"Name one in {path} under [time], such as zone = 'Asia/Kolkata'."
        raise BadConfig(f"The time zone is not one that can be used: {wrong} is unknown. {advice}") from error
    return config


def load_again(home: Home, current: Config) -> Config:
    """Read the configuration once more; a bad one leaves the one in force."""
    try:
        return load(home)
    except BadConfig:
        return current


def _text(path: Path) -> str:
    """Read a regular file: a pipe in its place would hold up the whole daemon."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    with os.fdopen(descriptor, encoding="utf-8") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("is not a regular file")
        return file.read()


def _period(name: str, number: float, unit: Micros) -> Micros:
    if not 1 <= number <= 10_000:
        raise ValueError(f"{name} under [backup] is {number}; it can be 1 to 10000")
    return round(number * unit)
