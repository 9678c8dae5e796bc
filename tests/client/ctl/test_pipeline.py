"""Requests of one import on one connection: in order, some under way at a time, and none lost or written twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memtrig import homes, wire
from memtrig.ctl import talk
from memtrig.ctl.failure import Failure
from memtrig.ctl.pipeline import UNDER_WAY, Pipeline

Make = Callable[..., Any]
BUSY = wire.Error(code="busy", message="Too much work is waiting.", retryable=True)


def imported(number: int) -> wire.Imported:
    """An answer that tells which it is."""
    return wire.Imported(level="INTERNAL", counts={"new": number})


def answer(number: int) -> wire.Answer:
    """The answer to a request, in its envelope."""
    return wire.Answer(id=number, result=imported(number))


def requests(owner: talk.Owner, count: int) -> list[dict[str, Any]]:
    """So many imports of one record each."""
    records = [[{"content": f"text {n}"}] for n in range(1, count + 1)]
    return [owner.act(talk.make_request("import", {"records": each})) for each in records]


@pytest.fixture(name="owner")
def _owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> talk.Owner:
    """The owner at the scripted daemon, who tries again at once."""
    monkeypatch.setattr(talk, "PAUSES", (0.0, 0.0))
    return talk.Owner(homes.find(str(tmp_path)), "INTERNAL")


def all_of(owner: talk.Owner, asked: list[dict[str, Any]]) -> list[int]:
    """Ask all, and tell by their answers which was answered when."""
    replies = []
    with Pipeline(owner, 5.0) as pipeline:
        for each in asked:
            replies += pipeline.put(each)
        replies += pipeline.rest()
    return [reply.result["counts"]["new"] for reply in replies]


def contents(daemon: Any) -> list[str]:
    """What the daemon heard, in order."""
    return [act.request.records[0].content for act in daemon.heard]


def test_replies_come_in_the_order_of_the_requests(owner: talk.Owner, control: Make) -> None:
    """Also where the answers do not: a refusal overtakes what is written first."""
    control(b"", answer(2), answer(1), b"", wire.frame(answer(5)) + wire.frame(answer(4)) + wire.frame(answer(3)))
    assert all_of(owner, requests(owner, 5)) == [1, 2, 3, 4, 5]


def test_no_more_are_under_way_than_may_be(owner: talk.Owner, control: Make) -> None:
    """The next goes out when the oldest is answered, and nothing is sent before its reply was taken."""
    daemon = control(*map(imported, range(1, UNDER_WAY + 2)))
    asked = requests(owner, UNDER_WAY + 1)
    with Pipeline(owner, 5.0) as pipeline:
        assert [reply for each in asked[:-1] for reply in pipeline.put(each)] == []
        last = pipeline.put(asked[-1])
        assert next(last).result["counts"] == {"new": 1}
        assert f"text {UNDER_WAY + 1}" not in contents(daemon)
        assert list(last) == []
        assert [reply.result["counts"]["new"] for reply in pipeline.rest()] == [*range(2, UNDER_WAY + 2)]


def test_what_a_lost_connection_left_open_is_asked_again_in_order(owner: talk.Owner, control: Make) -> None:
    """With the same keys, so that what was written is not written again."""
    daemon = control(imported(1), None, imported(2), imported(3), imported(4))
    asked = requests(owner, 4)
    assert all_of(owner, asked) == [1, 2, 3, 4]
    assert contents(daemon) == ["text 1", "text 2", "text 2", "text 3", "text 4"]
    keys = [act.request.idempotency_key for act in daemon.heard]
    assert keys[1] == keys[2] and len(set(keys)) == 4


def test_what_is_refused_for_now_is_asked_again(owner: talk.Owner, control: Make) -> None:
    """As a single question would be."""
    daemon = control(imported(1), BUSY, imported(3), imported(2))
    assert all_of(owner, requests(owner, 3)) == [1, 2, 3]
    assert contents(daemon) == ["text 1", "text 2", "text 3", "text 2"]


def test_a_final_refusal_is_told_and_not_repeated(owner: talk.Owner, control: Make) -> None:
    """It stops what follows."""
    daemon = control(imported(1), wire.Error(code="bad_level", message="No."), imported(3))
    with pytest.raises(Failure) as caught:
        all_of(owner, requests(owner, 3))
    assert caught.value.code == "bad_level"
    assert contents(daemon)[:2] == ["text 1", "text 2"]
    assert len(daemon.heard) <= 3


def test_nobody_there_is_told_as_for_one_question(owner: talk.Owner) -> None:
    """The person learns where was looked."""
    with pytest.raises(Failure) as caught:
        all_of(owner, requests(owner, 2))
    assert caught.value.code == "daemon_down"


def test_a_daemon_that_does_not_answer_is_given_up(owner: talk.Owner, control: Make) -> None:
    """After the time of one question, and of one more."""
    control(b"", b"", b"", b"", b"")
    with pytest.raises(Failure) as caught, Pipeline(owner, 0.2) as pipeline:
        list(pipeline.put(requests(owner, 1)[0]))
        list(pipeline.rest())
    assert caught.value.code == "timeout"


def test_a_request_that_fits_no_frame_leaves_the_others_alone(owner: talk.Owner, control: Make) -> None:
    """It is refused before anything of it is sent."""
    control(imported(1))
    with Pipeline(owner, 5.0) as pipeline:
        assert list(pipeline.put(requests(owner, 1)[0])) == []
        with pytest.raises(Failure) as caught:
            list(pipeline.put({"type": "import", "content": "x" * talk.MAX_FRAME}))
        assert caught.value.code == "too_large"
        assert [reply.result["counts"]["new"] for reply in pipeline.rest()] == [1]
