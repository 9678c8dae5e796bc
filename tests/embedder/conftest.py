"""A model of a few kilobytes that takes no time, and what asks one."""

import asyncio
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from memtrigd.embedder.choice import Choice
from memtrigd.embedder.client import Embedder
from memtrigd.embedder.messages import Kind, Vectors

WIDTH = 16
WITHIN = 60
"""Seconds for what takes one or two on an idle machine."""

Ask: TypeAlias = Callable[..., "asyncio.Future[Sequence[Vectors] | None]"]


def build(directory: Path, *, seed: int = 7) -> Path:
    """Make a model whose vectors are the mean of those of a text's bytes, with the inputs and the output of BERT's."""
    import onnx
    from onnx import helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {word: number for number, word in enumerate(["[UNK]", *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    tokenizer = Tokenizer(models.BPE(words, [], unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    directory.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(directory / "tokenizer.json"))
    table = np.random.default_rng(seed).normal(size=(len(words), WIDTH)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["found"]),
        helper.make_node("Cast", ["attention_mask"], ["counts"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["counts", "last"], ["column"]),
        helper.make_node("Mul", ["found", "column"], ["last_hidden_state"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["b", "s"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", onnx.TensorProto.FLOAT, ["b", "s", WIDTH])
    constants = [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([2], np.int64), "last")]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.save(made, str(directory / "model.onnx"))
    return directory


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in given}))
    return True


@pytest.fixture(name="tiny", scope="module")
def _tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directory of a tiny model, and a cache that is nobody else's."""
    root, before = tmp_path_factory.mktemp("models"), os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(root / "cache")
    try:
        yield build(root / "tiny")
    finally:
        os.environ.pop("XDG_CACHE_HOME")
        os.environ.update({"XDG_CACHE_HOME": before} if before is not None else {})


async def ready(embedder: Embedder, *, model: Choice | None = None) -> Ask:
    """Start a model and wait until it is ready; returns what asks it."""
    if model is not None:
        embedder.choose(model)
    embedder.start()
    await become(embedder, "ready")

    def ask(texts: Sequence[str], kind: Kind = "query") -> "asyncio.Future[Sequence[Vectors] | None]":
        answer: asyncio.Future[Sequence[Vectors] | None] = asyncio.get_running_loop().create_future()
        embedder.ask(texts, kind, answer.set_result)
        return answer

    return ask


async def become(embedder: Embedder, state: str) -> None:
    """Wait for a state."""
    async with asyncio.timeout(WITHIN):
        while embedder.state != state:
            await asyncio.sleep(0.01)
