"""The proof: the same questions to a copy of the store and to one that never had the levels above; the same bytes?

The levels of the daemon that is in service are read once, and nothing of it is written. The copies lie in the state
directory while it lasts, as private as the store.
"""

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from memtrig import wire
from msgspec.structs import replace

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.proof.probes import SAMPLE, probes, sample
from memtrigd.proof.stage import Line, stage
from memtrigd.serve.dispatch import Dispatcher
from memtrigd.serve.handlers.about import Facts
from memtrigd.store.replica import replicate
from memtrigd.store.verification import Pace

SCRATCH: Final = "proof"
CONTROL: Final = 100
"""Probes that are asked at the highest level too, where they must differ if there is anything to see."""
PAGES: Final = 3
"""Pages of a list that are followed."""


class Prover:
    """Makes proofs, one at a time. ``dispatcher`` is the one in service: the copies are served as it serves."""

    def __init__(self, state: Path, dispatcher: Dispatcher, clock: Callable[[], Micros]) -> None:
        self._state = state
        self._scratch = state / SCRATCH
        self._dispatcher = dispatcher
        self._clock = clock
        self._sweep()  # what a crash left

    def __call__(self, request: wire.Prove) -> Callable[[Pace], wire.Proof]:
        """Prepare a proof, on the loop's thread; what comes back makes it, on any one. Raises Refusal ``bad_level``."""
        level = parse_level(request.level)
        above = [each for each in Level if level in each.and_below() and each is not level]
        if not above:
            raise Refusal(
                "bad_level", f"Nothing is above {level.name}, so there is nothing to prove.", "Name a lower level."
            )
        facts = self._dispatcher.facts()
        return lambda pace: self._prove(level, above, facts, pace)

    def _prove(self, level: Level, above: list[Level], facts: Facts, pace: Pace) -> wire.Proof:
        whole, lower = self._scratch / "whole", self._scratch / "lower"
        self._sweep()
        try:
            replicate(self._state, whole, lower, above, pace)
            return self._compared(level, above, (whole, lower), facts, pace)
        finally:
            self._sweep()

    def _compared(
        self, level: Level, above: list[Level], places: tuple[Path, Path], facts: Facts, pace: Pace
    ) -> wire.Proof:
        top, at = above[-1], self._clock()
        with stage(places[0], self._dispatcher, facts, at) as first:
            counts = {each.name: sum(first.handles[each].counts().values()) for each in above}
            plan = probes(memory for each in Level for memory in sample(first.handles, each))
            with_all = _answers(Line(first, level), plan, pace)
            seen_with_all = _answers(Line(first, top), plan[:CONTROL], pace)
        left = {each: copies for each, copies in facts.copies.items() if each not in above}
        with stage(places[1], self._dispatcher, replace(facts, copies=left), at) as second:
            without = _answers(Line(second, level), plan, pace)
            seen_without = _answers(Line(second, top), plan[:CONTROL], pace)
        differing = _differing(with_all, without)
        return wire.Proof(
            level=level.name,
            at=to_iso(at),
            server=memtrigd.__version__,
            above=counts,
            asked=dict(sorted(Counter(kind for kind, _ in with_all).items())),
            probes=len(with_all),
            differing=len(differing),
            differing_kinds=sorted(set(differing)),
            seen_above=len(_differing(seen_with_all, seen_without)),
            digest=hashlib.sha256(b"".join(digest for _, digest in with_all)).hexdigest(),
            covers=[line.format(level=level.name, sample=2 * SAMPLE) for line in COVERS],
            leaves_out=list(LEAVES_OUT),
        )

    def _sweep(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)


def _answers(line: Line, plan: Iterable[wire.Request], pace: Pace) -> list[tuple[str, bytes]]:
    """Ask; return for each reply what was asked, and a digest of its bytes. Lists are followed page by page."""
    found = []
    for request in plan:
        asked: wire.Request | None = request
        for _ in range(PAGES):
            if asked is None:
                break
            reply = line.ask(asked)
            mark = os.urandom(16) if _is_fault(reply) else b""  # two faults that are alike prove nothing: they differ
            found.append((str(asked.__struct_config__.tag), hashlib.sha256(reply + mark).digest()))
            asked = _next_page(asked, reply)
            pace()
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
    "errors, then writes to the copy, then the general ones again; made from up to {sample} memories of each level, "
    "those above included.",
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
