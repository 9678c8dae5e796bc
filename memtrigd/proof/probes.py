"""Probes: what somebody at a level would ask to find out what is above it, made from what really is there.

Keys, ids, words, tags and entities of the levels above are asked for by name: whoever knows them asks best.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.gate import policy
from memtrigd.gate.view import View
from memtrigd.store.interface import LevelReader

SAMPLE: Final = 50
"""Memories from each end of each level, the oldest and the newest, that probes are made from."""
WRITTEN: Final = 20
"""Of these, how many are told again, denied, forgotten and deleted."""
WALKED: Final = 10
"""Of how many one is asked about by what walks through whole levels."""
WORDS: Final = 60
"""Characters of a content that are searched for."""


def sample(handles: Mapping[Level, LevelReader], level: Level) -> list[Memory]:
    """The newest and the oldest memories of one level, in every space."""
    reader = handles[level]
    spaces = View(policy.whole_vault(), handles).spaces
    newest = islice(reader.newest(spaces, None, None), SAMPLE)
    oldest = (memory for _, memory in reader.after(0, SAMPLE))
    return list({memory.id: memory for memory in (*newest, *oldest)}.values())


def probes(memories: Iterable[Memory]) -> list[wire.Request]:
    """All that is asked, in order: reads, then writes, then what walks through all again."""
    found = list(memories)
    return [*_GENERAL, *_about(found), *_writes(found), *_GENERAL]


def _about(memories: list[Memory]) -> Iterator[wire.Request]:
    for place, memory in enumerate(memories):
        words = " ".join(memory.content[:WORDS].split())
        yield wire.Get(key=memory.key)
        yield wire.History(key=memory.key)
        yield wire.Why(id=memory.id)
        yield wire.Search(query=words)
        if place % WALKED == 0:
            yield wire.GuidanceGet(query=words, state_only=True)
            yield wire.Names(what="key", prefix=memory.key[:3])
    for tag in dict.fromkeys(tag for memory in memories for tag in memory.tags):
        yield wire.List(tag=tag, limit=100)
    for entity in dict.fromkeys(memory.entity for memory in memories if memory.entity is not None):
        yield wire.Search(query=entity)


def _writes(memories: list[Memory]) -> Iterator[wire.Request]:
    """On the copies. The same texts and keys are told again, so that likeness, echoes and wishes would show."""
    step = max(1, len(memories) // WRITTEN)
    for number, memory in enumerate(memories[::step]):
        yield wire.Save(content=memory.content, entity=memory.entity, kind=memory.kind.value)
        yield wire.Save(key=memory.key, content=memory.content, source="auto_detect", idempotency_key=f"once-{number}")
        yield wire.Save(key=memory.key, content=memory.content, source="auto_detect", idempotency_key=f"once-{number}")
        yield wire.Save(content="It is so.", replaces=memory.id)
        yield wire.Confirm(id=memory.id)
        yield wire.Deny(id=memory.id)
        yield wire.Expire(id=memory.id, dry_run=True)
        yield wire.Forget(key=memory.key, dry_run=True)
        if memory.entity is not None:
            yield wire.Forget(entity=memory.entity, dry_run=True)
        yield wire.Delete(key=memory.key)
        yield wire.Forget(id=memory.id)
    yield wire.PromiseAdd(text="Ask how the proof went.")
    yield wire.WellnessAdd(mood="curious")
    yield wire.Vacuum(dry_run=True)
    yield wire.Decay(dry_run=True)


_GENERAL: Final[tuple[wire.Request, ...]] = (
    wire.Whoami(),
    wire.Ping(),
    wire.GetStatus(),
    wire.List(limit=100),
    wire.Stats(),
    wire.Recall(limit=20),
    wire.Review(limit=500),
    wire.Suppressions(),
    wire.PromiseList(all=True),
    wire.PromiseCheck(within_hours=8760.0),
    wire.WellnessList(days=365),
    wire.AliasList(),
    wire.Names(what="tag"),
    wire.Names(what="entity"),
    wire.Selfcheck(),
    wire.Recover(),
    wire.Init(),
    wire.GuidanceGet(),
)
