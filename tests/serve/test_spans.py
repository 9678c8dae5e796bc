"""since and until: what was last said in a span, by whichever door, in pages and beside shadows."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros, to_iso
from memtrigd.gate.doors import CONTROL
from tests.conftest import Daemon
from tests.serve.asking import START
from tests.serve.harness import Line, Nursery, World, nursery

HOUR: Micros = DAY // 24


@pytest.fixture(name="world", scope="module")
def _world() -> Iterator[World]:
    """Ten memories of INTERNAL, one an hour; ``m5`` is said again above by PUBLIC's elder."""
    with nursery() as made:
        assert isinstance(made, Nursery)
        with made.world(START) as world:
            low, high = world.agent(Level.PUBLIC), world.agent(Level.INTERNAL)
            low.ask(wire.Save(key="m5", content="tea at first"))
            for n in range(10):
                world.now = START + n * HOUR
                high.ask(wire.Save(key=f"m{n}", content=f"tea number {n}"))
            yield world


def listed(line: Line, limit: int, since: str | None, until: str | None) -> list[str]:
    """The keys of a list, page by page."""
    keys: list[str] = []
    cursor: str | None = None
    while True:
        page = line.ask(wire.List(limit=limit, cursor=cursor, since=since, until=until))
        assert isinstance(page, wire.Listed), page
        keys += [each.key for each in page.memories]
        cursor = page.next_cursor
        if cursor is None:
            return keys


@pytest.mark.parametrize("limit", [1, 2, 50])
@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [(3, 6, [5, 4, 3]), (None, 2, [1, 0]), (8, None, [9, 8]), (3, 3, []), (None, None, range(9, -1, -1))],
)
def test_a_list_holds_what_was_said_in_the_span(
    world: World, limit: int, since: int | None, until: int | None, expected: list[int]
) -> None:
    """From the one moment on, before the other, whatever the page."""
    ends = [None if each is None else to_iso(START + each * HOUR) for each in (since, until)]
    assert listed(world.agent(Level.INTERNAL), limit, *ends) == [f"m{n}" for n in expected]


def test_a_search_finds_only_what_was_said_in_the_span(world: World) -> None:
    """A shadow is cast first: an elder copy below does not come back because the newer one is out of the span."""
    line = world.agent(Level.INTERNAL)
    found = line.ask(wire.Search(query="tea", since=to_iso(START + 3 * HOUR), until=to_iso(START + 6 * HOUR)))
    assert sorted(each.key for each in found.results) == ["m3", "m4", "m5"]
    first = line.ask(wire.Search(query="tea", until=to_iso(START + HOUR)))
    assert [each.key for each in first.results] == ["m0"]


@pytest.mark.parametrize("since", ["2026-11-30", "2026-11-30T18:00", "yesterday", ""])
def test_a_bound_without_a_zone_is_refused(world: World, since: str) -> None:
    """BR-079: it would be another moment for each who reads it."""
    line, owner = world.agent(Level.INTERNAL), world.connect(CONTROL)
    requests = (wire.List(since=since), wire.Search(query="tea", until=since))
    for answer in (*map(line.ask, requests), owner.ask(wire.Act(request=wire.Week(since=since)))):
        assert isinstance(answer, wire.Error) and answer.code == "bad_time"


def test_bounds_that_cross_are_refused(world: World) -> None:
    """Not answered with nothing, which would pass for an answer."""
    crossed = wire.List(since="2026-11-30T18:00Z", until="2026-11-30T17:00Z")
    answer = world.agent(Level.INTERNAL).ask(crossed)
    assert isinstance(answer, wire.Error) and answer.code == "bad_time"


def test_a_week_may_begin_at_any_moment(world: World) -> None:
    """In the place of a number of days."""
    told = world.connect(CONTROL).ask(wire.Act(request=wire.Week(since=to_iso(START + 8 * HOUR)), level="INTERNAL"))
    assert (told.since, told.counts["learned"]) == (to_iso(START + 8 * HOUR), 2)


def test_yesterday_is_the_callers(daemon: Daemon) -> None:
    """BR-079: said at half past midnight in Tokyo, asked for there and in UTC; text and JSON have offsets."""
    tokyo = ZoneInfo("Asia/Tokyo")
    today = datetime.now(tokyo).date()
    said = datetime.combine(today - timedelta(days=1), datetime.min.time(), tokyo) + timedelta(minutes=30)
    record = f'{{"key": "k", "content": "tea", "created": "{said.isoformat()}"}}\n'
    (daemon.home / "one.jsonl").write_text(record)

    def ask(zone: str, *words: str) -> str:
        command = [sys.executable, "-m", "memtrig.ctl", "--home", str(daemon.home), *words]
        return subprocess.run(command, env=os.environ | {"TZ": zone}, text=True, stdout=-1, check=True).stdout

    ask("UTC", "import", str(daemon.home / "one.jsonl"))
    assert '"key": "k"' in ask("Asia/Tokyo", "list", "--since", "yesterday", "--until", "yesterday", "--json")
    day = said.astimezone(UTC).date()
    for zone, date, is_in in (("UTC", day, True), ("UTC", day + timedelta(days=1), False), ("Asia/Tokyo", day, False)):
        for verb in (["list"], ["search", "tea"]):
            there = ask(zone, *verb, "--since", date.isoformat(), "--until", date.isoformat(), "--json")
            assert ('"key": "k"' in there) == is_in
    assert said.astimezone(UTC).isoformat() in ask("Asia/Tokyo", "get", "k", "--json")
