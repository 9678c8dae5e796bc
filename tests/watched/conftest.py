"""A daemon in memory that watches a folder; it looks when the test says so."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.moments import Micros
from memtrigd.gate.doors import CONTROL
from memtrigd.watched import following
from tests.serve.harness import Line, Nursery, World, nursery

START: Micros = 1_790_000_000_000_000


@pytest.fixture(name="fresh", scope="module")
def _fresh() -> Iterator[Nursery]:
    """Where fresh worlds come from."""
    with nursery() as fresh:
        yield fresh


class Notes:
    """A folder, and the daemon that watches it once it was told to."""

    def __init__(self, world: World, root: Path) -> None:
        self.world = world
        self.root = root

    @property
    def owner(self) -> Line:
        """The owner's line."""
        return self.world.connect(CONTROL)

    def write(self, name: str, *lines: str) -> Path:
        """Write a file as it was left alone some seconds ago, unlike any before."""
        file = self.root / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines))
        then = time.time_ns() - 3_000_000_000
        os.utime(file, ns=(then, then))
        return file

    def watch(self, *, by: str = "me", **more: Any) -> wire.WatchedFolder:
        """Begin to watch."""
        return self.only(self.owner.ask(wire.WatchAdd(path=str(self.root), by=by, **more)))

    def look(self) -> wire.WatchedFolder:
        """Let the daemon look; what would close is ripe at once."""
        self.world.folders.look()
        return self.only(self.owner.ask(wire.WatchList()))

    def texts(self, level: str | None = None) -> set[str]:
        """What is in service."""
        listed = self.owner.ask(wire.Act(request=wire.List(limit=200), level=level))
        assert isinstance(listed, wire.Listed), listed
        return {each.content for each in listed.memories}

    def memory(self, text: str) -> wire.Record:
        """The memory in service that has a text."""
        listed = self.owner.ask(wire.Act(request=wire.List(limit=200)))
        return next(each for each in listed.memories if each.content == text)

    def why(self, memory_id: str) -> wire.Told:
        """The life of a memory."""
        told = self.owner.ask(wire.Act(request=wire.Why(id=memory_id)))
        assert isinstance(told, wire.Told), told
        return told

    def save(self, text: str, **more: Any) -> wire.Saved:
        """The owner says something."""
        saved = self.owner.ask(wire.Act(request=wire.Save(content=text, **more)))
        assert isinstance(saved, wire.Saved), saved
        return saved

    @staticmethod
    def only(told: Any) -> wire.WatchedFolder:
        """The one folder of an answer."""
        assert isinstance(told, wire.Watched), told
        (folder,) = told.folders
        return folder


@pytest.fixture(name="notes")
def _notes(fresh: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notes]:
    """An empty folder, and a daemon that waits for nothing before it closes a memory."""
    monkeypatch.setattr(following, "RIPE", 0.0)
    monkeypatch.setattr(following, "SLOW", 60.0)
    root = tmp_path / "notes"
    root.mkdir()
    with fresh.world(START) as world:
        yield Notes(world, root)
