"""Which model the configuration chooses, and how another is written there: of all else not a byte is changed."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from memtrigd.embedder.choice import Choice, choice
from memtrigd.embedder.shelf import Unusable
from memtrigd.embedder.shelf import write as write_whole

TABLE: Final = re.compile(r"^\s*\[\s*semantic\s*\]\s*(#.*)?$")
ANY_TABLE: Final = re.compile(r"^\s*\[")
FIELD: Final = re.compile(r"^\s*(on|model)\s*=")


class _Said(Struct):
    on: bool | None = None
    model: str | None = None


def read(config: Path) -> Choice:
    """What the file says; no file, or none of this, says nothing. Raises Unusable for one that can't be read."""
    said = _parsed(config, _text(config)).get("semantic", {})
    try:
        semantic = msgspec.convert(said, _Said)
    except msgspec.ValidationError as error:
        raise Unusable("bad_value", f"{config}: under [semantic]: {error}.") from error
    return choice(semantic.on, semantic.model)


def write(config: Path, chosen: Choice) -> None:
    """Write a choice into ``[semantic]``. Raises Unusable where that can't be done without touching anything else."""
    text = _text(config)
    before, fresh = _parsed(config, text), edited(text, chosen)
    wanted = {"on": chosen.on, **({"model": chosen.directory} if chosen.directory else {})}
    try:
        good = tomllib.loads(fresh) == {**before, "semantic": wanted}
    except tomllib.TOMLDecodeError:
        good = False
    if not good:
        raise Unusable("bad_value", f"{config} can't be edited here: say so under [semantic] yourself.")
    config.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(config.resolve(), fresh.encode())  # which may be a link to where somebody keeps such files


def edited(text: str, chosen: Choice) -> str:
    """A configuration with another choice, and all its other lines as they were."""
    said = [f"on = {'true' if chosen.on else 'false'}"]
    said += [f"model = {msgspec.json.encode(chosen.directory).decode()}"] if chosen.directory else []
    lines: list[str] = []
    inside = found = False
    for line in text.splitlines():
        if ANY_TABLE.match(line):
            inside = bool(TABLE.match(line))
            lines.append(line)
            lines += said if inside else []
            found |= inside
        elif not (inside and FIELD.match(line)):
            lines.append(line)
    lines += [] if found else ["", "[semantic]", *said] if lines else ["[semantic]", *said]
    return "\n".join(lines) + "\n"


def _text(config: Path) -> str:
    try:
        return config.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable("bad_value", f"{config} can't be read: {error}.") from error


def _parsed(config: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unusable("bad_value", f"{config}: {error}.") from error
