"""What is done while the files are watched: each act a daemon's own, in memory but for its store."""

from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import apsw
from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.store import control
from memtrigd.store.schema import LEVELS
from memtrigd.store.vault import Vault
from tests.crash.disk import Disk
from tests.crash.judge import Promised, promised
from tests.crash.recorder import Mark, Recorder, Step
from tests.serve.harness import World
from tests.serve.histories import START
from tests.serve.worlds import Cast, is_a
from tests.store.test_migrations import as_the_first_schema


class Recording(Struct, frozen=True):
    """What was done to the files under ``root``, and what was promised by when; ``disk`` is as it was before."""

    root: Path
    disk: Disk
    steps: list[Step]
    promises: list[Promised]


class Play:
    """A daemon in memory whose files are watched from ``watch`` on."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.world = World(state, START)
        self.cast = Cast(self.world)
        self.gone: list[bytes] = []
        self.steps: list[Step] = []
        self.promises: list[Promised] = []

    def keep(self, *, whole: bool = False, spoilt: bool = False) -> None:
        """All that was answered until now is promised. ``whole``: the act behind it is one transaction at a level."""
        self.steps.append(Mark(len(self.promises)))
        self.promises.append(promised(self.state, gone=tuple(self.gone), whole=whole, spoilt=spoilt))

    def do(self, act: Callable[[], Any], *, whole: bool = True) -> Any:
        """Let something be done that must succeed, and keep it."""
        answer = act()
        assert not isinstance(answer, wire.Error), answer
        self.keep(whole=whole)
        return answer

    def save(self, level: str, key: str, content: str, **fields: Any) -> str:
        """Let an agent save something."""
        return str(self.do(lambda: self.cast.save(level, key, content, **fields)))

    def restart(self) -> None:
        """Stop and start."""
        self.world.restart()
        self.cast = Cast(self.world)


def record(recorder: Recorder, name: str, root: Path) -> Recording:
    """Play a scene in a fresh directory and tell all that it did to the files, and what it promised."""
    root.mkdir()
    if name == "the first start":
        return _of_the_opening(recorder, root)
    if name == "migration":
        _old_store(root)
        return _of_the_opening(recorder, root)
    play = Play(root)
    for level in Level:
        play.cast.save(level.name, "user-name", "Asha", tags=["person"])
    disk = Disk(root)
    with recorder.recording(root) as steps:
        play.steps = steps
        with recorder.paused():
            play.keep()
        ACTS[name](play)
        play.world.close()
        with recorder.paused():
            play.keep()
    return Recording(root, disk, steps, play.promises)


def _of_the_opening(recorder: Recorder, root: Path) -> Recording:
    """What it is to come to is promised from the beginning: the next start goes on with it."""
    disk = Disk(root)
    with recorder.recording(root) as steps:
        vault = Vault.open(root)
        with recorder.paused():
            state = promised(root)
        steps.append(Mark(1))
        vault.close()
    steps.insert(0, Mark(0))
    return Recording(root, disk, steps, [state, state])


def _old_store(root: Path) -> None:
    play = Play(root)
    _saved(play, 12)
    play.world.close()
    for level in (Level.PUBLIC, Level.CONFIDENTIAL):
        as_the_first_schema(root / f"{level.slug}.db", root.parent / "first.db", LEVELS[level])


def _saved(play: Play, count: int) -> None:
    for n in range(count):
        level = Level(n % 4).name
        play.cast.save(level, f"fact-{n}", f"said at {n}: " + "and so on " * (n % 7), tags=["t", f"t{n % 5}"])


def _saves(play: Play) -> None:
    """New keys, other texts, the same again, large ones; repeats by their idempotency keys."""
    for n in range(40):
        level = Level(n % 4).name
        content = f"said at {n} " + "with many more words " * (1 << (n % 9))
        play.save(level, f"fact-{n % 24}", content, tags=["t"], idempotency_key=f"i-{n}")
        if n % 7 == 0:
            play.save(level, f"fact-{n % 24}", content, tags=["t"], idempotency_key=f"i-{n}")


def _days(play: Play) -> None:
    """Promises, well-being, names, sessions that are raised, denials, deletions, wishes and what is taken back."""
    cast = play.cast
    for n in range(6):
        kept = play.do(lambda n=n: cast.ask("INTERNAL", wire.PromiseAdd(text=f"call {n}", idempotency_key=f"p-{n}")))
        play.do(lambda: cast.ask("PUBLIC", wire.WellnessAdd(mood="tired", sleep_hours=5.0)))
        play.do(lambda n=n: cast.act(wire.AliasAdd(alias=f"Mum {n}", entity="Priya"), "CONFIDENTIAL"))
        play.do(lambda kept=kept: cast.ask("INTERNAL", wire.PromiseDone(id=kept.promise.id)))
        made = play.save("INTERNAL", f"likes-{n}", f"likes {n}", entity="Asha")
        play.do(lambda made=made: cast.ask("INTERNAL", wire.Deny(id=made)))
        play.do(lambda n=n: cast.ask("INTERNAL", wire.Delete(key=f"likes-{n}")))
        play.do(lambda made=made: cast.act(wire.Undo(id=made), "INTERNAL"), whole=False)
        opened = play.do(lambda: cast.control.ask(wire.SessionOpen(level="PUBLIC", ceiling="RESTRICTED")))
        raised = wire.SessionRaise(session=opened.session, level="CONFIDENTIAL", reason="read it")
        play.do(lambda raised=raised: cast.control.ask(raised))
        play.do(lambda n=n: cast.ask("INTERNAL", wire.Forget(key=f"likes-{n}")), whole=False)
        play.do(lambda: cast.ask("RESTRICTED", wire.Search(query="name")), whole=False)


def _wishes_everywhere(play: Play) -> None:
    """One wish at all levels, a transaction for each."""
    for n in range(6):
        for level in Level:
            play.save(level.name, f"place-{n}", f"lives at {n}", entity=f"Home {n}")
        play.do(lambda n=n: play.cast.act(wire.Forget(entity=f"Home {n}"), all_levels=True), whole=False)


def _erase(play: Play) -> None:
    """What is erased and said to be so is not on the disk any more, whatever becomes of the power."""
    for n in range(5):
        secret = f"quibblesome{n}"
        for text in (f"{secret} once", f"{secret} twice " * 40):
            play.save("INTERNAL", f"ill-{n}", text)
        _saved(play, 4)
        named = wire.Erase(key=f"ill-{n}", dry_run=True)
        count = is_a(wire.Erased, play.cast.act(named, "INTERNAL")).count
        play.gone.append(secret.encode())
        play.do(lambda n=n, c=count: play.cast.act(wire.Erase(key=f"ill-{n}", confirm=c), "INTERNAL"), whole=False)
    play.do(lambda: play.cast.act(wire.Vacuum(), "INTERNAL"), whole=False)


def _dream(play: Play) -> None:
    """Weeks pass; what has faded is written down, what has run out expires, what is alike is told."""
    for n in range(60):
        level = Level(n % 4).name
        ends = to_iso(START + 9 * DAY) if n % 30 == 0 else None
        play.cast.save(level, f"fact-{n}", f"drinks tea number {n // 8} in the morning", expires_at=ends, entity="Asha")
    play.keep()
    for _week in range(3):
        play.world.now += 10 * DAY
        for level in Level:
            play.do(lambda level=level: play.cast.ask(level.name, wire.Decay()), whole=False)
        play.world.tidy()
        play.keep()


def _upkeep(play: Play) -> None:
    """Restarts, which fold the logs in, and files that are written anew."""
    for n in range(4):
        _saved(play, 8)
        play.keep()
        play.do(lambda: play.cast.act(wire.Vacuum(), "INTERNAL"), whole=False)
        play.save("INTERNAL", f"after-{n}", "it goes on")
        play.restart()
        play.keep()


def _reindex(play: Play) -> None:
    """Indexes that somebody spoilt are made anew; no row is touched."""
    for edit in SPOILING:
        _saved(play, 16)
        with closing(apsw.Connection(str(play.state / "internal.db"))) as connection:
            connection.execute(edit)
        play.keep(spoilt=True)
        play.world.now += DAY
        told = is_a(wire.Diagnosis, play.cast.control.ask(wire.Doctor(repair=True)))
        assert [each.verdict for each in told.findings if each.check in ("repair", "index")].count("fail") == 0, told
        play.keep()


def _credentials(play: Play) -> None:
    """What the owner had kept by force is taken out byte by byte, and said to be gone."""
    for n in range(3):
        _saved(play, 8)
        play.keep()
        secret = f"ghp_{n}" + "Zk9Qw7Lm3Xv5Rt8Yb2Nc6Pd4Fh1Jg0SaUeK"[:35]
        asked = wire.Save(key=f"token-{n}", content=f"The token is {secret} since {n}", force=True)
        play.do(lambda asked=asked: play.cast.act(asked, "INTERNAL"))
        play.gone.append(secret.encode())
        said = is_a(wire.SecretsScrubbed, play.cast.control.ask(wire.SecretsScrub(forced=True)))
        assert said.scrubbed == said.count > 0, said
        play.keep()


def _backup(play: Play) -> None:
    """What was backed up and told so is there as a whole; what was not is not taken for a backup."""
    for n in range(3):
        _saved(play, 4 * n + 4)
        play.keep()
        play.world.now += DAY
        play.do(lambda: play.cast.control.ask(wire.BackupNow()), whole=False)


def _restore(play: Play) -> None:
    """Whole and of one level: all of it or nothing of it, and all of it once that was answered."""
    for n, level in enumerate((None, "internal", None)):
        _saved(play, 4)
        play.keep()
        play.world.now += DAY
        name = play.do(lambda: play.cast.control.ask(wire.BackupNow()), whole=False).backup.name
        for each in Level:
            play.save(each.name, f"later-{n}", f"{name} does not know this")
        play.world.now += DAY
        answer = play.cast.control.ask(wire.Restore(name=name, level=level))
        assert isinstance(answer, wire.Restored), answer
        now = promised(play.state)
        play.steps.append(Mark(len(play.promises)))
        play.promises.append(now)
        play.restart()
        then = promised(play.state)
        rows = {**then.rows, control.FILE: now.rows[control.FILE]}
        play.promises[-1] = replace(now, rows=rows, heads={}, rewinds=True)
        play.keep()


SPOILING: Final = (
    "DELETE FROM lexicon WHERE rowid = 2",
    "UPDATE document SET terms = terms + 1 WHERE number % 2",
    "UPDATE corpus SET documents = 9, terms = 1",
    "INSERT INTO lexicon (lexicon) VALUES ('delete-all')",
)
ACTS: Final[dict[str, Callable[[Play], None]]] = {
    "saves": _saves,
    "days": _days,
    "wishes at every level": _wishes_everywhere,
    "erase": _erase,
    "dream cycle": _dream,
    "upkeep": _upkeep,
    "reindex": _reindex,
    "credentials": _credentials,
    "backup": _backup,
    "restore": _restore,
}
SCENES: Final = ("the first start", "migration", *ACTS)


def again(recording: Recording) -> Disk:
    """The disk as it was before the first step."""
    return deepcopy(recording.disk)
