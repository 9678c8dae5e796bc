"""A file system of 2 MiB that fills up: told as such, nothing acknowledged is lost, over when there is room again."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from tests.conftest import Daemon
from tests.talk import Line, agent, dial, error_of

pytestmark = pytest.mark.crash

MOUNT = 'mount -t tmpfs -o size=2m,mode=700 none "$0" && head -c 200000 /dev/zero > "$0/ballast" && exec "$@"'
"""In a namespace of its own, where who is nobody special may mount."""


class SmallDaemon(Daemon):
    """A memtrigd whose state directory is a small file system, which ends with it."""

    forks = False

    @property
    def command(self) -> list[str]:
        """What is run: the daemon, behind the mount that only it sees."""
        state = self.home / "state"
        state.mkdir(exist_ok=True)
        return ["unshare", "-rm", "sh", "-c", MOUNT, os.fspath(state), *super().command]

    @property
    def ballast(self) -> Path:
        """A file that takes room, as this process sees it."""
        return Path(f"/proc/{self.pid}/root{self.home}/state/ballast")


@pytest.fixture(name="small")
def _small(tmp_path: Path) -> Iterator[SmallDaemon]:
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare")
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=2m", "none", os.fspath(tmp_path)]
    tried = subprocess.run(command, check=False, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"no file system may be mounted here: {tried.stderr.strip()}")
    daemon = SmallDaemon()
    try:
        yield daemon.start()
    finally:
        daemon.remove()


def filled(line: Line, saved: dict[str, str], size: int) -> wire.Error:
    """Save until that is refused; return the refusal."""
    while True:
        key, content = f"fact-{len(saved)}", f"said {len(saved)} " + "x" * size
        answer = line.exchange(wire.Save(key=key, content=content))
        if not isinstance(answer.result, wire.Saved):
            return error_of(answer)
        saved[key] = content


def test_a_full_file_system_is_told_and_got_over(small: SmallDaemon) -> None:
    """Every write is refused as one to be tried again; reads and other sessions go on; a file less, and all goes on."""
    saved: dict[str, str] = {}
    with agent(small) as line, dial(small, "control") as control:
        for size in (20_000, 100):
            refused = filled(line, saved, size)
            assert (refused.code, refused.retryable) == ("disk_full", True)
        assert control.refusal(wire.BackupNow()).code == "disk_full"
        held = dict(saved)
        assert all(line.ask(wire.Get(key=key), wire.Got).memory.content == text for key, text in held.items())
        assert control.ask(wire.GetStatus(), wire.StatusReport).pid
        small.ballast.unlink()
        line.ask(wire.Save(key="room", content="there is room again"), wire.Saved)
        assert all(line.ask(wire.Get(key=key), wire.Got).memory.content == text for key, text in saved.items())
        verified = control.ask(wire.AuditVerify(), wire.Audited)
        assert [each.problems for each in verified.audits] == [[]] * len(Level)
        filled(line, saved, 1000)
    assert small.stop() == 0


def test_a_store_that_begins_on_a_full_disk_says_so(tmp_path: Path, small: SmallDaemon) -> None:
    """Without room for a new level nothing half-made is left in its place."""
    small.stop()
    shutil.rmtree(small.home / "state")
    full = MOUNT.replace("200000", "1700000")
    command = [
        "unshare",
        "-rm",
        "sh",
        "-c",
        full,
        os.fspath(tmp_path),
        sys.executable,
        "-c",
        OPENED,
        os.fspath(tmp_path),
    ]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert ended.stdout.splitlines() == ["refused", "opened"]


OPENED = """
import os, pathlib, sys
from memtrigd.domain.errors import Refusal
from memtrigd.store.vault import Vault
state = pathlib.Path(sys.argv[1])
try:
    with Vault.open(state) as vault:
        print("refused" if vault.unavailable else "opened")
except Refusal as refusal:
    print("refused")
os.unlink(state / "ballast")
with Vault.open(state) as vault:
    print("opened" if not vault.unavailable else vault.unavailable)
"""
