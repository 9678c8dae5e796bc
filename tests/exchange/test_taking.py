"""What becomes of imported records: a file's word, known when it comes again, never against the user's."""

from collections.abc import Iterator
from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.gate.doors import CONTROL
from tests.serve.asking import START
from tests.serve.harness import Line, Nursery, World, nursery


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


def bring(owner: Line, *records: wire.ImportRecord, level: str | None = None, **options: Any) -> wire.Imported:
    """Import records."""
    done = owner.ask(wire.Act(request=wire.Import(records=list(records), **options), level=level))
    assert isinstance(done, wire.Imported), done
    return done


def record(key: str | None, content: str, **fields: Any) -> wire.ImportRecord:
    """Make a record."""
    return wire.ImportRecord(key=key, content=content, **fields)


def got(line: Line, key: str) -> wire.Record:
    """Get a memory."""
    found = line.ask(wire.Get(key=key))
    assert isinstance(found, wire.Got), found
    return found.memory


def test_an_import_again_has_nothing_new(world: World) -> None:
    """By key and text, made or given; also when the user has said something newer since, or put it away."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    records = [
        record("tea", "Likes tea."),
        record("चहा", "चहा आवडतो"),
        record(None, "她住在上海。"),
        record("sun", "Sails."),
    ]
    assert bring(owner, *records).counts == {"new": 4}
    owner.ask(wire.Act(request=wire.Save(key="tea", content="Likes coffee.")))
    owner.ask(wire.Act(request=wire.Forget(key="sun")))
    before = world.file(Level.INTERNAL).read_bytes(), owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq
    assert bring(owner, *records).counts == {"known": 4}
    assert owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq == before[1]
    assert got(agent, "tea").content == "Likes coffee."
    assert got(agent, "चहा").seen_count == 1


def test_one_key_in_two_spellings_is_one_slot(world: World) -> None:
    """NFD and NFC of a key are one; of two texts under it the later stands, in whichever order the file has them."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    newer = record("cafe\u0301", "newer", created="2026-01-02T00:00:00Z")
    older = record("caf\u00e9", "older", created="2026-01-01T00:00:00Z")
    assert bring(owner, newer, older).counts == {"new": 1, "older": 1}
    assert got(agent, "café").content == "newer"
    told = owner.ask(wire.Act(request=wire.History(key="café"))).memories
    assert sorted((each.content, each.status) for each in told) == [("newer", "active"), ("older", "superseded")]
    assert bring(owner, older, newer).counts == {"known": 2}


def test_a_records_past_comes_along(world: World) -> None:
    """When it was said, how much it weighs and how often it was recalled."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    said, once = to_iso(START - 100 * DAY), to_iso(START - 50 * DAY)
    bring(
        owner,
        record("a", "x", created=said, updated=once, importance=0.5, importance_at=once, recall_count=7, agent="scout"),
    )
    memory = got(agent, "a")
    assert (memory.created, memory.updated, memory.importance, memory.agent) == (said, once, 0.5, "scout")
    assert memory.effective_importance == round(0.5 * 0.995**50, 4)
    assert (memory.recall_count, memory.source) == (7, "file_import")


def test_a_time_to_come_weighs_nothing_more(world: World) -> None:
    """BR-080: what claims to be of the future is as of now, and its importance is no more than 1."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    later = to_iso(START + 1000 * DAY)
    bring(owner, record("a", "x", created=later, updated=later, importance_at=later, last_recalled=later))
    memory = got(agent, "a")
    assert memory.created == memory.updated == to_iso(START)
    assert memory.effective_importance == 1.0


@pytest.mark.parametrize("source", ["stated", "user_explicit", "file_import", None])
def test_a_file_has_no_word_of_the_users(world: World, source: str | None) -> None:
    """Whatever a file calls itself, what the user said stands, and the file's waits beside it."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    owner.ask(wire.Act(request=wire.Save(key="tea", content="Likes coffee.")))
    agent.ask(wire.Save(key="sun", content="Rows.", source="auto_detect"))
    done = bring(owner, record("tea", "Likes tea.", source=source), record("sun", "Sails.", source=source))
    assert done.counts == {"contested": 1, "updated": 1}
    assert (got(agent, "tea").content, got(agent, "tea").contested) == ("Likes coffee.", True)
    assert got(agent, "sun").source == ("user_explicit" if source in ("stated", "user_explicit") else "file_import")


def test_what_its_source_says_the_user_said_weighs_as_an_agents_relayed_word(world: World) -> None:
    """It takes the place of another file's word and stands against what agents notice; nobody heard it."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    assert bring(owner, record("चहा", "साखर घालून")).counts == {"new": 1}
    told = record("चहा", "बिनसाखरेचा", source="user_explicit", quote="साखर नको", created=to_iso(START - DAY))
    assert bring(owner, told).counts == {"updated": 1}
    assert (got(agent, "चहा").source, got(agent, "चहा").attested) == ("user_explicit", False)
    assert agent.ask(wire.Save(key="चहा", content="दोन चमचे साखर")).outcome == "contested"
    assert bring(owner, record("चहा", "मध घालून")).counts == {"contested": 1}
    assert agent.ask(wire.Save(key="चहा", content="गूळ घालून", source="user_explicit", quote="गूळ")).outcome == "updated"


@pytest.mark.parametrize("source", ["stated", "user_explicit"])
def test_a_file_lifts_no_wish_and_confirms_nothing(world: World, source: str) -> None:
    """Though it claims the user's word, and their very words as a quote: nothing of it was heard."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    owner.ask(wire.Act(request=wire.Save(key="ex", content="前任叫小王。", entity="前任")))
    owner.ask(wire.Act(request=wire.Forget(key="ex")))
    owner.ask(wire.Act(request=wire.Forget(entity="Robin")))
    agent.ask(wire.Save(key="walk", content="Walks early.", source="self_inferred"))
    agent.ask(wire.Save(key="sea", content="Fears the sea.", source="self_inferred"))
    refused = owner.ask(wire.Act(request=wire.Review())).items[-1].memory
    owner.ask(wire.Act(request=wire.Reject(id=refused.id)))
    records = [
        record("ex", "前任叫小李。", source=source, quote="前任叫小李"),
        record("other", "前任叫小王。", source=source),
        record("robin", "Is with Robin.", entity="Robin", source=source),
        *(record(key, text, source=source) for key, text in (("walk", "Walks early."), ("sea", "Fears the sea."))),
    ]
    for dry_run in (True, False):
        done = bring(owner, *records, dry_run=dry_run)
        assert [(each.number, each.code) for each in done.refused] == [(n, "forgotten") for n in range(3)]
        assert done.counts == {"known": 2}
    assert len(owner.ask(wire.Act(request=wire.Suppressions())).suppressions) == 2
    assert agent.ask(wire.List()).memories == []


def test_a_guess_stays_a_guess(world: World) -> None:
    """What its own program only guessed waits for the user."""
    owner = world.connect(CONTROL)
    assert bring(owner, record("a", "x", source="self_inferred", confidence=0.5)).counts == {"pending": 1}


def test_what_was_to_be_forgotten_does_not_come_back(world: World) -> None:
    """Neither by its key, nor by its text under another one: the owner brings the file, but the file speaks."""
    owner = world.connect(CONTROL)
    owner.ask(wire.Act(request=wire.Save(key="ex", content="Was with Robin.", entity="Robin")))
    owner.ask(wire.Act(request=wire.Forget(key="ex")))
    done = bring(owner, record("ex", "Is with Robin."), record("other", "was with robin"), record("fine", "Sails."))
    assert done.counts == {"new": 1}
    assert [(each.number, each.code) for each in done.refused] == [(0, "forgotten"), (1, "forgotten")]


def test_nothing_comes_down_from_its_level(world: World) -> None:
    """A record that says where it was goes there or higher, and is refused anywhere below."""
    owner = world.connect(CONTROL)
    secret = record("a", "x", level="CONFIDENTIAL")
    assert [each.code for each in bring(owner, secret).refused] == ["bad_level"]
    assert bring(owner, secret, level="CONFIDENTIAL").counts == {"new": 1}
    assert bring(owner, record("b", "y", level="PUBLIC"), level="RESTRICTED").counts == {"new": 1}


def test_one_bad_record_keeps_no_other_out(world: World) -> None:
    """BR-076: over the limit, of no kind, with a credential, with a bad key: each by its number and code."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    done = bring(
        owner,
        record("a", "good"),
        record("b", "x" * ((1 << 20) + 1)),
        record("c", "x", kind="hobby"),
        record("d", "The password is hunter2-Xk9!vQz."),
        record("e\x00", "x"),
        record("f", "x", importance=2.0),
        record("g", "x", status="denied"),
        record("h", "x", created="yesterday"),
        record("i", "good too"),
    )
    assert done.counts == {"new": 2}
    assert [(each.number, each.code) for each in done.refused] == [
        (1, "too_large"),
        (2, "bad_kind"),
        (3, "secret"),
        (4, "bad_value"),
        (5, "bad_value"),
        (6, "bad_value"),
        (7, "bad_time"),
    ]
    assert got(agent, "i").content == "good too"
    assert b"hunter2" not in world.file(Level.INTERNAL).read_bytes()


def test_a_credential_can_be_taken_out(world: World) -> None:
    """With ``redact`` the rest of the record is kept; again it is known."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    secret = record("d", "The password is hunter2-Xk9!vQz.")
    assert bring(owner, secret, redact=True).counts == {"new": 1}
    assert got(agent, "d").content == "The password is [redacted password]."
    assert bring(owner, secret, redact=True).counts == {"known": 1}


def test_what_is_not_active_is_served_to_nobody(world: World) -> None:
    """It is kept as it was: waiting, superseded, expired; what has run out by now is expired."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    done = bring(
        owner,
        record("a", "waits", status="pending"),
        record("b", "was once", status="superseded"),
        record("c", "has run out", expires_at=to_iso(START - DAY)),
    )
    assert done.counts == {"closed": 3}
    assert agent.ask(wire.List()).memories == []
    assert owner.ask(wire.Act(request=wire.Review(), level="INTERNAL")).items[0].memory.content == "waits"
    assert owner.ask(wire.Act(request=wire.Selfcheck())).problems == []
    assert world.problems() == []


def test_a_dry_run_tells_and_takes_nothing(world: World) -> None:
    """The store is the same afterwards; what it tells is what an import then does."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    owner.ask(wire.Act(request=wire.Save(key="c", content="z")))
    records = [
        record("a", "x"),
        record("b", "y", kind="hobby"),
        record("c", "else"),
        record("d", "guessed", source="self_inferred"),
    ]
    before = world.file(Level.INTERNAL).read_bytes()
    done = bring(owner, *records, dry_run=True)
    told = {"contested": 1, "new": 1, "pending": 1}
    assert (done.counts, [each.number for each in done.refused]) == (told, [1])
    assert world.file(Level.INTERNAL).read_bytes() == before
    assert [each.key for each in agent.ask(wire.List()).memories] == ["c"]
    assert bring(owner, *records).counts == told


def test_it_goes_to_the_space_that_was_named(world: World) -> None:
    """Whose agents see it, and no others."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL, space="garden")
    bring(owner, record("a", "x"), space="garden")
    assert got(agent, "a").space == "garden"
    assert isinstance(world.agent(Level.INTERNAL).ask(wire.Get(key="a")), wire.Error)


def test_no_agent_imports(world: World) -> None:
    """The request does not exist on an agent's socket."""
    agent = world.agent(Level.INTERNAL)
    for request in (wire.Import(records=[]), wire.ImportBegin(), wire.ImportEnd(id="x")):
        refused = agent.ask(request)
        assert isinstance(refused, wire.Error) and refused.code == "not_here"


def test_too_many_records_at_once_are_refused(world: World) -> None:
    """A batch is a slice of the writer's time."""
    owner = world.connect(CONTROL)
    refused = owner.ask(wire.Act(request=wire.Import(records=[record(None, f"{n}") for n in range(33)])))
    assert isinstance(refused, wire.Error) and refused.code == "too_large"


def test_an_import_begins_with_a_backup_and_its_end_is_told(world: World) -> None:
    """An end without a beginning is refused; one that a stop cut off is told of once, and only from its level up."""
    owner = world.connect(CONTROL)
    begun = owner.ask(wire.ImportBegin(level="confidential"))
    assert (begun.backup.why, begun.backup.levels) == ("import", ["CONFIDENTIAL"])
    assert isinstance(owner.ask(wire.ImportEnd(id=begun.id)), wire.ImportEnded)
    assert owner.ask(wire.ImportEnd(id=begun.id)).code == "not_found"
    assert owner.ask(wire.ImportBegin(level="top")).code == "bad_level"
    both = owner.ask(wire.ImportBegin(level="internal", levels=["RESTRICTED", "internal"]))
    assert both.backup.levels == ["INTERNAL", "RESTRICTED"]
    assert isinstance(owner.ask(wire.ImportEnd(id=both.id)), wire.ImportEnded)
    assert owner.ask(wire.ImportEnd(id=both.id)).code == "not_found"
    assert owner.ask(wire.ImportBegin(levels=["top"])).code == "bad_level"
