"""A model at work in its process: what a text's vectors depend on, and that its life is the daemon's."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from memtrigd.embedder.choice import Choice
from memtrigd.embedder.client import Embedder
from memtrigd.embedder.messages import Vectors
from memtrigd.embedder.runtime import OVERLAP, PASSAGE, Prefixes, Runtime, blocks
from tests.embedder.conftest import WIDTH, WITHIN, become, build, ready

TEXTS = ["tea without sugar", "妹妹的生日是五月九号", "दाल का सूप", "तिला कोणते चित्रपट आवडतात?", "", "x" * 3000]


def chosen(directory: Path) -> Choice:
    """The model of a directory."""
    return Choice(on=True, directory=str(directory))


def numbers(vectors: Vectors) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    """The vectors of one text as rows."""
    return np.array([np.frombuffer(each, np.float32) for each in vectors])


async def test_a_text_has_the_same_vectors_whoever_else_asks(tiny: Path) -> None:
    """Alone, among others, in another order, and after the process was started anew: the same bytes."""
    embedder = Embedder(first_again=0.01)
    ask = await ready(embedder, model=chosen(tiny))
    alone = [(await ask([text], "passage") or [()])[0] for text in TEXTS]
    together = await ask(TEXTS, "passage")
    backwards = await asyncio.gather(*(ask([text], "passage") for text in reversed(TEXTS)))
    assert together == alone
    assert [each and each[0] for each in backwards] == alone[::-1]
    assert embedder.pid is not None
    os.kill(embedder.pid, signal.SIGKILL)
    await become(embedder, "failed")
    await become(embedder, "ready")
    assert await ask(TEXTS, "passage") == alone
    embedder.stop()


async def test_vectors_are_centred_and_of_unit_length_and_long_texts_have_several(tiny: Path) -> None:
    """A query has one, of its beginning; a passage of 3,000 tokens as many as it takes to cut nothing."""
    embedder = Embedder()
    ask = await ready(embedder, model=chosen(tiny))
    assert embedder.model is not None and embedder.model.dim == WIDTH
    passages, queries = await ask(TEXTS, "passage"), await ask(TEXTS, "query")
    assert passages is not None and queries is not None
    assert [len(each) for each in queries] == [1] * len(TEXTS)
    assert [len(each) for each in passages[:-1]] == [1] * (len(TEXTS) - 1)
    assert len(passages[-1]) > 3000 / PASSAGE
    for each in (*passages, *queries):
        assert np.allclose(np.linalg.norm(numbers(each), axis=1), 1, atol=1e-5)
    embedder.stop()


def test_no_token_of_a_long_text_is_cut(tiny: Path) -> None:
    """Passages together have all ids in their order, each but the first beginning with some of the one before."""
    runtime = Runtime(tiny / "model.onnx", tiny / "tokenizer.json", Prefixes("", ""))
    text = "".join(random.Random(3).choices("abc दाल 茶🙂 \n", k=20_000))
    whole = runtime._tokenizer.encode(text).ids
    first, *others = runtime.passages(text, "passage")
    assert max(map(len, (first, *others))) <= PASSAGE
    assert sum((each[OVERLAP:] for each in others), first) == whole
    assert "".join(blocks(text)) == text


async def test_queries_go_before_passages(tiny: Path) -> None:
    """Behind megabytes of passages a query has its answer long before they have theirs."""
    embedder = Embedder()
    ask = await ready(embedder, model=chosen(tiny))
    work = [ask(["long " * 50_000], "passage") for _ in range(8)]
    for _ in range(10):
        assert await ask(["q"]) is not None
        assert not work[-1].done()
    assert all(await asyncio.gather(*work))
    embedder.stop()


async def test_killed_at_random_under_load_no_query_hangs_and_all_passages_come_in_the_end(tiny: Path) -> None:
    """Each question has an answer or is told that there is none; whoever asks again gets the same as ever."""
    embedder, dice = Embedder(first_again=0.01), random.Random(11)
    ask = await ready(embedder, model=chosen(tiny))
    right = await ask(TEXTS, "passage")
    asked, answered = 0, 0
    for _ in range(3):
        until = time.monotonic() + dice.uniform(0.05, 0.3)
        while time.monotonic() < until:
            asked += 1
            began = time.monotonic()
            answered += await ask(["q"]) is not None
            assert time.monotonic() - began < 5
        waiting = [ask(TEXTS, "passage") for _ in range(5)]
        assert embedder.pid is not None
        os.kill(embedder.pid, signal.SIGKILL)
        assert all(each in (None, right) for each in await asyncio.gather(*waiting))
        assert await ask(["q"]) is None
        await become(embedder, "ready")
    assert asked and answered
    assert await ask(TEXTS, "passage") == right
    embedder.stop()


async def test_another_model_has_another_digest(tiny: Path, tmp_path: Path) -> None:
    """So vectors of two are never taken for those of one; the same files elsewhere are the same model."""
    digests = []
    for directory in (tiny, build(tmp_path / "same"), build(tmp_path / "other", seed=8)):
        embedder = Embedder()
        await ready(embedder, model=chosen(directory))
        assert embedder.model is not None
        digests.append(embedder.model.digest)
        embedder.stop()
    assert digests[0] == digests[1] != digests[2]


async def test_a_directory_without_a_model_is_told_of(tmp_path: Path) -> None:
    """Which file is missing, for the owner; and one that is no model is no model."""
    embedder = Embedder()
    embedder.choose(chosen(tmp_path))
    embedder.start()
    await become(embedder, "failed")
    assert embedder.condition.code == "model_missing" and "model.onnx" in embedder.condition.message
    (tmp_path / "model.onnx").write_bytes(b"\x00" * 100)
    (tmp_path / "tokenizer.json").write_text("{}")
    embedder.choose(Choice(on=False))
    embedder.choose(chosen(tmp_path))
    await become(embedder, "failed")
    assert embedder.condition.code == "model_broken"
    embedder.stop()


def test_it_does_not_outlive_who_started_it(tiny: Path) -> None:
    """Not even one that is killed and can't say goodbye."""
    program = (
        "import asyncio, sys; from memtrigd.embedder.client import *\n"
        "async def main():\n"
        "    embedder = Embedder(); embedder.choose(Choice(on=True, directory=sys.argv[1])); embedder.start()\n"
        "    while embedder.state != 'ready': await asyncio.sleep(0.01)\n"
        "    print(embedder.pid, flush=True); await asyncio.sleep(60)\n"
        "asyncio.run(main())"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tiny)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid = next(int(line) for line in process.stdout if line.strip().isdigit())
    assert os.getpriority(os.PRIO_PROCESS, pid) >= 10
    process.kill()
    process.wait()
    process.stdout.close()
    until = time.monotonic() + WITHIN
    while _runs(pid):
        assert time.monotonic() < until
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
