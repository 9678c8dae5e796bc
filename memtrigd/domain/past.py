"""The past of a memory that comes from elsewhere: when it was said there, and what became of it since."""

import math
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Source, Status
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Rank, rank

MOST: Final = 1 << 31
"""Times that anything is counted."""


class Past(Struct, frozen=True, kw_only=True):
    """What a record says of its past; None and 0 where it says nothing. Times are never after ``now``: see ``past``."""

    created: Micros
    updated: Micros
    importance_at: Micros
    dated: bool
    """Whether it said when it was made or changed."""
    importance: float = 1.0
    last_recalled: Micros | None = None
    recall_count: int = 0
    seen_count: int = 1
    deny_count: int = 0
    status: Status = Status.ACTIVE
    agent: str | None = None

    def onto(self, row: Memory) -> Memory:
        """Give a new row this past; where the row goes on from another one, it began when the earlier of them did."""
        return replace(
            row,
            created=min(row.created, self.created),
            updated=self.updated,
            importance=self.importance,
            importance_at=self.importance_at,
            last_recalled=self.last_recalled,
            recall_count=self.recall_count,
            seen_count=self.seen_count,
            deny_count=self.deny_count,
            agent=self.agent,
        )


def past(  # noqa: PLR0917 - what a record says
    created: Micros | None,
    updated: Micros | None,
    importance: float | None,
    importance_at: Micros | None,
    last_recalled: Micros | None,
    counts: tuple[int, int, int],
    status: str,
    agent: str | None,
    now: Micros,
) -> Past:
    """Check the past of a record. ``counts`` are of recalls, of sayings and of denials.

    A time after ``now`` counts as now: nothing grows from what has not happened. Raises Refusal ``bad_value``.
    """
    if importance is not None and not (math.isfinite(importance) and 0.0 <= importance <= 1.0):
        raise Refusal("bad_value", f"The importance {importance} is not between 0 and 1.", "1 is what was just said.")
    if not all(0 <= count < MOST for count in counts) or counts[1] == 0:
        raise Refusal("bad_value", "A count is out of range.", "A memory was said once at least.")
    try:
        stands = Status(status)
    except ValueError:
        every = " ".join(each.value for each in Status)
        raise Refusal("bad_value", f"There is no status {status[:40]!r}.", f"They are: {every}.") from None
    changed = min(now, now if updated is None and created is None else max(updated or 0, created or 0))
    return Past(
        created=min(changed, changed if created is None else created),
        updated=changed,
        importance_at=min(now, now if importance_at is None else importance_at),
        dated=not (created is None and updated is None),
        importance=1.0 if importance is None else importance,
        last_recalled=None if last_recalled is None else min(now, last_recalled),
        recall_count=counts[0],
        seen_count=counts[1],
        deny_count=counts[2],
        status=stands,
        agent=agent,
    )


def as_imported(source: Source) -> Source:
    """What a source counts as that a file names: it may relay the user's word, as an agent may, and no more."""
    return Source.USER_EXPLICIT if rank(source, attested=False) > Rank.USER_EXPLICIT else source
