"""`python -m memtrigd.exchange.bundle_in PATH`: what memtrigctl starts to have a bundle read. It prints msgpack maps.

All files are held against the manifest and every row is read before the first is told. Names come from the format and
never from the bundle, so that no path in it leads anywhere.
"""

import argparse
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

import msgspec
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Status
from memtrigd.exchange import bundle
from memtrigd.exchange.bundle import Manifest

LONGEST: Final = 7 << 20
"""Bytes of a row: a frame takes it with what is around it."""
_LARGEST: Final = 16 << 20
"""Bytes of a manifest."""
_PIECE: Final = 1 << 20
_rows: Final = msgspec.json.Decoder(wire.AnyBundled)


class Bundle:
    """A bundle, opened. Raises Refusal ``bad_value`` for what is none, or not as it was made; OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._zipped = path.is_file()
        self.manifest = _manifest(self._read(bundle.MANIFEST, _LARGEST))

    def check(self) -> None:
        """Hold every level's file against the manifest. Raises Refusal, which names the file."""
        for level, part in self.manifest.levels.items():
            name, digest, size = bundle.FILES[level], sha256(), 0
            with self._opened(name) as file:
                while size <= part.bytes and (piece := file.read(_PIECE)):
                    digest.update(piece)
                    size += len(piece)
            if size < part.bytes:
                raise _no_bundle(f"{name} is cut short: {size:,} of {part.bytes:,} bytes are there")
            if size > part.bytes or digest.hexdigest() != part.sha256:
                raise _no_bundle(f"{name} is not as the bundle was made: its SHA-256 is another")

    def rows(self, level: str, wanted: Callable[[wire.AnyBundled], bool]) -> Iterator[dict[str, Any]]:
        """The rows of a level that are wanted, and what can't be read as one, each with its line."""
        for number, line in enumerate(self._lines(level), 1):
            place = f"{bundle.FILES[level]}, line {number}"
            if len(line) > LONGEST:
                message = f"The row is longer than {LONGEST:,} bytes: no frame takes it."
                yield {"type": "left", "place": place, "code": "too_large", "message": message, "raw": None}
                continue
            try:
                row = _rows.decode(line)
            except msgspec.DecodeError as error:
                message, raw = f"{str(error)[:300]}.", line.decode(errors="replace").rstrip("\n")
                yield {"type": "left", "place": place, "code": "bad_value", "message": message, "raw": raw}
                continue
            if wanted(row):
                yield {"type": "row", "place": place, "row": msgspec.to_builtins(row)}

    def _lines(self, level: str) -> Iterator[bytes]:
        with self._opened(bundle.FILES[level]) as file:
            while line := file.readline(LONGEST + 1):
                yield line
                while len(line) > LONGEST and not line.endswith(b"\n") and line:
                    line = file.readline(LONGEST + 1)

    def _read(self, name: str, limit: int) -> bytes:
        with self._opened(name) as file:
            found = file.read(limit + 1)
        if len(found) > limit:
            raise _no_bundle(f"{name} is far too large")
        return found

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._file(name) as file:
                yield file
        except (FileNotFoundError, NotADirectoryError, KeyError):
            raise _no_bundle(f"{name} is not in it") from None
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
            raise _no_bundle(f"{name} can't be unpacked ({str(error)[:100]})") from None

    @contextmanager
    def _file(self, name: str) -> Iterator[IO[bytes]]:
        if not self._zipped:
            with (self._path / name).open("rb") as file:
                yield file
            return
        with zipfile.ZipFile(self._path) as archive, archive.open(name) as packed:
            yield packed


def main(argv: list[str] | None = None) -> int:
    """Read one bundle; exit code 1 if that is not possible, which is told as the last map."""
    parser = argparse.ArgumentParser("memtrigd.exchange.bundle_in", description=__doc__)
    parser.add_argument("path", help="the folder or zip")
    path = Path(parser.parse_args(argv).path)
    try:
        found = Bundle(path)
        found.check()
        _say(_found(found))
        for level in _in_order(found.manifest):
            for wanted in IN_ORDER:
                for told in found.rows(level, wanted):
                    if told["type"] == "row" or wanted is _is_retired:
                        _say({**told, "level": level})
        _say({"type": "end"})
    except Refusal as refusal:
        _say({"type": "error", "code": refusal.code, "message": refusal.message, "hint": refusal.hint})
        return 1
    except OSError as error:
        _say({"type": "error", "code": "bad_value", "message": f"{error.strerror or error}.", "hint": ""})
        return 1
    return 0


def _found(found: Bundle) -> dict[str, Any]:
    """What a bundle holds, every row of it read."""
    manifest, rows, problems = found.manifest, dict[str, dict[str, int]](), Counter[str]()
    for level in _in_order(manifest):
        counts = Counter[str]()
        for told in found.rows(level, lambda _: True):
            if told["type"] == "left":
                problems[told["code"]] += 1
            else:
                counts[told["row"]["type"]] += 1
        rows[level] = dict(counts)
    return {
        "type": "found",
        "format": bundle.MARK,
        "made": manifest.made,
        "daemon": manifest.daemon,
        "space": manifest.space,
        "rows": rows,
        "problems": dict(problems),
        "sources": {level: part.sha256 for level, part in manifest.levels.items()},
        "origins": {level: bundle.origin_of(manifest, level) for level in manifest.levels},
        "keyed": {level: part.left_out for level, part in manifest.levels.items() if part.left_out},
        "settings": sorted(manifest.settings),
    }


def _in_order(manifest: Manifest) -> list[str]:
    """The levels from the lowest up: what a higher one says of a lower memory comes after it."""
    return [level.name for level in Level if level.name in manifest.levels]


def _is_retired(row: wire.AnyBundled) -> bool:
    """Tell whether it is a memory that makes room for another, so that it has to come first."""
    return isinstance(row, wire.BundledMemory) and row.status != Status.ACTIVE


def _is_active(row: wire.AnyBundled) -> bool:
    return isinstance(row, wire.BundledMemory) and row.status == Status.ACTIVE


def _is_beside(row: wire.AnyBundled) -> bool:
    return not isinstance(row, wire.BundledMemory)


IN_ORDER: Final = (_is_retired, _is_active, _is_beside)
"""Which rows of a level come first: who makes room, who takes it, what is about them."""


def _manifest(text: bytes) -> Manifest:
    try:
        found = msgspec.json.decode(text)
        mark, version = found.get("memtrig"), found.get("version")
        if mark != bundle.MARK or version != bundle.VERSION:
            said = f"{str(mark)[:40]!r} of version {str(version)[:20]}"
            raise _no_bundle(f"{bundle.MANIFEST} says that it is {said}, which is not known here")
        manifest = msgspec.convert(found, Manifest)
    except (msgspec.DecodeError, AttributeError, RecursionError):
        raise _no_bundle(f"{bundle.MANIFEST} can't be read") from None
    if not manifest.levels.keys() <= bundle.FILES.keys():
        raise _no_bundle(f"{bundle.MANIFEST} names a level that there is not")
    return manifest


def _no_bundle(why: str) -> Refusal:
    return Refusal("bad_value", f"The bundle can't be taken: {why}.", "Nothing of it was taken. Get a sound copy.")


def _say(told: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.msgpack.encode(told))


if __name__ == "__main__":
    sys.exit(main())
