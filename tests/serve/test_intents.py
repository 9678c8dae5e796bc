"""A wish at every level happens at every level or at none, whenever the daemon dies."""

import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import memtrig
import pytest
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL
from memtrigd.serve.intents import PREFIX
from memtrigd.store.upkeep import SqliteUpkeep
from tests.conftest import Daemon
from tests.serve.harness import World
from tests.serve.lives import at, content
from tests.talk import dial

pytestmark = pytest.mark.slow

LEVELS = [level.slug for level in Level]


def told_everywhere(world: World, key: str) -> None:
    """Save something of one entity at each level."""
    for level in Level:
        saved = world.agent(level).ask(wire.Save(key=key, content=f"what {level.name} knows", entity="ravi"))
        assert isinstance(saved, wire.Saved)


def known(world: World) -> list[str]:
    """The levels that still serve something."""
    return [level.name for level in Level if world.agent(level).ask(wire.Get(key="old-flame")).__class__ is wire.Got]


@pytest.mark.parametrize("cut", [Level.INTERNAL, Level.CONFIDENTIAL])
def test_what_a_crash_cut_off_is_carried_out_at_the_next_start(world: World, cut: Level) -> None:
    """Some levels have forgotten, the others have not; after the start all have, and `recover` says so once."""
    told_everywhere(world, "old-flame")
    control = world.connect(CONTROL)
    world.cut(cut)
    wish = wire.Forget(entity="ravi", reason="it hurts")
    assert control.ask(wire.Act(request=wish, all_levels=True)).code == "stopping"
    assert known(world) == [level.name for level in Level if level >= cut]
    world.restart()
    assert known(world) == []
    (left,) = world.connect(CONTROL).ask(wire.Act(request=wire.Recover())).left
    assert (left.what, left.level) == ("forget at all levels", "RESTRICTED")
    assert left.became.startswith("carried out at every level: 4 memories")
    assert world.agent(Level.PUBLIC).ask(wire.Recover()).left == []
    world.restart()
    assert world.connect(CONTROL).ask(wire.Act(request=wire.Recover())).left == []


def test_a_retry_after_the_crash_gets_the_answer_of_what_the_start_carried_out(world: World) -> None:
    """With the same idempotency key it is the same wish: nothing happens twice."""
    told_everywhere(world, "old-flame")
    wish = wire.Act(request=wire.Forget(entity="ravi", idempotency_key="once"), all_levels=True)
    world.cut(Level.CONFIDENTIAL)
    assert world.connect(CONTROL).ask(wish).code == "stopping"
    world.restart()
    again = world.connect(CONTROL).ask(wish)
    assert (again.count, again.levels) == (4, [level.name for level in Level])


def test_a_wish_that_could_not_even_be_kept_changes_nothing(world: World) -> None:
    """Neither now nor at the next start."""
    told_everywhere(world, "old-flame")
    world.cut(Level.RESTRICTED)
    refused = world.connect(CONTROL).ask(wire.Act(request=wire.Forget(entity="ravi"), all_levels=True))
    assert refused.code == "stopping"
    world.restart()
    assert known(world) == [level.name for level in Level]


def test_what_is_over_leaves_no_trace_of_what_was_wished(world: World) -> None:
    """Whether it succeeded, found nothing or was refused; control.db never names content."""
    told_everywhere(world, "old-flame")
    control = world.connect(CONTROL)
    for wish in (wire.Forget(entity="ravi"), wire.Forget(entity="nobody"), wire.Forget(key="a", entity="b")):
        control.ask(wire.Act(request=wish, all_levels=True))
    assert world.rows.settings(PREFIX) == {}
    world.restart()
    assert world.left() == []


def test_bytes_of_a_wish_that_is_over_and_could_not_be_scrubbed_are_at_the_next_start(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entry is closed and empty then; control.db still knows whose file has to be seen to."""

    def locked(_: SqliteUpkeep) -> Iterator[None]:
        raise Refusal("store_locked", "Somebody reads.", retryable=True)
        yield

    told_everywhere(world, "zqx-old-flame")
    monkeypatch.setattr(SqliteUpkeep, "scrub", locked)
    wish = wire.Erase(key="zqx-old-flame", confirm=4)
    assert world.connect(CONTROL).ask(wire.Act(request=wish, all_levels=True)).code == "store_locked"
    assert list(world.rows.settings(PREFIX).values()) == ["restricted"]
    seen: list[Level] = []
    monkeypatch.setattr(SqliteUpkeep, "scrub", lambda upkeep: iter(seen.append(upkeep._level) or ()))
    world.restart()
    assert world.rows.settings(PREFIX) == {} and seen == [Level.RESTRICTED]


def test_an_erase_at_every_level_leaves_no_byte_in_its_intent(daemon: Daemon) -> None:
    """What the wish named is gone from every file when it is answered."""
    with at(daemon, *LEVELS) as memories:
        for memory in memories:
            memory.save("zqx-secret-key", "zqx-secret-text")
    with dial(daemon, "control") as line:
        wish = wire.Erase(key="zqx-secret-key", confirm=4)
        assert line.ask(wire.Act(request=wish, all_levels=True), wire.Erased).count == 4
    files = [path for path in Path(daemon.home).rglob("*") if path.is_file() and path.suffix != ".sock"]
    assert [path.name for path in files if b"zqx-secret" in path.read_bytes()] == []


@pytest.mark.parametrize("seed", range(4))
def test_a_daemon_that_is_killed_has_forgotten_everywhere_or_nowhere(daemon: Daemon, seed: int) -> None:
    """SIGKILL at a random moment of the wish: after the next start no level differs from another."""
    chance = random.Random(seed)
    with at(daemon, *LEVELS) as memories:
        for memory in memories:
            for n in range(30):
                memory.save(f"old-flame-{n}", f"a memory of ravi, number {n}", entity="ravi")
    answered: list[bool] = []

    def wish() -> None:
        with dial(daemon, "control") as line:
            line.send(wire.Act(request=wire.Forget(entity="ravi"), all_levels=True))
            try:
                answered.append(isinstance(line.answer().result, wire.Forgotten))
            except (EOFError, OSError):
                answered.append(False)

    asking = threading.Thread(target=wish)
    asking.start()
    time.sleep(chance.uniform(0.0, 0.25))
    daemon.kill()
    asking.join()
    daemon.start()
    with at(daemon, *LEVELS) as memories:
        left = [sum(content(memory, f"old-flame-{n}") is not None for n in range(30)) for memory in memories]
        assert left in ([0] * 4, [30] * 4), (left, answered)
        assert not (answered == [True] and any(left))


def test_recover_tells_whether_the_last_stop_was_clean(daemon: Daemon) -> None:
    """After a SIGKILL each level of a caller says so, after a stop none."""
    with memtrig.connect("internal", home=str(daemon.home)) as memory:
        assert memory.upkeep.recover().left == []
    daemon.kill()
    daemon.start()
    with memtrig.connect("internal", home=str(daemon.home)) as memory:
        left = memory.upkeep.recover().left
        assert {each.level for each in left} == {"PUBLIC", "INTERNAL"}
        assert all("without being stopped" in each.what for each in left)
    daemon.restart()
    with memtrig.connect("internal", home=str(daemon.home)) as memory:
        assert memory.upkeep.recover().left == []
