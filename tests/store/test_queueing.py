"""The queue of turns: whose job is next, and what never overtakes what."""

from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.levels import Level
from memtrigd.store.queueing import DAEMON, FairQueue, Job


def _job(asker: object = DAEMON, level: Level | None = Level.PUBLIC, *, alone: bool = False) -> Job:
    return Job(lambda _: None, lambda _: None, level, alone=alone, asker=asker)


def test_a_process_with_many_sessions_has_one_turn() -> None:
    """A job of another process comes second, and one of its sixth session comes before the second of its first."""
    queue = FairQueue()
    for _ in range(3):
        for session in "abcdef":
            queue.put(_job(("flood", session)))
    queue.put(_job(("quiet", "q")))
    taken = [job.asker[1] for job in queue.take(19)]
    assert taken[:2] == ["a", "q"]
    assert taken[2:] == list("bcdef" + "abcdef" * 2)


@given(
    st.lists(
        st.tuples(st.sampled_from("pqr"), st.sampled_from("st"), st.sampled_from([None, *Level]), st.integers(0, 9)),
        max_size=60,
    ),
    st.lists(st.integers(1, 7), min_size=60),
)
def test_turns_keep_every_order_that_is_promised(
    asked: list[tuple[str, str, Level | None, int]], sizes: list[int]
) -> None:
    """Nothing is lost; an asker's jobs stay in order, none passes control.db or a job alone, and that passes none."""
    queue, order = FairQueue(control_first=True), list[Job]()
    for process, session, level, number in asked:
        queue.put(_job((process, session), level, alone=number == 0))
    for size in sizes:
        taken = queue.take(size, "r".__eq__ if size % 2 else "s".__eq__)
        if len(taken) > 2 and not any(job.level is None for job in taken):  # as after a commit that took long
            queue.put_back([*taken[2:], taken[1]])
            taken = taken[:1]
        assert len(taken) <= size and (len(taken) == 1 or not any(job.alone for job in taken))
        order += taken
    while len(queue):
        order += queue.take(7)
    assert sorted(job.number for job in order) == list(range(1, len(asked) + 1))
    for place, job in enumerate(order):
        before = [other.number for other in order[:place]]
        if job.alone:
            assert len(before) == job.number - 1
        fences = [o.number for o in order if o.number < job.number and (o.alone or o.level is None)]
        assert all(fence in before for fence in fences)
        own = [o.number for o in order if o.asker == job.asker and (o.level is None) == (job.level is None)]
        assert own == sorted(own) or any(o.alone for o in order)


@given(st.integers(1, 200), st.integers(2, 6))
def test_whoever_comes_last_waits_for_one_job_of_each(backlog: int, processes: int) -> None:
    """However long the others' lines are."""
    queue = FairQueue()
    for n in range(backlog):
        for process in range(processes):
            queue.put(_job((process, f"{n % 4}")))
    queue.put(_job(("quiet", None)))
    waits = next(n for n in range(10_000) if queue.take(1)[0].asker[0] == "quiet")
    assert waits <= processes
