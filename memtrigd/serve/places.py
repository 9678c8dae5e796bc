"""Places: where a memory stands in the files of a watched folder, as its level keeps it."""

import msgspec

from memtrigd.domain.entries import Sort
from memtrigd.domain.folders import GONE, Line
from memtrigd.domain.memory import Memory
from memtrigd.store.interface import LevelReader


def pages(reader: LevelReader, folder: str) -> dict[str, list[Line]]:
    """What the files of a folder said when they were taken up last."""
    return {
        str(entry.body["file"]): msgspec.json.decode(str(entry.body["lines"]), type=list[Line])
        for entry in reader.entries(Sort.FILE, name=folder)
    }


def places(reader: LevelReader, row: Memory) -> list[str]:
    """Where a memory stands in the files of its folder, in their order; nowhere if it is of none."""
    if row.session is None:
        return []
    found = sorted(pages(reader, row.session).items())
    there = ((file, line) for file, lines in found for line in lines if line.number != GONE)
    return [f"{file}:{line.number}" for file, line in there if line.memory == row.id]
