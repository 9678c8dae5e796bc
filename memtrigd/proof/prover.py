"""The proof: the same questions to a copy of the store and to one that never had the levels above; the same bytes?

The levels of the daemon that is in service are read once, and nothing of it is written. The copies lie in the state
directory while it lasts, as private as the store.
"""

import hashlib
import os
import platform
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from memtrig import wire
from msgspec.structs import replace

import memtrigd
from memtrigd.clockwork.apart import Heard
from memtrigd.clockwork.pipe import Progress
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.proof.probes import SAMPLE, probes, sample
from memtrigd.proof.stage import Line, Scenery, stage
from memtrigd.proof.works import Proving
from memtrigd.serve.dispatch import Dispatcher
from memtrigd.serve.handlers.about import Facts
from memtrigd.store.database import sqlite_version
from memtrigd.store.replica import replicate
from memtrigd.store.verification import Pace

SCRATCH: Final = "proof"
AGENT: Final = "proof"
"""The name of the agent that asks."""
CONTROL: Final = 100
"""Probes that are asked at the highest level too, where they must differ if there is anything to see."""
BARE: Final = "status"
"""Differs at the highest level by the files alone, with nothing in them: so it shows nothing that could be seen."""
PAGES: Final = 3
"""Pages of a list that are followed."""


class Prover:
    """Prepares proofs. ``dispatcher`` is the one in service: the copies are served as it serves."""

    def __init__(self, state: Path, dispatcher: Dispatcher, clock: Callable[[], Micros]) -> None:
        self._state = state
        self._dispatcher = dispatcher
        self._clock = clock
        self.sweep()  # what a crash left

    def __call__(self, request: wire.Prove) -> Proving:
        """Say what is to be proved. Raises Refusal ``bad_level``."""
        level, facts = parse_level(request.level), self._dispatcher.facts()
        work = Proving(
            str(self._state),
            level,
            self._clock(),
            str(self._dispatcher.zone),
            self._dispatcher.guides.shown(AGENT),
            facts.started,
            facts.schema,
            facts.pid,
            facts.home,
            dict(facts.copies),
        )
        if not work.above:
            raise Refusal(
                "bad_level", f"Nothing is above {level.name}, so there is nothing to prove.", "Name a lower level."
            )
        return work

    def sweep(self) -> None:
        """Take away what a proof left that was killed."""
        shutil.rmtree(self._state / SCRATCH, ignore_errors=True)


def _facts(work: Proving) -> Facts:
    return Facts(
        started=work.started,
        schema=work.schema,
        pid=work.pid,
        home=work.home,
        sessions={},
        unavailable={},
        copies=work.copies,
    )


def prove(work: Proving, heard: Heard, pace: Pace = lambda: None) -> wire.Proof:
    """Make a proof. Raises Refusal ``disk_full``, or ``level_unavailable``: half a store proves nothing."""
    scratch = Path(work.state) / SCRATCH
    whole, lower = scratch / "whole", scratch / "lower"
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        heard(Progress(work.level, "copying the store"))
        replicate(Path(work.state), whole, lower, work.above, pace)
        return _compared(work, (whole, lower), partial(_told, heard, work.level))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _compared(work: Proving, places: tuple[Path, Path], heard: Callable[[str, int, int], None]) -> wire.Proof:
    level, above, top = work.level, work.above, work.above[-1]
    scenery, facts = Scenery(work.zone, work.guidance), _facts(work)
    with stage(places[0], scenery, facts, work.at) as first:
        counts = {each.name: sum(first.handles[each].counts().values()) for each in above}
        samples = {each.name: sample(first.handles, each) for each in Level}
        plan = probes(memory for found in samples.values() for memory in found)
        with_all = _answers(Line(first, level), plan, partial(heard, f"asking with {_names(above)}"))
        seen_with_all = _answers(Line(first, top), plan[:CONTROL], partial(heard, f"asking at {top.name}"))
    left = {each: copies for each, copies in work.copies.items() if each not in above}
    with stage(places[1], scenery, replace(facts, copies=left), work.at) as second:
        without = _answers(Line(second, level), plan, partial(heard, f"asking without {_names(above)}"))
        seen_without = _answers(Line(second, top), plan[:CONTROL], partial(heard, f"asking at {top.name}"))
    differing = _differing(with_all, without)
    return wire.Proof(
        level=level.name,
        at=to_iso(work.at),
        server=memtrigd.__version__,
        python=platform.python_version(),
        sqlite=sqlite_version(),
        schema=work.schema,
        code=code_digest(),
        above=counts,
        sampled={name: len(found) for name, found in samples.items()},
        asked=dict(sorted(Counter(kind for kind, _ in with_all).items())),
        probes=len(with_all),
        differing=len(differing),
        differing_kinds=sorted(set(differing)),
        seen_above=sum(kind != BARE for kind in _differing(seen_with_all, seen_without)),
        digest=hashlib.sha256(b"".join(digest for _, digest in with_all)).hexdigest(),
        covers=[line.format(level=level.name, sample=2 * SAMPLE) for line in COVERS],
        leaves_out=list(LEAVES_OUT),
    )


def code_digest() -> str:
    """SHA-256 over the source of the daemon as it lies on the disk: the names and texts of its modules."""
    root, digest = Path(memtrigd.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        text = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def _names(levels: Iterable[Level]) -> str:
    return " and ".join(level.name for level in levels)


def _told(heard: Heard, level: Level, what: str, done: int, of: int) -> None:
    heard(Progress(level, what, done, of))


def _answers(line: Line, plan: Sequence[wire.Request], heard: Callable[[int, int], None]) -> list[tuple[str, bytes]]:
    """Ask; return for each reply what was asked, and a digest of its bytes. Lists are followed page by page."""
    found = []
    for number, request in enumerate(plan):
        heard(number, len(plan))
        asked: wire.Request | None = request
        for _ in range(PAGES):
            if asked is None:
                break
            reply = line.ask(asked)
            mark = os.urandom(16) if _is_fault(reply) else b""  # two faults that are alike prove nothing: they differ
            found.append((str(asked.__struct_config__.tag), hashlib.sha256(reply + mark).digest()))
            asked = _next_page(asked, reply)
    line.hang_up()
    return found


def _is_fault(reply: bytes) -> bool:
    if b"internal" not in reply[:100]:
        return False
    error = wire.decode_answer(reply[wire.PREFIX :]).error
    return isinstance(error, wire.Error) and error.code == "internal"


def _next_page(asked: wire.Request, reply: bytes) -> wire.Request | None:
    if not isinstance(asked, wire.List):
        return None
    result = wire.decode_answer(reply[wire.PREFIX :]).result
    if not isinstance(result, wire.Listed) or result.next_cursor is None:
        return None
    return replace(asked, cursor=result.next_cursor)


def _differing(one: list[tuple[str, bytes]], other: list[tuple[str, bytes]]) -> list[str]:
    """The kinds of the replies that differ; where one run has more of them, those too."""
    pairs = [a for a, b in zip(one, other, strict=False) if a != b]
    longer = max(one, other, key=len)[min(len(one), len(other)) :]
    return [kind for kind, _ in (*pairs, *longer)]


COVERS: Final = (
    "The store as it was at this moment, copied; the copy was served by the code of this daemon, in memory.",
    "For the second run the files and keys of every level above {level} were dropped, and what control.db keeps of "
    "these levels and their sessions.",
    "Questions of an agent at {level}: lists, searches, keys, ids, history, statistics, names, guidance, status and "
    "errors, then writes to the copy, then the general ones again; made of up to {sample} active and pending memories "
    "of each level, the oldest and the newest, those above included.",
    "Every reply was compared byte by byte, under the same clock and the same ids.",
)
LEAVES_OUT: Final = (
    "Memories beyond the sample, and questions that no probe asks.",
    "How long a reply takes, a full disk, the daemon's exit: all levels feel them.",
    "MCP, hooks and notices, which are other ways of asking the same; the tests cover them.",
    "The files of guidance and the configuration, which are the same for all levels.",
    "Programs of your own user that open the files or the owner's socket themselves: docs/security.md says how to "
    "confine an agent.",
)
"""What the proof does not show."""
