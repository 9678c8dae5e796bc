"""The git project that a directory belongs to, as a name for a space: the same in each of its worktrees.

A pump may start with it, so that it imports next to nothing.
"""

from __future__ import annotations

import os
from binascii import crc32

LONGEST = 200
"""Characters of a directory's name that are taken; what makes the space its own is the number behind it."""


def space_of(directory: str) -> str | None:
    """Name the space of the project that a directory is in; None where it is in none.

    It is made of the common git directory (gitrepository-layout(5)), not of the path: a linked worktree may go, and
    what was remembered in it is found in the others. A submodule is a project of its own.
    """
    place = os.path.realpath(directory)
    while True:
        common = _common(os.path.join(place, ".git"))
        if common is not None:
            break
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above
    parent, name = os.path.split(common)
    named = os.path.basename(parent) if name == ".git" else name.removesuffix(".git")
    plain = "".join(c for c in named if c.isprintable()).strip()[:LONGEST] or "project"
    return f"{plain}-{crc32(os.fsencode(common)):08x}"


def _common(git: str) -> str | None:
    """The common directory behind a ``.git``, which is a directory or, in a worktree, a file that leads there."""
    if os.path.isdir(git):
        return os.path.realpath(git)
    link = _read(git)
    if link is None or not link.startswith("gitdir:"):
        return None
    own = os.path.join(os.path.dirname(git), link.removeprefix("gitdir:").strip())
    common = _read(os.path.join(own, "commondir"))
    return os.path.realpath(own if common is None else os.path.join(own, common.strip()))


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(4096)
    except OSError:
        return None
