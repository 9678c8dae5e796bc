"""What is asked and answered about folders as a source: what the user keeps in files by hand."""

from msgspec import Struct

from memtrig.wire.requests import Request


class WatchAdd(Request, frozen=True, kw_only=True, tag="watch.add"):
    """Import what a folder's files say, and follow them from now on.

    ``path`` is absolute. ``by`` is who writes there: ``me``, the user alone, whose lines count as a file's word; or
    ``agent``, anybody who may write there, whose lines are guesses.
    """

    path: str
    level: str = "INTERNAL"
    space: str | None = None
    by: str = "agent"


class WatchList(Request, frozen=True, tag="watch.list"):
    """Which folders are watched, and how they are."""


class WatchRemove(Request, frozen=True, tag="watch.remove"):
    """Watch a folder no more; its memories stay. ``folder`` is its path or id."""

    folder: str


class WatchConfirm(Request, frozen=True, tag="watch.confirm"):
    """Let the memories close that are held, being ``count`` by now."""

    folder: str
    count: int


class WatchedFolder(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A folder: its files and lines as they were taken up, and what is wrong.

    ``held`` memories are not closed, as so many of their lines went at once. ``refused`` counts lines that are no
    memory, by code; ``troubles`` are the first that keep something from being taken up, ``more`` counts the others.
    """

    id: str
    path: str
    level: str
    space: str
    by: str
    since: str
    files: int = 0
    lines: int = 0
    held: int = 0
    refused: dict[str, int] = {}
    troubles: list[str] = []
    more: int = 0
