"""Starting a daemon where none runs: a process of its own, which outlives whoever wanted it."""

from __future__ import annotations

import os
import sys

INHERITED = ("HOME", "USER", "LOGNAME", "PATH", "LANG", "TZ", "TMPDIR")
"""What a daemon gets of its starter's environment, beside MEMTRIG_*, XDG_* and LC_*: never the secrets of a host."""


def start_daemon(root: str | None) -> None:
    """Start memtrigd on the home at ``root``, or the user's own. Of several that are started, one gets the store.

    It hears nothing of ours: no descriptor, no terminal, no process group. Its log goes nowhere; who wants to see why
    it does not start types ``memtrigd``. Raises OSError if no process can be made.
    """
    command = program("memtrigd", "memtrigd") + (["--home", root] if root else [])
    kept = {k: v for k, v in os.environ.items() if k in INHERITED or k.startswith(("MEMTRIG_", "XDG_", "LC_"))}
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _become(command, kept)
    finally:
        os._exit(1)


def program(name: str, module: str) -> list[str]:
    """The command that runs another program of ours: the one beside this, else the module of our interpreter."""
    for ours in (sys.argv[0], sys.executable):
        beside = os.path.join(os.path.dirname(os.path.abspath(ours)), name)
        if os.path.isfile(beside) and os.access(beside, os.X_OK):
            return [beside]
    return [sys.executable, "-m", module]


def _become(command: list[str], environment: dict[str, str]) -> None:
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):  # a host may wait for the end of the stderr that it gave us
        os.dup2(null, standard)
    os.closerange(3, 1 << 16)
    os.execve(command[0], command, environment)  # noqa: S606
