"""A bundle on its way out: each level's rows, a line each, and the manifest that vouches for the files."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import to_iso
from memtrigd.exchange import bundle, bundle_rows
from memtrigd.exchange.bundle import Brought, Manifest, Part
from memtrigd.exchange.targets import Target
from memtrigd.store.portable import LevelCopy

Tell: TypeAlias = Callable[[], None]
"""Hears of each memory that is written."""
_README: Final = """This folder holds memories out of memtrigd, with all that became of them.

manifest.json       what is here: the SHA-256, the bytes and the rows of each file
LEVEL.jsonl         the rows of a level, a JSON object a line; UTF-8, times ISO 8601
settings/           the configuration and the guidance, as they were; no import puts them anywhere

`memtrigctl import bundle PATH` takes it back as it was. docs/migration.md of memtrigd tells what each row holds.
"""


def write(
    target: Target, copies: Mapping[Level, LevelCopy], manifest: Manifest, settings: Mapping[str, Path], tell: Tell
) -> Manifest:
    """Write a bundle, the manifest last, which is returned; the one that is given lacks the levels and settings."""
    parts, brought = dict[str, Part](), list[Brought]()
    for level, copy in sorted(copies.items()):
        counts = Counter[str]()
        written = target.write(bundle.FILES[level.name], _lines(_rows(copy, tell), counts))
        parts[level.name] = Part(
            sha256=written.sha256,
            bytes=written.bytes,
            rows=dict(sorted(counts.items())),
            head=copy.head(),
            left_out=copy.keyed(),
        )
        brought += [
            Brought(level=level.name, at=to_iso(each.at), source=each.source, origin=each.made)
            for each in copy.origins()
        ]
    kept = {
        name: target.write(f"{bundle.SETTINGS}/{name}", [path.read_bytes()]).sha256 for name, path in settings.items()
    }
    target.write(bundle.README, [_README.encode()])
    manifest = msgspec.structs.replace(manifest, levels=parts, settings=kept, brought=brought)
    target.write(bundle.MANIFEST, [msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"])
    return manifest


def _rows(copy: LevelCopy, tell: Tell) -> Iterator[wire.AnyBundled]:
    for memory, life in copy.memories():
        yield bundle_rows.memory(memory, life)
        tell()
    yield from map(bundle_rows.wish, copy.wishes())
    yield from map(bundle_rows.entry, copy.entries())
    yield from (bundle_rows.event(*each) for each in copy.events())
    yield from (bundle_rows.mask(*each) for each in copy.masks())
    yield from map(bundle_rows.ledger, copy.ledgers())


def _lines(rows: Iterable[wire.AnyBundled], counts: Counter[str]) -> Iterator[bytes]:
    for row in rows:
        counts[str(row.__struct_config__.tag)] += 1
        yield bundle_rows.encode(row) + b"\n"
