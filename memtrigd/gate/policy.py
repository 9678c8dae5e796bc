"""The decision: who may do what, at which level, seeing what. One function, asked before every request."""

from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import DEFAULT_LEVEL, Level, parse_level
from memtrigd.domain.trust import Hearing
from memtrigd.gate.doors import Door, DoorKind
from memtrigd.store.interface import Asker
from memtrigd.store.interface_control import SessionRow

DEFAULT_SPACE = "default"
"""The space that all agents share. Spaces organise, levels protect."""


class Actor(Struct, frozen=True):
    """Who acts, for provenance: kept with every version and audit row."""

    kind: str
    session: str | None = None
    agent: str | None = None
    conversation: str | None = None
    ceiling: Level | None = None
    hearing: Hearing = Hearing.NONE
    untrusted: bool = False

    @property
    def is_owner(self) -> bool:
        """Whether the owner speaks."""
        return self.kind == "owner"


class Permit(Struct, frozen=True):
    """Leave for one request: ``level`` is where it writes, ``reads`` what it sees (the highest first).

    ``spaces`` are those that it sees as one, its own first. ``every_space`` is the owner's: each space by itself.
    """

    actor: Actor
    level: Level
    reads: tuple[Level, ...]
    spaces: tuple[str, ...]
    every_space: bool = False
    missing: tuple[Level, ...] = ()
    """Those of ``reads`` whose file can't be used."""
    about: Level | None = None
    """The level that the owner asks about while seeing all."""
    asker: Asker = (None, None)
    """Who waits for their turn, where turns are taken."""


OWNER = Actor("owner")
_AS_OWNER = {level: Permit(OWNER, level, level.and_below(), (DEFAULT_SPACE,), True) for level in Level}
_ABOUT = {level: replace(_AS_OWNER[Level.RESTRICTED], about=level) for level in Level}
_HOOK = Permit(Actor("hook"), Level.PUBLIC, (), (DEFAULT_SPACE,))
_HOOK_OF_NOBODY = replace(_HOOK, reads=(Level.PUBLIC,))
"""A hook of a host that has no session yet reads what anybody may."""

_CANNOT_WAIT = (wire.PromiseAdd, wire.PromiseDone, wire.WellnessAdd)
"""Writes that have no state of waiting: they are in force at once, or not at all."""


def permit(door: Door, session: SessionRow | None, request: wire.Request) -> Permit:
    """Decide on a request. ``session`` is the caller's as it stands at this moment, on the doors that have one.

    For a hook it is the one that the hook stands for, if its host has any.

    Raises Refusal ``hello_first`` on an agent's door without a session, ``bad_level`` for an act at no level.
    """
    if door.kind is DoorKind.CONTROL:
        if isinstance(request, wire.Act) and isinstance(request.request, wire.WhyNot):
            return _ABOUT[_named_level(request)]
        return _AS_OWNER[_owner_level(request)]
    if door.kind is DoorKind.HOOK and not isinstance(request, wire.GuidanceGet):
        return _HOOK
    if door.kind is DoorKind.HOOK and session is None:
        return _HOOK_OF_NOBODY
    if session is None:
        raise Refusal("hello_first", "The first request on this socket must be hello.", "See docs/protocol.md.")
    if isinstance(request, wire.Decay) and request.confirm is not None:
        raise Refusal("not_yours", "Only the owner lets so many memories expire at once.", "Ask the user about it.")
    if session.untrusted and isinstance(request, _CANNOT_WAIT):
        raise Refusal(
            "untrusted",
            "This session read what strangers wrote, and a promise or a note of the day can't wait for the owner.",
            "Let the user say it in another session.",
        )
    labels = (session.id, session.agent, session.conversation, session.ceiling)
    actor = Actor("agent", *labels, session.hearing, session.untrusted)
    return Permit(actor, session.level, session.level.and_below(), spaces_of(session.space))


def as_owner(door: Door, level: Level) -> Permit:
    """Leave for an act of the owner's at a level that the daemon found. Raises Refusal ``not_here`` elsewhere."""
    if door.kind is not DoorKind.CONTROL:
        raise Refusal("not_here", "That is for the owner.", "Ask on the control socket.")
    return _AS_OWNER[level]


def spaces_of(own: str | None) -> tuple[str, ...]:
    """The spaces that a session sees, its own first: that is where it saves."""
    return (DEFAULT_SPACE,) if own in (None, DEFAULT_SPACE) else (own, DEFAULT_SPACE)


def whole_vault(missing: tuple[Level, ...] = ()) -> Permit:
    """Leave to look at every level, for finding the one at which an owner's act is to run."""
    return replace(_AS_OWNER[Level.RESTRICTED], missing=missing)


def _named_level(act: wire.Act) -> Level:
    """The level that a why-not is about: which rules hide something hangs on it, so none is taken for granted."""
    if act.level is None:
        raise Refusal("bad_level", "why-not is about a session at some level, and none is named.", "Say --as LEVEL.")
    return parse_level(act.level)


def _owner_level(request: wire.Request) -> Level:
    """The level at which an owner's verb runs: as said; else reads see all, and writes go where nobody chose."""
    if not isinstance(request, wire.Act):
        return Level.RESTRICTED
    if request.level is not None:
        return parse_level(request.level)
    return DEFAULT_LEVEL if isinstance(request.request, wire.Write) else Level.RESTRICTED
