"""What is asked and answered about the journals: whether they hold, what they tell, and the proof of the levels."""

from msgspec import Struct

from memtrig.wire.requests import Request
from memtrig.wire.results import Result


class AuditVerify(Request, frozen=True, tag="audit.verify"):
    """Verify the journal of every level, or of one, and what it vouches for. Changes nothing; may take minutes.

    ``heads`` were kept elsewhere, as ``LEVEL:SEQ:SEAL``: the journals must still hold them. With ``progress`` notices
    about it tell how far it is. It ends with the connection; there is one at a time, of proofs too: ``busy``.
    """

    level: str | None = None
    heads: list[str] = []
    progress: bool = False


class AuditShow(Request, frozen=True, tag="audit.show"):
    """The journals' rows, the newest first or the oldest, of every level or of one: who did what when, no contents."""

    level: str | None = None
    since: str | None = None
    limit: int = 50
    cursor: str | None = None
    oldest_first: bool = False


class Prove(Request, frozen=True, tag="prove"):
    """Show on a copy of the user's own store that nobody at ``level`` can tell what is above it. Takes a while.

    ``progress``, its end, and ``busy`` are as those of ``audit.verify``.
    """

    level: str
    progress: bool = False


class Audit(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a level's journal is. ``head`` is its end, to be kept elsewhere; ``more`` counts problems not named."""

    level: str
    head: str | None = None
    problems: list[str] = []
    more: int = 0


class Audited(Result, frozen=True, tag="audited"):
    """Each level that was verified, and what is wrong with control.db."""

    audits: list[Audit]
    control: list[str] = []


class AuditRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row of a journal. ``id`` is the memory's, suppression's or entry's; what concerned none has none."""

    level: str
    seq: int
    at: str
    op: str
    actor: str
    seal: str
    session: str | None = None
    id: str | None = None


class AuditRows(Result, frozen=True, tag="audit_rows"):
    """A page of rows. ``next_cursor`` is set while more may follow."""

    rows: list[AuditRow]
    next_cursor: str | None = None


class Proof(Result, frozen=True, tag="proof", kw_only=True):
    """What ``prove`` found: ``differing`` of ``probes`` replies told of what is above ``level``; 0 is the proof.

    ``code`` is the SHA-256 of the daemon's source. ``above`` counts the memories that were dropped for the second run,
    ``sampled`` those of each level that the probes were made of. ``seen_above`` is how many replies changed for
    somebody who may see them: where it is 0 there was nothing to tell apart. ``digest`` is over all replies.
    """

    level: str
    at: str
    server: str
    python: str
    sqlite: str
    schema: int
    code: str
    above: dict[str, int]
    sampled: dict[str, int]
    asked: dict[str, int]
    """How many probes of each kind."""
    probes: int
    differing: int
    differing_kinds: list[str] = []
    seen_above: int = 0
    digest: str
    covers: list[str] = []
    leaves_out: list[str] = []
