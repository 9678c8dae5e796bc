"""Random histories: what agents, the owner and a host's policy layer do, one move after the other.

The pools of keys, words and tags are small on purpose: levels and spaces must meet at the same keys, searches must
find, cursors and ids must come back from another level, or a leak would have nothing to show itself in.
"""

from typing import TypeAlias

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


KEYS = ["name", "tea", "शहर", "user-city"]
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
QUERIES = ["tea", "green tea in the morning?", "coffee city", "绿茶", "चहा", "Asha", "what's the deal?", MARK, ' "NEAR(']

some_levels = st.sampled_from([level.name for level in Level])
few = st.integers(0, 3)


def _mostly(value: object, strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Draw ``value`` two times out of three."""
    return st.one_of(st.just(value), st.just(value), strategy)


def saves(*, expiring: bool) -> st.SearchStrategy[wire.Save]:
    """Claims of every source on few keys: new ones, repeats, replacements, proposals, retries."""
    soon = st.integers(-2, 40).map(lambda hours: to_iso(START + hours * DAY // 24))
    return st.builds(
        wire.Save,
        content=st.sampled_from(TEXTS),
        key=st.sampled_from([*KEYS, *KEYS, None]),
        kind=_mostly("general", st.sampled_from(Kind)),
        source=_mostly(None, st.sampled_from(["user_explicit", "file_import", "auto_detect", "self_inferred", "stated"])),
        entity=st.sampled_from(ENTITIES),
        tags=st.lists(st.sampled_from(TAGS), max_size=2),
        context=_mostly(None, st.just(f"while in {MARK}")),
        confidence=_mostly(None, st.sampled_from([0.4, 0.9])),
        core=st.sampled_from([None, None, True]),
        expires_at=_mostly(None, soon) if expiring else st.none(),
        replaces=_mostly(None, st.just(ID)),
        idempotency_key=_mostly(None, st.sampled_from(["once", "twice"])),
    )


_gets = st.builds(wire.Get, key=st.sampled_from(KEYS))
_searches = st.builds(wire.Search, query=st.sampled_from(QUERIES), max_results=st.sampled_from([1, 2, 10, 100]))
_lists = st.builds(
    wire.List,
    tag=_mostly(None, st.sampled_from(TAGS)),
    limit=st.sampled_from([1, 2, 3, 50]),
    cursor=_mostly(None, st.just(CURSOR)),
)
_deletes = st.builds(wire.Delete, key=st.sampled_from(KEYS), idempotency_key=_mostly(None, st.just("once")))
_asides = st.sampled_from([wire.Whoami(), wire.Ping(), wire.GetStatus(), wire.GetStatus()])
_wrong = st.sampled_from(
    [
        wire.frame(wire.Call(7, msgspec.Raw(msgspec.msgpack.encode({"type": "save", "content": "x", "level": "PUBLIC"})))),
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
    """Any move. ``steady``: the clock only goes on, and nothing expires, so that a real daemon can follow."""
    waits = st.just(1000) if steady else st.sampled_from([0, 1, 1, 1000, 1000, DAY // 24, DAY, -DAY // 24, -1])
    save = saves(expiring=not steady)
    data = st.one_of(save, save, save, _gets, _gets, _searches, _searches, _lists, _lists, _deletes)

    def moves(speaker: st.SearchStrategy[Speaker], request: st.SearchStrategy[object]) -> st.SearchStrategy[Move]:
        return st.builds(Move, speaker, request, waits, st.integers(0, 40))

    agents = st.builds(Agent, st.integers(0, 40))
    owner = st.builds(Owner)
    talk = moves(agents, data)
    rarely = st.one_of(
        moves(agents, st.none()),
        moves(agents, _wrong),
        moves(owner, st.builds(wire.SessionEnd, session=st.just(SESSION))),
        moves(owner, st.one_of(_asides, st.builds(wire.SessionList, all=st.booleans()))),
    )
    return st.one_of(
        *[talk] * 8,
        moves(owner, st.builds(wire.Act, request=data, level=st.none() | some_levels)),
        moves(owner, st.builds(wire.Act, request=data, level=st.none() | some_levels)),
        moves(agents, _asides),
        moves(owner, _raises),
        moves(owner, _raises),
        moves(owner, st.one_of(_opens, st.just(wire.SessionOpen(resume=TOKEN)))),
        moves(st.builds(Stranger, st.sampled_from(Level)), _hellos),
        rarely,
    )


@st.composite
def histories(draw: st.DrawFn, *, steady: bool = False) -> list[Move]:
    """A history: somebody of every level is there, two sessions that can rise as well, then anything happens."""
    arrivals = [
        Move(Stranger(level), wire.Hello(protocol=wire.PROTOCOL, agent=f"agent of {MARK}", space=space), 1)
        for level, space in zip(Level, draw(st.permutations(SPACES)), strict=True)
    ]
    rising = [Move(Owner(), wire.SessionOpen(level=low, ceiling="RESTRICTED"), 1) for low in ("PUBLIC", "INTERNAL")]
    return arrivals + rising + draw(st.lists(_moves(steady=steady), min_size=20, max_size=60))
