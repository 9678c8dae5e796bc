"""Small records beside the memories: promises, notes of well-being, other names of entities, wishes under way.

They lie at a level as memories do, and are read at it and above; they have no key, no rank and do not fade.
"""

from enum import StrEnum

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros


class Sort(StrEnum):
    """What an entry is."""

    PROMISE = "promise"
    WELLNESS = "wellness"
    ALIAS = "alias"
    CLOSING = "closing"
    """That an entry of a lower level counts as closed for readers of this one: ``name`` is its id."""
    INTENT = "intent"
    """A verb over several levels that is under way: resumed at the next start."""
    FILE = "file"
    """A file of a watched folder, which ``name`` is the id of: what its lines are. See ``domain.folders``."""


class Entry(Struct, frozen=True, kw_only=True):
    """One entry as it stands. Times are microseconds UTC; ``body`` has what its sort needs, as JSON would keep it."""

    id: str
    sort: Sort
    level: Level
    space: str
    created: Micros
    updated: Micros
    agent: str | None = None
    session: str | None = None
    name: str | None = None
    """By what it is looked up: an alias's canonical name."""
    due: Micros | None = None
    closed: Micros | None = None
    """When it was done, removed or taken back; it is kept."""
    body: dict[str, str | float | bool | None] = {}
