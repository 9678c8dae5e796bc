"""Trust as a whole against a model of it: whatever is said, answered, denied and forgotten, both serve the same."""

from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.gate.doors import CONTROL
from tests.domain.trust_model import KEYS, TEXTS, Model, Said
from tests.serve.harness import Nursery, World, nursery
from tests.serve.histories import START

WEIGHT = {"self_inferred": 0, "auto_detect": 1, "file_import": 2, "user_explicit": 3, "stated": 4}

keys = st.sampled_from(KEYS)
texts = st.sampled_from(TEXTS)
places = st.integers(0, 5)


class Trust(RuleBasedStateMachine):
    """An agent and the owner at one level, a daemon in memory, and the model beside it."""

    fresh: ClassVar[Nursery]

    @initialize()
    def begin(self) -> None:
        """Start both with nothing."""
        self.world_of = self.fresh.world(START)
        self.world: World = self.world_of.__enter__()
        self.agent = self.world.agent(Level.INTERNAL)
        self.control = self.world.connect(CONTROL)
        self.model = Model()

    @rule(
        key=keys,
        text=texts,
        source=st.sampled_from([source for source in WEIGHT if source != "stated"]),
        confidence=st.sampled_from([None, 0.5, 0.8]),
        lasts=st.sampled_from([None, None, 2]),
    )
    def agent_says(self, key: str, text: str, source: str, confidence: float | None, lasts: int | None) -> None:
        """An agent saves, from its own guess up to the user's relayed word."""
        self.says(False, key, text, source, confidence, lasts)

    @rule(key=keys, text=texts, source=st.sampled_from(["stated", "self_inferred", "auto_detect"]))
    def owner_says(self, key: str, text: str, source: str) -> None:
        """The owner saves: whatever the source, it is their word."""
        self.says(True, key, text, source, None, None)

    def says(self, owner: bool, key: str, text: str, source: str, confidence: float | None, lasts: int | None) -> None:
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
        answer = self.ask(owner, request)
        outcome = answer.code if isinstance(answer, wire.Error) else answer.outcome
        assert outcome == self.model.say(said, self.world.now, getattr(answer, "id", None))

    @rule(owner=st.booleans(), place=places)
    def confirm(self, owner: bool, place: int) -> None:
        """Somebody says yes to a memory, waiting or not."""
        for row in self.model.at(place):
            answer = self.ask(owner, wire.Confirm(id=row.id, quote=None if owner else "yes, it is so"))
            assert code(answer) == self.model.confirm(row, owner, self.world.now)

    @rule(owner=st.booleans(), place=places)
    def reject(self, owner: bool, place: int) -> None:
        """Somebody says no to a memory, waiting or not."""
        for row in self.model.at(place):
            answer = self.ask(owner, wire.Reject(id=row.id, quote=None if owner else "no, it is not"))
            assert code(answer) == self.model.reject(row, owner, self.world.now)

    @rule(owner=st.booleans(), key=keys)
    def deny(self, owner: bool, key: str) -> None:
        """The user calls what is served wrong."""
        answer = self.ask(owner, wire.Deny(key=key), level="internal")
        assert code(answer) == self.model.deny(key, owner, self.world.now)

    @rule(owner=st.booleans(), key=keys)
    def forget(self, owner: bool, key: str) -> None:
        """A key is not to be mentioned again."""
        assert code(self.ask(owner, wire.Forget(key=key))) == self.model.forget(key, owner)

    @rule(place=places)
    def unforget(self, place: int) -> None:
        """The owner wants a memory back, forgotten or not."""
        for row in self.model.at(place):
            assert code(self.ask(True, wire.Unforget(id=row.id))) == self.model.unforget(row, self.world.now)

    @rule(key=keys)
    def recall(self, key: str) -> None:
        """The agent reads, which stamps and changes nothing that is served."""
        answer = self.ask(False, wire.Get(key=key))
        served = self.model.recall(key, self.world.now)
        assert (None if served is None else served.text) == (answer.memory.content if code(answer) is None else None)

    @rule(owner=st.booleans())
    def dream(self, owner: bool) -> None:
        """A dream cycle comes: it only puts what is past its date away."""
        assert code(self.ask(owner, wire.Decay(), level="internal")) is None
        self.model.dream(self.world.now)

    @rule(days=st.integers(-5, 5))
    def clock(self, days: int) -> None:
        """The clock jumps, also back."""
        self.world.now += days * DAY

    @invariant()
    def same(self) -> None:
        """Daemon and model have the same rows in the same states, and serve the same."""
        self.world.now += 1
        for key in KEYS:
            told = self.ask(True, wire.History(key=key))
            rows = {} if isinstance(told, wire.Error) else {each.id: each.status for each in told.memories}
            assert rows == self.model.statuses(key)
            got = self.ask(True, wire.Get(key=key))
            served = self.model.served(key, self.world.now)
            assert (got.code if served is None else got.memory.id) == ("not_found" if served is None else served.id)
            if served is not None:
                shown = got.memory
                assert (shown.content, WEIGHT[shown.source], shown.deny_count) == (
                    served.text,
                    served.weight,
                    served.denied,
                )
                assert shown.contested == self.model.is_contested(served)

    def ask(self, owner: bool, request: wire.Request, level: str | None = None) -> Any:
        """Ask as the agent or as the owner."""
        if not owner:
            return self.agent.ask(request)
        return self.control.ask(wire.Act(request=request, level=level))  # type: ignore[arg-type]

    def teardown(self) -> None:
        """End the world."""
        if hasattr(self, "world_of"):
            self.world_of.__exit__(None, None, None)


def code(answer: object) -> str | None:
    """The code of a refusal, None for any other answer."""
    return answer.code if isinstance(answer, wire.Error) else None


def test_daemon_and_model_never_differ() -> None:
    """Random lives of two keys: content, status and outcome are those that the model predicts."""
    with nursery() as fresh:
        Trust.fresh = fresh
        run_state_machine_as_test(
            Trust,
            settings=settings(
                max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
            ),
        )
