"""Sockets: stale ones are replaced, live ones and all other files left alone, and nobody else can reach them."""

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from memtrig.homes import Home

from memtrigd.gate import listeners
from memtrigd.gate.doors import LEVEL_DOORS, SOCKET_DOORS
from memtrigd.gate.listeners import CannotListen, bind, open_all
from tests.conftest import Daemon
from tests.talk import socket_path


def mode(path: Path) -> int:
    """The permission bits of a path."""
    return stat.S_IMODE(path.lstat().st_mode)


def home(root: Path) -> Home:
    """The home under a directory."""
    return Home(str(root / "config"), str(root / "state"), str(root / "run"), str(root))


def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    """BR-025: what a killed daemon left behind does not keep the next one out."""
    path = tmp_path / "public.sock"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    listener = bind(path)
    with listener, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_a_live_socket_is_refused_with_its_pid(tmp_path: Path) -> None:
    """BR-025: a daemon that answers keeps its socket, and the message says who it is."""
    path = tmp_path / "public.sock"
    with bind(path):
        with pytest.raises(CannotListen) as refused:
            bind(path)
        assert str(os.getpid()) in refused.value.message
        assert path.is_socket()


@pytest.mark.parametrize("kind", ["file", "directory", "symlink", "dangling", "fifo"])
def test_any_other_file_is_never_touched(tmp_path: Path, kind: str) -> None:
    """BR-025: the daemon removes sockets that nobody listens on, and nothing else: not even behind a link."""
    path, target = tmp_path / "public.sock", tmp_path / "target"
    if kind == "symlink":
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(target))
    makers = {
        "file": lambda: path.write_text("mine"),
        "directory": path.mkdir,
        "symlink": lambda: path.symlink_to(target),
        "dangling": lambda: path.symlink_to(tmp_path / "nowhere"),
        "fifo": lambda: os.mkfifo(path),
    }
    makers[kind]()
    before = path.lstat()
    with pytest.raises(CannotListen) as refused:
        bind(path)
    assert "left alone" in refused.value.message
    after = path.lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode, before.st_size)
    assert kind != "symlink" or target.is_socket()


def test_a_path_that_is_too_long_is_refused_with_advice(tmp_path: Path) -> None:
    """BR-025: over 107 bytes a Unix socket has no room; the message says how many there are, the hint what to do."""
    room = 107 - len(os.fsencode(tmp_path)) - 1
    fits = tmp_path / ("x" * room)
    bind(fits).close()
    with pytest.raises(CannotListen) as refused:
        bind(tmp_path / ("x" * (room + 1)))
    assert "108" in refused.value.message
    assert "--home" in refused.value.hint


def test_the_length_of_a_path_is_counted_in_bytes(tmp_path: Path) -> None:
    """A path of few characters can have many bytes."""
    with pytest.raises(CannotListen, match="bytes"):
        bind(tmp_path / ("म" * 36))


def test_what_was_opened_is_taken_away_again_if_one_door_cannot_be(tmp_path: Path) -> None:
    """A start that fails leaves no half of the doors behind, and the file in its way."""
    blocked = tmp_path / "run" / "hook.sock"
    blocked.parent.mkdir()
    blocked.write_text("mine")
    with pytest.raises(CannotListen):
        open_all(home(tmp_path), {}, os.getpid())
    assert [p.name for p in (tmp_path / "run").rglob("*.sock")] == ["hook.sock"]


def test_a_door_that_we_made_is_removed_at_the_end(tmp_path: Path) -> None:
    """A clean stop leaves no sockets."""
    doors = open_all(home(tmp_path), {}, os.getpid())
    paths = [listeners.path_of(home(tmp_path), door) for door in SOCKET_DOORS]
    assert all(path.is_socket() for path in paths)
    doors.close()
    assert not any(path.exists() for path in paths)


def test_descriptors_for_another_process_are_not_ours(tmp_path: Path) -> None:
    """LISTEN_PID names whom they are for; a child that inherits the environment binds its own."""
    environ = {"LISTEN_PID": str(os.getpid() + 1), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"}
    doors = open_all(home(tmp_path), environ, os.getpid())
    assert set(doors.bound) == set(SOCKET_DOORS)
    doors.close()


def test_sockets_and_directories_are_private_whatever_the_umask(shared_daemon: Daemon) -> None:
    """Under umask 0 a home is made whose files and sockets are 0600 and whose directories, itself too, are 0700."""
    made = shared_daemon.home / "made"
    with subprocess.Popen(
        [sys.executable, "-m", "memtrigd", "--home", str(made)], stdout=subprocess.PIPE, text=True, umask=0
    ) as process:
        assert process.stdout is not None
        assert "ready" in process.stdout.readline()
        paths = [made, *made.rglob("*")]
        wrong = [path for path in paths if mode(path) != (0o700 if path.is_dir() else 0o600)]
        process.terminate()
    assert len(paths) > 15
    assert wrong == []


def test_a_burst_of_agents_waits_to_be_accepted(shared_daemon: Daemon) -> None:
    """Two hundred that connect while the daemon is held up are none too many."""
    os.kill(shared_daemon.pid, signal.SIGSTOP)
    try:
        with contextlib.ExitStack() as stack:
            for _ in range(200):
                client = stack.enter_context(socket.socket(socket.AF_UNIX))
                client.setblocking(False)
                client.connect(str(socket_path(shared_daemon, "public")))
    finally:
        os.kill(shared_daemon.pid, signal.SIGCONT)


def test_a_killed_daemons_sockets_do_not_block_the_next_start(daemon: Daemon) -> None:
    """BR-025: kill -9, start again; every door answers."""
    daemon.kill()
    assert all(socket_path(daemon, door.name.removeprefix("level-")).is_socket() for door in SOCKET_DOORS)
    daemon.start()
    for door in SOCKET_DOORS:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(socket_path(daemon, door.name.removeprefix("level-"))))


def test_a_second_daemon_on_the_same_state_names_the_first(daemon: Daemon) -> None:
    """BR-002: one daemon per state directory; the other one does not start, and says who has it."""
    second = subprocess.run(
        [sys.executable, "-m", "memtrigd", "--home", str(daemon.home)],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert second.returncode == 1
    assert str(daemon.pid) in second.stderr
    assert "Traceback" not in second.stderr
    assert all(socket_path(daemon, level.slug).is_socket() for level in LEVEL_DOORS)


def test_a_live_daemons_doors_are_not_taken_by_one_of_another_state(tmp_path: Path) -> None:
    """BR-025: two stores that would share the runtime directory: the second names the first and does not start."""
    runtime = Daemon().home
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "XDG_CONFIG_HOME": str(tmp_path)}
    environ.pop("MEMTRIG_HOME", None)
    command = [sys.executable, "-m", "memtrigd"]
    with subprocess.Popen(
        command, env={**environ, "XDG_STATE_HOME": str(tmp_path / "one")}, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert "ready" in first.stdout.readline()
        second = subprocess.run(
            command,
            env={**environ, "XDG_STATE_HOME": str(tmp_path / "two")},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert second.returncode == 1
        assert f"pid {first.pid}" in second.stderr
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(runtime / "memtrigd/control.sock"))
        first.terminate()
    shutil.rmtree(runtime)
