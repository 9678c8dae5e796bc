"""Promises, well-being, upkeep and notices by both clients, against a real daemon."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import memtrig
import pytest
from memtrig import NotFound, Refused, aio

from tests.conftest import Daemon

TEXTS = [
    ("english", "Order the tulip bulbs.", "tired, but glad"),
    ("中文", "订郁金香球根。", "有点累，但很高兴"),
    ("मराठी", "ट्युलिपचे कंद मागवायचे.", "दमलेली, पण खूश"),
]
BOTH = pytest.mark.parametrize("client", ["sync", "aio"])


def run(client: str, daemon: Daemon, level: str, act: Callable[[Any, Callable[..., Any]], Any]) -> None:
    """Let ``act`` be done with either client: what it is told to wait for is awaited where it must be."""

    async def both() -> None:
        async def wait(answer: Any) -> Any:
            return await answer if inspect.isawaitable(answer) else answer

        arguments = {"home": str(daemon.home), "level": level, "agent": client}
        if client == "sync":
            with memtrig.connect(**arguments) as memory:
                await act(memory, wait)
        else:
            async with aio.connect(**arguments) as memory:
                await act(memory, wait)

    asyncio.run(both())


@BOTH
@pytest.mark.parametrize(("language", "text", "mood"), TEXTS)
def test_a_promise_is_made_falls_due_and_is_kept(
    daemon: Daemon, client: str, language: str, text: str, mood: str
) -> None:
    """And opened again where it wasn't kept after all."""

    async def act(memory: Any, wait: Callable[..., Any]) -> None:
        later = await wait(memory.promises.add(text, "2037-03-01", entity=language))
        due = await wait(memory.promises.add(text, "2001-03-01"))
        assert (later.status, later.entity, due.status) == ("open", language, "due")
        assert [each.id for each in (await wait(memory.promises.check())).promises] == [due.id]
        assert (await wait(memory.promises.list())).unfulfilled == 1
        assert (await wait(memory.promises.done(due.id))).status == "done"
        assert [each.id for each in (await wait(memory.promises.list())).promises] == [later.id]
        assert len((await wait(memory.promises.list(all=True, limit=5))).promises) == 2
        assert (await wait(memory.promises.done(due.id, undone=True))).status == "due"
        with pytest.raises(NotFound):
            await wait(memory.promises.done("nosuchpromise"))

    run(client, daemon, "internal", act)


@BOTH
@pytest.mark.parametrize(("language", "text", "mood"), TEXTS)
def test_a_day_is_noted(daemon: Daemon, client: str, language: str, text: str, mood: str) -> None:
    """With as much as was said of it; what can't be is refused."""

    async def act(memory: Any, wait: Callable[..., Any]) -> None:
        noted = await wait(memory.wellness.add(mood, sleep_hours=5.5, note=text))
        assert (noted.mood, noted.sleep_hours, noted.note) == (mood, 5.5, text)
        told = await wait(memory.wellness.list(days=2))
        assert ([each.id for each in told.notes], told.mean_sleep) == ([noted.id], 5.5)
        with pytest.raises(Refused, match="sleep_hours is 25"):
            await wait(memory.wellness.add(mood, sleep_hours=25))

    run(client, daemon, "public", act)


@BOTH
def test_a_store_is_looked_after(daemon: Daemon, client: str) -> None:
    """Nothing is wrong with a fresh one, and a memory may end before its time."""

    async def act(memory: Any, wait: Callable[..., Any]) -> None:
        await wait(memory.save("hose", "The hose is lent.", expires_at="2037-01-01"))
        assert (await wait(memory.upkeep.init())).ready
        assert (await wait(memory.upkeep.vacuum())).archived == 0
        assert (await wait(memory.upkeep.backup())).outcome == "queued"
        checked = await wait(memory.upkeep.selfcheck())
        assert (checked.memories, checked.problems) == (1, [])
        assert (await wait(memory.upkeep.recover())).left == []
        assert (await wait(memory.aliases())).aliases == []
        assert (await wait(memory.expire("hose", dry_run=True))).count == 1
        assert (await wait(memory.expire("hose"))).count == 1
        assert await wait(memory.get("hose")) is None

    run(client, daemon, "internal", act)


@BOTH
def test_what_waits_and_what_is_due_is_told_again_after_a_restart(daemon: Daemon, client: str) -> None:
    """The subscription outlives the daemon."""

    async def act(memory: Any, wait: Callable[..., Any]) -> None:
        promise = await wait(memory.promises.add("Prune the roses.", "2001-03-01"))
        notices = memory.notices("promise_due")
        following = notices.__next__ if client == "sync" else notices.__anext__
        first = await wait(following())
        assert (first.about, first.id, first.text) == ("promise_due", promise.id, "Prune the roses.")
        await asyncio.to_thread(daemon.restart)
        assert (await wait(following())).id == promise.id
        notices.close()
        with pytest.raises(StopIteration if client == "sync" else StopAsyncIteration):
            await wait(following())

    run(client, daemon, "internal", act)
