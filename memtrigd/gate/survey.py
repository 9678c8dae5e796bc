"""A survey: all that a caller sees, in one walk. What is asked of a few memories row by row is asked here of levels."""

from collections import Counter
from collections.abc import Iterator

from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros
from memtrigd.gate.view import View


def survey(view: View, now: Micros) -> Iterator[Memory]:
    """Every memory that the caller sees, as it counts for them, the highest level and the newest first.

    Most memories are the only copy of their key, and no level above keeps anything of them or wishes them away: these
    need no question. All others go the way of a ``get``.
    """
    rows = [row for reader in view.readers for row in reader.newest(view.spaces, None, None)]
    copies = Counter(row.key for row in rows)
    minded = {each for reader in view.readers for each in (*reader.masked(), *reader.ledger_ids())}
    unwished, wishful = set(), False
    for reader in view.readers:  # the highest first
        if not wishful:
            unwished.add(reader.level)
        wishful = wishful or reader.has_wishes()
    for row in rows:
        if copies[row.key] == 1 and row.id not in minded and row.level in unwished:
            if row.served(now):
                yield row
        elif view.serves(row, now):
            yield view.seen(row, now)
