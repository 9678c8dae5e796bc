"""Verifying the journals while the daemon runs, and keeping their ends where an edit of their file does not reach.

A verification may walk for minutes: it has a lane of its own, rests as long as it works, and ends with the daemon.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

import structlog
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.memory import Memory
from memtrigd.search.analyser import memory_terms
from memtrigd.store.audit import Head
from memtrigd.store.interface import Hands, LevelReader
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.lanes import ReadLane, stopping
from memtrigd.store.vault import Vault
from memtrigd.store.verification import Pace
from memtrigd.store.writer import WriterLane

SLICE: Final = 0.005
"""Seconds of work between two rests."""
NAMED: Final = 100
"""Problems of one level that are named; the others are counted."""

Told: TypeAlias = Callable[[Any], None]
"""Gets a result or an exception, on the loop's thread."""
Proving: TypeAlias = Callable[[wire.Prove], Callable[[Pace], wire.Proof]]
"""Looks at a request on the loop's thread, and gives what makes the proof on another."""

log = structlog.get_logger()


class Audits:
    """Verifies and proves in a lane of its own, one request after the other, on read-only handles of its own."""

    def __init__(self, vault: Vault, lane: ReadLane, writers: WriterLane, rows: ControlReader, prove: Proving) -> None:
        self._vault = vault
        self._lane = lane
        self._writers = writers
        self._rows = rows
        self._prove = prove
        self._ending = threading.Event()

    def stop(self) -> None:
        """End what is under way: nobody loses anything by asking again."""
        self._ending.set()

    def verify(self, request: wire.AuditVerify, told: Told) -> None:
        """Verify every level or one, and control.db. Raises Refusal ``bad_level`` or ``bad_value``."""
        levels = list(Level) if request.level is None else [parse_level(request.level)]
        heads = [_head(said) for said in request.heads]

        def run(handles: Mapping[Level, LevelReader]) -> wire.Audited:
            pace = self._pace()
            audits = [
                self._verified(level, handles, [head for at, head in heads if at is level], pace) for level in levels
            ]
            return wire.Audited(audits=audits, control=self._vault.verify_control(pace))

        self._lane.submit(run, told)

    def prove(self, request: wire.Prove, told: Told) -> None:
        """Prove that nobody at a level can tell what is above it. Raises Refusal ``bad_level``."""
        proof = self._prove(request)
        self._lane.submit(lambda _: proof(self._pace()), told)

    def tick(self) -> None:
        """Keep where the journals end, so that a cut is missed however soon it comes; once a minute is cheap enough."""
        self._lane.submit(_ends, self._keep)

    def _keep(self, ends: Any) -> None:
        if isinstance(ends, Exception):
            return  # damaged: who reads the level is told
        for level, end in ends.items():
            if end[0] and end != self._rows.journal_end(level):
                self._writers.submit(None, partial(_keep, level, end), _kept)

    def _verified(
        self, level: Level, handles: Mapping[Level, LevelReader], heads: Iterable[Head], pace: Pace
    ) -> wire.Audit:
        head = None
        try:
            if level in self._vault.unavailable:
                raise self._vault.unavailable[level]
            if level in handles:
                seq, seal = handles[level].journal_end()
                head = f"{level.name}:{seq}:{seal}" if seq else None
            problems = self._vault.verify(level, heads, terms_of, pace)
        except Refusal as refusal:
            if refusal.retryable:
                raise
            problems = [refusal.message]
        return wire.Audit(level=level.name, head=head, problems=problems[:NAMED], more=max(0, len(problems) - NAMED))

    def _pace(self) -> Pace:
        began = time.monotonic()

        def rest() -> None:
            nonlocal began
            worked = time.monotonic() - began
            if worked >= SLICE:
                if self._ending.wait(min(worked, 10 * SLICE)):
                    raise stopping()
                began = time.monotonic()

        return rest


def _ends(handles: Mapping[Level, LevelReader]) -> dict[Level, tuple[int, str]]:
    return {level: reader.journal_end() for level, reader in handles.items()}


def _keep(level: Level, end: tuple[int, str], hands: Hands) -> bool:
    return hands.control.keep_journal_end(level, *end)


def terms_of(memory: Memory) -> list[str]:
    """What the index should have of a memory."""
    return memory_terms(memory.key, memory.content, memory.entity, memory.tags, memory.context)


def _head(said: str) -> tuple[Level, Head]:
    """Read a head that was kept elsewhere. Raises Refusal ``bad_value`` or ``bad_level``."""
    name, _, rest = said.partition(":")
    seq, _, seal = rest.partition(":")
    try:
        return parse_level(name), Head(int(seq), bytes.fromhex(seal))
    except ValueError:
        raise Refusal(
            "bad_value", "A head is not LEVEL:SEQ:SEAL.", "`memtrigctl audit verify` prints them, and so does the log."
        ) from None


def _kept(outcome: Any) -> None:
    if isinstance(outcome, Exception):
        log.error("journal_end_not_kept", kind=type(outcome).__name__)
    elif not outcome:
        log.error("journal_was_cut")
