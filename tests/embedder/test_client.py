"""The model as the daemon sees it: asked and never waited for, whatever its process does or leaves undone."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from memtrigd.embedder import client
from memtrigd.embedder.choice import Choice
from memtrigd.embedder.client import QUERIES, Embedder
from tests.embedder.conftest import become, ready

ON = Choice(on=True)
PLAY = """
import socket, sys, time
from memtrigd.embedder.messages import *
channel = socket.socket(fileno=0)
stream = channel.makefile("rb")
say = lambda message: channel.sendall(framed(message))
hear = lambda: to_model(stream.read(int.from_bytes(stream.read(PREFIX), "big")))
model = Model(sys.argv[1] or "installed", "d1", 2, 0.1, 0.2, 0.3)
"""
"""What each of the processes below begins with; the directory that is chosen is its argument."""
ECHOES = """
say(Warming("convert", 3, 14)); say(Ready(model))
while True:
    asked = hear()
    say(Embedded(asked.id, [(text.encode(),) for text in asked.texts]))
"""
ECHOING = "".join(f"\n  {line}" for line in ECHOES.strip().splitlines())
SILENT = "say(Ready(model))\nwhile True: hear()"
RUDE = "say(Ready(model)); hear(); channel.sendall(b'\\xff' * 64); time.sleep(60)"
REFUSES = "say(Failed('model_broken', 'It is broken.'))"
ABSENT = "say(Failed('not_installed', 'There is none.'))"


def playing(play: str, **more: float) -> Embedder:
    """An embedder whose process does what a few lines say."""
    embedder = Embedder((sys.executable, "-c", PLAY + play), **more)
    embedder.choose(ON)
    return embedder


async def test_it_is_warming_then_ready_and_answers() -> None:
    """Whoever wants to know hears of each state once; answers come under the right question."""
    embedder, states = playing(ECHOES), []
    embedder.listeners.append(lambda: states.append(embedder.state))
    ask = await ready(embedder)
    assert embedder.model is not None and embedder.condition.name == "installed"
    answers = await asyncio.gather(*(ask([f"q{number}", "same"]) for number in range(20)), ask(["p"], "passage"))
    assert answers == [*([(f"q{number}".encode(),), (b"same",)] for number in range(20)), [(b"p",)]]
    embedder.stop()
    assert states == ["warming", "ready", "off"]


async def test_without_a_model_whoever_asks_is_told_at_once() -> None:
    """Before the start, while it is off and after the end: None, and on the loop's next turn."""
    embedder, told = Embedder(), list[Sequence[object] | None]()
    for act in (lambda: None, embedder.start, embedder.stop):
        act()
        embedder.ask(["q"], "query", told.append)
        assert not told
        await asyncio.sleep(0)
        assert told == [None]
        told.clear()


async def test_a_query_is_not_waited_for_longer_than_it_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that says nothing delays a search by PATIENCE, and no more queries wait than QUERIES."""
    monkeypatch.setattr(client, "PATIENCE", 0.2)
    embedder = playing(SILENT)
    ask = await ready(embedder)
    async with asyncio.timeout(5):
        waiting = [ask(["q"]) for _ in range(QUERIES)]
        assert await ask(["one too many"]) is None
        assert not any(each.done() for each in waiting)
        assert await asyncio.gather(*waiting) == [None] * QUERIES
    assert embedder.state == "ready"
    embedder.stop()


async def test_a_process_that_is_killed_is_started_anew_and_nobody_waits_for_it() -> None:
    """What was asked of it gets None; the next is asked of another process."""
    embedder = playing(SILENT, first_again=0.01)
    ask = await ready(embedder)
    first, waiting = embedder.pid, ask(["p"], "passage")
    assert first is not None
    os.kill(first, signal.SIGKILL)
    async with asyncio.timeout(10):
        assert await waiting is None
        assert embedder.state == "failed" and embedder.model is None
    await become(embedder, "ready")
    assert embedder.pid not in (None, first)
    embedder.stop()


async def test_one_that_keeps_ending_is_started_less_and_less_often() -> None:
    """Twice as long each time: a model that can't run costs next to nothing."""
    embedder = playing("sys.exit(1)", first_again=0.02)
    starts = list[float]()
    loop = asyncio.get_running_loop()
    embedder.listeners.append(lambda: starts.append(loop.time()) if embedder.state == "failed" else None)
    embedder.start()
    async with asyncio.timeout(30):
        while len(starts) < 5:
            await asyncio.sleep(0.01)
    embedder.stop()
    assert starts[4] - starts[3] >= 0.16


@pytest.mark.parametrize(
    ("play", "state", "code"),
    [(REFUSES, "failed", "model_broken"), (ABSENT, "off", "not_installed")],
)
async def test_what_will_not_go_better_is_not_tried_again_soon(play: str, state: str, code: str) -> None:
    """A broken model waits for somebody to mend it; where none is installed there is none, which is no fault."""
    embedder = playing(play, first_again=0.01)
    embedder.start()
    await become(embedder, state)
    await asyncio.sleep(0.2)
    assert (embedder.state, embedder.condition.code, embedder.pid) == (state, code, None)
    assert embedder.condition.message.startswith(("It", "There"))
    embedder.stop()


async def test_a_model_that_was_mended_where_it_is_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice is the same, so nothing else would tell of it."""
    monkeypatch.setattr(client, "LAST_AGAIN", 0.1)
    embedder = playing(f"import os\nif not os.path.exists({str(tmp_path / 'mended')!r}): {REFUSES}\nelse:{ECHOING}")
    embedder.start()
    await become(embedder, "failed")
    (tmp_path / "mended").touch()
    await become(embedder, "ready")
    embedder.stop()


async def test_one_that_says_nothing_for_long_is_started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there and hangs: each search would wait for it, and nothing would ever be embedded."""
    monkeypatch.setattr(client, "PATIENCE", 0.05)
    monkeypatch.setattr(client, "HUNG", 0.2)
    embedder = playing(SILENT, first_again=0.01)
    ask = await ready(embedder)
    first, waiting = embedder.pid, ask(["p"], "passage")
    async with asyncio.timeout(10):
        while not waiting.done():
            assert await ask(["q"]) is None
    assert embedder.state == "failed" and embedder.condition.code == "ended"
    await become(embedder, "ready")
    assert embedder.pid not in (None, first)
    embedder.stop()


async def test_what_is_no_message_ends_the_process() -> None:
    """Half of the process's memory may be anything; it is not taken for a vector."""
    embedder = playing(RUDE, first_again=60)
    ask = await ready(embedder)
    async with asyncio.timeout(10):
        assert await ask(["p"], "passage") is None
    assert embedder.condition.code == "ended"
    embedder.stop()


async def test_another_choice_takes_the_place_of_the_one_in_use() -> None:
    """Never both: who waits for the old one gets nothing. The same choice once more changes nothing."""
    embedder = playing(SILENT)
    ask = await ready(embedder)
    waiting, before = ask(["p"], "passage"), embedder.pid
    embedder.choose(ON)
    assert (embedder.pid, waiting.done()) == (before, False)
    embedder.choose(Choice(on=True, directory="/another"))
    assert waiting.result() is None
    await become(embedder, "ready")
    assert embedder.model is not None and embedder.model.name == "/another"
    embedder.choose(Choice(on=False))
    assert (embedder.state, embedder.pid, embedder.model) == ("off", None, None)
