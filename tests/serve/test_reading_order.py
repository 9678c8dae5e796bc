"""Shadows are cast before anything is filtered, and everything is filtered before anything is counted."""

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.serve.dispatch import QUEUED
from tests.serve.harness import World


def test_a_tag_brings_no_shadowed_copy_back(world: World) -> None:
    """A low copy with a tag that the high one has no more is stale: neither the tag nor its old text finds it."""
    world.agent(Level.PUBLIC).ask(wire.Save(key="tea", content="green tea", tags=["drink"]))
    above = world.agent(Level.RESTRICTED)
    above.ask(wire.Save(key="tea", content="black coffee"))
    assert above.ask(wire.List(tag="drink")).memories == []
    assert above.ask(wire.Search(query="green")).results == []


def test_a_shadowed_copy_takes_no_place_in_a_page(world: World) -> None:
    """A page of two has two though the newest rows are shadowed by a higher one; the pages hold each winner once."""
    below, above = world.agent(Level.PUBLIC), world.agent(Level.RESTRICTED)
    for key in ("a", "b", "c", "d"):
        above.ask(wire.Save(key=key, content=f"above {key}"))
        world.now += 1
    for key in ("a", "b", "c"):
        below.ask(wire.Save(key=key, content=f"below {key}"))
        world.now += 1
    first = above.ask(wire.List(limit=2))
    second = above.ask(wire.List(limit=2, cursor=first.next_cursor))
    assert [[row.content for row in page.memories] for page in (first, second)] == [
        ["above d", "above c"],
        ["above b", "above a"],
    ]
    assert second.next_cursor is None


def test_a_shadowed_hit_takes_no_place_among_the_results(world: World) -> None:
    """The one result that was asked for is the best that the caller sees, not the best that there is."""
    below, above = world.agent(Level.PUBLIC), world.agent(Level.RESTRICTED)
    below.ask(wire.Save(key="drink", content="tea tea tea"))
    above.ask(wire.Save(key="drink", content="coffee with milk"))
    above.ask(wire.Save(key="cup", content="a cup for tea and for water"))
    (hit,) = above.ask(wire.Search(query="tea", max_results=1)).results
    assert hit.key == "cup"


@pytest.mark.parametrize("request_", [wire.Search(query="tea"), wire.Save(content="tea")])
def test_one_level_full_of_work_does_not_make_another_busy(world: World, request_: wire.Request) -> None:
    """Each level has its own bound: where it is reached the level is busy, and no other notices."""
    world.waiting[Level.RESTRICTED] = QUEUED
    assert world.agent(Level.RESTRICTED).ask(request_).code == "busy"
    assert not isinstance(world.agent(Level.PUBLIC).ask(request_), wire.Error)
