"""Random histories: what agents, the owner and a host's policy layer do, one move after the other.

The pools of keys, words and tags are small on purpose: levels and spaces must meet at the same keys, searches must
find, cursors and ids must come back from another level, or a leak would have nothing to show itself in.
"""

from typing import Any, TypeAlias

import msgspec
from hypothesis import strategies as st
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind
from memtrigd.domain.moments import DAY, Micros, to_iso

START: Micros = 1_790_000_000_000_000
"""The moment at which every history begins, in September 2026."""

MARK, ID, CURSOR, SESSION, TOKEN = "{mark}", "{id}", "{cursor}", "{session}", "{token}"
"""Places in a request that are filled when it is made: with the speaker's mark, and with what was seen by then."""


class Agent(Struct, frozen=True):
    """An agent on one of the lines that are open by then."""

    line: int


class Stranger(Struct, frozen=True):
    """A new connection at the socket of a level."""

    level: Level


class Owner(Struct, frozen=True):
    """The owner, or a host, on the control socket."""


Speaker: TypeAlias = Agent | Stranger | Owner


class Move(Struct, frozen=True):
    """One act: the clock moves by ``wait``, also back; then somebody asks, sends raw bytes, or hangs up (None).

    ``pick`` chooses among what the request's places may be filled with.
    """

    speaker: Speaker
    request: wire.Request | bytes | None
    wait: Micros = 0
    pick: int = 0


KEYS = ["tea", "शहर"]
SPACES = [None, None, "project", "default"]
TAGS = ["home", "work", MARK]
ENTITIES = [None, "Asha", "user"]
TEXTS = [
    "Asha drinks green tea in the morning",
    "Asha drinks black coffee",
    "green tea, black tea, tea",
    "她喜欢早上喝绿茶",
    "आशा सकाळी हिरवा चहा पिते",
    f"tea {MARK}",
    f"a note of {MARK} on tea and coffee in the city",
]
QUERIES = [
    "tea",
    "green tea in the morning?",
    "coffee city",
    "绿茶",
    "चहा",
    "Asha",
    "what's the deal?",
    MARK,
    ' "NEAR(',
]

some_levels = st.sampled_from([level.name for level in Level])


def weighted(*choices: tuple[int, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """Draw from strategies as often as their weights say; ``one_of`` takes each as often as any other."""
    tickets = [strategy for weight, strategy in choices for _ in range(weight)]
    return st.integers(0, len(tickets) - 1).flatmap(tickets.__getitem__)


def mostly(value: object, strategy: st.SearchStrategy[object]) -> st.SearchStrategy[Any]:
    """Draw ``value`` four times out of five."""
    return weighted((4, st.just(value)), (1, strategy))


def saves(*, expiring: bool) -> st.SearchStrategy[wire.Save]:
    """Claims of every source on few keys: new ones, repeats, replacements, proposals, retries."""
    soon = st.integers(1, 240).map(lambda hours: to_iso(START + hours * DAY // 24))
    return st.builds(
        wire.Save,
        content=st.sampled_from(TEXTS),
        key=st.sampled_from([*KEYS, None]),
        kind=mostly("general", st.sampled_from(Kind)),
        source=st.sampled_from([None, None, "user_explicit", "user_explicit", "file_import", "self_inferred"]),
        entity=st.sampled_from(ENTITIES),
        tags=st.lists(st.sampled_from(TAGS), max_size=2),
        context=mostly(None, st.just(f"while in {MARK}")),
        confidence=st.sampled_from([None, 0.4, 0.9]),
        core=st.sampled_from([None, None, True]),
        expires_at=mostly(None, soon) if expiring else st.none(),
        replaces=mostly(None, st.just(ID)),
        idempotency_key=st.sampled_from([None, None, None, "once"]),
    )


_gets = st.builds(wire.Get, key=st.sampled_from(KEYS))
_searches = st.builds(wire.Search, query=st.sampled_from(QUERIES), max_results=st.sampled_from([1, 2, 10, 100]))
_lists = st.builds(
    wire.List,
    tag=mostly(None, st.sampled_from(TAGS)),
    limit=st.sampled_from([1, 2, 3, 50]),
    cursor=mostly(None, st.just(CURSOR)),
)
_deletes = st.builds(
    wire.Delete, key=st.sampled_from(KEYS), idempotency_key=st.sampled_from([None, None, None, "once"])
)
_life = weighted(
    (2, st.builds(wire.Confirm, id=st.just(ID), quote=st.sampled_from([None, "yes, that is so"]))),
    (1, st.builds(wire.Reject, id=st.just(ID), quote=st.sampled_from([None, "no"]), reason=st.just(f"says {MARK}"))),
    (2, st.builds(wire.Deny, key=st.sampled_from(KEYS), reason=st.just(f"says {MARK}"))),
    (1, st.builds(wire.Deny, id=st.just(ID))),
    (2, st.builds(wire.Forget, key=st.sampled_from(KEYS), reason=st.just(f"says {MARK}"), dry_run=st.booleans())),
    (1, st.builds(wire.Forget, entity=st.just("user"), kind=st.sampled_from([None, "general"]))),
    (1, st.builds(wire.Forget, tag=st.sampled_from(TAGS))),
    (1, st.builds(wire.Forget, id=st.just(ID))),
    (1, st.builds(wire.History, key=st.sampled_from(KEYS))),
    (1, st.builds(wire.Why, key=st.sampled_from(KEYS))),
    (2, st.sampled_from([wire.Review(), wire.Recall(), wire.Stats(), wire.Suppressions()])),
    (1, st.builds(wire.Decay, dry_run=st.booleans())),
)
_owners_alone = weighted(
    (1, st.builds(wire.Unforget, id=st.just(ID))),
    (1, st.builds(wire.Undo, id=st.just(ID), dry_run=st.booleans())),
    (1, st.builds(wire.Undo, session=st.just(SESSION), dry_run=st.booleans())),
)
_asides = st.sampled_from([wire.Whoami(), wire.Ping(), wire.GetStatus(), wire.GetStatus()])
_wrong = st.sampled_from(
    [
        wire.frame(
            wire.Call(7, msgspec.Raw(msgspec.msgpack.encode({"type": "save", "content": "x", "level": "PUBLIC"})))
        ),
        wire.frame(wire.Call(7, msgspec.Raw(msgspec.msgpack.encode({"type": "session.list"})))),
        b"\x00\x00\x00\x01\xc1",
        wire.call(7, wire.Save(content=" ")),
        wire.call(7, wire.Search(query="tea", max_results=0)),
        wire.call(7, wire.List(cursor="elsewhere")),
        wire.call(7, wire.Save(content="tea", source="hearsay")),
    ]
)
_opens = st.builds(
    wire.SessionOpen,
    agent=st.just(f"agent of {MARK}"),
    level=some_levels,
    ceiling=st.sampled_from([None, "CONFIDENTIAL", "RESTRICTED", "RESTRICTED"]),
    space=st.sampled_from(SPACES),
)
_hellos = st.builds(
    wire.Hello,
    protocol=st.just(wire.PROTOCOL),
    agent=st.just(f"agent of {MARK}"),
    space=st.sampled_from(SPACES),
    resume=st.sampled_from([None, TOKEN]),
)
_raises = st.builds(
    wire.SessionRaise, session=st.just(SESSION), level=some_levels, reason=st.just(f"it read a file of {MARK}")
)


def _moves(*, steady: bool) -> st.SearchStrategy[Move]:
    """Any move. ``steady``: the clock only goes on, nothing expires, nobody hangs up; a real daemon can follow."""
    waits = st.just(1000) if steady else st.sampled_from([0, 1, 1, 1000, 1000, DAY // 24, DAY, -DAY // 24, -1])
    data = weighted((6, saves(expiring=not steady)), (3, _gets), (2, _searches), (1, _lists), (2, _deletes))
    picks = st.integers(0, 40)

    def moves(speaker: st.SearchStrategy[Speaker], request: st.SearchStrategy[object]) -> st.SearchStrategy[Move]:
        return st.builds(Move, speaker, request, waits, picks)

    agents, owner = st.builds(Agent, picks), st.builds(Owner)
    return weighted(
        (36, moves(agents, data)),
        (14, moves(owner, st.builds(wire.Act, request=data, level=st.none() | some_levels))),
        (7, moves(agents, _life)),
        (4, moves(owner, st.builds(wire.Act, request=_life, level=st.none() | some_levels))),
        (2, moves(owner, st.builds(wire.Act, request=_owners_alone, level=st.none() | some_levels))),
        (3, moves(agents, _asides)),
        (2, moves(owner, st.one_of(_asides, st.builds(wire.SessionList, all=st.booleans())))),
        (3, moves(owner, _raises)),
        (2, moves(owner, st.one_of(_opens, st.just(wire.SessionOpen(resume=TOKEN))))),
        (2, moves(st.builds(Stranger, st.sampled_from(Level)), _hellos)),
        (1, moves(owner, st.builds(wire.SessionEnd, session=st.just(SESSION)))),
        (0 if steady else 1, moves(agents, st.none())),
        (1, moves(agents, _wrong)),
    )


@st.composite
def histories(draw: st.DrawFn, *, steady: bool = False) -> list[Move]:
    """A history: somebody of every level is there, two sessions that can rise as well, then anything happens."""
    arrivals = [
        Move(Stranger(level), wire.Hello(protocol=wire.PROTOCOL, agent=f"agent of {MARK}", space=space), 1)
        for level, space in zip(Level, draw(st.permutations(SPACES)), strict=True)
    ]
    rising = [Move(Owner(), wire.SessionOpen(level=low, ceiling="RESTRICTED"), 1) for low in ("PUBLIC", "INTERNAL")]
    return arrivals + rising + draw(st.lists(_moves(steady=steady), min_size=60, max_size=100))
