"""What is asked and answered about credentials that were kept before they were looked for, or that the owner forced."""

from msgspec import Struct

from memtrig.wire.requests import Request
from memtrig.wire.results import Result


class SecretsScrub(Request, frozen=True, tag="secrets.scrub"):
    """Find the credentials in every text of every level, or of one, and put ``[redacted KIND]`` in their place.

    With ``dry_run`` they are only told. Those that the owner forced stay, unless with ``forced``.
    """

    level: str | None = None
    dry_run: bool = False
    forced: bool = False


class OldSecret(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a credential is, in characters of a field's text, and what it is: never the text of it.

    ``holder`` is ``memory``, ``wish``, ``entry`` or ``event``, ``field`` one of its texts; ``history`` is what only
    earlier versions of a memory say. ``forced``: the owner wanted it kept.
    """

    level: str
    id: str
    holder: str
    field: str
    kind: str
    start: int
    forced: bool = False


class SecretsScrubbed(Result, frozen=True, tag="secrets.scrubbed", kw_only=True, omit_defaults=True):
    """What was found, and what was done: ``scrubbed`` of ``count`` credentials were taken out.

    ``more`` counts those that are not named. ``backups`` have a copy of what was found, and keep it. ``skipped`` are
    the levels that can't be used now.
    """

    count: int
    scrubbed: int
    found: list[OldSecret]
    dry_run: bool
    more: int = 0
    backups: list[str] = []
    skipped: list[str] = []
