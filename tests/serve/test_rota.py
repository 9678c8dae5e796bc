"""The rota: turns on one loop."""

import asyncio
import time
from collections.abc import Callable

from memtrigd.serve.rota import SLICE, Rota


def _play(scene: Callable[[Rota, list[str]], None], rounds: int) -> list[str]:
    """Play a scene in one round of a loop and go so many rounds further; returns what was done."""
    done: list[str] = []

    async def play() -> None:
        scene(Rota(), done)
        for _ in range(rounds):
            done.append("|")
            await asyncio.sleep(0)

    asyncio.run(play())
    return done


def _busy(done: list[str], name: str) -> Callable[[], None]:
    def act() -> None:
        time.sleep(1.5 * SLICE)
        done.append(name)

    return act


def test_whoever_comes_first_goes_on_at_once_and_once_a_round() -> None:
    """Further acts of the process wait; another process has its own turn at once, however many of these wait."""

    def scene(rota: Rota, done: list[str]) -> None:
        for _ in range(3):
            rota.turn("flood", _busy(done, "f"))
        rota.turn("quiet", _busy(done, "q"))

    assert _play(scene, 3) == ["f", "q", "|", "f", "|", "f", "|"]


def test_processes_that_wait_have_a_slice_each_in_turn() -> None:
    """One slice a round, so that between two the loop sees who else has come."""

    def scene(rota: Rota, done: list[str]) -> None:
        for name in "aaabbb":
            rota.turn(name, _busy(done, name))

    assert "".join(_play(scene, 5)) == "ab|a|b|a|b|"


def test_short_acts_share_a_slice() -> None:
    """A slice is time, not a number."""

    def scene(rota: Rota, done: list[str]) -> None:
        for _ in range(5):
            rota.turn("a", lambda: done.append("a"))

    assert "".join(_play(scene, 2)) == "a|aaaa|"


def test_an_act_that_fails_leaves_the_others_their_turns() -> None:
    """The loop hears of the fault; whoever waits goes on in the next round."""
    faults: list[object] = []

    def fail() -> None:
        raise ValueError

    def scene(rota: Rota, done: list[str]) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context["exception"]))
        rota.turn("a", lambda: done.append("a"))
        rota.turn("a", fail)
        rota.turn("a", lambda: done.append("after"))

    assert "".join(_play(scene, 3)) == "a||after|" and [type(each) for each in faults] == [ValueError]
