"""A bundle: all that a daemon keeps goes out and comes back as it was, and what somebody edited is told apart."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.exchange import bundle_in
from memtrigd.exchange.targets import target
from memtrigd.gate.doors import CONTROL
from tests.exchange.bundles import carried_in, carried_out, lines
from tests.serve.asking import KEYS, START
from tests.serve.harness import Line, Nursery, World, nursery
from tests.serve.histories import Move, histories
from tests.serve.replay import Author, Player

WHEN = to_iso(START)


@pytest.fixture(name="fresh", scope="module")
def _fresh() -> Iterator[Nursery]:
    """Worlds for this module."""
    with nursery() as made:
        yield made


@pytest.fixture(name="world")
def _world(fresh: Nursery) -> Iterator[World]:
    """A daemon in memory with an empty store."""
    with fresh.world(START) as world:
        yield world


def bundled(memory_id: str, content: str, **fields: Any) -> wire.BundledMemory:
    """Make a row whose life is its beginning."""
    times = dict.fromkeys(("created", "updated", "importance_at"), WHEN)
    said: dict[str, Any] = {"key": memory_id, "kind": "general", "source": "stated", "status": "active", **fields}
    step = wire.BundledStep(op="save", at=WHEN, actor="owner", fields={**times, "source": said["source"]})
    return wire.BundledMemory(id=memory_id, space="default", content=content, **{**times, "history": [step], **said})


def take(owner: Line, *rows: wire.AnyBundled, level: str = "internal", **options: Any) -> Any:
    """Bring rows."""
    options = {"source": "a", **options}
    return owner.ask(wire.Act(request=wire.BundleTake(rows=list(rows), **options), level=level))


def live(world: World) -> None:
    """Let things of every sort happen, at several levels and in several scripts."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)

    def act(request: wire.Request, level: str = "internal") -> Any:
        world.now += DAY // 7 + 1
        done = owner.ask(wire.Act(request=request, level=level))  # type: ignore[arg-type]
        assert not isinstance(done, wire.Error), done
        return done

    act(wire.Save(key="चहा", content="तिला बिनसाखरेचा चहा आवडतो.", entity="आशा", tags=["सकाळ"]))
    act(wire.Save(key="चहा", content="आता कॉफी आवडते.", entity="आशा", reason="असं म्हणाली"))
    act(wire.Save(key="住", content="她住在上海。", kind="relationship", entity="小林", emotion_tags=["安心"]))
    act(wire.Save(key="住", content="她以前住在北京。"), "public")
    act(wire.Delete(key="住"))
    agent.ask(wire.Save(key="guess", content="Perhaps likes jazz.", source="self_inferred", confidence=0.31))
    agent.ask(wire.Save(key="mild", content="Sings.", source="auto_detect", confidence=1 / 3))
    world.now += DAY
    agent.ask(wire.Get(key="mild"))
    act(wire.Deny(key="mild"))
    act(wire.Forget(key="चहा", reason="नको"))
    act(wire.Save(key="gone", content="erased text", entity="Nobody"))
    act(wire.Erase(key="gone", confirm=1))
    act(wire.AliasAdd(alias="Ashu", entity="आशा"))
    act(wire.PromiseAdd(text="打电话给她", deadline=to_iso(world.now + DAY)))
    act(wire.WellnessAdd(mood="calm", sleep_hours=7))


def test_all_that_is_kept_comes_back_to_the_byte(fresh: Nursery, tmp_path: Path) -> None:
    """Every row and every life; the journal of the other store vouches for all of it, and names where it is from."""
    with fresh.world(START) as world:
        live(world)
        first = carried_out(world, tmp_path / "one")
        now = world.now
    with fresh.world(now) as world:
        for done in carried_in(world, tmp_path / "one"):
            assert done.refused == [] and set(done.counts) == {"new"}
        second = carried_out(world, tmp_path / "two")
        assert world.problems() == []
        told = world.connect(CONTROL).ask(wire.Act(request=wire.History(key="चहा"), level="internal"))
        assert [each.content for each in told.memories] and any(step.reason == "असं म्हणाली" for step in told.steps)
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    assert first.levels["INTERNAL"].head != second.levels["INTERNAL"].head
    assert {each.source for each in second.brought} == {part.sha256 for part in first.levels.values() if part.rows}
    assert first.levels["INTERNAL"].left_out == {"erased": 1}
    rows = b"".join(lines(tmp_path / "one").values()).decode()
    assert "她住在上海。" in rows and "erased text" not in rows


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=histories())
def test_whatever_happened_comes_back_to_the_byte(
    fresh: Nursery, tmp_path_factory: pytest.TempPathFactory, moves: list[Move]
) -> None:
    """A property over random histories: the rows are the same, the journals hold, and a reader hears the same."""
    place = tmp_path_factory.mktemp("bundles")
    with fresh.world(START) as world:
        author = Author(Player(world))
        for move in moves:
            author.write(move)
        first = carried_out(world, place / "one")
        before, now = heard(world), world.now
    with fresh.world(now) as world:
        assert [each for done in carried_in(world, place / "one") for each in done.refused] == []
        assert world.problems() == []
        carried_out(world, place / "two")
        if not any(part.left_out for part in first.levels.values()):
            assert heard(world) == before
    assert lines(place / "one") == lines(place / "two")


def heard(world: World) -> list[Any]:
    """What readers at each level are told: of what is served, and of what was forgotten."""
    found = []
    for level in Level:
        agent = world.agent(level)
        asked = (wire.List(), wire.Suppressions(), *(wire.Get(key=key) for key in KEYS))
        found.append([agent.ask(request) for request in asked])
    return found


def test_again_is_nothing_new(fresh: Nursery, tmp_path: Path) -> None:
    """Also when it stopped in the middle, and when somebody has saved something since: the rest comes, once."""
    with fresh.world(START) as world:
        live(world)
        carried_out(world, tmp_path / "one")
        now = world.now
    with fresh.world(now) as world:
        carried_in(world, tmp_path / "one", stop_after=2)
        world.agent(Level.INTERNAL).ask(wire.Save(key="mine", content="said meanwhile"))
        counts = [done.counts for done in carried_in(world, tmp_path / "one")]
        assert any("new" in each for each in counts) and any("known" in each for each in counts)
        assert {name for done in carried_in(world, tmp_path / "one") for name in done.counts} == {"known"}
        carried_out(world, tmp_path / "two")
        mine = (tmp_path / "two" / "internal.jsonl").read_bytes().splitlines(keepends=True)
        assert (
            b"".join(line for line in mine if b"said meanwhile" not in line)
            == lines(tmp_path / "one")["internal.jsonl"]
        )
        assert world.problems() == []


def test_a_level_with_memories_takes_none_unless_the_owner_trusts_it(world: World) -> None:
    """Whoever edits a bundle can make anything the user's own word: that is said, and nothing is written."""
    owner = world.connect(CONTROL)
    owner.ask(wire.Act(request=wire.Save(key="tea", content="Likes tea.")))
    refused = take(owner, bundled("m1", "Likes coffee."))
    assert refused.code == "level_not_empty" and "--trust" in refused.hint
    assert take(owner, bundled("m1", "x"), level="confidential").counts == {"new": 1}
    assert owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].op == "save"
    assert take(owner, bundled("m1", "Likes coffee."), trust=True).counts == {"new": 1}
    assert take(owner, bundled("m2", "Likes cocoa.")).counts == {"new": 1}  # of the bundle that was trusted
    assert take(owner, bundled("m3", "Likes milk."), source="b").code == "level_not_empty"
    record = world.agent(Level.INTERNAL).ask(wire.Get(key="m1")).memory
    assert (record.id, record.source) == ("m1", "stated")


def test_an_agent_brings_no_bundle(world: World) -> None:
    """It is the owner's: on a level socket the request does not exist."""
    assert world.agent(Level.INTERNAL).ask(wire.BundleTake(source="a")).code == "not_here"


def test_a_life_that_went_on_goes_on_here(world: World) -> None:
    """A later bundle of the same store brings what happened since; where both went on, what is here stays."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    early, other = bundled("m1", "Likes tea."), bundled("m2", "Sails.")
    assert take(owner, early, other).counts == {"new": 2}
    step = wire.BundledStep(op="expire", at=WHEN, actor="owner", reason="old", fields={"status": "expired"})
    late = replace(early, status="expired", history=[*early.history, step])
    assert take(owner, late, dry_run=True).counts == {"ahead": 1}
    assert take(owner, late).counts == {"ahead": 1}
    assert agent.ask(wire.Get(key="m1")).code == "not_found"
    assert take(owner, early, late).counts == {"known": 2}  # it never goes back
    owner.ask(wire.Act(request=wire.Pin(key="m2")))
    elsewhere = replace(other, status="expired", history=[*other.history, step])
    (refused,) = take(owner, elsewhere).refused
    assert refused.code == "diverged"
    assert agent.ask(wire.Get(key="m2")).memory.pinned
    assert world.problems() == []


def test_two_memories_of_one_key_are_a_conflict(world: World) -> None:
    """What stands here stays; an erased one stays erased."""
    owner = world.connect(CONTROL)
    take(owner, bundled("m1", "Likes tea.", key="tea"))
    (refused,) = take(owner, bundled("m2", "Likes coffee.", key="tea")).refused
    assert (refused.code, "m1" in refused.message) == ("slot_taken", True)
    owner.ask(wire.Act(request=wire.Erase(key="tea", confirm=1)))
    assert take(owner, bundled("m1", "Likes tea.", key="tea")).counts == {"known": 1}
    assert b"Likes tea" not in world.file(Level.INTERNAL).read_bytes()


def test_a_forgotten_text_stays_forgotten_elsewhere(fresh: Nursery, tmp_path: Path) -> None:
    """The digest of a text is keyed by its store: the other one makes its own, from the memory that was forgotten."""
    with fresh.world(START) as world:
        live(world)
        carried_out(world, tmp_path / "one")
        now = world.now
    with fresh.world(now) as world:
        carried_in(world, tmp_path / "one")
        agent = world.agent(Level.INTERNAL)
        again = agent.ask(wire.Save(key="other", content="आता कॉफी आवडते", source="auto_detect"))
        assert again.code == "forgotten"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"kind": "hunch"}, "bad_value"),
        ({"source": "hearsay"}, "bad_value"),
        ({"status": "perhaps"}, "bad_value"),
        ({"importance": 7.0}, "bad_value"),
        ({"importance": float("nan")}, "bad_value"),
        ({"seen_count": -1}, "bad_value"),
        ({"key": " tea"}, "bad_value"),
        ({"content": ""}, "bad_value"),
        ({"tags": ["x", "x"]}, "bad_value"),
        ({"created": "2026-01-01"}, "bad_time"),
        ({"history": []}, "bad_value"),
        ({"history": [wire.BundledStep(op="save", at=WHEN, actor="o")]}, "bad_value"),
        ({"history": [wire.BundledStep(op="scrub", at=WHEN, actor="o")]}, "bad_value"),
        ({"history": [wire.BundledStep(op="erase", at=WHEN, actor="o")]}, "bad_value"),
        ({"content": "x" * ((1 << 20) + 1)}, "too_large"),
    ],
)
def test_a_row_that_never_was_kept_so_is_refused(world: World, change: dict[str, Any], code: str) -> None:
    """By itself: its neighbour is taken, and the store is sound."""
    row = replace(bundled("m1", "Likes tea."), **change)
    done = take(world.connect(CONTROL), row, bundled("m2", "Sails."))
    assert [(each.number, each.code) for each in done.refused] == [(0, code)]
    assert done.counts == {"new": 1} and world.problems() == []


def test_a_step_can_not_make_another_memory(world: World) -> None:
    """Undo would: so it is refused, and so are fields that no memory has."""
    owner, row = world.connect(CONTROL), bundled("m1", "Likes tea.")
    for fields in ({"content": "Hates tea."}, {"id": "m9"}, {"level": 3}, {"colour": "red"}, {"tags": 5}):
        step = wire.BundledStep(op="save", at=WHEN, actor="owner", fields=fields)
        (refused,) = take(owner, replace(row, history=[*row.history, step])).refused
        assert refused.code == "bad_value", fields


def test_a_zip_is_the_same_bundle(fresh: Nursery, tmp_path: Path) -> None:
    """Its rows come from it, for the owner alone; the same content is the same bytes."""
    with fresh.world(START) as world:
        live(world)
        carried_out(world, tmp_path / "one")
        carried_out(world, tmp_path / "one.zip", zipped=True)
    found = bundle_in.Bundle(tmp_path / "one.zip")
    found.check()
    assert found.manifest.levels == bundle_in.Bundle(tmp_path / "one").manifest.levels
    assert (tmp_path / "one.zip").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o700
    with fresh.world(START + 30 * DAY) as world:
        carried_in(world, tmp_path / "one.zip")
        carried_out(world, tmp_path / "two")
    assert lines(tmp_path / "one") == lines(tmp_path / "two")


def test_one_space_goes_alone(fresh: Nursery, tmp_path: Path) -> None:
    """What belongs to another space, or to none, stays."""
    with fresh.world(START) as world:
        for space in ("garden", None):
            world.agent(Level.INTERNAL, space).ask(wire.Save(key="tea", content=f"of {space}"))
        carried_out(world, tmp_path / "one", space="garden")
    rows = [msgspec.json.decode(line) for line in lines(tmp_path / "one")["internal.jsonl"].splitlines()]
    assert [(each["space"], each["content"]) for each in rows] == [("garden", "of garden")]


@pytest.mark.parametrize("zipped", [False, True])
def test_a_damaged_bundle_is_refused_and_the_file_named(fresh: Nursery, tmp_path: Path, zipped: bool) -> None:
    """Edited, cut short, gone, or a manifest that is none: a typed refusal, before any row is told."""
    with fresh.world(START) as world:
        live(world)
        manifest = carried_out(world, tmp_path / "sound")
    internal = (tmp_path / "sound" / "internal.jsonl").read_bytes()
    whole = {path.name: path.read_bytes() for path in (tmp_path / "sound").iterdir() if path.is_file()}
    bombed = msgspec.json.encode(replace(manifest, levels={}, version=99))
    damaged: list[tuple[dict[str, bytes | None], str]] = [
        ({"internal.jsonl": internal.replace(b"stated", b"file_import", 1)[: len(internal)]}, "internal.jsonl"),
        ({"internal.jsonl": internal[:-7]}, "cut short"),
        ({"internal.jsonl": internal + b"\n"}, "internal.jsonl"),
        ({"internal.jsonl": internal + b"0" * (64 << 20)}, "internal.jsonl"),
        ({"internal.jsonl": None}, "internal.jsonl is not in it"),
        ({"manifest.json": None}, "manifest.json is not in it"),
        ({"manifest.json": b"{"}, "manifest.json can't be read"),
        ({"manifest.json": bombed}, "version 99"),
    ]
    for number, (change, says) in enumerate(damaged):
        place = tmp_path / str(number)
        files = {name: content for name, content in (whole | change).items() if content is not None}
        if zipped:
            with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, content in files.items():
                    archive.writestr(name, content)
        else:
            place.mkdir()
            for name, content in files.items():
                (place / name).write_bytes(content)
        with pytest.raises(Refusal) as refused:
            bundle_in.Bundle(place).check()
        assert says in refused.value.message, change.keys()


def test_a_torn_zip_is_refused(fresh: Nursery, tmp_path: Path) -> None:
    """Its end is gone, or bytes in it are others."""
    with fresh.world(START) as world:
        live(world)
        carried_out(world, tmp_path / "one.zip", zipped=True)
    sound = (tmp_path / "one.zip").read_bytes()
    middle = len(sound) // 3
    for torn in (sound[: len(sound) // 2], sound[:middle] + bytes(32) + sound[middle + 32 :], b"PK\x05\x06"):
        (tmp_path / "torn.zip").write_bytes(torn)
        with pytest.raises(Refusal):
            bundle_in.Bundle(tmp_path / "torn.zip").check()


def test_nothing_is_written_over_and_nothing_half_written(tmp_path: Path) -> None:
    """What is there stays; what failed leaves nothing; what a crash left is taken away."""
    (tmp_path / "there").write_text("mine")
    with pytest.raises(Refusal) as refused, target(tmp_path / "there", zipped=False):
        raise AssertionError("never written")
    assert "there already" in refused.value.message and (tmp_path / "there").read_text() == "mine"
    (tmp_path / ".new.partial").mkdir()
    (tmp_path / ".new.partial" / "half").write_text("left by a crash")
    for zipped in (False, True):
        with pytest.raises(Refusal) as full, target(tmp_path / "new", zipped=zipped) as out:
            out.write("a", [b"x"])
            raise OSError(28, "No space left on device")
        assert full.value.code == "disk_full" and full.value.retryable
        assert [each.name for each in tmp_path.iterdir()] == ["there"]
    with target(tmp_path / "new", zipped=False) as out:
        out.write("a/b", [b"x", b"y"])
    assert (tmp_path / "new" / "a" / "b").read_bytes() == b"xy"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new", "there"]
