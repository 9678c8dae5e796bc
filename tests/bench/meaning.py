"""Vectors for a hundred thousand memories without embedding as many: those of some texts, each moved a little.

And what the model by itself takes for a question, in a process of its own as the daemon has it.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import memtrig
import numpy as np
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.embedder.choice import Choice
from memtrigd.embedder.client import Embedder
from memtrigd.embedder.messages import Kind, Model, Vectors
from memtrigd.search.passages import mark, packed
from memtrigd.search.question import Meant
from memtrigd.store.interface import Hands
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

SAMPLE = 500
MOVED = 0.05
"""How far each vector is from the one that it was made of, in each dimension, at most twice or so."""
AT_ONCE = 5_000
WARM = 20


class Sampled(Struct):
    """A model, vectors of its, and how long it took over each question, in milliseconds in order of the times."""

    model: Model
    vectors: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]"
    took: list[float]


def sample(said: Sequence[str], questions: Sequence[str]) -> Sampled:
    """Have some texts and every question embedded. Raises RuntimeError without an installed model."""
    return asyncio.run(_sample(said[:SAMPLE], questions))


def understood(questions: Sequence[str]) -> dict[str, Meant]:
    """What questions mean to the installed model. Raises RuntimeError without one."""
    return asyncio.run(_understood(questions))


async def _understood(questions: Sequence[str]) -> dict[str, Meant]:
    embedder, model = await _ready()
    found = {}
    for question in questions:
        ((vector, *_),) = await _ask(embedder, question, "query")
        found[question] = Meant(vector, model)
    embedder.stop()
    return found


async def _sample(said: Sequence[str], questions: Sequence[str]) -> Sampled:
    embedder, model = await _ready()
    vectors, took = [], []
    for text in said:
        vectors += [each[0] for each in await _ask(embedder, text, "passage")]
    for number, question in enumerate(questions):
        began = time.perf_counter()
        await _ask(embedder, question, "query")
        if number >= WARM:
            took.append((time.perf_counter() - began) * 1e3)
    embedder.stop()
    return Sampled(model, np.stack([np.frombuffer(each, "<f4") for each in vectors]), sorted(took))


async def _ready() -> tuple[Embedder, Model]:
    embedder = Embedder()
    embedder.choose(Choice())
    embedder.start()
    while embedder.model is None:
        if embedder.state in {"off", "failed"}:
            raise RuntimeError(f"no model: {embedder.condition.message}")
        await asyncio.sleep(0.1)
    return embedder, embedder.model


async def _ask(embedder: Embedder, text: str, kind: Kind) -> Sequence[Vectors]:
    answer: asyncio.Future[Sequence[Vectors] | None] = asyncio.get_running_loop().create_future()
    embedder.ask([text], kind, answer.set_result)
    return await answer or ()


def fill(home: Path, count: int, sampled: Sampled) -> None:
    """Give each memory of a store a vector, before its daemon starts."""
    chance = np.random.default_rng(7)
    with Vault.open(home / "state") as vault:
        desk = Transactions(vault)
        for first in range(0, count, AT_ONCE):
            many = min(AT_ONCE, count - first)
            made = sampled.vectors[chance.integers(0, len(sampled.vectors), many)]
            made = made + chance.normal(0, MOVED, made.shape).astype(np.float32)
            made /= np.linalg.norm(made, axis=1, keepdims=True)
            kept = [packed(each.astype("<f4").tobytes()) for each in made]
            desk.run_now(Level.INTERNAL, lambda hands, first=first, kept=kept: _embed(hands, first, kept, sampled))


def _embed(hands: Hands, first: int, kept: Sequence[bytes], sampled: Sampled) -> None:
    assert hands.writer is not None
    for number, data in enumerate(kept, start=first + 1):
        assert hands.writer.embed(number, mark(sampled.model), [data])


def await_ready(memory: memtrig.Memory) -> float:
    """Wait until the daemon's model is ready; returns in how many seconds."""
    began = time.perf_counter()
    while (status := memory.status()).model is None or status.model.state != "ready":
        time.sleep(0.05)
    return time.perf_counter() - began
