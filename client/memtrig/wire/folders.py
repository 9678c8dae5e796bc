"""What is asked and answered about folders as a source: what the user keeps in files by hand."""

from memtrig.wire.requests import Request
from memtrig.wire.results import Result, WatchedFolder


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


class Watched(Result, frozen=True, tag="watched"):
    """The folders that were asked about, as they are now."""

    folders: list[WatchedFolder]
