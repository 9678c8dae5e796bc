"""Random histories: what agents, the owner and a host's policy layer do, one move after the other."""

from functools import cache
from itertools import chain
from typing import TypeAlias

import msgspec
from hypothesis import strategies as st
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros, to_iso
from tests.serve.asking import (
    ARRIVALS,
    CURSOR,
    EVERYWHERE,
    HOSTS,
    ID,
    KEYS,
    MACHINE,
    MARK,
    OWNERS,
    SESSION,
    SPACES,
    START,
    TEXTS,
    Making,
    any_of,
    asides,
    data,
    days,
    life,
    some_levels,
    weighted,
)


class Agent(Struct, frozen=True):
    """An agent on one of the lines that are open by then."""

    line: int


class Stranger(Struct, frozen=True):
    """A new connection at the socket of a level."""

    level: Level


class Owner(Struct, frozen=True):
    """The owner, or a host, on the control socket."""


__all__ = ["START", "Agent", "Clock", "Move", "Owner", "Speaker", "Stranger", "histories"]


class Clock(Struct, frozen=True):
    """Nobody: a minute is over, and the daemon looks what there is to tell."""


Speaker: TypeAlias = Agent | Stranger | Owner | Clock


class Move(Struct, frozen=True):
    """One act: the clock moves by ``wait``, also back; then somebody asks, sends raw bytes, or hangs up (None).

    ``pick`` chooses among what the request's places may be filled with.
    """

    speaker: Speaker
    request: wire.Request | bytes | None
    wait: Micros = 0
    pick: int = 0


LAST = -1
"""The pick of what was seen last."""

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


def _moves(*, steady: bool) -> st.SearchStrategy[Move]:
    """Any move. ``steady``: the clock only goes on, nothing expires, nobody hangs up; a real daemon can follow."""
    usual = st.sampled_from([0, 1, 1, 1000, 1000, DAY // 24, DAY, -DAY // 24, -1])
    waits = st.just(1000) if steady else weighted((30, usual), (1, st.just(100 * DAY)))
    often, day = any_of(data(steady=steady)), any_of(days(steady=steady))
    aside, lives, owners = any_of(asides(steady=steady)), any_of(life(steady=steady)), any_of(OWNERS)
    picks = st.integers(0, 40)

    def moves(speaker: st.SearchStrategy[Speaker], request: Making) -> st.SearchStrategy[Move]:
        return st.builds(Move, speaker, request, waits, picks)

    def acts(request: Making) -> Making:
        return st.builds(wire.Act, request=request, level=st.none() | some_levels)

    agents, owner = st.builds(Agent, picks), st.builds(Owner)
    return weighted(
        (40, moves(agents, often)),
        (12, moves(owner, acts(often))),
        (12, moves(agents, lives)),
        (7, moves(owner, acts(lives))),
        (6, moves(agents, day)),
        (2, moves(owner, acts(day))),
        (5, moves(owner, acts(owners))),
        (1, moves(owner, st.builds(wire.Act, request=EVERYWHERE, all_levels=st.just(True)))),
        (3, moves(agents, aside)),
        (1, moves(owner, aside)),
        (6, moves(owner, any_of(HOSTS))),
        (0 if steady else 1, moves(owner, any_of(MACHINE))),
        (2, moves(st.builds(Stranger, st.sampled_from(Level)), any_of(ARRIVALS))),
        (0 if steady else 1, moves(agents, st.none())),
        (0 if steady else 3, moves(st.builds(Clock), st.none())),
        (1, moves(agents, _wrong)),
    )


def _scenes(*, steady: bool) -> st.SearchStrategy[list[Move]]:
    """A few moves about one key that seldom come together by chance: each has something to show at the end."""
    quarter = 1000 if steady else 100 * DAY

    def scene(key: str, text: str, one: int, other: int, level: str) -> st.SearchStrategy[list[Move]]:
        def by(line: int, *requests: wire.Request, wait: Micros = 1000) -> list[Move]:
            return [Move(Agent(line), request, wait, LAST) for request in requests]

        def owner(*requests: wire.OwnerData) -> list[Move]:
            return [Move(Owner(), wire.Act(request=request, level=level), 1000, LAST) for request in requests]

        said = wire.Save(key=key, content=text, source="user_explicit")
        guess = wire.Save(key=key, content=text, source="self_inferred")
        noticed = wire.Save(key=key, content=f"tea {MARK}", entity="Asha")
        of_asha = wire.Save(content=f"a note of {MARK} on tea and coffee in the city", entity="Asha")
        promise = wire.PromiseAdd(text=f"will bring tea from {MARK}", deadline="2001-01-01")
        slept = wire.WellnessAdd(mood=f"calm in {MARK}", sleep_hours=6.5)
        scenes = [
            by(3, noticed) + by(one, said) + by(3, wire.Get(key=key)),
            by(one, said, wire.Deny(key=key), wire.Deny(key=key), wire.Review()),
            by(one, said) + by(other, noticed, wire.Get(key=key), wire.History(key=key)),
            by(one, guess) + by(other, said, wire.Review()),
            by(one, guess, said, wire.Review()),
            by(one, said, noticed, of_asha, wire.List(limit=1), wire.List(limit=1, cursor=CURSOR)),
            by(one, said) + owner(wire.Undo(id=ID), wire.Undo(session=SESSION)),
            by(one, of_asha) + by(other, of_asha, wire.Save(content="Asha drinks black coffee", entity="Asha")),
            by(one, said, noticed, wire.Why(key=key)) + by(one, wire.Vacuum(), wait=quarter) + owner(wire.Week()),
            by(one, said) + owner(*(wire.Erase(key=key, confirm=n) for n in (1, 2, 3)), said),
            by(one, said) + owner(wire.WhyNot(key=key)) + by(other, wire.Forget(key=key)) + by(one, said),
            by(one, promise, wire.PromiseDone(id=ID)),
            by(one, promise) + by(other, wire.PromiseDone(id=ID), wire.PromiseList(all=True)),
            by(0, promise) + by(3, wire.PromiseDone(id=ID), promise, wire.PromiseList()),
            by(0, slept) + by(3, slept, wire.WellnessList()),
            owner(wire.AliasAdd(alias="आशा", entity="Asha")) + by(one, of_asha, wire.Forget(entity="आशा")),
        ]
        return st.sampled_from(scenes)

    lines = st.integers(0, 5)
    drawn = st.tuples(st.sampled_from(KEYS), st.sampled_from(TEXTS), lines, lines, some_levels)
    return drawn.flatmap(lambda values: scene(*values))


def _watch(line: int) -> list[Move]:
    """Somebody wants to be told, and there is something to tell: that a memory ends, and then that a promise is due."""
    topics = ["promise_due", "memory_expiring", "proposal_waiting"]
    ends, due = (to_iso(START + hours * DAY // 24) for hours in (60, 90))
    asks = [
        wire.Subscribe(to=topics),
        wire.Save(content=f"the tea of {MARK} is in town", expires_at=ends),
        wire.PromiseAdd(text=f"will bring tea from {MARK}", deadline=due),
    ]
    minute, day = Move(Clock(), None, 1000), Move(Clock(), None, 4 * DAY)
    return [*(Move(Agent(line), ask, 1000) for ask in asks), minute, day, Move(Agent(line), wire.Expire(), 1000)]


@cache
def _acts(*, steady: bool) -> st.SearchStrategy[list[list[Move]]]:
    """What happens, made once: to build so many strategies takes about as long as to draw from them."""
    one = _moves(steady=steady).map(lambda move: [move])
    return st.lists(weighted((9, one), (1, _scenes(steady=steady))), min_size=50, max_size=70)


@st.composite
def histories(draw: st.DrawFn, *, steady: bool = False) -> list[Move]:
    """A history: somebody of every level is there, two sessions that can rise as well, then anything happens.

    In the end those who are there say a word, so that what they were told unasked comes to light.
    """
    arrivals = [
        Move(Stranger(level), wire.Hello(protocol=wire.PROTOCOL, agent=f"agent of {MARK}", space=space), 1)
        for level, space in zip(Level, draw(st.permutations(SPACES)), strict=True)
    ]
    rising = [Move(Owner(), wire.SessionOpen(level=low, ceiling="RESTRICTED"), 1) for low in ("PUBLIC", "INTERNAL")]
    partings = [Move(Agent(line), wire.Ping(), 1) for line in range(len(arrivals) + len(rising))]
    watches = [] if steady else draw(st.lists(st.integers(0, 5), max_size=2).map(lambda lines: [*map(_watch, lines)]))
    acts = draw(_acts(steady=steady))
    return [*arrivals, *rising, *chain.from_iterable([*watches, *acts]), *partings]
