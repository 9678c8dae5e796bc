"""A backup on the disk: a directory with a file per level, control.db, their keys, and what vouches for all of it."""

import hashlib
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.store.control import FILE as CONTROL_FILE
from memtrigd.store.sqlite_level import file_name

FILE: Final = "manifest.json"
KEYS: Final = "keys"
DRAFT: Final = ".partial-"
"""Begins the name of what is being written or taken away; what a crash left of it is no backup and is swept."""
FORMAT: Final = 1


class Part(Struct, frozen=True, kw_only=True):
    """One database of a backup. ``digests`` has for each table the SHA-256 of its rows, ``journal`` a level's head."""

    bytes: int
    sha256: str
    schema: int
    counts: dict[str, int]
    digests: dict[str, str]
    journal: tuple[int, str] | None = None


class Manifest(Struct, frozen=True, kw_only=True):
    """What a backup holds: ``parts`` by the name of the file, ``keys`` by name with their SHA-256.

    ``failed`` tells for each level that was to be in it and is not why: a code and a sentence.
    """

    format: int
    name: str
    at: Micros
    why: str
    server: str
    parts: dict[str, Part]
    keys: dict[str, str]
    failed: dict[str, str] = {}

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels that it holds, from the lowest."""
        return tuple(level for level in Level if file_name(level) in self.parts)

    @property
    def bytes(self) -> int:
        """How large its databases are together."""
        return sum(part.bytes for part in self.parts.values())


def without(manifest: Manifest, levels: frozenset[Level]) -> Manifest:
    """The manifest of a copy that lacks some levels."""
    files = {file_name(level) for level in levels}
    names = {f"{level.slug}.key" for level in levels}
    return msgspec.structs.replace(
        manifest,
        parts={file: part for file, part in manifest.parts.items() if file not in files},
        keys={key: digest for key, digest in manifest.keys.items() if key not in names},
    )


def name_at(at: Micros, taken: Path, *levels: Level) -> str:
    """A name for a backup of a moment that no other one under ``taken`` has: ``2026-11-30T102622Z``.

    One of some levels alone has their names behind.
    """
    stem = to_iso(at)[:19].replace(":", "") + "Z" + "".join(f"-{level.slug}" for level in levels)
    names = [stem, *(f"{stem}-{number}" for number in range(2, 1000))]
    return next(name for name in names if not (taken / name).exists())


def read(place: Path) -> Manifest:
    """Read the manifest of a backup. Raises Refusal ``not_found`` where there is none that can be read.

    A backup is files in one directory: a link in it, or in its place, leads to what nobody backed up.
    """
    if place.is_symlink() or any(each.is_symlink() for each in place.rglob("*")):
        raise _unreadable(place.name, "a link stands in it or in its place")
    try:
        manifest = msgspec.json.decode((place / FILE).read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError, RecursionError):
        raise _unreadable(place.name, "its manifest can't be read") from None
    if manifest.format != FORMAT:
        raise _unreadable(place.name, f"its manifest has format {manifest.format}; this memtrigd knows {FORMAT}")
    if not set(manifest.parts) <= {CONTROL_FILE, *map(file_name, Level)} or not set(manifest.keys) <= KEY_FILES:
        raise _unreadable(place.name, "its manifest names files that no backup has")
    return msgspec.structs.replace(manifest, name=place.name)


def listing(directory: Path) -> tuple[list[Manifest], list[str]]:
    """The backups in a directory, the newest first, and the names of what looks like one and can't be read."""
    found, unreadable = list[Manifest](), list[str]()
    places = sorted(directory.iterdir()) if directory.is_dir() else []
    for place in places:
        if place.is_dir() and not place.name.startswith("."):
            try:
                found.append(read(place))
            except Refusal:
                unreadable.append(place.name)
    return sorted(found, key=lambda each: (each.at, each.name), reverse=True), unreadable


def find(directory: Path, name: str | None, levels: tuple[Level, ...] = (), *, but: str | None = None) -> Manifest:
    """The backup of that name, or without one the newest that holds ``levels``. Raises Refusal ``not_found``.

    Without levels those are meant that any backup holds, or what was made of one level alone would stand for all. What
    was made for the reason ``but`` is passed over where there is another. A name is one of those that are there, never
    a path.
    """
    found, unreadable = listing(directory)
    if name is None:
        wanted = set(levels) or {level for each in found for level in each.levels}
        fitting = [each for each in found if wanted <= set(each.levels)] or (found if not levels else [])
        if not fitting:
            raise Refusal("not_found", "There is no such backup.", "`memtrigctl backup list` shows what there is.")
        return next((each for each in fitting if each.why != but), fitting[0])
    if name in unreadable:
        raise _unreadable(name, "its manifest can't be read")
    for each in found:
        if each.name == name:
            return each
    raise Refusal("not_found", "There is no backup of that name.", "`memtrigctl backup list` shows what there is.")


def open_copy(path: Path) -> apsw.Connection:
    """Open a database that nobody writes; not even a lock or a log is left beside it."""
    address = f"{path.absolute().as_uri()}?immutable=1"
    connection = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.pragma("trusted_schema", "off")
    connection.pragma("cell_size_check", "on")
    return connection


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unreadable(name: str, why: str) -> Refusal:
    return Refusal("not_found", f"Backup {name} can't be used: {why}.", "`memtrigctl backup list` shows the others.")


KEY_FILES: Final = frozenset(f"{level.slug}.key" for level in Level)
"""The names of the keys that a backup may hold."""
