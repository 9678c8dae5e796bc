"""Trust as a whole against a model of it: whatever is said, answered, denied and forgotten, both serve the same."""

import os
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.gate.doors import CONTROL, LEVEL_DOORS
from memtrigd.gate.policy import Actor, Permit
from memtrigd.gate.view import View
from tests.domain.trust_model import Model
from tests.domain.trust_rows import KEYS, TEXTS, Row, Said
from tests.serve.asking import START
from tests.serve.harness import Line, Nursery, World, nursery

pytestmark = pytest.mark.slow

EXAMPLES = 60
DEEP_EXAMPLES = int(os.environ.get("MEMTRIG_EXAMPLES", "5000"))
PARTS = 4
"""Tests that share the deep examples, so that they can run beside each other."""
LEVELS = (Level.INTERNAL, Level.CONFIDENTIAL)
WEIGHT = {"self_inferred": 0, "auto_detect": 1, "file_import": 2, "user_explicit": 3, "stated": 4}

highs = st.booleans()
owners = st.booleans()
keys = st.sampled_from(KEYS)
texts = st.sampled_from(TEXTS)
places = st.sampled_from([0, 0, 0, 1, 1, 2, 3])


class Trust(RuleBasedStateMachine):
    """An agent at each of two levels and the owner, a daemon in memory, and a model of each level beside it."""

    fresh: ClassVar[Nursery]

    @initialize()
    def begin(self) -> None:
        """Start both with nothing."""
        self.world_of = self.fresh.world(START)
        self.world: World = self.world_of.__enter__()
        low = Model()
        self.models = (low, Model(below=low))
        self.tokens: list[str | None] = [None, None]
        self.connect()

    def connect(self) -> None:
        """Let everybody connect; the agents go on with their sessions."""
        self.control = self.world.connect(CONTROL)
        self.agents: list[Line] = [self.world.connect(LEVEL_DOORS[level]) for level in LEVELS]
        for at, agent in enumerate(self.agents):
            self.tokens[at] = agent.ask(wire.Hello(protocol=wire.PROTOCOL, resume=self.tokens[at])).resume

    @rule(
        high=highs,
        key=keys,
        text=texts,
        source=st.sampled_from([source for source in WEIGHT if source != "stated"]),
        confidence=st.sampled_from([None, 0.5, 0.8]),
        lasts=st.sampled_from([None, None, 2]),
    )
    def agent_says(
        self, high: bool, key: str, text: str, source: str, confidence: float | None, lasts: int | None
    ) -> None:
        """An agent saves, from its own guess up to the user's relayed word."""
        self.says(high, False, key, text, source, confidence, lasts)

    @rule(high=highs, key=keys, text=texts, source=st.sampled_from(["stated", "self_inferred", "auto_detect"]))
    def owner_says(self, high: bool, key: str, text: str, source: str) -> None:
        """The owner saves: whatever the source, it is their word."""
        self.says(high, True, key, text, source, None, None)

    @rule(high=highs, owner=owners, of=highs, place=places, source=st.sampled_from(["user_explicit", "auto_detect"]))
    def repeats(self, high: bool, owner: bool, of: bool, place: int, source: str) -> None:
        """Somebody says what was said before, here or at the other level, whatever became of it."""
        for row in self.at(of, place):
            self.says(high, owner, row.key, row.text, "stated" if owner else source, None, None)

    def says(
        self,
        high: bool,
        owner: bool,
        key: str,
        text: str,
        source: str,
        confidence: float | None,
        lasts: int | None,
    ) -> None:
        """Save, and compare what became of it."""
        until = None if lasts is None else self.world.now + lasts * DAY
        said = Said(key, text, WEIGHT[source], confidence, until, owner)
        request = wire.Save(
            key=key,
            content=text,
            source=source,
            confidence=confidence,
            expires_at=None if until is None else to_iso(until),
        )
        answer = self.ask(high, owner, request)
        outcome = answer.code if isinstance(answer, wire.Error) else answer.outcome
        assert outcome == self.models[high].say(said, self.world.now, getattr(answer, "id", None))

    @rule(high=highs, owner=owners, place=places)
    def confirm(self, high: bool, owner: bool, place: int) -> None:
        """Somebody says yes to a memory, waiting or not."""
        for row in self.at(high, place):
            answer = self.ask(high, owner, wire.Confirm(id=row.id, quote=None if owner else "yes, it is so"))
            assert code(answer) == self.models[high].confirm(row, owner, self.world.now)

    @rule(high=highs, owner=owners, place=places)
    def reject(self, high: bool, owner: bool, place: int) -> None:
        """Somebody says no to a memory, waiting or not."""
        for row in self.at(high, place):
            answer = self.ask(high, owner, wire.Reject(id=row.id, quote=None if owner else "no, it is not"))
            assert code(answer) == self.models[high].reject(row, owner, self.world.now)

    @rule(high=highs, owner=owners, key=keys)
    def deny(self, high: bool, owner: bool, key: str) -> None:
        """The user calls what is served wrong."""
        assert code(self.ask(high, owner, wire.Deny(key=key))) == self.models[high].deny(key, owner, self.world.now)

    @rule(high=highs, owner=owners, key=keys)
    def forget(self, high: bool, owner: bool, key: str) -> None:
        """A key is not to be mentioned again."""
        answer = self.ask(high, owner, wire.Forget(key=key))
        assert code(answer) == self.models[high].forget(key, owner, self.world.now)

    @rule(high=highs, owner=owners, key=keys)
    def delete(self, high: bool, owner: bool, key: str) -> None:
        """A key is retired, and may be said again."""
        assert code(self.ask(high, owner, wire.Delete(key=key))) == self.models[high].delete(key, self.world.now)

    @rule(high=highs, place=places)
    def unforget(self, high: bool, place: int) -> None:
        """The owner wants a memory back, wherever and however it was put away."""
        for row in self.at(high, place):
            answer = self.control.ask(wire.Act(request=wire.Unforget(id=row.id)))
            if row.status != "forgotten" and not high and self.models[True].restrains(row):
                self.models[True].release(row)
                assert (code(answer), answer.level) == (None, LEVELS[True].name)
            else:
                assert code(answer) == self.models[high].unforget(row, self.world.now)

    @rule(high=highs, place=places)
    def undo(self, high: bool, place: int) -> None:
        """The owner takes the last change of a memory back, also a change that took one back."""
        for row in self.at(high, place):
            undone = self.control.ask(wire.Act(request=wire.Undo(id=row.id)))
            assert bool(undone.memories) == self.models[high].undo(row, self.world.now)

    @rule(high=highs, key=keys)
    def recall(self, high: bool, key: str) -> None:
        """An agent reads, which makes it nearer at the agent's own level alone, and changes nothing that is served."""
        answer = self.ask(high, False, wire.Get(key=key))
        served = self.models[high].recall(key, self.world.now)
        assert (None if served is None else served.text) == (answer.memory.content if code(answer) is None else None)

    @rule(high=highs, owner=owners, sweep=st.booleans())
    def dream(self, high: bool, owner: bool, sweep: bool) -> None:
        """A dream cycle comes, or only what is past its date is swept away."""
        assert code(self.ask(high, owner, wire.Expire() if sweep else wire.Decay())) is None
        self.models[high].dream(self.world.now, sweep=sweep)

    @rule(days=st.integers(-5, 5) | st.just(100))
    def clock(self, days: int) -> None:
        """The clock jumps, also back."""
        self.world.now += days * DAY

    @precondition(lambda self: any(model.rows for model in self.models))
    @rule()
    def restart(self) -> None:
        """The daemon stops and starts; of what it told whom it knows no more."""
        self.world.restart()
        self.connect()
        for model in self.models:
            model.told.clear()

    @invariant()
    def same(self) -> None:
        """Daemon and models have the same rows in the same states and the same wishes, and serve the same."""
        self.world.now += 1
        wishes = self.control.ask(wire.Act(request=wire.Suppressions())).suppressions
        expected = [
            (level.name, wish[1]) for level, model in zip(LEVELS, self.models, strict=True) for wish in model.wishes
        ]
        assert sorted((wish.level, wish.key) for wish in wishes) == sorted(expected)
        for key in KEYS:
            told = self.control.ask(wire.Act(request=wire.History(key=key)))
            rows = {} if isinstance(told, wire.Error) else {each.id: each.status for each in told.memories}
            assert rows == {row.id: row.status for model in self.models for row in model.rows if row.key == key}
            for high in (False, True):
                self.same_is_served(high, key)

    def same_is_served(self, high: bool, key: str) -> None:
        """What readers of a level are served of a key is what the model says, and counts as much, to one in 10⁹."""
        level, model, now = LEVELS[high], self.models[high], self.world.now
        got = self.ask(high, True, wire.Get(key=key))
        served = model.served(key, now)
        if served is None:
            assert code(got) == "not_found"
            return
        shown, page = got.memory, model.pages.get(served.id)
        assert (shown.id, shown.content, WEIGHT[shown.source]) == (served.id, served.text, served.weight)
        assert (shown.seen_count, shown.contested) == (served.seen, model.is_contested(served))
        view = View(Permit(Actor("agent"), level, level.and_below(), ("default",)), self.world.handles)
        found = view.winner(key, "default", now)
        assert found is not None
        assert view.seen(found.memory, now).deny_count == served.denied + (page.denied if page else 0)
        assert view.worth(found.memory, now) == pytest.approx(model.worth(served, now), abs=1e-9)
        assert shown.effective_importance == pytest.approx(model.worth(served, now), abs=1e-4)

    def at(self, high: bool, place: int) -> list[Row]:
        """The row of a level at a place, counted from the newest, as a list; none where there are fewer."""
        return self.models[high].rows[::-1][place : place + 1]

    def ask(self, high: bool, owner: bool, request: Any) -> Any:
        """Ask at a level, as its agent or as the owner."""
        if not owner:
            return self.agents[high].ask(request)
        return self.control.ask(wire.Act(request=request, level=LEVELS[high].name))

    def teardown(self) -> None:
        """End the world."""
        if hasattr(self, "world_of"):
            self.world_of.__exit__(None, None, None)


def code(answer: object) -> str | None:
    """The code of a refusal, None for any other answer."""
    return answer.code if isinstance(answer, wire.Error) else None


@pytest.mark.long
def test_daemon_and_model_never_differ() -> None:
    """Random lives of two keys at two levels: content, status, outcome and weight are those that the model predicts."""
    _hold(EXAMPLES)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_daemon_and_model_never_differ_in_thousands_of_lives(part: int) -> None:
    """The same, for long."""
    _hold(DEEP_EXAMPLES // PARTS)


def _hold(examples: int) -> None:
    usual = settings(deadline=None, stateful_step_count=40, suppress_health_check=list(HealthCheck))
    with nursery() as fresh:
        Trust.fresh = fresh
        run_state_machine_as_test(Trust, settings=settings(usual, max_examples=examples))
