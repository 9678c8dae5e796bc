"""audit.show: what the journals tell, row by row, without contents."""

import heapq
import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import from_iso, to_iso
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader

MAX_LIMIT: Final = 1000
_PLACE: Final = re.compile(r"([a-z]+)-(\d{1,18})")


def show(turn: Turn, request: wire.AuditShow) -> wire.AuditRows:
    """Return one page of every journal, or of one, merged by time. Raises ``bad_value``, ``bad_time``, ``bad_cursor``.

    A journal's own rows keep their order, whatever the clock did meanwhile.
    """
    if not 1 <= request.limit <= MAX_LIMIT:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_LIMIT:,} rows a page.")
    since = None if request.since is None else from_iso(request.since, turn.zone)
    places, sign = _places(request.cursor), 1 if request.oldest_first else -1
    streams = [
        [
            (sign * row.at, sign * reader.level, sign * row.seq, reader.level, row)
            for row in reader.journal(places.get(reader.level), since, request.limit + 1, oldest_first=sign > 0)
        ]
        for reader in _readers(turn, request.level)
    ]
    merged = list(islice(heapq.merge(*streams), request.limit + 1))
    rows = []
    for *_, level, row in merged[: request.limit]:
        places[level] = row.seq
        shown = wire.AuditRow(
            level=level.name,
            seq=row.seq,
            at=to_iso(row.at),
            op=row.op,
            actor=row.actor,
            seal=row.seal,
            session=row.session,
            id=row.about or None,
        )
        rows.append(shown)
    return wire.AuditRows(rows=rows, next_cursor=_cursor(places) if len(merged) > len(rows) else None)


def _readers(turn: Turn, named: str | None) -> list[LevelReader]:
    if named is None:
        return list(turn.view.readers)
    reader = turn.view.reader(parse_level(named))
    if reader is None:
        raise Refusal(
            "level_unavailable", f"The journal of {named.upper()} can't be read now.", "`memtrigctl status` tells why."
        )
    return [reader]


def _cursor(places: Mapping[Level, int]) -> str:
    return ".".join(f"{level.slug}-{seq}" for level, seq in sorted(places.items()))


def _places(cursor: str | None) -> dict[Level, int]:
    """Where a page ended in each journal."""
    if cursor is None:
        return {}
    found = [_PLACE.fullmatch(part) for part in cursor.split(".")]
    slugs = {level.slug: level for level in Level}
    if any(match is None or match[1] not in slugs for match in found):
        raise Refusal("bad_cursor", "The cursor is not from a journal.", "Start again without a cursor.")
    return {slugs[match[1]]: int(match[2]) for match in found if match is not None}
