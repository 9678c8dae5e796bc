"""Where models are made: what could not be made leaves nothing behind."""

import errno
from pathlib import Path

import pytest

from memtrigd.embedder import conversion, shelf, weights
from memtrigd.embedder.shelf import Unusable


@pytest.mark.skipif(weights.source() is None, reason="without the weights nothing is made")
def test_a_disk_that_is_full_gets_its_room_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may go better another time, and meanwhile others need it."""

    def full(_: Path, model: Path, tokenizer: Path, __: object) -> None:
        tokenizer.write_bytes(b"whole")
        model.write_bytes(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(conversion, "convert", full)
    files = shelf.find(None, tmp_path)
    with pytest.raises(Unusable, match="No space left") as caught:
        shelf.prepare(files, tmp_path, lambda *_: None)
    assert caught.value.again and list(files.folder.iterdir()) == []
