"""What a level did to a memory below it can be seen, and taken back: by unforget, by undo, by the user's own word."""

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.serve import entries
from tests.serve.harness import World
from tests.serve.worlds import Cast, code, is_a


@pytest.fixture(name="cast")
def _cast(world: World) -> Cast:
    return Cast(world)


def test_unforget_shows_a_lower_memory_again(cast: Cast) -> None:
    """By its id alone the daemon finds the level that put it away; nothing below changes."""
    low = cast.save("PUBLIC", "boat", "Has a boat")
    cast.forget("CONFIDENTIAL", key="boat")
    assert cast.get("CONFIDENTIAL", "boat") is None
    settled = is_a(wire.Settled, cast.act(wire.Unforget(id=low)))
    assert (settled.level, settled.status, settled.below, settled.still) == ("CONFIDENTIAL", "active", True, [])
    assert [cast.get(level, "boat") for level in ("PUBLIC", "CONFIDENTIAL", "RESTRICTED")] == ["Has a boat"] * 3
    assert cast.ask("CONFIDENTIAL", wire.Save(key="boat", content="Has a boat")).status == "active"
    assert code(cast.act(wire.Unforget(id=low))) == "not_found"


def test_of_several_levels_the_highest_goes_first_and_the_rest_is_named(cast: Cast) -> None:
    """One call lifts at one level; the next finds the next."""
    low = cast.save("PUBLIC", "boat", "Has a boat")
    cast.forget("CONFIDENTIAL", key="boat")
    cast.forget("INTERNAL", key="boat")
    first = is_a(wire.Settled, cast.act(wire.Unforget(id=low)))
    assert (first.level, first.still) == ("CONFIDENTIAL", ["INTERNAL"])
    second = is_a(wire.Settled, cast.act(wire.Unforget(id=low)))
    assert (second.level, second.still) == ("INTERNAL", [])
    assert cast.get("RESTRICTED", "boat") == "Has a boat"


def test_unforget_at_a_level_tells_of_none_above_it(cast: Cast) -> None:
    """The answer to an act at a level hangs on nothing above."""
    low = cast.save("PUBLIC", "boat", "Has a boat")
    cast.forget("RESTRICTED", key="boat")
    cast.forget("INTERNAL", key="boat")
    settled = is_a(wire.Settled, cast.act(wire.Unforget(id=low), "INTERNAL"))
    assert (settled.level, settled.still) == ("INTERNAL", [])


def test_a_denial_above_is_taken_back(cast: Cast) -> None:
    """It counts in full again, as strong as recalls up there had made it."""
    low = cast.save("PUBLIC", "boat", "Has a boat")
    for _ in range(2):
        cast.ask("CONFIDENTIAL", wire.Deny(key="boat"))
    assert cast.get("CONFIDENTIAL", "boat") is None
    assert cast.elsewhere() == {low: "denied at CONFIDENTIAL"}
    settled = is_a(wire.Settled, cast.act(wire.Unforget(id=low)))
    assert (settled.level, settled.below) == ("CONFIDENTIAL", True)
    record = cast.ask("CONFIDENTIAL", wire.Get(key="boat")).memory
    assert (record.deny_count, record.effective_importance) == (0, 1.0)
    cast.ask("CONFIDENTIAL", wire.Deny(key="boat"))
    assert cast.get("CONFIDENTIAL", "boat") == "Has a boat"


def test_a_mask_of_a_delete_is_taken_back(cast: Cast) -> None:
    """The lower copy that a delete hid comes to light again."""
    low = cast.save("PUBLIC", "boat", "Has a boat")
    cast.save("CONFIDENTIAL", "boat", "Has two boats")
    cast.ask("CONFIDENTIAL", wire.Delete(key="boat"))
    assert cast.get("CONFIDENTIAL", "boat") is None
    assert cast.elsewhere() == {low: "deleted at CONFIDENTIAL"}
    cast.act(wire.Unforget(id=low))
    assert cast.get("CONFIDENTIAL", "boat") == "Has a boat"


def test_the_memory_above_comes_back_with_its_key(cast: Cast) -> None:
    """A forget that hid a lower copy too leaves no wish on the key when what was forgotten is brought back."""
    cast.save("PUBLIC", "boat", "Has a boat")
    high = cast.save("CONFIDENTIAL", "boat", "Has two boats")
    for way in (wire.Unforget(id=high), wire.Undo(id=high)):
        cast.forget("CONFIDENTIAL", key="boat")
        assert code(cast.ask("CONFIDENTIAL", wire.Save(key="boat", content="Has three"))) == "forgotten"
        assert code(cast.act(way)) is None
        assert cast.get("CONFIDENTIAL", "boat") == "Has two boats"
        assert cast.elsewhere() == {}
        assert cast.act(wire.Suppressions()).suppressions == []
    assert cast.get("PUBLIC", "boat") == "Has a boat"


def test_the_users_same_word_takes_a_denial_back_and_another_does_not(cast: Cast) -> None:
    """Who states what was denied says that it was right; who states something else does not."""
    low = cast.save("PUBLIC", "boat", "Has a boat")
    cast.ask("CONFIDENTIAL", wire.Deny(key="boat"))
    cast.act(wire.Save(key="boat", content="Has two boats"), "CONFIDENTIAL")
    assert cast.elsewhere() == {low: "denied at CONFIDENTIAL"}
    cast.act(wire.Save(key="boat", content="has a boat."), "CONFIDENTIAL")
    assert cast.elsewhere() == {}


@pytest.mark.parametrize("dry", [True, False])
def test_a_session_is_undone_with_what_it_did_to_wishes_and_below(cast: Cast, dry: bool) -> None:
    """Wishes that it lifted stand again, those that it kept are gone, what it hid or denied below is seen."""
    for key in ("masked", "denied", "wished"):
        cast.save("PUBLIC", key, f"{key} below")
    cast.save("CONFIDENTIAL", "lifted", "Was ill", source="user_explicit")
    cast.forget("CONFIDENTIAL", key="lifted")
    vandal = cast.world.agent(Level.CONFIDENTIAL)

    def does(request: wire.Request) -> None:
        cast.world.now += 1000
        assert code(vandal.ask(request)) is None

    does(wire.Save(key="lifted", content="Was ill", source="user_explicit"))
    does(wire.Save(key="masked", content="masked above"))
    does(wire.Delete(key="masked"))
    for _ in range(2):
        does(wire.Deny(key="denied"))
    does(wire.Forget(key="wished"))
    does(wire.Forget(entity="Asha"))
    session = vandal.ask(wire.Whoami()).session
    undone = is_a(wire.Undone, cast.act(wire.Undo(session=session, dry_run=dry), "CONFIDENTIAL"))
    below = {each.key for each in undone.memories if each.level == "PUBLIC"}
    assert below == {"masked", "denied", "wished"}
    seen = [cast.get("CONFIDENTIAL", key) for key in ("denied", "wished")]
    wishes = {(each.key, each.entity) for each in cast.act(wire.Suppressions()).suppressions}
    if dry:
        assert seen == [None, None]
        assert wishes == {("wished", None), (None, "Asha")}
        return
    assert seen == ["denied below", "wished below"]
    assert wishes == {("lifted", None)}
    assert code(cast.ask("CONFIDENTIAL", wire.Save(key="lifted", content="Was ill"))) == "forgotten"
    assert code(cast.act(wire.Undo(session="nobody"), "CONFIDENTIAL")) == "not_found"


def test_a_session_that_only_kept_a_wish_can_be_undone(cast: Cast) -> None:
    """There is no memory to name; what somebody else has lifted and wished anew since stays."""
    cast.forget("INTERNAL", entity="Asha")
    session = cast.session("INTERNAL")
    undone = is_a(wire.Undone, cast.act(wire.Undo(session=session), "INTERNAL"))
    assert (undone.memories, undone.kept) == ([], [])
    assert cast.act(wire.Suppressions()).suppressions == []
    assert code(cast.act(wire.Undo(session=session), "INTERNAL")) == "not_found"


def test_review_lists_what_is_put_away_above_and_still_stands(cast: Cast) -> None:
    """By id, key, text and entity, with the level and what it did; to the owner alone, and gone when it is settled."""
    masked = cast.save("PUBLIC", "hide", "Hidden here")
    cast.forget("CONFIDENTIAL", key="hide")
    cast.save("RESTRICTED", "text", "Was once in hospital")
    cast.forget("RESTRICTED", key="text")
    same = cast.save("INTERNAL", "same-text", "was once in hospital!")
    entity = cast.save("PUBLIC", "him", "Sings", entity="Vikram")
    cast.forget("CONFIDENTIAL", entity="vikram")
    later = cast.save("PUBLIC", "him-later", "Dances", entity="VIKRAM")
    cast.save("PUBLIC", "plain", "Nothing is wrong with this")
    assert cast.elsewhere() == {
        masked: "forgotten at CONFIDENTIAL",
        same: "forgotten at RESTRICTED",
        entity: "forgotten at CONFIDENTIAL",
        later: "forgotten at CONFIDENTIAL",
    }
    assert not [item for item in cast.ask("RESTRICTED", wire.Review()).items if item.about == "elsewhere"]
    inner = is_a(wire.Reviewed, cast.act(wire.Review(), "INTERNAL"))
    assert not [item for item in inner.items if item.about == "elsewhere"]
    cast.act(wire.Forget(id=masked))
    cast.act(wire.Unforget(id=same))
    assert set(cast.elsewhere()) == {entity, later}
    few = is_a(wire.Reviewed, cast.act(wire.Review(limit=1)))
    assert (len(few.items), few.more) == (1, 1)


def test_no_reply_is_larger_than_what_a_client_reads(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much an agent wished or did: what is not told of it is counted, and it is taken back all the same."""
    monkeypatch.setattr(entries, "REPLY_BYTES", 1000)
    cast.ask("INTERNAL", wire.Forget(entity="what the user minds"))
    for n in range(20):
        cast.save("PUBLIC", f"key-{n}", f"text {n}", entity="阿莎")
        cast.forget("PUBLIC", key=f"key-{n}", reason="理由" * 20)
    wishes = is_a(wire.Wishes, cast.act(wire.Suppressions()))
    assert (len(wishes.suppressions) < 20, len(wishes.suppressions) + wishes.more) == (True, 21)
    assert "what the user minds" in [each.entity for each in wishes.suppressions], "no level crowds out another"
    undone = is_a(wire.Undone, cast.act(wire.Undo(session=cast.session("PUBLIC")), "PUBLIC"))
    assert (len(undone.memories) < 20, len(undone.memories) + undone.more) == (True, 20)
    assert is_a(wire.Wishes, cast.act(wire.Suppressions(), "PUBLIC")).suppressions == []


def test_a_dry_run_tells_what_an_agent_must_say_back(cast: Cast) -> None:
    """Its count and what would be hidden of lower levels make the number that a forget of many is refused without."""
    for number in range(21):
        cast.save("PUBLIC", f"low-{number}", f"低处的第 {number} 条", tags=["many"])
    cast.save("INTERNAL", "own", "高处的一条", tags=["many"])
    tried = is_a(wire.Forgotten, cast.ask("INTERNAL", wire.Forget(tag="many", dry_run=True)))
    refused = cast.ask("INTERNAL", wire.Forget(tag="many"))
    assert (tried.count, tried.hidden, tried.elsewhere) == (1, 21, ["PUBLIC"])
    assert code(refused) == "confirm_count" and "22 memories" in refused.message
    is_a(wire.Forgotten, cast.ask("INTERNAL", wire.Forget(tag="many", confirm=22)))
