"""What is asked and answered about names: the keys, tags and entities in sight, for whoever types one."""

from memtrig.wire.requests import Request
from memtrig.wire.results import Result


class Names(Request, frozen=True, tag="names"):
    """The keys, tags or entities of memories in sight that begin with ``prefix``, in any case, the latest first."""

    what: str
    """key, tag or entity."""
    prefix: str = ""
    limit: int = 50


class NameList(Result, frozen=True, tag="name_list"):
    """Each name once; ``more`` says that there are, or may be, others."""

    names: list[str]
    more: bool = False
