"""names: keys, tags and entities of memories in sight, for completion while somebody types one."""

import heapq
from collections.abc import Iterator
from itertools import islice
from typing import Final
from unicodedata import normalize

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory
from memtrigd.serve.turn import Turn

NAMED: Final = ("key", "tag", "entity")
MAX_NAMES: Final = 100
LOOKED_THROUGH: Final = 20_000
"""Memories in sight, the newest first, among which names are looked for: a keystroke is not worth a longer walk."""


def names(turn: Turn, request: wire.Names) -> wire.NameList:
    """List names of memories that the caller is served, and of no others: what waits or was forgotten names nothing."""
    if not 1 <= request.limit <= MAX_NAMES:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_NAMES} names.")
    if request.what not in NAMED:
        raise Refusal("bad_value", "There are no names of this sort.", f"Ask for {', '.join(NAMED)}.")
    prefix = _folded(request.prefix)
    found: dict[str, None] = {}
    walk = _newest(turn)
    for memory in islice(walk, LOOKED_THROUGH):
        fitting = [name for name in _named(memory, request.what) if _folded(name).startswith(prefix)]
        if all(name in found for name in fitting) or not turn.view.serves(memory, turn.now):
            continue
        for name in fitting:
            if name not in found and len(found) == request.limit:
                return wire.NameList(names=list(found), more=True)
            found[name] = None
    return wire.NameList(names=list(found), more=next(walk, None) is not None)


def _newest(turn: Turn) -> Iterator[Memory]:
    streams = [reader.newest(turn.view.spaces, None, None) for reader in turn.view.readers]
    return heapq.merge(*streams, key=lambda memory: (memory.updated, memory.id), reverse=True)


def _named(memory: Memory, what: str) -> tuple[str, ...]:
    if what == "tag":
        return tuple(memory.tags)
    name = memory.key if what == "key" else memory.entity
    return () if name is None else (name,)


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()
