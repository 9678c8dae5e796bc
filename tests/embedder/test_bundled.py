"""The weights that are installed with memtrigd: made into a model once, and better at meanings than words are."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from memtrigd.embedder import calibration, shelf
from memtrigd.embedder.asked import Checked
from memtrigd.embedder.choice import Choice
from memtrigd.embedder.client import Embedder
from memtrigd.embedder.messages import Vectors
from tests.embedder.conftest import ready

PAIRS = {
    "Which musical instrument does Ben play?": "He bought a second-hand cello and takes lessons on Fridays.",
    "आज मौसम कैसा है?": "सुबह से तेज़ बारिश हो रही है और ठंडी हवा चल रही है।",
    "तिला कोणता रंग आवडतो?": "तिच्या सगळ्या साड्या निळ्या आहेत.",
    "他的孩子几岁了？": "他的儿子今年刚满七岁，已经上小学了。",
    "What is my doctor called?": "我的家庭医生姓王，诊所在解放路。",
}


def test_the_background_is_wide() -> None:
    """At least 400 texts in ten languages, each about every matter once: a language weighs as much as another."""
    rows = calibration.rows()
    languages, matters = ({row[column] for row in rows} for column in (0, 1))
    assert len({text for row in rows for text in row[2:]}) == 2 * len(rows) >= 400
    assert len(languages) >= 10 and {"en", "zh", "hi", "mr"} <= languages
    assert sorted((row[0], row[1]) for row in rows) == sorted((one, other) for one in languages for other in matters)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_it_is_made_once_with_no_network_and_finds_meanings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions are nearest to what answers them, others under the floor; damaged, it is made anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    vectors: list[list[Vectors]] = []
    for _ in range(2):
        embedder = Embedder()
        ask = await ready(embedder, model=Choice(on=True))
        assert embedder.model is not None and embedder.model.dim == 384
        floor = embedder.model.floor
        asked, answers = await ask(list(PAIRS), "query"), await ask(list(PAIRS.values()), "passage")
        assert asked is not None and answers is not None
        vectors.append([*asked, *answers])
        embedder.stop()
        files = shelf.find(None, shelf.cache())
        assert shelf.whole(files) and _problems(tmp_path) == []
        files.tokenizer.write_bytes(files.tokenizer.read_bytes()[:-1])
        assert not shelf.whole(files) and _problems(tmp_path) != []
    assert vectors[0] == vectors[1]
    rows = [np.frombuffer(each[0], np.float32) for each in vectors[0]]
    cosines = np.array(rows[: len(PAIRS)]) @ np.array(rows[len(PAIRS) :]).T
    assert list(cosines.argmax(axis=1)) == list(range(len(PAIRS)))
    assert (cosines[~np.eye(len(PAIRS), dtype=bool)] > floor).sum() <= 1
    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "memtrigd").rglob("*")}
    assert modes == {0} and os.listdir(tmp_path) == ["memtrigd"]


def _problems(home: Path) -> list[str]:
    """What the owner is told when they have the model verified."""
    command = [sys.executable, "-m", "memtrigd.embedder", "verify", "--home", str(home)]
    told = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return msgspec.msgpack.decode(told.stdout, type=Checked).problems
