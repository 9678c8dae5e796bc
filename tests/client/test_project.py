"""The project of a directory: one for all worktrees of a repository, whatever happens to them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from memtrig.project import space_of

from tests.conftest import Daemon


def git(place: Path, *words: str) -> None:
    """Run git, with nobody's configuration."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(place), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", str(place), *words], env=environment, check=True, capture_output=True)


@pytest.fixture(name="main")
def _main(tmp_path: Path) -> Path:
    """A repository with a commit."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    main = tmp_path / "茶-चहा"
    main.mkdir()
    git(main, "init", "--quiet")
    git(main, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "--allow-empty", "-m", "x")
    return main


def test_a_linked_worktree_is_the_same_project(main: Path, tmp_path: Path) -> None:
    """BR-064: also below its top, behind a link, and once the worktree is gone."""
    git(main, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    (tmp_path / "linked" / "src").mkdir()
    (tmp_path / "door").symlink_to(tmp_path / "linked" / "src")
    there = {space_of(str(place)) for place in (tmp_path / "linked", tmp_path / "linked" / "src", tmp_path / "door")}
    shutil.rmtree(tmp_path / "linked")
    assert there == {space_of(str(main))}
    assert str(space_of(str(main))).startswith("茶-चहा-")


def test_two_projects_of_one_name_are_two(main: Path, tmp_path: Path) -> None:
    """A name is not enough; a submodule or a repository inside another is its own."""
    other = tmp_path / "elsewhere" / main.name
    inner = main / "inner"
    for place in (other, inner):
        place.mkdir(parents=True)
        git(place, "init", "--quiet")
    assert len({space_of(str(place)) for place in (main, other, inner)}) == 3


@pytest.mark.parametrize("content", ["", "gitdir: ", "gitdir: /nowhere/at/all", "junk\n", "\x00\xff"])
def test_where_no_project_is_there_is_no_space(tmp_path: Path, content: str) -> None:
    """A directory outside any, and what merely looks like git, end no pump."""
    (tmp_path / ".git").write_text(content, encoding="latin-1")
    found = space_of(str(tmp_path))
    assert found is None or "\n" not in found
    assert space_of("/") is None


def test_what_was_saved_in_a_worktree_outlives_it(main: Path, tmp_path: Path, shared_daemon: Daemon) -> None:
    """BR-064: an agent in the main repository finds it though the worktree is gone; one outside does not."""
    git(main, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    saved = {"key": "मंडळ", "content": "Deploys on Fridays", "source": "auto_detect"}
    assert _call(shared_daemon, tmp_path / "linked", "save", **saved) == "Saved: मंडळ."
    shutil.rmtree(tmp_path / "linked")
    assert _call(shared_daemon, main, "get", key="मंडळ") == "Deploys on Fridays"
    assert "Fridays" not in _call(shared_daemon, tmp_path, "get", key="मंडळ")


def _call(daemon: Daemon, place: Path, tool: str, **arguments: str) -> str:
    """Start a pump in a directory, as a host does, call one tool, and return its text."""
    command = [sys.executable, "-m", "memtrig.mcp_pump", "--home", str(daemon.home), "--space", "auto", "--no-start"]
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    lines: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    with subprocess.Popen(command, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pump:
        assert pump.stdin is not None and pump.stdout is not None
        for line in lines:
            pump.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n")
            pump.stdin.flush()
        for answer in map(json.loads, pump.stdout):
            if answer.get("id") == 2:
                pump.stdin.close()
                return str(answer["result"]["content"][0]["text"])
    raise AssertionError("no answer came")
