"""What comes beside memories in an import: each once, never against what stands, and never back once it was undone."""

from collections.abc import Iterator
from datetime import UTC
from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import from_iso
from memtrigd.gate.doors import CONTROL
from tests.serve.harness import Nursery, World, nursery

NOW = from_iso("2026-12-01T12:00:00+00:00", UTC)


@pytest.fixture(name="fresh", scope="module")
def _fresh() -> Iterator[Nursery]:
    """Worlds for this module."""
    with nursery() as made:
        yield made


@pytest.fixture(name="world")
def _world(fresh: Nursery) -> Iterator[World]:
    """A daemon in memory with an empty store."""
    with fresh.world(NOW) as world:
        yield world


BESIDE: list[wire.ImportEntry] = [
    wire.ImportAlias(alias="图书馆", entity="读书"),
    wire.ImportWish(entity="前任", reason="别提", at="2026-05-01T00:00:00+08:00"),
    wire.ImportPromise(text="写一首歌", deadline="2026-12-20", created="2026-11-01T00:00:00Z"),
    wire.ImportPromise(text="看海", created="2026-10-01T00:00:00Z", done_at="2026-10-09T00:00:00Z"),
    wire.ImportWellness(date="2026-11-30", mood="累", sleep_hours=6.5),
]


def bring(world: World, *entries: wire.ImportEntry, **options: Any) -> wire.Imported:
    """Import what lies beside memories."""
    done = world.connect(CONTROL).ask(wire.Act(request=wire.Import(entries=list(entries), **options)))
    assert isinstance(done, wire.Imported), done
    return done


def test_what_the_user_changed_since_stays_changed(world: World) -> None:
    """A removed name, a lifted wish, a kept promise: the same file again brings nothing of it back."""
    owner = world.connect(CONTROL)
    assert bring(world, *BESIDE, dry_run=True).entries == {"new": 5}
    assert bring(world, *BESIDE).entries == {"new": 5}
    promises = owner.ask(wire.Act(request=wire.PromiseList(all=True))).promises
    assert [(each.text, each.status) for each in promises] == [("写一首歌", "open"), ("看海", "done")]
    owner.ask(wire.Act(request=wire.PromiseDone(id=promises[0].id)))
    owner.ask(wire.Act(request=wire.PromiseDone(id=promises[1].id, undone=True)))
    owner.ask(wire.Act(request=wire.AliasRemove(alias="图书馆")))
    owner.ask(wire.Act(request=wire.Save(content="常想起前任。", entity="前任")))
    assert owner.ask(wire.Act(request=wire.Suppressions())).suppressions == []
    assert bring(world, *BESIDE).entries == {"known": 5}
    assert owner.ask(wire.Act(request=wire.AliasList())).aliases == []
    told = owner.ask(wire.Act(request=wire.PromiseList(all=True))).promises
    assert {(each.text, each.status) for each in told} == {("写一首歌", "done"), ("看海", "open")}


def test_a_file_puts_nothing_away_that_is_served(world: World) -> None:
    """A wish about an entity of which anything stands is refused, by whichever of its names."""
    owner = world.connect(CONTROL)
    owner.ask(wire.Act(request=wire.Save(key="tea", content="Asha likes tea.", entity="Asha"), level="PUBLIC"))
    owner.ask(wire.Act(request=wire.AliasAdd(alias="आशा", entity="Asha")))
    for name in ("Asha", "आशा"):
        assert [each.code for each in bring(world, wire.ImportWish(entity=name)).refused] == ["not_yours"]
    assert isinstance(world.agent(Level.INTERNAL).ask(wire.Get(key="tea")), wire.Got)


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (wire.ImportAlias(alias="x", entity="x"), "bad_value"),
        (wire.ImportAlias(alias="The password is hunter2-Xk9!vQz.", entity="x"), "secret"),
        (wire.ImportWish(entity=" "), "bad_value"),
        (wire.ImportWish(entity="x", at="once"), "bad_time"),
        (wire.ImportPromise(text="x", deadline="soon"), "bad_time"),
        (wire.ImportPromise(text="x" * 5000), "too_large"),
        (wire.ImportWellness(date="today", mood="x"), "bad_time"),
        (wire.ImportWellness(date="2026-11-30", mood="x", sleep_hours=25.0), "bad_value"),
    ],
    ids=str,
)
def test_one_bad_entry_keeps_no_other_out(world: World, entry: wire.ImportEntry, code: str) -> None:
    """It is told of by its number, which counts on after the records."""
    request = wire.Import(records=[wire.ImportRecord(content="a")], entries=[entry, BESIDE[0]])
    done = world.connect(CONTROL).ask(wire.Act(request=request))
    assert (done.counts, done.entries) == ({"new": 1}, {"new": 1})
    assert [(each.number, each.code) for each in done.refused] == [(1, code)]


def test_a_credential_is_taken_out_of_what_lies_beside(world: World) -> None:
    """With ``redact`` the rest of it is kept."""
    note = wire.ImportWellness(date="2026-11-30", mood="fine", note="The password is hunter2-Xk9!vQz.")
    assert bring(world, note, redact=True).entries == {"new": 1}
    told = world.connect(CONTROL).ask(wire.Act(request=wire.WellnessList())).notes
    assert told[0].note == "The password is [redacted password]."


def test_what_was_only_deleted_elsewhere_leaves_no_wish(world: World) -> None:
    """It may be learnt again; what was forgotten may not."""
    owner = world.connect(CONTROL)
    gone = [
        wire.ImportRecord(content="deleted", status="forgotten", reason="deleted"),
        wire.ImportRecord(content="forgotten", status="forgotten", forget_reason="sad"),
    ]
    assert owner.ask(wire.Act(request=wire.Import(records=gone))).counts == {"closed": 2}
    wishes = owner.ask(wire.Act(request=wire.Suppressions())).suppressions
    assert [(wish.scope, wish.reason) for wish in wishes] == [("memory", "sad")]
