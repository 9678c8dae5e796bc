"""memtrigctl model: another model is tried before it is chosen, and what is wrong with one is said."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from memtrig.ctl.render import Screen

from memtrigd.embedder.asked import Checked, Shown
from tests.client.ctl.test_output import NASTY, NOW, RAW, daemon_verb
from tests.embedder.conftest import build


class Owner:
    """Asks memtrigctl on a home of their own, with a cache of their own."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(root / "cache"))
        self._home, self.config = root / "home", root / "home" / "config" / "memtrigd.toml"

    def ask(self, *words: str, code: int = 0) -> dict[str, Any]:
        """What it says, and that it ends with a code."""
        command = [sys.executable, "-m", "memtrig.ctl", "--home", str(self._home), "--json", "model", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code, done
        said: dict[str, Any] = json.loads(done.stdout)
        return said

    @property
    def chosen(self) -> dict[str, Any]:
        """What the configuration says of it."""
        chosen: dict[str, Any] = tomllib.loads(self.config.read_text())["semantic"]
        return chosen


@pytest.mark.slow
def test_a_model_is_tried_chosen_verified_and_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step says which model is chosen then; one that is no good is not chosen."""
    owner, tiny = Owner(tmp_path, monkeypatch), build(tmp_path / "tiny")
    used = owner.ask("use", str(tiny))
    assert (used["on"], used["usable"], used["directory"], used["name"]) == (True, True, str(tiny), "tiny")
    assert owner.chosen == {"on": True, "model": str(tiny)}
    assert owner.ask("show") == used
    verified = owner.ask("verify", code=1)
    assert (verified["digest"], verified["ok"]) == (used["digest"], False)  # it knows bytes, and no meanings
    assert "nearer" in verified["problems"][0]
    assert owner.ask("use", str(tmp_path / "none"), code=1)["error"]["code"] == "model_missing"
    broken = build(tmp_path / "broken")
    (broken / "model.onnx").write_bytes(b"no model")
    assert owner.ask("use", str(broken), code=1)["error"]["code"] == "model_broken"
    assert owner.ask("show") == used
    assert owner.ask("remove")["size"] > 0
    assert not owner.ask("use", "off")["on"]
    assert owner.chosen == {"on": False, "model": str(tiny)}


def test_no_text_reaches_the_terminal_raw() -> None:
    """Names of directories are anybody's choice."""
    shown = Shown(on=True, directory=NASTY, why=NASTY, name=NASTY, digest=NASTY, folder=NASTY)
    for verb, said in (("show", shown), ("verify", Checked(name=NASTY, digest=NASTY, problems=[NASTY]))):
        text = "\n".join(daemon_verb(f"model {verb}").show(msgspec.to_builtins(said), Screen(80, now=NOW)))
        assert not RAW & set(text)
        assert "\\x1b" in text
