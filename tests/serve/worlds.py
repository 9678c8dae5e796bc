"""Short words for what agents and the owner do in a daemon in memory."""

from typing import Any, TypeVar

from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL
from tests.serve.harness import Line, World

Kind = TypeVar("Kind", bound=wire.Result)


class Cast:
    """An agent at each level and the owner, in one world. Each act happens a moment after the one before."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.control = world.connect(CONTROL)
        self._agents = {level: world.agent(level) for level in Level}

    def ask(self, level: str, request: wire.Request) -> Any:
        """What an agent at a level is answered."""
        return self._said(self._agents[Level[level]], request)

    def act(self, request: Any, level: str | None = None, *, all_levels: bool = False) -> Any:
        """What the owner is answered."""
        return self._said(self.control, wire.Act(request=request, level=level, all_levels=all_levels))

    def save(self, level: str, key: str, content: str, **fields: Any) -> str:
        """Let an agent save what must not be refused; returns its id."""
        saved = self.ask(level, wire.Save(key=key, content=content, **fields))
        assert isinstance(saved, wire.Saved), saved
        return saved.id

    def forget(self, level: str, **named: Any) -> wire.Forgotten:
        """Let an agent forget what is there."""
        return is_a(wire.Forgotten, self.ask(level, wire.Forget(**named)))

    def get(self, level: str, key: str) -> str | None:
        """What an agent is served of a key."""
        got = self.ask(level, wire.Get(key=key))
        return got.memory.content if isinstance(got, wire.Got) else None

    def elsewhere(self) -> dict[str, str | None]:
        """What the owner's review says of memories that are put away above: the note by id."""
        items = is_a(wire.Reviewed, self.act(wire.Review(limit=500))).items
        return {item.memory.id: item.note for item in items if item.about == "elsewhere"}

    def session(self, level: str) -> str:
        """The session of an agent."""
        return str(is_a(wire.Me, self.ask(level, wire.Whoami())).session)

    def _said(self, line: Line, request: wire.Request) -> Any:
        self.world.now += 1000
        return line.ask(request)


def is_a(kind: type[Kind], result: object) -> Kind:
    """The result, which must be of a kind."""
    assert isinstance(result, kind), result
    return result


def code(answer: object) -> str | None:
    """The code of an error, None of a result."""
    return answer.code if isinstance(answer, wire.Error) else None
