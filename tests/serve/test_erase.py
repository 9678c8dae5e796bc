"""erase: the bytes go before the answer comes, the count is said back, and nothing brings it back but the user."""

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from tests.serve.harness import Nursery, World
from tests.serve.histories import START
from tests.serve.worlds import Cast, code, is_a

TEXT = "Was once in hospital for a winter"


@pytest.fixture(name="cast")
def _cast(world: World) -> Cast:
    return Cast(world)


def erased(cast: Cast, level: str | None = None, *, all_levels: bool = False, **named: object) -> wire.Erased:
    """Erase as the owner does: look first, then say the count back."""
    looked = {field: value for field, value in named.items() if field != "idempotency_key"}
    trial = is_a(wire.Erased, cast.act(wire.Erase(dry_run=True, **looked), level, all_levels=all_levels))
    done = cast.act(wire.Erase(confirm=trial.count, **named), level, all_levels=all_levels)
    assert is_a(wire.Erased, done).count == trial.count
    return done


def test_the_count_is_said_back(cast: Cast) -> None:
    """Without it nothing is erased, and the refusal says how much would be; a dry run changes nothing."""
    for text in (TEXT, "Is well again"):
        cast.save("INTERNAL", "illness", text)
    for confirm in (None, 0, 1, 3):
        refused = cast.act(wire.Erase(key="illness", confirm=confirm))
        assert (code(refused), "2 memories" in refused.message) == ("confirm_count", True)
    trial = is_a(wire.Erased, cast.act(wire.Erase(key="illness", dry_run=True)))
    assert (trial.count, trial.dry_run, {each.key for each in trial.memories}) == (2, True, {"illness"})
    assert cast.get("INTERNAL", "illness") == "Is well again"


def test_every_row_of_a_key_goes_whatever_its_state(cast: Cast) -> None:
    """Superseded, pending, rejected and forgotten ones, and those of other spaces; other keys stay."""
    for text in (TEXT, "Is well again"):
        cast.save("INTERNAL", "illness", text)
    cast.save("INTERNAL", "illness", "May be ill", source="self_inferred")
    line = cast.world.agent(Level.INTERNAL, "project")
    line.ask(wire.Save(key="illness", content="In the project"))
    cast.save("INTERNAL", "other", "Something else")
    done = erased(cast, key="illness")
    assert (done.count, done.level, done.elsewhere, done.backups) == (4, "INTERNAL", [], [])
    assert all(each.key == f"erased.{each.id}" and each.status == "forgotten" for each in done.memories)
    assert code(cast.act(wire.History(key="illness"))) == "not_found"
    assert cast.get("INTERNAL", "other") == "Something else"


def test_no_byte_is_left_when_it_is_said(fresh: Nursery) -> None:
    """Not in the file nor its log: of the text, the key, the tag, the quote, a reason or a remembered answer."""
    words = ["quibblesome", "Zwiebelkuchen", "绝密的话", "गुपित", "frumious", "bandersnatch"]
    with fresh.world(START) as world:
        cast = Cast(world)
        cast.save("INTERNAL", "k.frumious", "quibblesome first", idempotency_key="once")
        cast.save("INTERNAL", "k.frumious", "Zwiebelkuchen 绝密的话", tags=["गुपित"], context="bandersnatch")
        cast.ask("CONFIDENTIAL", wire.Save(key="plain", content="nothing of it"))
        cast.act(wire.Deny(key="k.frumious", reason="bandersnatch"))
        cast.act(wire.Erase(key="k.frumious", dry_run=True, idempotency_key="looked"))
        done = cast.act(wire.Erase(key="k.frumious", confirm=2, idempotency_key="gone"))
        assert is_a(wire.Erased, done).count == 2
        assert left_on_disk(world, words) == []


def test_at_all_levels_no_byte_is_left_either(fresh: Nursery) -> None:
    """Not of what hid lower copies above, nor of the wish that was kept while it was carried out."""
    words = ["quibblesome", "frumious"]
    with fresh.world(START) as world:
        cast = Cast(world)
        cast.save("PUBLIC", "k.frumious", "quibblesome below")
        cast.save("CONFIDENTIAL", "k.frumious", "quibblesome above")
        cast.forget("RESTRICTED", key="k.frumious", reason="frumious")
        cast.ask("CONFIDENTIAL", wire.Delete(key="k.frumious"))
        erased(cast, key="k.frumious", all_levels=True, idempotency_key="gone")
        assert left_on_disk(world, words) == []


def left_on_disk(world: World, words: list[str]) -> list[str]:
    """The words of which some file of the store has a byte."""
    left = b"".join(path.read_bytes() for path in world.state.rglob("*") if path.is_file())
    return [word for word in words if word.encode() in left or word.lower().encode() in left]


def test_a_retry_is_answered_like_the_first_try(cast: Cast) -> None:
    """With its key; without one there is nothing left to erase. By id what is erased already is so once more."""
    memory = cast.save("INTERNAL", "illness", TEXT)
    first = is_a(wire.Erased, cast.act(wire.Erase(key="illness", confirm=1, idempotency_key="once")))
    assert cast.act(wire.Erase(key="illness", confirm=1, idempotency_key="once")) == first
    assert code(cast.act(wire.Erase(key="illness", confirm=1))) == "not_found"
    again = is_a(wire.Erased, cast.act(wire.Erase(id=memory, confirm=1)))
    assert again.memories == first.memories


def test_what_was_erased_is_learnt_again_from_the_user_alone(cast: Cast) -> None:
    """Its key and its text are refused to agents, listed nowhere, and the user's word lifts it."""
    cast.save("INTERNAL", "illness", TEXT)
    erased(cast, key="illness")
    assert cast.act(wire.Suppressions()).suppressions == []
    for key, text in (("illness", "All is well"), ("other", f"{TEXT}.")):
        assert code(cast.ask("INTERNAL", wire.Save(key=key, content=text))) == "forgotten"
        assert code(cast.ask("INTERNAL", wire.Save(key=key, content=text, source="self_inferred"))) == "forgotten"
    cast.save("INTERNAL", "illness", TEXT, source="user_explicit")
    assert cast.get("INTERNAL", "illness") == TEXT


def test_nothing_brings_it_back(cast: Cast) -> None:
    """Not unforget, not undo of the memory or its session; why says that it was there."""
    memory = cast.save("INTERNAL", "illness", TEXT)
    other = cast.save("INTERNAL", "other", "Something else")
    erased(cast, id=memory)
    for request in (wire.Unforget(id=memory), wire.Undo(id=memory), wire.Confirm(id=memory)):
        refused = cast.act(request)
        assert code(refused) == "not_found"
    told = is_a(wire.Told, cast.act(wire.Why(id=memory)))
    assert [(row.content, row.reason, row.key) for row in told.memories] == [("", "erased", f"erased.{memory}")]
    assert code(cast.ask("INTERNAL", wire.Why(id=memory))) == "not_found"
    undone = is_a(wire.Undone, cast.act(wire.Undo(session=cast.session("INTERNAL")), "INTERNAL"))
    assert [each.id for each in undone.memories] == [other]
    assert [each.id for each in undone.kept] == [memory]


def test_it_is_told_where_the_same_still_is(cast: Cast) -> None:
    """At lower levels, and under another key; what lies above is not in sight of the act."""
    cast.save("PUBLIC", "illness", "Another text")
    cast.save("CONFIDENTIAL", "illness", TEXT)
    cast.save("CONFIDENTIAL", "elsewhere", f"{TEXT}!")
    cast.save("RESTRICTED", "illness", TEXT)
    assert erased(cast, "CONFIDENTIAL", key="illness").elsewhere == ["CONFIDENTIAL", "PUBLIC"]
    assert cast.get("PUBLIC", "illness") == "Another text"


def test_all_levels_are_counted_before_any_is_touched(cast: Cast) -> None:
    """The count is that of all; a level with nothing is passed over; what hid lower copies goes as well."""
    cast.save("PUBLIC", "illness", TEXT)
    cast.save("CONFIDENTIAL", "illness", "And again")
    cast.forget("RESTRICTED", key="illness")
    refused = cast.act(wire.Erase(key="illness", confirm=1), all_levels=True)
    assert code(refused) == "confirm_count"
    assert cast.get("PUBLIC", "illness") == TEXT
    request = wire.Erase(key="illness", confirm=2, idempotency_key="all")
    done = is_a(wire.Erased, cast.act(request, all_levels=True))
    assert (done.count, done.elsewhere, {each.level for each in done.memories}) == (2, [], {"PUBLIC", "CONFIDENTIAL"})
    assert cast.act(request, all_levels=True) == done
    assert is_a(wire.Erased, cast.act(wire.Erase(key="illness", dry_run=True), all_levels=True)).count == 0
    assert cast.act(wire.Suppressions()).suppressions == []
    assert code(cast.ask("RESTRICTED", wire.Save(key="illness", content="x"))) == "forgotten"


def test_erasing_leaves_the_journal_sound(fresh: Nursery) -> None:
    """What is left of it is vouched for, at every level, after a restart too."""
    with fresh.world(START) as world:
        cast = Cast(world)
        cast.save("PUBLIC", "illness", TEXT)
        cast.save("CONFIDENTIAL", "illness", "And again")
        cast.forget("CONFIDENTIAL", key="illness")
        erased(cast, key="illness", all_levels=True)
        cast.save("PUBLIC", "illness", TEXT, source="user_explicit")
        world.now += DAY
        assert world.problems() == []


def test_agents_have_no_erase(cast: Cast) -> None:
    """Their sockets do not carry it."""
    assert code(cast.ask("INTERNAL", wire.Erase(key="k", confirm=1))) == "not_here"
