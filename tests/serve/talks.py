"""Random talk over MCP: what agents of all levels say to tools, lists and prompts, and what the owner does besides."""

from itertools import chain
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.serve.mcp.prompts import PROMPTS
from tests.serve.asking import (
    CURSOR,
    ENTITIES,
    ID,
    KEYS,
    MARK,
    NAMES,
    OWNERS,
    QUERIES,
    TAGS,
    TEXTS,
    any_of,
    data,
    days,
    life,
    some_levels,
    weighted,
)

OWNER: Final = -1
LAST: Final = -1
"""The pick of what was seen last."""
MINUTE: Final = 60_000_000

Given: TypeAlias = dict[str, Any]


class Move(Struct, frozen=True):
    """What somebody says: an agent by the number of its line, or the owner at a level. ``pick`` fills its places."""

    who: int
    what: tuple[str, Given] | wire.Request
    level: str = "PUBLIC"
    wait: Micros = MINUTE
    pick: int = 0


def talks() -> st.SearchStrategy[list[Move]]:
    """A talk: agents of all levels by tools of every set, and the owner."""
    picks, who = st.integers(0, 40), st.integers(0, len(Level) - 1)
    waits = st.sampled_from([1000, MINUTE, MINUTE, 24 * 60 * MINUTE])
    agents = st.builds(Move, who, weighted((5, _calls()), (2, _others())), wait=waits, pick=picks)
    acts = weighted(
        (2, any_of(OWNERS)),
        (2, any_of(data(steady=False))),
        (2, any_of(life(steady=False))),
        (1, any_of(days(steady=False))),
    ).filter(lambda act: not isinstance(act, wire.WhyNot | wire.Week))
    owner = st.builds(Move, st.just(OWNER), acts, some_levels, waits, picks)
    one = weighted((7, agents), (1, owner)).map(lambda move: [move])
    scenes = st.builds(_scene, who, who, st.sampled_from(KEYS), st.sampled_from(range(3)))
    return st.lists(weighted((9, one), (1, scenes)), min_size=25, max_size=40).map(lambda acts: [*chain(*acts)])


def _scene(one: int, other: int, key: str, which: int) -> list[Move]:
    """A few moves that seldom come together by chance: each has something to show at the end."""

    def does(who: int, name: str, **given: Any) -> Move:
        return Move(who, ("tools/call", {"name": name, "arguments": given}), pick=LAST)

    said = does(one, "save", key=key, content=f"tea {MARK}", source="user_explicit", entity="Asha")
    guess = does(one, "save", content=f"a note of {MARK} on tea", source="self_inferred", confidence=0.3)
    yes = does(one, "confirm", id=ID, quote="yes, that is so")
    against = does(other, "save", key=key, content=f"Asha drinks {MARK}", source="auto_detect")
    return [
        [guess, does(one, "review"), yes, does(other, "search", query="tea")],
        [said, against, does(other, "get", key=key), does(one, "deny", key=key), does(one, "memory_delete", key=key)],
        [said, does(other, "forget", entity="Asha"), does(one, "memory_search", query="Asha"), said],
    ][which]


def _calls() -> st.SearchStrategy[tuple[str, Given]]:
    """A call of a tool, by which something may come to light or be changed."""
    key, tag, text = st.sampled_from(KEYS), st.sampled_from(TAGS), st.sampled_from(TEXTS)
    entity, query, id_ = st.sampled_from(NAMES), st.sampled_from(QUERIES), st.just(ID)
    source = st.sampled_from(["user_explicit", "auto_detect", "self_inferred", "self_inferred"])
    named = st.one_of(st.fixed_dictionaries({"key": key}), st.fixed_dictionaries({"id": id_}))
    facet = st.one_of(named, st.fixed_dictionaries({"entity": entity}), st.fixed_dictionaries({"tag": tag}))
    either = st.one_of(entity, id_)

    def call(name: str, required: Given | None = None, **optional: Any) -> st.SearchStrategy[tuple[str, Given]]:
        given = st.fixed_dictionaries(required or {}, optional=optional)
        return given.map(lambda made: ("tools/call", {"name": name, "arguments": made}))

    def called(name: str, given: st.SearchStrategy[Given]) -> st.SearchStrategy[tuple[str, Given]]:
        return given.map(lambda made: ("tools/call", {"name": name, "arguments": made}))

    saves = call(
        "save",
        {"content": text, "source": source},
        key=key,
        entity=st.sampled_from(ENTITIES),
        tags=st.lists(tag, max_size=2),
        confidence=st.sampled_from([0.3, 0.9]),
        replaces=id_,
        expires_at=st.just("2026-09-25T00:00:00+00:00"),
    )
    writes = call("memory_write", {"entity": entity, "kind": st.just("preference"), "value": text, "source": source})
    promise = st.just(f"will bring tea from {MARK}")
    return weighted(
        (8, saves),
        (3, writes),
        (3, call("memory_save", {"key": key, "content": text}, tags=st.lists(tag, max_size=2))),
        (3, call("get", {"key": key})),
        (
            3,
            call(
                "search",
                {"query": query},
                max_results=st.sampled_from([1, 5, "10"]),
                cursor=st.sampled_from(["1", CURSOR]),
            ),
        ),
        (3, call("list", {}, tag=tag, limit=st.sampled_from([1, 2, 50]), cursor=st.just(CURSOR))),
        (2, called("forget", facet)),
        (2, called("deny", named)),
        (2, call("confirm", {"id": id_, "quote": st.just("yes, that is so")})),
        (1, call("recall")),
        (2, call("review", limit=st.sampled_from([1, 20]))),
        (1, call("promise", {"action": st.just("add"), "text": promise}, deadline=st.just("2026-09-23"))),
        (1, call("promise", {"action": st.just("done"), "id": id_})),
        (1, call("promise", {"action": st.sampled_from(["list", "check"])})),
        (1, call("stats")),
        (1, call("whoami")),
        (1, call("memory_get", {"key": key})),
        (1, call("memory_list", {}, tag=tag)),
        (2, call("memory_delete", {"key": key})),
        (2, call("memory_search", {"query": query})),
        (1, call("memory_forget", {"entity_or_id": either})),
        (1, call("memory_deny", {"entity_or_id": either})),
        (1, call("memory_wellness", {"mood": st.just(f"calm in {MARK}")})),
        (1, call("memory_promise", {"text": promise}, deadline=st.just("2026-09-22"))),
        (3, st.sampled_from(_UPKEEP).flatmap(call)),
    )


_UPKEEP: Final = [
    f"memory_{verb}"
    for verb in (
        *("recall", "stats", "decay", "vacuum", "backup", "recover", "init", "expire_check", "selfcheck"),
        *("promise_list", "promise_check", "promise_watch_status"),
    )
]


def _others() -> st.SearchStrategy[tuple[str, Given]]:
    """What is asked beside tools: lists, resources, prompts, completion, discovery."""
    uris = ["memory://core", "memory://recent", "memory://guidance", *(f"memory://{key}" for key in KEYS), "memory://x"]
    typed = st.sampled_from(["", "t", "zz", "श", "A"])
    complete = [
        ({"type": "ref/resource", "uri": "memory://{key}"}, "key"),
        *(({"type": "ref/prompt", "name": each.name}, takes.name) for each in PROMPTS for takes in each.arguments),
    ]
    prompt = st.sampled_from(PROMPTS).flatmap(
        lambda each: st.fixed_dictionaries(
            {
                "name": st.just(each.name),
                "arguments": st.sampled_from([{}, *({takes.name: "Asha"} for takes in each.arguments)]),
            }
        )
    )
    completion = st.sampled_from(complete).flatmap(
        lambda what: typed.map(lambda said: {"ref": what[0], "argument": {"name": what[1], "value": said}})
    )
    lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover"]
    return weighted(
        (2, st.sampled_from(lists).map(lambda method: (method, {}))),
        (4, st.sampled_from(uris).map(lambda uri: ("resources/read", {"uri": uri}))),
        (3, prompt.map(lambda params: ("prompts/get", params))),
        (3, completion.map(lambda params: ("completion/complete", params))),
    )
