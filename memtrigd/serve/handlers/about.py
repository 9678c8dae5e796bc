"""whoami, ping and status: what the daemon says of the caller and of itself."""

from collections.abc import Callable, Mapping, Sequence

from memtrig import wire
from msgspec import Struct

import memtrigd
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Status
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.embedder.client import Condition
from memtrigd.embedder.messages import Model
from memtrigd.search.passages import mark
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader


class Facts(Struct, frozen=True):
    """What the daemon knows of itself when a request is taken, and no handler can look up."""

    started: Micros
    schema: int
    pid: int
    home: str
    sessions: dict[Level, int]
    unavailable: dict[Level, str]
    """Why a level's file can't be used, and what to do."""
    dreams: Mapping[Level, wire.Dream] = {}
    """Each level's dream cycle, the one under way or the last."""
    left: Sequence[wire.Left] = ()
    """What the last start found unfinished, and what became of it."""

    copies: Mapping[Level, wire.Copies] = {}
    """How each level's backups are."""
    model: Condition = Condition()
    maker: Model | None = None
    """The model that is ready."""
    holding: Callable[[Level], Sequence[tuple[str, Micros]]] = lambda _: ()
    """The backups that hold a level, by name, and of when they are."""
    folders: Callable[[], Sequence[wire.WatchedFolder]] = lambda: ()
    """The watched folders."""


def ping(turn: Turn, request: wire.Ping) -> wire.Pong:
    """Answer with the version and the time."""
    return wire.Pong(server=memtrigd.__version__, time=to_iso(turn.now))


def whoami(turn: Turn, request: wire.Whoami) -> wire.Me:
    """Say for whom the daemon takes the caller, and what it may read."""
    actor, view = turn.actor, turn.view
    return wire.Me(
        kind=actor.kind,
        level=view.level.name,
        reads=[level.name for level in view.permitted],
        session=actor.session,
        ceiling=turn.actor.ceiling.name if turn.actor.ceiling is not None else None,
        agent=actor.agent,
        conversation=actor.conversation,
        space=view.own_space,
        hearing=actor.hearing.value,
        untrusted=actor.untrusted,
    )


def status(turn: Turn, facts: Facts) -> wire.StatusReport:
    """Report on the visible levels.

    Sessions are counted for the owner alone: the count would tell a low session when a raised one leaves. Of memories
    an agent is told how many are active: what waits and what was forgotten is not its business.
    """
    owner = turn.actor.is_owner
    levels = []
    for level in turn.view.permitted:
        reader = turn.view.reader(level)
        levels.append(
            wire.LevelStatus(
                level=level.name,
                available=reader is not None,
                reason=facts.unavailable.get(level),
                memories=_memories(reader, owner) if reader else {},
                sessions=facts.sessions.get(level, 0) if owner else None,
                dream=facts.dreams.get(level),
                backups=facts.copies.get(level),
                embedding_backlog=_backlog(reader, facts) if reader else None,
            )
        )
    return wire.StatusReport(
        server=memtrigd.__version__,
        protocol=wire.PROTOCOL,
        schema=facts.schema,
        started=to_iso(facts.started),
        levels=levels,
        pid=facts.pid if owner else None,
        home=facts.home if owner else None,
        guidance=turn.guides.files() if owner else [],
        folders=[each for each in facts.folders() if each.held or each.troubles or each.refused] if owner else [],
        model=_model(facts.model, owner),
    )


def _model(model: Condition, owner: bool) -> wire.ModelStatus:
    """How it is with the model, the same at every level; the owner is told why, which may name a directory."""
    why = model.message or None
    return wire.ModelStatus(
        state=model.state, name=model.name, why=why if owner else None, done=model.done, of=model.of
    )


def _backlog(reader: LevelReader, facts: Facts) -> int | None:
    """How many memories of a level are not found by their meaning yet; None where no model is wanted."""
    if facts.model.state == "off":
        return None
    return reader.backlog(None if facts.maker is None else mark(facts.maker))


def _memories(reader: LevelReader, owner: bool) -> dict[str, int]:
    counts = reader.counts()
    return counts if owner else {Status.ACTIVE.value: counts.get(Status.ACTIVE.value, 0)}
