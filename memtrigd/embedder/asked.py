"""What the owner asks about the model, done without the daemon, which takes up what became of it by itself."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtrigd.embedder import calibration, choosing, shelf
from memtrigd.embedder.choice import Choice
from memtrigd.embedder.serving import CALIBRATION, Served, be_nice
from memtrigd.embedder.shelf import Files, Unusable

INSTALLED: Final = "installed"
"""In place of a directory: the model that is installed with memtrigd."""
OFF: Final = "off"
NOT_MADE: Final = "It is not made yet: `memtrigctl model install`, or start the daemon."
NOT_TRIED: Final = "As it is now it was not tried yet: `memtrigctl model verify`, or start the daemon."


class Shown(Struct, frozen=True, kw_only=True):
    """The model that is chosen, and what there is of it. Sizes are in bytes."""

    on: bool
    directory: str | None = None
    usable: bool = False
    why: str = ""
    """Why it can't be used, or is not ready."""
    name: str = ""
    digest: str = ""
    folder: str = ""
    size: int = 0
    dim: int = 0
    mu: float = 0.0
    sigma: float = 0.0
    floor: float = 0.0


class Checked(Struct, frozen=True, kw_only=True):
    """Whether the model is as it should be: what was looked at, and what is wrong."""

    name: str
    digest: str
    problems: list[str]


class Removed(Struct, frozen=True):
    """How many bytes were taken away."""

    size: int


def show(config: Path) -> Shown:
    """Show the model that is chosen."""
    chosen = choosing.read(config)
    said = Shown(on=chosen.on, directory=chosen.directory)
    try:
        files = _files(chosen.directory)
    except Unusable as why:
        return Shown(on=said.on, directory=said.directory, why=why.message)
    usual = calibration.load(files.folder / CALIBRATION)
    there = files.model.exists()
    return Shown(
        on=said.on,
        directory=said.directory,
        usable=there and usual is not None,
        why="" if there and usual is not None else NOT_TRIED if there else NOT_MADE,
        name=files.name,
        digest=files.digest,
        folder=str(files.model.parent),
        size=sum(each.stat().st_size for each in (files.model, files.tokenizer) if each.exists()),
        dim=len(usual.mean) // 4 if usual else 0,
        mu=usual.mu if usual else 0.0,
        sigma=usual.sigma if usual else 0.0,
        floor=usual.floor if usual else 0.0,
    )


def install(config: Path) -> Shown:
    """Make the model of the installed weights, calibrate it, and show it. Raises Unusable."""
    be_nice()
    _ready(_files(choosing.read(config).directory))
    return show(config)


def use(config: Path, which: str) -> Shown:
    """Choose a model: that of a directory, the one that is installed, or none. It is tried before. Raises Unusable."""
    be_nice()
    if which == OFF:
        choosing.write(config, Choice(on=False, directory=choosing.read(config).directory))
        return show(config)
    directory = None if which == INSTALLED else str(Path(which).absolute())
    _ready(_files(directory))
    choosing.write(config, Choice(on=True, directory=directory))
    return show(config)


def verify(config: Path) -> Checked:
    """Look at every byte of the model, and have it tell two texts apart. Raises Unusable where there is none."""
    be_nice()
    files = _files(choosing.read(config).directory)
    problems = []
    if files.model.parent == files.folder and not shelf.whole(files):
        problems.append(
            "What was made is not there, or not as it was made; the daemon makes it anew at its next start."
        )
    else:
        asked, near, far = _ready(files).tried()
        if not asked @ near > asked @ far:
            problems.append("It finds a text no nearer to a question that it answers than to another.")
    return Checked(name=files.name, digest=files.digest, problems=problems)


def remove() -> Removed:
    """Take away what was made. What a daemon has in memory stays there until it ends."""
    return Removed(shelf.remove(shelf.cache()))


def _files(directory: str | None) -> Files:
    return shelf.find(Path(directory) if directory else None, shelf.cache())


def _ready(files: Files) -> Served:
    shelf.prepare(files, shelf.cache(), _progress("making the model"))
    served = Served(files, _progress("calibrating it"))
    _clear()
    return served


def _progress(what: str) -> Callable[[int, int], None]:
    """One line on a terminal, written over and over."""

    def told(done: int, of: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{what}: {done} of {of}")
            sys.stderr.flush()

    return told


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
