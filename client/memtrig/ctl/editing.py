"""A text in the owner's editor: on a copy, checked before it takes the original's place, and never lost."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memtrig.ctl.failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

USUAL = ("editor", "nano", "vim", "vi")
"""Editors that are looked for where neither VISUAL nor EDITOR names one."""


def edit(path: Path, beginning: str, check: Callable[[str], list[str]]) -> bool:
    """Let the owner edit a file, or a ``beginning`` of it where there is none; tell whether it is another now.

    ``check`` returns what is wrong with a text; the owner mends it or leaves. Raises Failure, and then names the copy
    that has what was typed.
    """
    before = _read(path)
    start = beginning.encode() if before is None else before
    copy = _copy(path, start)
    while True:
        _run(copy)
        edited = _read(copy)
        if edited in (None, start):
            _remove(copy)
            return False
        assert edited is not None
        problems = _problems(edited, check)
        if not problems:
            break
        print(*problems, sep="\n", file=sys.stderr)
        if not _again():
            raise _kept("It was not taken: it can't be guidance as it is.", copy)
    if _read(path) != before:
        raise _kept(f"{path} was changed meanwhile; nothing was written over it.", copy)
    try:
        _replace(path, edited)
    except OSError as error:
        raise _kept(f"{path} can't be written: {error.strerror}.", copy) from None
    _remove(copy)
    return True


def _read(path: Path) -> bytes | None:
    """The bytes of a file; None where there is none. Raises Failure."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure("bad_value", f"{path} can't be read: {error.strerror}.", "Put a plain file there.") from None


def _copy(path: Path, data: bytes) -> Path:
    """Write a copy, under the same name in a directory of its own, so that an editor knows what it is."""
    import tempfile

    copy = Path(tempfile.mkdtemp(prefix="memtrig-")) / path.name
    copy.write_bytes(data)
    return copy


def _run(copy: Path) -> None:
    import shlex
    import shutil
    import subprocess

    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    command = shlex.split(named) if named else [found for each in USUAL if (found := shutil.which(each))][:1]
    if not command:
        raise Failure("usage", "No editor is known.", "Set VISUAL or EDITOR to one, such as EDITOR=nano.")
    try:
        code = subprocess.call([*command, str(copy)])  # noqa: S603 (the owner named it)
    except OSError as error:
        raise Failure("usage", f"{command[0]} can't be started: {error.strerror}.", "Set EDITOR to another.") from None
    if code:
        raise _kept(f"The editor failed with {code}; nothing was changed.", copy)


def _problems(data: bytes, check: Callable[[str], list[str]]) -> list[str]:
    try:
        return check(data.decode())
    except UnicodeDecodeError as error:
        return [f"The text is not UTF-8: see byte {error.start:,}."]


def _again() -> bool:
    from memtrig.ctl.keyboard import END, ask

    key = ask("Edit it again? [y/n] ", ("y", "n", "q", END))
    print()
    return key == "y"


def _replace(path: Path, data: bytes) -> None:
    """Put a new file in the place of the old one, behind any link to it, with its mode. Raises OSError."""
    real = path.resolve()
    real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = real.with_name(f"{real.name}.{os.getpid()}~")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            draft.chmod(real.stat().st_mode & 0o777)
        draft.replace(real)
    except OSError:
        draft.unlink()
        raise


def _remove(copy: Path) -> None:
    from shutil import rmtree

    rmtree(copy.parent, ignore_errors=True)  # with what the editor left beside it


def _kept(message: str, copy: Path) -> Failure:
    return Failure("bad_value", message, f"Your text is in {copy}.")
