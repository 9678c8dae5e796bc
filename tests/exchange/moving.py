"""A file or folder moved into a daemon in memory, as memtrigctl moves it into a real one."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC
from itertools import islice
from pathlib import Path

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.moments import from_iso
from memtrigd.exchange.formats import told
from memtrigd.exchange.items import Beside, Item, Left, Reading, Taken
from tests.serve.harness import Line

BATCH = 16
NOW = from_iso("2026-12-01T12:00:00+00:00", UTC)
"""When files are moved, unless a test says otherwise."""


class Moved(Struct, frozen=True):
    """What became of it: how many records and entries of which outcome, and the codes of what was not taken."""

    counts: dict[str, int]
    entries: dict[str, int]
    not_taken: list[str]


def move(owner: Line, path: Path, reading: Reading, level: str | None = None) -> Moved:
    """Read what is there by the format that it looks like, and import all of it."""
    counts, entries, not_taken = Counter[str](), Counter[str](), list[str]()
    for batch in _batches(told(path).read(path, reading)):
        not_taken += [item.code for item in batch if isinstance(item, Left)]
        records = [item.record for item in batch if isinstance(item, Taken)]
        beside = [item.entry for item in batch if isinstance(item, Beside)]
        done = owner.ask(wire.Act(request=wire.Import(records=records, entries=beside), level=level))
        assert isinstance(done, wire.Imported), done
        counts.update(done.counts)
        entries.update(done.entries)
        not_taken += [refused.code for refused in done.refused]
    return Moved(dict(counts), dict(entries), not_taken)


def _batches(found: Iterator[Item]) -> Iterator[list[Item]]:
    while batch := list(islice(found, BATCH)):
        yield batch
