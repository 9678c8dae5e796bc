"""Configuration: ``config/memtrigd.toml``, checked as a whole. No file is a good configuration."""

import tomllib
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import tzlocal
from memtrig.homes import Home
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import DEFAULT_LEVEL, Level, parse_level


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


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """All of it, with its defaults."""

    owner: Owner = Owner()
    time: Time = Time()
    notify: Notify = Notify()

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
        config = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Config)
        _ = config.notify.levels
    except FileNotFoundError:
        config = Config()
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
