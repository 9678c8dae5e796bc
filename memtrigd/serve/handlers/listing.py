"""list: every memory that the caller sees, the newest first, in pages of bounded count and bytes."""

import base64
import binascii
import heapq
from collections.abc import Iterator
from typing import Annotated, TypeAlias

import msgspec
from memtrig import wire
from msgspec import Meta

from memtrigd.domain.claim import MAX_TAG, name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros, Span, span
from memtrigd.serve.records import REPLY_BYTES, record, size, with_short_company
from memtrigd.serve.turn import Turn

MAX_LIMIT = 500

_Place: TypeAlias = tuple[Annotated[Micros, Meta(ge=-(2**63), le=2**63 - 1)], str]
"""Where a page ended: (updated, id) of its last memory. It names nothing that the page did not show."""


def listing(turn: Turn, request: wire.List) -> wire.Listed:
    """Return one page. ``next_cursor`` is set where more may follow; at least one memory fits any page."""
    if not 1 <= request.limit <= MAX_LIMIT:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_LIMIT} memories a page.")
    tag = None if request.tag is None else name(request.tag, "tag", MAX_TAG)
    asked = span(request.since, request.until)
    page: list[wire.Record] = []
    last: Memory | None = None
    room = REPLY_BYTES
    for memory in _merged(turn, tag, _within(asked, _place(request.cursor))):
        if asked.since is not None and memory.updated < asked.since:
            break
        winner = turn.view.serves(memory, turn.now)
        if winner is None:
            continue
        shown = with_short_company(record(memory, turn.now, winner, turn.view.worth(memory, turn.now)))
        room -= size(shown)
        if last is not None and (len(page) == request.limit or room < 0):
            return wire.Listed(memories=page, next_cursor=_cursor(last))
        page.append(shown)
        last = memory
    return wire.Listed(memories=page)


def _merged(turn: Turn, tag: str | None, before: _Place | None) -> Iterator[Memory]:
    """Merge the levels' own newest-first streams into one."""
    spaces = turn.view.spaces
    streams = [reader.newest(spaces, tag, before) for reader in turn.view.readers]
    return heapq.merge(*streams, key=lambda m: (m.updated, m.id), reverse=True)


def _within(asked: Span, place: _Place | None) -> _Place | None:
    """Where a page begins: behind the one before, and before the end of what is asked about."""
    if asked.until is None:
        return place
    end = (asked.until, "")
    return end if place is None else min(place, end)


def _cursor(memory: Memory) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode((memory.updated, memory.id))).decode()


def _place(cursor: str | None) -> _Place | None:
    if cursor is None:
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(cursor), type=_Place)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise Refusal("bad_cursor", "The cursor is not from a list.", "Start again without a cursor.") from None
