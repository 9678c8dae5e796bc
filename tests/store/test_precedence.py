"""Who goes before whom, and for how long."""

import threading
import time
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from memtrigd.store.lanes import ReadLane
from memtrigd.store.precedence import FEW, LINGER, PATIENCE, Precedence

LONG = 10 * PATIENCE


@given(st.lists(st.tuples(st.sampled_from("pqr"), st.booleans()), max_size=80))
def test_who_asks_much_waits_while_another_asks_little(steps: list[tuple[str, bool]]) -> None:
    """However requests begin and end, by a count of who has how many under way."""
    precedence, under_way = Precedence(), dict.fromkeys("pqr", 0)
    for process, begins in steps:
        if begins:
            precedence.begin(process)
            under_way[process] += 1
        elif under_way[process]:
            precedence.end(process)
            under_way[process] -= 1
        quiet = any(0 < count <= FEW for count in under_way.values())
        for other, count in under_way.items():
            assert not precedence.yields(other) or count > FEW
            assert precedence.yields(other) or not quiet or count <= FEW
        assert precedence.yields(None) or not quiet


def test_others_wait_a_moment_longer_than_the_answer() -> None:
    """Whoever got an answer is likely to ask again at once; after that moment nobody waits any more."""
    precedence = Precedence()
    for _ in range(FEW + 1):
        precedence.begin("flood")
    precedence.begin("quiet")
    precedence.end("quiet")
    assert precedence.yields("flood") and precedence.yields(None)
    time.sleep(2 * LINGER)
    assert not precedence.yields("flood") and not precedence.yields(None)


def _lane(precedence: Precedence, order: list[str]) -> tuple[ReadLane, Callable[[str], None], threading.Event]:
    done = threading.Event()
    lane = ReadLane("test", dict, lambda outcomes: [tell(outcome) for tell, outcome in outcomes] and None, precedence)

    def submit(process: str) -> None:
        lane.submit(lambda _: order.append(process), lambda _: done.set(), (process, process))

    return lane, submit, done


def test_a_lane_takes_the_job_of_who_asks_little_first() -> None:
    """Though the others were there before, and have their turn."""
    precedence, order = Precedence(), list[str]()
    lane, submit, _ = _lane(precedence, order)
    for _ in range(FEW + 1):
        precedence.begin("flood")
        submit("flood")
    for _ in range(FEW):
        precedence.begin("quiet")
        submit("quiet")
    lane.start()
    time.sleep(LONG)
    lane.stop()
    assert order[:FEW] == ["quiet"] * FEW and len(order) == 2 * FEW + 1


def test_a_lane_waits_for_a_request_elsewhere_and_not_for_long() -> None:
    """Its next job is held while a request of somebody quiet is under way in another lane, at most for PATIENCE."""
    precedence, order = Precedence(), list[str]()
    lane, submit, done = _lane(precedence, order)
    precedence.begin("quiet")
    for _ in range(FEW + 1):
        precedence.begin("flood")
    lane.start()
    began = time.monotonic()
    submit("flood")
    assert done.wait(LONG + 5)
    assert time.monotonic() - began >= PATIENCE
    lane.stop()
    assert order == ["flood"]


def test_a_stream_of_those_who_ask_little_starves_nobody() -> None:
    """Each of whom asks again as soon as it has its answer: who asks much has a job done all the same, soon."""
    precedence, order = Precedence(), list[str]()
    lane, submit, done = _lane(precedence, order)
    for _ in range(FEW + 1):
        precedence.begin("flood")
    for process in ("quiet", "calm"):
        precedence.begin(process)

    def again(_: object) -> None:
        if not done.is_set():
            lane.submit(lambda _: time.sleep(0.001), again, ("calm", "calm"))

    for _ in range(FEW):
        lane.submit(lambda _: time.sleep(0.001), again, ("quiet", "quiet"))
    submit("flood")
    lane.start()
    assert done.wait(LONG + 5)
    lane.stop()
    assert order == ["flood"]
