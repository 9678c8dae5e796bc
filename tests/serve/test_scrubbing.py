"""Old credentials: found at every level in whatever holds a text, and taken out byte by byte, as if never kept."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from memtrig import wire

from memtrigd.clockwork import scrubs
from memtrigd.domain.levels import Level
from memtrigd.domain.secrets import Secret
from memtrigd.gate.doors import CONTROL
from memtrigd.serve import screening
from memtrigd.store import audit
from memtrigd.store.queueing import Job
from tests.domain.credentials import forms
from tests.serve.harness import Nursery, World, WritesAtOnce
from tests.serve.histories import START
from tests.serve.worlds import Cast, code, is_a

SECRET = next(secret for kind, secret in forms() if kind == "GitHub token")
PASSWORD = "kRz7!vmQ2wLp"
TEXT = f"The deploy token is {SECRET}, says Asha."
SPOKEN = f"The password is {PASSWORD}"
GONE = "The deploy token is [redacted GitHub token], says Asha."


@pytest.fixture(name="cast")
def _cast(fresh: Nursery) -> Iterator[Cast]:
    with fresh.world(START) as world:
        yield Cast(world)


@pytest.fixture(name="long_ago")
def _long_ago(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The time before anybody looked for credentials; undone, it is over."""

    def nothing(_: str) -> list[Secret]:
        return []

    monkeypatch.setattr(screening, "find", nothing)
    return monkeypatch


def scrub(cast: Cast, **asked: Any) -> wire.SecretsScrubbed:
    """Let the owner ask."""
    return is_a(wire.SecretsScrubbed, cast.world.connect(CONTROL).ask(wire.SecretsScrub(**asked)))


def on_disk(world: World) -> bytes:
    """Every byte of the store in small letters: databases, logs, journals, keys."""
    return b"".join(file.read_bytes() for file in Path(world.state).rglob("*") if file.is_file()).lower()


def traces(world: World) -> list[str]:
    """What can be found of the credentials, in whichever case and in pieces of an index's terms."""
    data = on_disk(world)
    return [each for each in (SECRET, SECRET[4:], PASSWORD, "vmq2wlp") if each.lower().encode() in data]


def everywhere(cast: Cast) -> None:
    """Leave the credentials wherever a text can be: at two levels, in service and out of it, and beside memories."""
    low, high = cast.world.agent(Level.INTERNAL), cast.world.agent(Level.CONFIDENTIAL)
    full = wire.Save(
        content=TEXT,
        key=f"deploy {SECRET}",
        entity=f"server {SECRET}",
        tags=[SECRET, "deploy"],
        emotion_tags=[SECRET],
        context=TEXT,
        quote=TEXT,
        reason=TEXT,
        sentiment=SECRET,
        source="user_explicit",
        idempotency_key=f"once {SECRET}",
    )
    low.ask(full)
    low.ask(wire.Save(content="Deploys by hand", key=f"deploy {SECRET}", source="user_explicit", reason=SPOKEN))
    low.ask(wire.Save(content=f"{SPOKEN} and the mood is good", entity="door"))
    low.ask(wire.Save(content=SPOKEN, key="guess", source="self_inferred", confidence=0.2))
    low.ask(wire.Save(content=f"On Monday {SPOKEN}", key="monday", idempotency_key="k"))
    low.ask(wire.Forget(key="monday", reason=TEXT, idempotency_key="forget"))
    low.ask(wire.Save(content="Likes tea", key="tea"))
    low.ask(wire.Deny(key="tea", reason=SPOKEN))
    low.ask(wire.PromiseAdd(text=TEXT, entity=SECRET))
    low.ask(wire.WellnessAdd(mood="well", note=SPOKEN))
    high.ask(wire.Save(content="Higher", key=f"deploy {SECRET}"))
    high.ask(wire.Delete(key=f"deploy {SECRET}"))
    high.ask(wire.Deny(key="tea", reason=TEXT))
    high.ask(wire.Forget(key="guess"))
    control = cast.world.connect(CONTROL)
    control.ask(wire.Act(request=wire.AliasAdd(alias=f"alias {SECRET}", entity="server"), level="INTERNAL"))
    control.ask(wire.Act(request=wire.Forget(entity=SECRET, reason=TEXT), level="CONFIDENTIAL"))


def test_not_a_byte_is_left_and_the_journals_hold(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """Whatever holds a text, in the index, the versions and the answers for retries: all is gone when it is said."""
    everywhere(cast)
    long_ago.undo()
    assert traces(cast.world)
    trial = scrub(cast, dry_run=True)
    assert trial.count and not trial.scrubbed and traces(cast.world)
    done = scrub(cast)
    assert (done.count, done.scrubbed, done.skipped, done.more) == (trial.count, trial.count, [], 0)
    assert {each.holder for each in done.found} == {"memory", "wish", "entry", "event"}
    assert {each.field for each in done.found} >= {"key", "content", "tags", "reason", "history", "text", "note"}
    assert traces(cast.world) == []
    assert cast.world.problems() == []
    assert cast.world.rows.settings(scrubs.PREFIX) == {}
    again = scrub(cast)
    assert (again.count, again.scrubbed, again.found) == (0, 0, [])


def test_what_is_told_is_level_id_kind_and_place(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """Never the text: the answer holds no credential, and its offsets are where the field has them."""
    memory = cast.save("INTERNAL", "deploy", TEXT)
    long_ago.undo()
    (found,) = scrub(cast, dry_run=True).found
    assert (found.level, found.id, found.holder, found.field) == ("INTERNAL", memory, "memory", "content")
    assert (found.kind, found.start) == ("GitHub token", TEXT.index(SECRET))
    assert SECRET not in str(found)


def test_a_memory_lives_on_without_it(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """Found by its other words, under its id, with its history; undo and forget work as before."""
    memory = cast.save("INTERNAL", "deploy", TEXT)
    assert len(cast.ask("INTERNAL", wire.Search(query=SECRET)).results) == 1
    long_ago.undo()
    scrub(cast)
    assert cast.get("INTERNAL", "deploy") == GONE
    found = cast.ask("INTERNAL", wire.Search(query="deploy token")).results
    assert [(each.id, each.content) for each in found] == [(memory, GONE)]
    assert cast.ask("INTERNAL", wire.Search(query=SECRET)).results == []
    told = is_a(wire.Told, cast.act(wire.History(key="deploy")))
    assert [step.op for step in told.steps] == ["save"]
    cast.ask("INTERNAL", wire.Delete(key="deploy"))
    cast.act(wire.Undo(id=memory))
    assert cast.get("INTERNAL", "deploy") == GONE
    assert cast.world.problems() == []


def test_a_key_made_of_the_text_is_made_anew(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """Such a key has words of the text and a digest by which it could be guessed; all rows of the key go with it."""
    saved = cast.ask("INTERNAL", wire.Save(content=SPOKEN))
    cast.ask("INTERNAL", wire.Save(content="It was changed", key=saved.key))
    long_ago.undo()
    scrub(cast)
    assert saved.key.rsplit("-", 1)[1].encode() not in on_disk(cast.world)
    (row,) = cast.ask("INTERNAL", wire.List()).memories
    assert row.content == "It was changed" and row.key != saved.key
    told = is_a(wire.Told, cast.act(wire.History(key=row.key)))
    assert [each.content for each in told.memories] == ["The password is [redacted password]", "It was changed"]


def test_keys_that_read_alike_without_it_stay_two(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """Nothing is lost where two keys differ by their credentials alone."""
    other = SECRET[:-1] + ("a" if SECRET[-1] != "a" else "b")
    cast.save("INTERNAL", f"token {SECRET}", "One")
    cast.save("INTERNAL", f"token {other}", "Two")
    long_ago.undo()
    scrub(cast)
    rows = {row.key: row.content for row in cast.ask("INTERNAL", wire.List()).memories}
    assert rows == {"token [redacted GitHub token]": "One", "token [redacted GitHub token] 2": "Two"}
    assert cast.world.problems() == []


def test_what_hides_lower_copies_goes_on_hiding_them(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """A key is the same at all levels afterwards: shadows, masks and wishes hold."""
    key = f"token {SECRET}"
    cast.save("PUBLIC", key, "Low")
    cast.save("CONFIDENTIAL", key, "High")
    cast.save("RESTRICTED", key, "Highest")
    cast.ask("RESTRICTED", wire.Delete(key=key))
    cast.save("INTERNAL", "other", SPOKEN)
    cast.forget("INTERNAL", key="other")
    long_ago.undo()
    scrub(cast)
    anew = "token [redacted GitHub token]"
    assert cast.get("CONFIDENTIAL", anew) == "High"
    assert code(cast.ask("RESTRICTED", wire.Get(key=anew))) == "not_found"
    assert code(cast.ask("INTERNAL", wire.Save(key="new", content=SPOKEN, redact=True))) == "forgotten"


def test_what_the_owner_forced_is_listed_and_stays(cast: Cast) -> None:
    """Unless it is asked for: then it goes too."""
    control = cast.world.connect(CONTROL)
    act = wire.Act(request=wire.Save(content=TEXT, key="deploy", force=True), level="INTERNAL")
    assert isinstance(control.ask(act), wire.Saved)
    kept = scrub(cast)
    assert (kept.count, kept.scrubbed, [each.forced for each in kept.found]) == (1, 0, [True])
    assert cast.get("INTERNAL", "deploy") == TEXT
    gone = scrub(cast, forced=True)
    assert (gone.count, gone.scrubbed) == (1, 1)
    assert cast.get("INTERNAL", "deploy") == GONE and traces(cast.world) == []


def test_backups_that_have_it_are_named(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """They keep it until they are thinned out."""
    cast.save("INTERNAL", "deploy", TEXT)
    long_ago.undo()
    made = is_a(wire.BackedUp, cast.world.connect(CONTROL).ask(wire.BackupNow()))
    assert scrub(cast).backups == [made.backup.name]


def test_one_level_and_only_the_owner(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """Other levels are left alone, and no agent has such a request."""
    cast.save("PUBLIC", "deploy", TEXT)
    cast.save("INTERNAL", "deploy", TEXT)
    long_ago.undo()
    assert [each.level for each in scrub(cast, level="INTERNAL").found] == ["INTERNAL"]
    assert cast.get("PUBLIC", "deploy") == TEXT and cast.get("INTERNAL", "deploy") == GONE
    assert code(cast.world.agent(Level.INTERNAL).ask(wire.SecretsScrub())) == "not_here"
    assert code(cast.world.connect(CONTROL).ask(wire.SecretsScrub(level="SECRET"))) == "bad_level"


def test_the_journal_vouches_for_what_is_there_now(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """An edit of a version or of a reason that was rewritten is found, as is one that is gone."""
    cast.save("INTERNAL", "deploy", TEXT, reason=TEXT)
    cast.act(wire.Pin(key="deploy"), "INTERNAL")
    cast.save("PUBLIC", "tea", "Likes tea")
    cast.ask("INTERNAL", wire.Deny(key="tea", reason=TEXT))
    cast.ask("INTERNAL", wire.Deny(key="tea", reason=TEXT))
    long_ago.undo()
    scrub(cast)
    assert cast.world.problems() == []
    key = (cast.world.state / "keys" / "internal.key").read_bytes()
    file = apsw.Connection(str(cast.world.file(Level.INTERNAL)))
    edits = (
        "UPDATE version SET fields = replace(fields, 'Asha', 'Ravi')",
        "UPDATE version SET actor = 'owner' WHERE seq = 1",
        "DELETE FROM version WHERE seq = (SELECT max(seq) FROM version)",
        "UPDATE event SET reason = 'other' WHERE op = 'scrub'",
        "UPDATE event SET reason = NULL, salt = NULL WHERE op = 'scrub'",
        "UPDATE event SET actor = 'owner' WHERE salt IS NULL",
    )
    for edit in edits:
        copy = apsw.Connection(":memory:")
        with copy.backup("main", file, "main") as copying:
            copying.step()
        assert audit.verify(copy, key, Level.INTERNAL) == []
        copy.execute(edit)
        assert copy.changes() and audit.verify(copy, key, Level.INTERNAL), edit
        copy.close()
    file.close()


class Killed(BaseException):
    """The end of the process, at once."""


@pytest.mark.parametrize("steps", [(1, 9, 14), pytest.param(range(100), marks=pytest.mark.slow)], ids=["some", "all"])
def test_a_kill_at_any_step_is_made_good(fresh: Nursery, long_ago: pytest.MonkeyPatch, steps: Iterable[int]) -> None:
    """Before each transaction and before the file is written anew: the next start goes on, the same again ends it."""
    for step in steps:
        with fresh.world(START) as world:
            with long_ago.context() as then:
                then.setattr(screening, "find", lambda _: [])
                everywhere(Cast(world))
            with long_ago.context() as dying:
                dying.setattr(WritesAtOnce, "put", _at_most(step, WritesAtOnce.put))
                try:
                    world.connect(CONTROL).ask(wire.SecretsScrub())
                except Killed:
                    pass
                else:
                    assert step > 15
                    return
            begun = [name.removeprefix(scrubs.PREFIX) for name in world.rows.settings(scrubs.PREFIX)]
            world.restart()
            assert world.rows.settings(scrubs.PREFIX) == {} and world.problems() == []
            again = scrub(Cast(world))
            assert not {each.level.lower() for each in again.found} & set(begun)
            assert traces(world) == []


def _at_most(many: int, put: Callable[[WritesAtOnce, Job], None]) -> Callable[[WritesAtOnce, Job], None]:
    """So many jobs are done; with the next one the process ends."""
    left = many

    def counted(lane: WritesAtOnce, job: Job) -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        put(lane, job)

    return counted


def test_a_memory_from_a_backup_brings_no_credential_back(cast: Cast, long_ago: pytest.MonkeyPatch) -> None:
    """It comes back into service with the texts that it was left."""
    agent, control = cast.world.agent(Level.INTERNAL), cast.world.connect(CONTROL)
    saved = agent.ask(wire.Save(key="deploy", content=TEXT, entity=f"server {SECRET}", tags=[SECRET]))
    before = control.ask(wire.BackupNow()).backup.name
    long_ago.undo()
    scrub(cast)
    agent.ask(wire.Delete(key="deploy"))
    assert control.ask(wire.Restore(name=before, memory=saved.id)).memory.status == "active"
    back = agent.ask(wire.Get(key="deploy")).memory
    assert (back.content, SECRET in str(back)) == (GONE, False)
    assert cast.world.problems() == []
