"""Questions on their way to the model: few at a time, in turns, and none for longer than somebody waits."""

from collections.abc import Callable, Sequence

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.embedder.client import PATIENCE
from memtrigd.embedder.messages import Kind, Model, Vectors
from memtrigd.gate.policy import Actor, Permit
from memtrigd.search.question import Meant
from memtrigd.serve.meanings import AHEAD, Questions
from tests.embedding import model


class Slow:
    """A model that answers when it is told to."""

    state = "ready"

    def __init__(self) -> None:
        self.model: Model | None = model()
        self.asked: list[str] = []
        self.dones: list[Callable[[Sequence[Vectors] | None], None]] = []

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """Take a question."""
        assert kind == "query"
        self.asked += texts
        self.dones.append(done)

    def answer(self) -> None:
        """Answer the first that waits."""
        self.dones.pop(0)([(b"vector",)])


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def ask(questions: Questions, level: Level, query: str, told: list[Meant | None], session: str = "s") -> None:
    """Ask at a level."""
    leave = replace(Permit(Actor("agent"), level, level.and_below(), ()), asker=(1, session))
    questions.meant(wire.Search(query=query), leave, told.append)


def test_a_level_that_asks_much_does_not_take_the_meaning_from_another() -> None:
    """What is asked below is asked of the model before what waits above, or an answer would tell of how busy it is."""
    models, above, below = Slow(), list[Meant | None](), list[Meant | None]()
    questions = Questions(models, Clock())
    for number in range(100):
        ask(questions, Level.RESTRICTED, f"above {number}", above, session=f"s{number}")
    ask(questions, Level.PUBLIC, "below", below)
    assert models.asked == ["above 0", "above 1"] and AHEAD == 2
    models.answer()
    models.answer()
    assert "below" in models.asked[: 2 * AHEAD]
    while models.dones:
        models.answer()
    assert (len(above), len(below), None in [*above, *below]) == (100, 1, False)


def test_sessions_of_a_level_take_turns() -> None:
    """One that asks a hundred things at once does not have the others wait for all of them."""
    models = Slow()
    questions = Questions(models, Clock())
    for number in range(100):
        ask(questions, Level.PUBLIC, f"much {number}", [], session="busy")
    ask(questions, Level.PUBLIC, "one", [], session="quiet")
    models.answer()
    models.answer()
    assert "one" in models.asked[: 2 * AHEAD]


def test_who_waited_too_long_is_answered_without_a_meaning_and_nobody_is_forgotten() -> None:
    """The model is not asked any more; nor where it went away meanwhile."""
    clock, models, told = Clock(), Slow(), list[Meant | None]()
    questions = Questions(models, clock)
    for number in range(10):
        ask(questions, Level.PUBLIC, f"q{number}", told)
    clock.now = PATIENCE + 0.01
    models.answer()
    assert len(models.asked) == AHEAD and told[0] is not None and told[1:] == [None] * 8
    for number in range(3):
        ask(questions, Level.PUBLIC, f"r{number}", told)
    models.model = None
    while models.dones:
        models.answer()
    assert len(told) == 13 and models.asked == ["q0", "q1", "r0"]
