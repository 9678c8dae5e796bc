"""What a folder's thread does when those whom it asks do not answer."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.lanes import stopping
from memtrigd.watched import desk, following
from memtrigd.watched.desk import Desk
from memtrigd.watched.following import Folder
from memtrigd.watched.registry import Entry
from tests.watched.conftest import Notes

ENTRY = Entry(id="s1", path="/nowhere", level=Level.INTERNAL, space="default", by="me", since=0)


class Endless:
    """A process that reads until somebody ends it."""

    def __init__(self) -> None:
        self._ended = threading.Event()

    def run(self, *_: Any) -> Any:
        """Read."""
        assert self._ended.wait(20)
        raise stopping()

    def end(self) -> None:
        """End it."""
        self._ended.set()


def _desk() -> Desk:
    nobody: Any = SimpleNamespace(clock=lambda: 0)
    return Desk(nobody, nobody, lambda _: Endless(), lambda run: run())


def test_a_reader_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds up no other folder, and what it was to read is tried again later."""
    monkeypatch.setattr(desk, "PATIENCE", 0.05)
    with pytest.raises(RuntimeError, match="too long"):
        _desk().read(ENTRY, ["a.md"])


def test_a_stop_ends_what_is_being_read() -> None:
    """At once, and nothing begins any more."""
    asked = _desk()
    threading.Timer(0.1, asked.stop).start()
    for _ in range(2):
        with pytest.raises(Refusal) as refused:
            asked.read(ENTRY, ["a.md"])
        assert refused.value.code == "stopping"


def test_what_fails_is_told_and_tried_again_after_a_rest(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level that can't be used, or a reader that fails, wears nobody out; the next good try takes all up."""

    class Failing:
        tries = 0

        def pages(self, _: Entry) -> Any:
            self.tries += 1
            raise Refusal("level_unavailable", "INTERNAL can't be used.", "")

    notes.write("a.md", "- one")
    entry = Entry(id="s1", path=str(notes.root), level=Level.INTERNAL, space="default", by="me", since=0)
    folder, failing = Folder(entry, threading.Event()), Failing()
    asked: Any = failing
    for _ in range(3):
        folder.look(asked)
    assert failing.tries == 1 and folder.shown().troubles == ["the folder waits: INTERNAL can't be used."]
    monkeypatch.setattr(following, "REST", 0.0)
    folder = Folder(entry, threading.Event())
    for _ in range(3):
        folder.look(asked)
    assert failing.tries == 4
