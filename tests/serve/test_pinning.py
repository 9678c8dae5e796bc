"""What the owner pins no agent changes, and why a memory is worth keeping is kept with it: on a real daemon."""

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner, content, refusal, served


def test_no_agent_replaces_a_pinned_memory(memory: memtrig.Memory, owner: Owner) -> None:
    """What an agent says against it waits, even the user's relayed word; the owner's own new word keeps the pin."""
    memory.save("pin.tea", "她不喝茶")
    owner.does(wire.Pin(key="pin.tea"), wire.Settled, level="internal")
    against = memory.save("pin.tea", "她喝茶", source="user_explicit", quote="我喝茶")
    assert (against.outcome, content(memory, "pin.tea")) == ("contested", "她不喝茶")
    with pytest.raises(memtrig.Refused, match="pinned"):
        memory.confirm(against.id, quote="对")
    owner.does(wire.Save(key="pin.tea", content="她只喝绿茶"), wire.Saved, level="internal")
    assert (content(memory, "pin.tea"), served(memory, "pin.tea").pinned) == ("她只喝绿茶", True)


@pytest.mark.parametrize("act", ["deny", "forget", "delete"])
def test_no_agent_retires_a_pinned_memory(memory: memtrig.Memory, owner: Owner, act: str) -> None:
    """Nor denies, forgets or deletes it of its own accord; unpinned it may again what it may with others."""
    key = f"pin.{act}"
    memory.save(key, f"तिला {act} नको")
    owner.does(wire.Pin(key=key), wire.Settled, level="internal")
    assert refusal(lambda: getattr(memory, act)(key)).code == "not_yours"
    assert served(memory, key).deny_count == 0
    owner.does(wire.Pin(key=key, off=True), wire.Settled, level="internal")
    getattr(memory, act)(key)
    assert served(memory, key).deny_count == 1 if act == "deny" else content(memory, key) is None


def test_only_the_owner_pins(shared_daemon: Daemon, memory: memtrig.Memory, owner: Owner) -> None:
    """An agent's save can't bring a pin, the verb is none of its door's, and a pin is set at its own level alone."""
    assert refusal(lambda: memory.save("pin.own", "x", pinned=True)).code == "not_yours"
    saved = owner.does(wire.Save(key="pin.low", content="low", pinned=True), wire.Saved, level="public")
    assert owner.line.refusal(wire.Act(request=wire.Pin(key="pin.low"), level="internal")).code == "not_found"
    let_go = owner.does(wire.Pin(id=saved.id, off=True), wire.Settled)
    assert (let_go.level, let_go.pinned) == ("PUBLIC", False)


def test_a_pin_is_taken_back(memory: memtrig.Memory, owner: Owner) -> None:
    """undo lets it go again; a second pin of the same memory is no change of its own."""
    saved = memory.save("pin.undo", "She sings")
    for _ in range(2):
        owner.does(wire.Pin(id=saved.id), wire.Settled)
    owner.does(wire.Undo(id=saved.id), wire.Undone)
    assert served(memory, "pin.undo").pinned is False


def test_why_a_memory_is_kept_stays_with_it(memory: memtrig.Memory, owner: Owner) -> None:
    """The reason of a save is served with it, outlives its confirmation, and its history keeps it for good."""
    guess = memory.save("why.walk", "Walks at dawn", source="self_inferred", confidence=0.3, reason="she yawned")
    owner.settles(wire.Confirm(id=guess.id))
    assert served(memory, "why.walk").reason == "she yawned"
    memory.deny("why.walk", reason="no longer")
    steps = memory.history("why.walk").steps
    assert "she yawned" in {step.reason for step in steps}
