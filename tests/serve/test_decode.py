"""What is refused before it waits."""

import msgspec
import pytest
from memtrig import wire

from memtrigd.domain.claim import MAX_CONTENT
from memtrigd.domain.errors import Refusal
from memtrigd.gate.doors import DoorKind
from memtrigd.serve import decode


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("kind", [DoorKind.LEVEL, DoorKind.HANDED, DoorKind.CONTROL])
def test_a_content_over_its_limit_does_not_wait_to_be_refused(kind: DoorKind, over: int) -> None:
    """Eight times the limit fits a frame: a queue of such requests would only hold memory."""
    save = wire.Save(content="x" * (MAX_CONTENT + over))
    request = wire.Act(request=save) if kind is DoorKind.CONTROL else save
    raw = msgspec.Raw(msgspec.msgpack.encode(request))
    if not over:
        assert decode.request(kind, raw) == request
        return
    with pytest.raises(Refusal) as refused:
        decode.request(kind, raw)
    assert refused.value.code == "too_large"
