"""Where a memtrigd keeps its things and where its sockets are: one answer for daemon, client and memtrigctl.

Only ``os`` is imported, and no environment variable is needed: hosts start helpers with next to none.
"""

from __future__ import annotations

import os

MAX_SOCKET_PATH = 107
"""Bytes of a Unix socket's path: sun_path is 108 with its NUL (unix(7))."""
LEVELS = ("public", "internal", "confidential", "restricted")


class Home:
    """The directories of one daemon: ``config``, ``state`` and ``run``, as absolute paths."""

    __slots__ = ("config", "root", "run", "state")

    def __init__(self, config: str, state: str, run: str, root: str | None = None) -> None:
        self.config = config
        self.state = state
        self.run = run
        self.root = root

    @property
    def control_socket(self) -> str:
        """The owner's door."""
        return os.path.join(self.run, "control.sock")

    @property
    def hook_socket(self) -> str:
        """The door of a host's hooks."""
        return os.path.join(self.run, "hook.sock")

    def level_socket(self, level: str) -> str:
        """The door of one level; ``level`` in any case. Raises ValueError for a name that is none of the four."""
        slug = level.strip().lower()
        if slug not in LEVELS:
            raise ValueError(f"there is no level {level!r}; the levels are {', '.join(LEVELS)}")
        return os.path.join(self.run, "level", slug + ".sock")


def find(home: str | None = None) -> Home:
    """Find the home: ``home`` if given, else MEMTRIG_HOME, else the XDG directories.

    Without XDG_RUNTIME_DIR the runtime directory is /run/user/UID where the system made one, so that a helper with
    an empty environment finds the same sockets as its user; elsewhere it is ``run`` beside the state.
    """
    root = home or os.environ.get("MEMTRIG_HOME")
    if root:
        root = os.path.abspath(os.path.expanduser(root))
        config, state, run = (os.path.join(root, part) for part in ("config", "state", "run"))
        return Home(config, state, run, root)
    user = _user_directory()
    config = os.path.join(_xdg("XDG_CONFIG_HOME", os.path.join(user, ".config")), "memtrigd")
    state = os.path.join(_xdg("XDG_STATE_HOME", os.path.join(user, ".local", "state")), "memtrigd")
    runtime = _xdg("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    run = os.path.join(runtime, "memtrigd") if os.path.isdir(runtime) else os.path.join(state, "run")
    return Home(config, state, run)


def _xdg(variable: str, default: str) -> str:
    """Read an XDG directory; the specification says that a relative one is to be ignored."""
    value = os.environ.get(variable, "")
    return value if os.path.isabs(value) else default


def _user_directory() -> str:
    user = os.path.expanduser("~")
    if os.path.isabs(user):
        return user
    raise OSError("no home directory is known for this user: set MEMTRIG_HOME")
