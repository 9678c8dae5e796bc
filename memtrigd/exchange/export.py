"""`python -m memtrigd.exchange.export`: what memtrigctl starts to have a backup written out. It prints msgpack maps.

It reads a backup, which is one state of every level and which nobody writes, so that the daemon and those who ask it
feel nothing of it. How far it is is told now and then, and at the end what was written.
"""

import argparse
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec
import tzlocal
from memtrig import homes

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.exchange import bundle, bundle_out, memory_trigger_out, people
from memtrigd.exchange.bundle import Manifest
from memtrigd.exchange.targets import Target, target
from memtrigd.store.backup import backups_of
from memtrigd.store.manifest import Manifest as Backup
from memtrigd.store.manifest import find
from memtrigd.store.portable import LevelCopy

EVERY: Final = 0.2
"""Seconds between two tellings of how far it is."""
FORMATS: Final = ("bundle", "markdown", "memory-trigger")


def main(argv: list[str] | None = None) -> int:
    """Write one export; exit code 1 if that is not possible, which is told as the last map."""
    asked = _asked(argv)
    os.umask(0o077)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # who is asked to stop leaves nothing half-written
    try:
        _say({"type": "end", **_exported(asked)})
    except Refusal as refusal:
        _say({"type": "error", "code": refusal.code, "message": refusal.message, "hint": refusal.hint})
        return 1
    except BrokenPipeError:  # nobody listens any more
        return 1
    except OSError as error:
        _say({"type": "error", "code": "bad_value", "message": f"{error.strerror or error}.", "hint": ""})
        return 1
    return 0


def _exported(asked: argparse.Namespace) -> dict[str, Any]:
    home = homes.find(asked.home)
    root = backups_of(Path(home.state))
    backup = find(root, asked.backup)
    wanted = [level for level in backup.levels if _is_wanted(asked, level)]
    others = [level for level in backup.levels if level not in wanted]
    with ExitStack() as stack:
        copies = {level: _opened(stack, root / backup.name, level, asked.space) for level in wanted}
        above = {level.name: count for level in others if (count := _count(root / backup.name, level))}
        counted = sum(copy.count() for copy in copies.values())
        _say({"type": "found", "memories": counted})
        place = Path(asked.path)
        zipped = asked.format == "bundle" and place.suffix.lower() == ".zip"
        made = {
            "format": asked.format,
            "path": asked.path,
            "backup": backup.name,
            "levels": [level.name for level in wanted],
            "left_out": above,
            "missing": [each.name for each in Level if _is_wanted(asked, each) and each not in wanted],
        }
        with target(place, zipped=zipped) as out:
            if asked.format == "bundle":
                whole = not others and asked.space is None
                return made | _bundle(out, copies, backup, asked.space, _settings(home) if whole else {})
            if asked.format == "memory-trigger":
                return made | _library(out, copies, asked.version)
            return made | _markdown(out, copies)


def _bundle(
    out: Target, copies: dict[Level, LevelCopy], backup: Backup, space: str | None, settings: dict[str, Path]
) -> dict[str, Any]:
    manifest = Manifest(
        memtrig=bundle.MARK,
        version=bundle.VERSION,
        made=to_iso(backup.at),
        daemon=memtrigd.__version__,
        backup=backup.name,
        levels={},
        space=space,
    )
    written = bundle_out.write(out, copies, manifest, settings, _Teller().one_more)
    parts = written.levels
    return {
        "rows": {level: part.rows for level, part in parts.items()},
        "keyed": {level: part.left_out for level, part in parts.items() if part.left_out},
    }


def _markdown(out: Target, copies: dict[Level, LevelCopy]) -> dict[str, Any]:
    told, zone, now = _Teller(), tzlocal.get_localzone(), _now()
    rows, names = dict[str, dict[str, int]](), set[str]()
    for level, copy in sorted(copies.items()):
        count = 0
        for space, memories in itertools.groupby(copy.served(), lambda row: row.space):
            name = people.file_name(level, space, names)
            names.add(name)

            def each(found: Iterator[Any]) -> Iterator[Any]:
                nonlocal count
                for row in found:
                    count += 1
                    told.one_more()
                    yield row

            out.write(name, people.page(level, space, each(memories), zone, now))
        rows[level.name] = {"memory": count}
    return {"rows": rows, "keyed": {}}


def _library(out: Target, copies: dict[Level, LevelCopy], version: str) -> dict[str, Any]:
    every = [copy for _, copy in sorted(copies.items())]
    written = memory_trigger_out.write(out, every, version, _now(), _Teller().one_more)
    return {"version": version, "rows": {"library": written["rows"]}, "keyed": {}, "homeless": written["homeless"]}


def _settings(home: homes.Home) -> dict[str, Path]:
    """The configuration and the guidance, by the names that they get."""
    config = Path(home.config)
    found = [config / "memtrigd.toml", config / "SPINE.md", *sorted((config / "agents").glob("*/SPINE.md"))]
    return {str(path.relative_to(config)): path for path in found if path.is_file() and not path.is_symlink()}


def _is_wanted(asked: argparse.Namespace, level: Level) -> bool:
    if asked.level is not None:
        return level is parse_level(asked.level)
    return asked.max_level is None or level in parse_level(asked.max_level).and_below()


def _opened(stack: ExitStack, place: Path, level: Level, space: str | None) -> LevelCopy:
    copy = LevelCopy(place, level, space)
    stack.callback(copy.close)
    return copy


def _count(place: Path, level: Level) -> int:
    copy = LevelCopy(place, level)
    try:
        return copy.count()
    finally:
        copy.close()


class _Teller:
    """Tells how many memories are written, as often as anybody reads."""

    def __init__(self) -> None:
        self._done, self._next = 0, 0.0

    def one_more(self) -> None:
        self._done += 1
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            _say({"type": "progress", "done": self._done})


def _now() -> Micros:
    return time.time_ns() // 1000


def _say(told: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.msgpack.encode(told))
    sys.stdout.flush()


def _asked(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("memtrigd.exchange.export", description=__doc__)
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("path", help="where it goes: a name that nothing has")
    parser.add_argument("--backup", required=True, help="the backup that is written out")
    parser.add_argument("--level", help="only this level")
    parser.add_argument("--max-level", help="this level and those below")
    parser.add_argument("--space", help="only this space")
    parser.add_argument("--version", choices=memory_trigger_out.VERSIONS, default=memory_trigger_out.VERSIONS[-1])
    parser.add_argument("--home", metavar="DIR")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
