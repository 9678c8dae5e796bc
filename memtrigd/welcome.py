"""What the daemon says at its start: that it is ready, what to type next, and which levels it can't serve and why."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from memtrig.homes import Home

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros

Holding: TypeAlias = Callable[[Level], Sequence[tuple[str, Micros]]]
"""The backups that hold a level, by name, the newest first."""


def welcome(home: Home, unavailable: Mapping[Level, Refusal], holding: Holding) -> str:
    """Say that all is ready and what to type next."""
    found = shutil.which("memtrigctl")
    command = "memtrigctl" if found else os.fspath(Path(sys.executable).with_name("memtrigctl"))
    command += f" --home {shlex.quote(home.root)}" if home.root else ""
    lines = [
        f"memtrigd {memtrigd.__version__} is ready (pid {os.getpid()}); memories in {home.state}",
        "Next, in another terminal:",
        f"  {command} save user-name 'Asha'",
        f"  {command} search 'what is my name?'",
        f"  {command} --as public whoami     # what an agent on the public socket may see",
    ]
    lines += [f"{level.name} can't be used: {unusable(why, level, holding)}" for level, why in unavailable.items()]
    return "\n".join(lines)


def unusable(why: Refusal, level: Level, holding: Holding) -> str:
    """Say why a level can't be used, what to do, and which backup there is to go back to."""
    back = way_back(level, holding)
    return " ".join(filter(None, (why.message, why.hint, f"`{back}` puts that back." if back else "")))


def way_back(level: Level, holding: Holding) -> str | None:
    """The command that puts back the newest backup of a level; None where there is none."""
    newest = next(iter(holding(level)), None)
    return None if newest is None else f"memtrigctl restore {newest[0]} --level {level.slug}"
