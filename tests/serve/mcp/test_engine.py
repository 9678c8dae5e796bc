"""The engine loads its library beside the loop, and lets nobody wait for it."""

import asyncio
import gc
from typing import Any

from memtrigd.serve.mcp.engine import Engine


class Library:
    """A library of many small objects, as a real one is; nobody asks it anything."""

    def __init__(self) -> None:
        self.parts: list[Any] = [{"part": [number]} for number in range(300_000)]


def test_no_collection_walks_what_was_just_loaded() -> None:
    """Neither while it is loaded nor as soon as the collector is on again: it would stop all threads for long."""
    walked: list[int] = []

    def count(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            walked.append(sum(len(gc.get_objects(generation)) for generation in range(info["generation"] + 1)))

    async def story() -> None:
        engine = Engine(Library)  # type: ignore[arg-type]
        gc.collect()
        gc.callbacks.append(count)
        try:
            await engine.prepared()
            young = [[] for _ in range(10_000)]  # what follows at once
            assert engine.ready and young
        finally:
            gc.callbacks.remove(count)

    try:
        asyncio.run(story())
    finally:
        gc.unfreeze()
    assert max(walked, default=0) < 100_000
