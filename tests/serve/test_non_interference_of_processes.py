"""Non-interference of real daemons: one gets a history in full, the other without what is above a level.

Their ids, tokens and times are their own. So each is compared with what the daemon in memory answered to the whole
history: its names may be others, but each always the same, and its times may be others; all else is equal.
"""

import re
import socket
from collections import ChainMap
from contextlib import ExitStack, closing
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL
from tests import talk
from tests.conftest import Daemon
from tests.serve.harness import Nursery
from tests.serve.histories import Move, histories
from tests.serve.replay import Step, play_in_full, purged

pytestmark = pytest.mark.slow

NAMES = {"suppressed", "conflicts", "id", "session", "resume", "supersedes", "superseded_by", "contests", "next_cursor"}
ITS_OWN = {"created", "updated", "time", "opened", "ended", "started", "pid", "home", "at", "date", "recorded"}
ITS_OWN |= {"done_at", "since", "note"}
"""Fields that tell of the process and of its clock."""
STAMPS = {"last_recalled", "recall_count", "dream", "guidance", "backups"}
"""Fields that a real daemon writes in batches, a while behind its answers, or of its own accord; and its own files."""
names_in = re.compile(r"[mst]zz[a-z]+zz\d+").sub


class Follower:
    """Plays the steps of a history with a real daemon, behind ``ahead``, who may know names that this one doesn't."""

    def __init__(self, daemon: Daemon, ahead: "Follower | None" = None) -> None:
        self.own: dict[str, str] = {}
        self._names = ChainMap(self.own, ahead.own if ahead else {})
        self._daemon = daemon
        self._lines: dict[int, talk.Line] = {}

    def play(self, step: Step) -> None:
        """Send what the step sends. The answer must be the one that the step has; none if the line was closed."""
        assert step.frame is not None
        line = self._lines.get(step.line)
        if line is None:
            line = self._lines[step.line] = talk.dial(self._daemon, step.door.name.removeprefix("level-"))
        if not step.told:
            line.raw(self._translated(step.frame))
            self._answer(line, step)
        elif step.reply:
            line.raw(self._translated(step.frame))
            (expected,) = step.answers()
            self._compare(step, "", msgspec.to_builtins(expected), msgspec.to_builtins(self._answer(line, step)))
        else:
            assert line.ended(), step

    def close(self) -> None:
        """Close every line."""
        for line in self._lines.values():
            line.close()

    def _answer(self, line: talk.Line, step: Step) -> wire.Answer:
        """Read an answer; on the control socket the line of a session may come with it."""
        if step.door != CONTROL:
            return line.answer()
        data, descriptors, _, _ = socket.recv_fds(line.socket, 1 << 20, 1)
        for descriptor in descriptors:
            self._lines[step.number] = talk.Line(socket.socket(fileno=descriptor))
        return wire.decode_answer(data[wire.PREFIX :])

    def _translated(self, frame: bytes) -> bytes:
        """Put this daemon's names for those of the daemon in memory."""
        try:
            call = msgspec.msgpack.decode(frame[wire.PREFIX :])
        except msgspec.DecodeError:
            return frame
        return talk.packed(call["id"], self._renamed(call["request"]))

    def _renamed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {field: self._renamed(each) for field, each in value.items()}
        return self._names.get(value, value) if isinstance(value, str) else value

    def _compare(self, step: Step, field: str, expected: Any, actual: Any) -> None:
        """Compare answers part by part, and learn names."""
        if field in ITS_OWN:
            return
        if isinstance(expected, dict):
            assert expected.keys() - STAMPS == actual.keys() - STAMPS, (step, actual)
            for part in expected.keys() - STAMPS:
                self._compare(step, part, expected[part], actual[part])
        elif isinstance(expected, list):
            assert len(expected) == len(actual), (step, actual)
            for one, other in zip(expected, actual, strict=True):
                self._compare(step, field, one, other)
        elif isinstance(expected, str) and field in NAMES:
            assert self.own.setdefault(expected, actual) == actual, (step, actual)
        elif isinstance(expected, str):
            said = names_in(lambda found: self._names.get(found[0], found[0]), expected)
            assert said == actual, (step, actual)
        else:
            assert expected == actual, (step, field, actual)


@settings(
    max_examples=4,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(moves=histories(steady=True), level=st.sampled_from([Level.PUBLIC, Level.INTERNAL, Level.CONFIDENTIAL]))
def test_two_processes_answer_alike_below(fresh: Nursery, moves: list[Move], level: Level) -> None:
    """Step by step two daemons go through a history, one without what is above a level: below it they agree."""
    with ExitStack() as stack:
        daemons = [Daemon(), Daemon()]
        for daemon in daemons:
            stack.callback(daemon.remove)
            daemon.start()
        full = stack.enter_context(closing(Follower(daemons[0])))
        below = stack.enter_context(closing(Follower(daemons[1], ahead=full)))
        for step in play_in_full(fresh, moves):
            full.play(step)
            for kept in purged([step], level):
                below.play(kept)
