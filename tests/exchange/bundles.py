"""Bundles of daemons in memory: written out of a backup of one, and brought to another as memtrigctl brings them."""

from pathlib import Path

import msgspec
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.exchange import bundle, bundle_in, bundle_out
from memtrigd.exchange.bundle import Manifest
from memtrigd.exchange.targets import target
from memtrigd.gate.doors import CONTROL
from memtrigd.store.backup import backups_of
from memtrigd.store.portable import LevelCopy
from tests.serve.harness import World

BATCH = 3
"""Rows in a request: few, so that there are many."""


def carried_out(world: World, place: Path, *, space: str | None = None, zipped: bool = False) -> Manifest:
    """Write all levels out."""
    made = world.connect(CONTROL).ask(wire.BackupNow())
    assert isinstance(made, wire.BackedUp), made
    where = backups_of(world.state) / made.backup.name
    copies = {level: LevelCopy(where, level, space) for level in Level}
    empty = Manifest(
        memtrig=bundle.MARK, version=bundle.VERSION, made=made.backup.at, daemon="test", backup="test", levels={}
    )
    try:
        with target(place, zipped=zipped) as out:
            return bundle_out.write(out, copies, empty, {}, lambda: None)
    finally:
        for copy in copies.values():
            copy.close()


def carried_in(world: World, place: Path, *, stop_after: int | None = None, **options: bool) -> list[wire.BundleTaken]:
    """Bring a bundle, in the order in which memtrigctl does; ``stop_after`` so many requests."""
    owner, found = world.connect(CONTROL), bundle_in.Bundle(place)
    found.check()
    told = []
    for level, part in found.manifest.levels.items():
        rows = [
            msgspec.convert(each["row"], wire.AnyBundled)
            for wanted in bundle_in.IN_ORDER
            for each in found.rows(level, wanted)
        ]
        for start in range(0, len(rows), BATCH):
            if stop_after is not None and len(told) == stop_after:
                return told
            take = wire.BundleTake(source=part.sha256, origin="test", rows=rows[start : start + BATCH], **options)
            done = owner.ask(wire.Act(request=take, level=level))
            assert isinstance(done, wire.BundleTaken), done
            told.append(done)
    return told


def lines(place: Path) -> dict[str, bytes]:
    """The rows of a bundle's folder, by file."""
    return {name: (place / name).read_bytes() for name in bundle.FILES.values()}
