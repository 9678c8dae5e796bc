"""The bundle: what is in its folder or zip, and what its manifest says."""

from typing import Final

from msgspec import Struct

from memtrigd.domain.levels import Level

MARK: Final = "bundle"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
README: Final = "README.txt"
SETTINGS: Final = "settings"
"""The folder of the user's settings: the configuration and the guidance, as they are. No import puts them anywhere."""


class Part(Struct, frozen=True, kw_only=True):
    """One level's file: its SHA-256 and bytes, how many rows of which type, and the journal's head behind them.

    ``left_out`` counts what means nothing elsewhere, for it is known by digests under that store's own key.
    """

    sha256: str
    bytes: int
    rows: dict[str, int]
    head: tuple[int, str]
    left_out: dict[str, int] = {}


class Brought(Struct, frozen=True, kw_only=True):
    """That a level has rows of an earlier bundle: when they came, that bundle's SHA-256, and what was said of it."""

    level: str
    at: str
    source: str
    origin: str | None = None


class Manifest(Struct, frozen=True, kw_only=True):
    """What a bundle holds. ``levels`` by name; of those that were left out it tells nothing: it may be for others."""

    memtrig: str
    version: int
    made: str
    daemon: str
    backup: str
    levels: dict[str, Part]
    space: str | None = None
    settings: dict[str, str] = {}
    brought: list[Brought] = []


def file_of(level: str) -> str:
    """What the file of a level is called."""
    return f"{level.lower()}.jsonl"


def origin_of(manifest: Manifest, level: str) -> str:
    """What is kept of where a level's rows came from: one line."""
    seq, seal = manifest.levels[level].head
    return f"made {manifest.made} by memtrigd {manifest.daemon}, journal head {seq}:{seal}"


FILES: Final = {level.name: file_of(level.name) for level in Level}
