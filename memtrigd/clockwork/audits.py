"""Verifying the journals while the daemon runs, and keeping their ends where an edit of their file does not reach.

A verification or a proof may walk for minutes. It is done apart, one at a time, and ends with whoever asked for it.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import structlog
from memtrig import wire
from msgspec import Struct

from memtrigd.clockwork.apart import Heard, Verifying, Work
from memtrigd.clockwork.housekeeping import end_kept
from memtrigd.clockwork.pipe import Progress
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.search.analyser import terms_of
from memtrigd.store import verification
from memtrigd.store.audit import Head
from memtrigd.store.interface import Hands, LevelReader
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.lanes import ReadLane
from memtrigd.store.vault import Vault
from memtrigd.store.verification import Pace
from memtrigd.store.writer import WriterLane

NAMED: Final = 100
"""Problems of one level that are named; the others are counted."""

Told: TypeAlias = Callable[[Any], None]
"""Gets a result or an exception, on the loop's thread."""
Tell: TypeAlias = Callable[[wire.Notice], object]
"""Passes on to whoever asked how far it is, on the loop's thread."""

log = structlog.get_logger()


class Prover(Protocol):
    """Prepares proofs."""

    def __call__(self, request: wire.Prove) -> Struct:
        """The work that makes a proof. Raises Refusal ``bad_level``."""

    def sweep(self) -> None:
        """Take away what a proof left that was ended."""


class Audits:
    """Verifies and proves, one request at a time. ``lane`` is where work apart is waited for, ``walkers`` reads."""

    def __init__(  # noqa: PLR0917 - the daemon's parts, each of its own type
        self,
        state: Path,
        vault: Vault,
        lane: ReadLane,
        walkers: ReadLane,
        writers: WriterLane,
        rows: ControlReader,
        prove: Prover,
        apart: Callable[[], Work],
        clock: Callable[[], Micros],
    ) -> None:
        self._state = state
        self._vault = vault
        self._lane = lane
        self._walkers = walkers
        self._writers = writers
        self._rows = rows
        self._prove = prove
        self._apart = apart
        self._clock = clock
        self._under_way: tuple[object, Work] | None = None
        """Whose work, and what ends it."""

    def stop(self) -> None:
        """End what is under way: nobody loses anything by asking again."""
        if self._under_way is not None:
            self._under_way[1].end()

    def gone(self, asker: object) -> None:
        """End what somebody asked for who does not wait for it any more."""
        if self._under_way is not None and self._under_way[0] is asker:
            self._under_way[1].end()

    def verify(self, request: wire.AuditVerify, asker: object, told: Told, tell: Tell) -> None:
        """Verify every level or one, and control.db. Raises Refusal ``bad_level``, ``bad_value`` or ``busy``."""
        levels = list(Level) if request.level is None else [parse_level(request.level)]
        heads = [(level, head.seq, head.mac) for level, head in map(_head, request.heads)]
        unusable = {level: refusal.message for level, refusal in self._vault.unavailable.items()}
        work = Verifying(str(self._state), levels, heads, unusable)
        self._begin(work, wire.Audited, asker, told, tell if request.progress else None)

    def prove(self, request: wire.Prove, asker: object, told: Told, tell: Tell) -> None:
        """Prove that nobody at a level can tell what is above it. Raises Refusal ``bad_level`` or ``busy``."""
        self._begin(self._prove(request), wire.Proof, asker, told, tell if request.progress else None)

    def _begin(self, work: Struct, kind: Any, asker: object, told: Told, tell: Tell | None) -> None:
        if self._under_way is not None:
            raise Refusal(
                "busy",
                "A verification or a proof is under way already; there is one at a time.",
                "Try again when it is done, or end it with Ctrl-C where it was asked for.",
                retryable=True,
            )
        apart = self._apart()
        self._under_way = asker, apart

        def done(outcome: Any) -> None:
            self._under_way = None
            told(outcome)

        def pass_on(notice: wire.Notice) -> None:
            if tell is not None:
                tell(notice)

        def heard(progress: Progress) -> None:
            if tell is not None:
                self._lane.deliver([(pass_on, self._notice(progress))])

        def run(_: object) -> Any:
            try:
                return apart.run(work, heard, kind)
            finally:
                self._prove.sweep()

        self._lane.submit(run, done)

    def _notice(self, progress: Progress) -> wire.Notice:
        much = f" ({progress.done:,} of {progress.of:,})" if progress.of else ""
        return wire.Notice(
            about="progress",
            level=progress.level.name,
            at=to_iso(self._clock()),
            text=progress.what + much,
            count=progress.done,
        )

    def tick(self) -> None:
        """Keep where the journals end, so that a cut is missed however soon it comes; once a minute is cheap enough."""
        self._walkers.submit(_ends, self._keep)

    def _keep(self, ends: Any) -> None:
        if isinstance(ends, Exception):
            return  # damaged: who reads the level is told
        for level, end in ends.items():
            if end[0] and end != self._rows.journal_end(level):
                self._writers.submit(None, partial(_keep, level, end), partial(end_kept, level))


def verified(work: Verifying, heard: Heard, pace: Pace = lambda: None) -> wire.Audited:
    """Verify what is to be verified. Raises Refusal ``store_locked``."""
    state = Path(work.state)
    audits = [_verified(state, level, work, heard, pace) for level in work.levels]
    return wire.Audited(audits=audits, control=verification.verify_control(state, pace))


def _verified(state: Path, level: Level, work: Verifying, heard: Heard, pace: Pace) -> wire.Audit:
    head = None
    heads = [Head(seq, seal) for at, seq, seal in work.heads if at is level]
    try:
        if level in work.unusable:
            raise Refusal("level_unavailable", work.unusable[level])
        end = verification.journal_end(state, level)
        head = f"{level.name}:{end.seq}:{end.mac.hex()}" if end is not None else None
        problems = verification.verify(
            state,
            level,
            heads=heads,
            terms_of=terms_of,
            pace=pace,
            heard=lambda what, done, of: heard(Progress(level, what, done, of)),
        )
    except Refusal as refusal:
        if refusal.retryable:
            raise
        problems = [refusal.message]
    return wire.Audit(level=level.name, head=head, problems=problems[:NAMED], more=max(0, len(problems) - NAMED))


def _ends(handles: Mapping[Level, LevelReader]) -> dict[Level, tuple[int, str]]:
    return {level: reader.journal_end() for level, reader in handles.items()}


def _keep(level: Level, end: tuple[int, str], hands: Hands) -> bool:
    return hands.control.keep_journal_end(level, *end)


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
