"""Walks through all that a caller sees: the same as asking row by row, and out of everybody else's way."""

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL
from memtrigd.gate.policy import Actor, Permit, spaces_of
from memtrigd.gate.survey import survey
from memtrigd.gate.view import View
from memtrigd.store.queueing import Job
from tests.serve.harness import ReadsAtOnce, World

SPACES = (None, "project")


def test_a_survey_sees_what_row_by_row_is_seen(world: World) -> None:
    """Copies, masks, wishes, denials and recalls of other levels, spaces, and what has run out."""
    agents = {(level, space): world.agent(level, space) for level in Level for space in SPACES}
    for number, line in enumerate(agents.values()):
        said: list[wire.Request] = [
            wire.Save(key="everywhere", content=f"said by {number}"),
            wire.Save(key=f"only-{number}", content=f"only said by {number}", entity=f"entity-{number % 4}"),
            wire.Save(key=f"denied-{number}", content=f"wrongly said by {number}"),
            wire.Save(key=f"soon-{number}", content="soon over", expires_at="2027-01-01T00:00:00Z"),
        ]
        for request in said:
            assert isinstance(line.ask(request), wire.Saved)
    above = agents[Level.CONFIDENTIAL, None]
    for request in (
        wire.Delete(key="everywhere"),
        wire.Get(key="only-0"),
        wire.Deny(key="denied-0"),
        wire.Deny(key="denied-0"),
        wire.Deny(key="denied-2"),
        wire.Forget(entity="entity-2"),
        wire.Forget(key="denied-4"),
    ):
        assert not isinstance(above.ask(request), wire.Error)
    seen = {}
    for level in Level:
        for space in SPACES:
            leave = Permit(Actor("agent"), level, level.and_below(), spaces_of(space))
            seen[level, space] = _agrees(View(leave, world.handles), world.now)
    owner = Permit(Actor("owner"), Level.RESTRICTED, Level.RESTRICTED.and_below(), spaces_of(None), every_space=True)
    assert _agrees(View(owner, world.handles), world.now) > seen[Level.RESTRICTED, None]
    assert _agrees(View(owner, world.handles), world.now * 2) < _agrees(View(owner, world.handles), world.now)
    assert len(set(seen.values())) > 4


def _agrees(view: View, now: int) -> int:
    rows = [row for reader in view.readers for row in reader.newest(view.spaces, None, None)]
    one_by_one = [view.seen(row, now) for row in rows if view.serves(row, now)]
    assert list(survey(view, now)) == one_by_one
    return len(one_by_one)


@pytest.mark.parametrize("walk", [wire.Recall(), wire.Stats(), wire.Review(), wire.Week(), wire.Selfcheck()], ids=repr)
def test_nobody_waits_behind_a_walk(world: World, monkeypatch: pytest.MonkeyPatch, walk: wire.OwnerData) -> None:
    """While one level after the other is walked through, a search and a list are answered."""
    kept: list[Job] = []
    monkeypatch.setattr(world.walkers, "put", kept.append)
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    assert isinstance(agent.ask(wire.Save(key="tea", content="She drinks tea")), wire.Saved)
    assert owner.send(wire.call(1, wire.Act(request=walk))) == b""
    assert [memory.key for memory in agent.ask(wire.Search(query="tea")).results] == ["tea"]
    assert [memory.key for memory in agent.ask(wire.List()).memories] == ["tea"]
    (job,) = kept
    ReadsAtOnce.put(world.walkers, job)
