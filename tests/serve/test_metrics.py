"""What the owner can measure, as Prometheus itself reads it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire
from prometheus_client.parser import text_string_to_metric_families

from memtrigd.domain.histograms import Histogram
from memtrigd.serve.exposition import counter, gauge, histogram, text
from tests.conftest import Daemon
from tests.talk import agent, dial

SECRET = "quokka"
Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(exposition: str) -> Figures:
    """Every sample, as the reference parser has it."""
    families = list(text_string_to_metric_families(exposition))
    assert len({family.name for family in families}) == len(families)
    return {(s.name, frozenset(s.labels.items())): s.value for family in families for s in family.samples}


def measured(shared_daemon: Daemon) -> Figures:
    """The daemon's figures now."""
    with dial(shared_daemon, "control") as owner:
        return read(owner.ask(wire.Metrics(), wire.Exposition).text)


def value(figures: Figures, name: str, **labels: str) -> float:
    """One figure."""
    return figures[f"memtrigd_{name}", frozenset(labels.items())]


def test_what_happens_is_counted(shared_daemon: Daemon) -> None:
    """Requests by type, outcome and level; writes, memories, sessions, files and queues."""
    before = measured(shared_daemon)
    with agent(shared_daemon, "public", agent=SECRET) as line:
        line.ask(wire.Save(key=SECRET, content=f"{SECRET}s smile", tags=[SECRET]), wire.Saved)
        line.refusal(wire.Get(key=f"no {SECRET}"))
        now = measured(shared_daemon)
    named = {"request": "get", "outcome": "not_found", "from": "public"}
    assert value(now, "requests_total", **named) == 1
    assert value(now, "requests_total", request="save", outcome="ok", **{"from": "public"}) == 1
    assert value(now, "request_seconds_count", request="save") == 1
    assert value(now, "request_seconds_bucket", request="save", le="+Inf") == 1
    assert value(now, "sessions", level="public") == value(before, "sessions", level="public") + 1
    assert value(now, "memories", level="public", status="active") == 1
    assert value(now, "connections") == 2
    assert value(now, "commit_seconds_count") > value(before, "commit_seconds_count")
    assert value(now, "batch_jobs_sum") > value(before, "batch_jobs_sum")
    assert value(now, "file_bytes", file="public.db-wal") > 0
    deadline = time.monotonic() + 10  # what a start has its lanes do comes to its end
    while any(number for (name, _), number in measured(shared_daemon).items() if name == "memtrigd_queue_jobs"):
        assert time.monotonic() < deadline
    assert value(now, "queue_jobs", lane="searcher") >= 0
    assert all(value(now, "level_available", level=level) == 1 for level in ("public", "restricted"))


def test_no_content_key_or_name_is_in_them(shared_daemon: Daemon) -> None:
    """Labels are levels, types, codes and file names."""
    with agent(shared_daemon, "internal", agent=SECRET) as line:
        line.ask(wire.Save(key=SECRET, content=f"{SECRET}s swim", entity=SECRET), wire.Saved)
        line.ask(wire.Search(query=SECRET), wire.Found)
        with dial(shared_daemon, "control") as owner:
            assert SECRET not in owner.ask(wire.Metrics(), wire.Exposition).text


def test_they_are_the_owners(shared_daemon: Daemon) -> None:
    """An agent's socket does not carry the request."""
    with agent(shared_daemon, "restricted") as line:
        assert line.refusal(wire.Metrics()).code == "not_here"


def test_the_last_success_stays_old_when_a_backup_fails(shared_daemon: Daemon) -> None:
    """BR-016: what can't be read makes the next backup fail, and the time of the last good one does not move."""
    with agent(shared_daemon, "confidential") as line, dial(shared_daemon, "control") as owner:
        line.ask(wire.Save(key="k", content="tea"), wire.Saved)
        owner.ask(wire.BackupNow(level="CONFIDENTIAL"), wire.BackedUp)
        good = value(measured(shared_daemon), "backup_last_success_timestamp_seconds", level="confidential")
        assert value(measured(shared_daemon), "backup_failed", level="confidential") == 0
        key = shared_daemon.home / "state" / "keys" / "confidential.key"
        key.rename(shared_daemon.home / "away")
        owner.exchange(wire.BackupNow(level="CONFIDENTIAL"))
        (shared_daemon.home / "away").rename(key)
    after = measured(shared_daemon)
    assert value(after, "backup_failed", level="confidential") == value(after, "backup_red", level="confidential") == 1
    assert value(after, "backup_last_success_timestamp_seconds", level="confidential") == good


@given(
    st.dictionaries(st.from_regex(r"[a-z][a-z_]{0,7}", fullmatch=True), st.text(max_size=20), max_size=3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.floats(0, 100), max_size=30),
)
def test_whatever_is_exposed_is_read_as_it_was_meant(
    labels: dict[str, str], number: float, values: list[float]
) -> None:
    """Labels with any text, any number, and buckets that count what is no larger than their bounds."""
    counted = Histogram((1.0, 10.0))
    for each in values:
        counted.add(each)
    figures = read(
        text(
            [gauge("g", "A.", (labels, number)), counter("c_total", "B.", ({}, 7)), histogram("h", "C.", ({}, counted))]
        )
    )
    assert value(figures, "g", **labels) == number and value(figures, "c_total") == 7
    assert value(figures, "h_bucket", le="1.0") == sum(each <= 1 for each in values)
    assert value(figures, "h_bucket", le="10.0") == sum(each <= 10 for each in values)
    assert value(figures, "h_bucket", le="+Inf") == value(figures, "h_count") == len(values)
    assert value(figures, "h_sum") == pytest.approx(sum(values))
