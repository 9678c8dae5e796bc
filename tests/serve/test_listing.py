"""list: pages of bounded count and bytes, with cursors that hold while others write."""

import base64

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import Line, agent

MEBIBYTE = 1 << 20


def pages(line: Line, limit: int, tag: str) -> list[wire.Listed]:
    """Read a list to its end."""
    got = [line.ask(wire.List(tag=tag, limit=limit), wire.Listed)]
    while got[-1].next_cursor is not None:
        got.append(line.ask(wire.List(tag=tag, limit=limit, cursor=got[-1].next_cursor), wire.Listed))
    return got


def keys(listed: list[wire.Listed]) -> list[str]:
    """The keys of all pages, in order."""
    return [memory.key for page in listed for memory in page.memories]


@pytest.mark.parametrize("limit", [1, 3, 10, 11, 500])
def test_pages_by_count_hold_everything_once_the_newest_first(shared_daemon: Daemon, limit: int) -> None:
    """Whatever the page, the whole is the same; over several levels too."""
    tag = f"count-{limit}"
    with agent(shared_daemon, "public") as low, agent(shared_daemon, "internal") as high:
        for n in range(10):
            (low if n % 2 else high).ask(wire.Save(key=f"{tag}-{n}", content="x", tags=[tag]), wire.Saved)
        got = pages(high, limit, tag)
        assert keys(got) == [f"{tag}-{n}" for n in reversed(range(10))]
        assert [len(page.memories) for page in got[:-1]] == [limit] * (len(got) - 1)
        assert keys(pages(low, limit, tag)) == [f"{tag}-{n}" for n in (9, 7, 5, 3, 1)]


def test_pages_by_bytes(shared_daemon: Daemon) -> None:
    """BR-038: a reply has a mebibyte of content at most, whatever count was asked for; one memory always fits."""
    sizes = [MEBIBYTE, 400_000, 400_000, 400_000, MEBIBYTE, 10]
    with agent(shared_daemon) as line:
        for n, size in enumerate(sizes):
            line.ask(wire.Save(key=f"bytes-{n}", content="x" * size, tags=["bytes"]), wire.Saved)
        got = pages(line, 500, "bytes")
        assert keys(got) == [f"bytes-{n}" for n in reversed(range(len(sizes)))]
        for page in got:
            assert sum(len(memory.content) for memory in page.memories) <= MEBIBYTE
            assert all(len(memory.content) == sizes[int(memory.key[6:])] for memory in page.memories)


def test_a_cursor_holds_while_others_write(shared_daemon: Daemon) -> None:
    """What is saved or deleted between two pages neither repeats nor hides what was there before."""
    with agent(shared_daemon) as line:
        for n in range(6):
            line.ask(wire.Save(key=f"stable-{n}", content="x", tags=["stable"]), wire.Saved)
        first = line.ask(wire.List(tag="stable", limit=3), wire.Listed)
        line.ask(wire.Save(key="stable-new", content="x", tags=["stable"]), wire.Saved)
        line.ask(wire.Delete(key="stable-3"), wire.Deleted)
        rest = line.ask(wire.List(tag="stable", limit=10, cursor=first.next_cursor), wire.Listed)
        assert keys([first, rest]) == [f"stable-{n}" for n in (5, 4, 3, 2, 1, 0)]


def test_a_shadowed_copy_takes_no_place_in_a_page(shared_daemon: Daemon) -> None:
    """Shadows are cast before the tag is looked at and before the page is counted."""
    with agent(shared_daemon, "public") as low, agent(shared_daemon, "internal") as high:
        for n in range(4):
            low.ask(wire.Save(key=f"under-{n}", content="low", tags=["under"]), wire.Saved)
        high.ask(wire.Save(key="under-3", content="high"), wire.Saved)
        assert keys([high.ask(wire.List(tag="under", limit=2), wire.Listed)]) == ["under-2", "under-1"]


@pytest.mark.parametrize("limit", [0, -1, 501, 2**63])
def test_a_limit_out_of_range_is_refused(shared_daemon: Daemon, limit: int) -> None:
    """Not cut to what is allowed."""
    with agent(shared_daemon) as line:
        assert line.refusal(wire.List(limit=limit)).code == "bad_value"


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "म",
        "====",
        "bm8=",
        *[base64.b64encode(raw).decode() for raw in (b"[]", b"[1]", b'["a","b"]', b"[1e9,2]")],
    ]
    + [base64.b64encode(b'[%d,"m"]' % number).decode() for number in (2**63, 10**30, -(10**30))],
)
def test_a_cursor_that_was_not_given_is_refused(shared_daemon: Daemon, cursor: str) -> None:
    """Nothing that a client makes up is a fault of the daemon."""
    with agent(shared_daemon) as line:
        assert line.refusal(wire.List(cursor=cursor)).code == "bad_cursor"
