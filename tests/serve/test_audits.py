"""What the owner asks about the journals, and the proof of the levels, in a daemon in memory."""

from collections.abc import Iterator
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from memtrig import wire
from msgspec.structs import replace
from structlog.testing import capture_logs

from memtrigd.domain.levels import Level
from memtrigd.gate import policy
from memtrigd.gate.doors import CONTROL, Door
from memtrigd.gate.policy import Permit
from memtrigd.proof.prover import code_digest
from memtrigd.store.schema import VERSION
from tests.serve.harness import Nursery, World
from tests.serve.histories import START, Move, histories
from tests.serve.replay import Author, Player
from tests.serve.worlds import Cast, code, is_a

TEXTS = {"PUBLIC": "Asha lives in Pune", "INTERNAL": "Asha drinks green tea", "RESTRICTED": "Asha's code is 4711"}


@pytest.fixture(name="cast")
def _cast(world: World) -> Cast:
    """Some life at three levels, the same key among it."""
    cast = Cast(world)
    for level, text in TEXTS.items():
        cast.save(level, "note", text, entity="Asha", tags=[level.lower()])
        cast.save(level, f"of-{level.lower()}", f"{text}, they said", entity="Asha")
    cast.save("RESTRICTED", "kept-secret", "the meeting is on Friday")
    cast.forget("INTERNAL", key="of-internal")
    return cast


def verify(cast: Cast, **asked: object) -> wire.Audited:
    """Let the owner verify."""
    return is_a(wire.Audited, cast.world.connect(CONTROL).ask(wire.AuditVerify(**asked)))


def rows(cast: Cast, **asked: object) -> wire.AuditRows:
    """Let the owner see a page."""
    return is_a(wire.AuditRows, cast.world.connect(CONTROL).ask(wire.AuditShow(**asked)))


def pages(cast: Cast, **asked: object) -> Iterator[wire.AuditRow]:
    """Let the owner see every page."""
    cursor: str | None = None
    while True:
        page = rows(cast, cursor=cursor, **asked)
        yield from page.rows
        cursor = page.next_cursor
        if cursor is None:
            return


def test_what_nobody_touched_is_sound(cast: Cast) -> None:
    """Each level is verified, index included, and its end is told; so is one level alone."""
    audited = verify(cast)
    assert [each.level for each in audited.audits] == [level.name for level in Level]
    assert [each.problems for each in audited.audits] == [[]] * 4
    assert audited.control == []
    (internal,) = verify(cast, level="internal").audits
    assert internal.head is not None
    assert internal.head.startswith("INTERNAL:")


def test_an_end_that_was_kept_elsewhere_is_looked_for(cast: Cast) -> None:
    """One that the daemon gave is found later on; one of another past is not."""
    head = verify(cast, level="PUBLIC").audits[0].head
    assert head is not None
    cast.save("PUBLIC", "later", "Asha moved to Mumbai")
    assert verify(cast, level="PUBLIC", heads=[head]).audits[0].problems == []
    other = head[:-2] + ("00" if head[-2:] != "00" else "11")
    assert verify(cast, level="PUBLIC", heads=[other]).audits[0].problems == [
        "The journal does not hold row 2 with the seal that was given."
    ]
    for wrong in ("PUBLIC", "PUBLIC:x:aa", "PUBLIC:1:zz"):
        assert code(cast.world.connect(CONTROL).ask(wire.AuditVerify(heads=[wrong]))) == "bad_value"


def test_an_edit_made_beside_a_running_daemon_is_found(cast: Cast) -> None:
    """The level is named and the memory's id is, and the text is not."""
    with_sqlite(cast.world, Level.RESTRICTED, "UPDATE memory SET content = 'FORGED' WHERE key = 'kept-secret'")
    found = {each.level: each.problems for each in verify(cast).audits if each.problems}
    assert list(found) == ["RESTRICTED"]
    assert any("is not as the journal left it" in problem for problem in found["RESTRICTED"])
    assert "FORGED" not in repr(found)


def test_the_journal_tells_who_did_what(cast: Cast) -> None:
    """The newest first, every level merged; the id is the memory's, and no content is there."""
    page = rows(cast, limit=100)
    told = [(row.level, row.op) for row in page.rows]
    assert told[0] == ("INTERNAL", "suppress")
    assert ("INTERNAL", "forget") in told
    assert told[-2:] == [("PUBLIC", "save"), ("PUBLIC", "save")]
    assert all(row.seal for row in page.rows)
    assert not any(text in repr(list(pages(cast))) for text in (*TEXTS.values(), "note", "kept-secret"))


@pytest.mark.parametrize("oldest_first", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_pages_hold_every_row_once(cast: Cast, limit: int, oldest_first: bool) -> None:
    """Whatever their size; rows of one journal stay in their order, also where the clock was set back."""
    cast.world.now -= 10_000_000
    cast.save("PUBLIC", "early", "the clock was set back")
    found = [(row.level, row.seq) for row in pages(cast, limit=limit, oldest_first=oldest_first)]
    ends = {level: next(row.seq for row in rows(cast, level=level).rows) for level in TEXTS}
    assert len(found) == 3 + ends["INTERNAL"] + 3
    assert sorted(found) == sorted((level, seq) for level, end in ends.items() for seq in range(1, end + 1))
    for level in ends:
        own = [seq for at, seq in found if at == level]
        assert own == sorted(own, reverse=not oldest_first)


def test_pages_can_be_of_one_level_or_from_a_moment_on(cast: Cast) -> None:
    """Neither tells of more than was asked for."""
    assert {row.level for row in pages(cast, level="public")} == {"PUBLIC"}
    (newest, *_), everything = rows(cast).rows, list(pages(cast))
    late = list(pages(cast, since=newest.at))
    assert late == [row for row in everything if row.at >= newest.at]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"limit": 0}, "bad_value"),
        ({"limit": 1001}, "bad_value"),
        ({"level": "SECRET"}, "bad_level"),
        ({"since": "yesterday-ish"}, "bad_time"),
        ({"cursor": "public"}, "bad_cursor"),
        ({"cursor": "secret-1"}, "bad_cursor"),
    ],
)
def test_what_can_t_be_asked_is_refused(cast: Cast, asked: dict[str, object], says: str) -> None:
    """With the code that says why."""
    assert code(cast.world.connect(CONTROL).ask(wire.AuditShow(**asked))) == says


def test_ends_are_kept_every_minute(cast: Cast) -> None:
    """A cut right behind is missed, though the day's anchor is older than what was cut."""
    cast.world.audits.tick()
    kept = cast.world.rows.journal_end(Level.RESTRICTED)
    assert kept is not None
    assert kept[0] == 3
    guards = "DROP TRIGGER audit_is_not_cut; DELETE FROM audit WHERE seq = 3; DELETE FROM version WHERE seq = 3;"
    again = (
        "CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END"
    )
    with_sqlite(cast.world, Level.RESTRICTED, guards + "DELETE FROM tag WHERE number = 3;" + again)
    problems = verify(cast, level="RESTRICTED").audits[0].problems
    assert any("does not hold row 3" in problem for problem in problems)
    with capture_logs() as logged:
        cast.world.audits.tick()
    assert [(entry["event"], entry["classification"]) for entry in logged] == [("journal_was_cut", "RESTRICTED")]


@pytest.mark.slow
def test_a_proof_holds_on_what_is_there(cast: Cast) -> None:
    """No reply at INTERNAL changes without the levels above, at the top many do; the store itself is not touched."""
    cast.save("INTERNAL", "绿茶", "她喜欢早上喝绿茶", entity="阿莎")
    cast.save("RESTRICTED", "चहा", "आशा सकाळी हिरवा चहा पिते", entity="आशा")
    before = cast.world.problems(), [cast.world.file(level).read_bytes() for level in Level]
    proof = is_a(wire.Proof, cast.world.connect(CONTROL).ask(wire.Prove(level="internal")))
    assert (proof.level, proof.differing, proof.differing_kinds) == ("INTERNAL", 0, [])
    assert proof.above == {"CONFIDENTIAL": 0, "RESTRICTED": 4}
    assert proof.sampled == {"PUBLIC": 2, "INTERNAL": 2, "CONFIDENTIAL": 0, "RESTRICTED": 4}
    assert proof.code == code_digest() and proof.schema == VERSION
    assert proof.probes == sum(proof.asked.values()) > 100
    assert proof.seen_above > 20
    assert before == (cast.world.problems(), [cast.world.file(level).read_bytes() for level in Level])
    assert not (cast.world.state / "proof").exists()
    said = repr(proof)
    assert not any(text in said for text in (*TEXTS.values(), "kept-secret", "Asha", "चहा", "绿茶"))


@pytest.mark.slow
def test_a_proof_over_empty_levels_claims_nothing(world: World) -> None:
    """That files are there above with nothing in them is nothing that anybody could have seen."""
    Cast(world).save("INTERNAL", "绿茶", "她喜欢早上喝绿茶", entity="阿莎")
    proof = is_a(wire.Proof, world.connect(CONTROL).ask(wire.Prove(level="internal")))
    assert proof.above == {"CONFIDENTIAL": 0, "RESTRICTED": 0}
    assert (proof.differing, proof.seen_above) == (0, 0)


@pytest.mark.slow
def test_a_proof_fails_where_a_reply_tells_of_a_level_above(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate that let agents read everything would be found out."""
    permit = policy.permit

    def lax(door: Door, *asked: Any) -> Permit:
        return replace(permit(door, *asked), reads=tuple(reversed(Level)))

    monkeypatch.setattr(policy, "permit", lax)
    proof = is_a(wire.Proof, cast.world.connect(CONTROL).ask(wire.Prove(level="PUBLIC")))
    assert proof.differing > 20
    assert {"get", "list", "search"} <= set(proof.differing_kinds)


def test_nothing_is_above_the_highest_level(cast: Cast) -> None:
    """There is nothing to prove there."""
    assert code(cast.world.connect(CONTROL).ask(wire.Prove(level="RESTRICTED"))) == "bad_level"
    assert code(cast.world.connect(CONTROL).ask(wire.Prove(level="SECRET"))) == "bad_level"


@pytest.mark.slow
def test_whatever_was_done_by_the_daemon_is_sound(fresh: Nursery) -> None:
    """No history of saves, denials, erasures, undoes and clocks leaves a journal or an index that is doubted."""

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(moves=histories())
    def hold(moves: list[Move]) -> None:
        with fresh.world(START) as world:
            author = Author(Player(world))
            for move in moves:
                author.write(move)
            assert world.problems() == []

    hold()


def with_sqlite(world: World, level: Level, statements: str) -> None:
    """What somebody does to a file behind the daemon's back."""
    connection = apsw.Connection(str(world.file(level)))
    connection.execute(statements)
    connection.close()
