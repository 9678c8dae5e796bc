"""A request is told from all others: in the log and in the figures, by one id, without a word of its contents."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from memtrig import wire
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Daemon
from tests.talk import agent, dial

SECRET = "quokka"


@pytest.fixture(name="daemon", scope="module")
def _daemon() -> Iterator[Daemon]:
    """A daemon that logs every request."""
    daemon = Daemon()
    with (daemon.home / "config" / "memtrigd.toml").open("a") as file:
        file.write('[log]\nlevel = "debug"\n')
    try:
        yield daemon.start()
    finally:
        daemon.remove()


def lines(daemon: Daemon, event: str) -> list[dict[str, Any]]:
    """The log's entries of one sort."""
    return [entry for entry in map(json.loads, daemon.log.splitlines()) if entry["event"] == event]


def test_the_slowest_of_the_figures_is_found_in_the_log(daemon: Daemon) -> None:
    """Each request has a line with an id of its own; the figure has the id of the one that took longest."""
    with agent(daemon, "internal") as line:
        for number in range(5):
            line.ask(wire.Save(key=f"{SECRET}{number}", content=SECRET), wire.Saved)
        line.refusal(wire.Get(key=f"no {SECRET}"))
    with dial(daemon, "control") as owner:
        told = owner.ask(wire.Metrics(), wire.Exposition).text
    slowest = {
        sample.labels["request"]: (sample.labels["id"], sample.value)
        for family in text_string_to_metric_families(told)
        for sample in family.samples
        if sample.name == "memtrigd_request_slowest_seconds"
    }
    logged = lines(daemon, "request")
    saves = {entry["id"]: entry["seconds"] for entry in logged if entry["request"] == "save"}
    assert len(saves) == 5
    assert slowest["save"][0] == max(saves, key=lambda each: saves[each])
    assert slowest["save"][1] == pytest.approx(max(saves.values()), abs=1e-6)
    (refused,) = [entry for entry in logged if entry["request"] == "get"]
    assert (refused["outcome"], refused["whose"]) == ("not_found", "internal")
    assert SECRET not in daemon.log


def test_without_debug_only_slow_requests_have_a_line() -> None:
    """The usual level says nothing of a request that took no time."""
    daemon = Daemon()
    try:
        daemon.start()
        with agent(daemon, "internal") as line:
            line.ask(wire.Ping(), wire.Pong)
        assert [entry for entry in lines(daemon, "request") if entry["seconds"] < 1] == []
    finally:
        daemon.remove()
