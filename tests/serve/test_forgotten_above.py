"""A wish to forget holds for its readers against whatever is said again below; below nobody learns of it."""

import pytest
from memtrig import wire

from tests.serve.harness import World
from tests.serve.worlds import Cast, code, is_a

TEXT = "Was once in hospital for a winter"


@pytest.fixture(name="cast")
def _cast(world: World) -> Cast:
    return Cast(world)


@pytest.mark.parametrize("source", ["auto_detect", "self_inferred", "file_import"])
@pytest.mark.parametrize("text", [TEXT, "Spent a winter in hospital", "冬天住过院", "हिवाळ्यात रुग्णालयात होता"])
def test_what_an_agent_says_again_below_stays_hidden_above(cast: Cast, source: str, text: str) -> None:
    """Whatever its text, under the key: no read of the readers of the wish shows it, and those below see it."""
    cast.save("CONFIDENTIAL", "illness", TEXT)
    cast.forget("CONFIDENTIAL", key="illness")
    cast.save("PUBLIC", "illness", text, source=source, confidence=0.9, tags=["care"], entity="Vikram")
    for level, seen in (("PUBLIC", text), ("INTERNAL", text), ("CONFIDENTIAL", None), ("RESTRICTED", None)):
        assert cast.get(level, "illness") == seen
        answers = [
            [each.content for each in cast.ask(level, wire.List(tag="care")).memories],
            [each.content for each in cast.ask(level, wire.Search(query=text)).results],
            [each.content for each in cast.ask(level, wire.Stats()).stalest],
            [each.content for each in cast.ask(level, wire.Save(content=f"At {level}", entity="Vikram")).similar],
        ]
        assert [text in each for each in answers] == [bool(seen)] * 4
        assert code(cast.ask(level, wire.History(key="illness"))) == (None if seen else "not_found")
        assert code(cast.ask(level, wire.Why(key="illness"))) == (None if seen else "not_found")


def test_a_text_is_hidden_under_another_key_and_an_entity_under_another_name(cast: Cast) -> None:
    """The text by its digest at the wish's level, the entity by its canonical name and by an alias."""
    cast.save("CONFIDENTIAL", "illness", TEXT)
    cast.forget("CONFIDENTIAL", key="illness")
    cast.save("PUBLIC", "other", f"{TEXT.upper()}!")
    assert [cast.get(level, "other") is None for level in ("PUBLIC", "CONFIDENTIAL")] == [False, True]
    cast.forget("CONFIDENTIAL", entity="Vikram")
    cast.act(wire.AliasAdd(alias="Vicky", entity="Vikram"), "PUBLIC")
    for key, entity in (("one", "ＶＩＫＲＡＭ"), ("two", "vicky"), ("three", "Vikram Seth")):
        cast.save("PUBLIC", key, f"{key} of him", entity=entity)
    assert [cast.get("CONFIDENTIAL", key) for key in ("one", "two", "three")] == [None, None, "three of him"]


def test_the_users_word_after_the_wish_is_seen_above(cast: Cast) -> None:
    """Before the wish it is hidden with the rest, and after a newer wish again."""
    cast.save("PUBLIC", "illness", TEXT, source="user_explicit")
    cast.forget("CONFIDENTIAL", key="illness")
    assert cast.get("CONFIDENTIAL", "illness") is None
    cast.save("PUBLIC", "illness", "It is healed", source="user_explicit")
    assert cast.get("CONFIDENTIAL", "illness") == "It is healed"
    assert cast.forget("CONFIDENTIAL", key="illness").elsewhere == ["PUBLIC"]
    assert [cast.get(level, "illness") for level in ("CONFIDENTIAL", "PUBLIC")] == [None, "It is healed"]


def test_what_is_hidden_is_no_supplement_and_nothing_newer(cast: Cast) -> None:
    """Beside the row that stands above, no word of the one that is to be forgotten."""
    cast.save("CONFIDENTIAL", "illness", TEXT)
    cast.forget("CONFIDENTIAL", key="illness")
    cast.save("RESTRICTED", "city", "Lives in Pune")
    cast.save("PUBLIC", "city", TEXT, source="auto_detect")
    got = is_a(wire.Got, cast.ask("RESTRICTED", wire.Get(key="city"))).memory
    assert (got.content, got.supplement, got.newer_lower) == ("Lives in Pune", None, None)
    newer = [item for item in cast.act(wire.Review()).items if item.about == "newer_lower"]
    assert newer == []
    cast.save("PUBLIC", "city", "Lives in Goa")
    assert cast.ask("RESTRICTED", wire.Get(key="city")).memory.newer_lower.content == "Lives in Goa"


def test_a_wish_hides_nothing_at_its_own_level(cast: Cast) -> None:
    """There it is asked when something is saved; one memory of an entity that the owner brings back is seen."""
    first = cast.save("INTERNAL", "one", "Plays the drums", entity="Vikram")
    cast.save("INTERNAL", "two", "Lives by the sea", entity="Vikram")
    cast.forget("INTERNAL", entity="Vikram")
    assert code(cast.act(wire.Unforget(id=first))) is None
    assert [cast.get("INTERNAL", key) for key in ("one", "two")] == ["Plays the drums", None]
    assert code(cast.ask("INTERNAL", wire.Save(key="three", content="x", entity="Vikram"))) == "forgotten"


def test_near_to_what_is_forgotten_above_waits_for_the_owner(cast: Cast) -> None:
    """Though the memory that it is near to lies below, and still stands there."""
    cast.save("PUBLIC", "illness", TEXT)
    cast.forget("CONFIDENTIAL", key="illness")
    near = cast.ask("CONFIDENTIAL", wire.Save(key="far", content=f"{TEXT}, or two"))
    assert near.status == "pending"
    assert cast.ask("INTERNAL", wire.Save(key="far", content=f"{TEXT}, or two")).status == "active"
