"""One file of guidance: what it may be, and how it is read. What can't be guidance is told in a sentence."""

import os
import stat
import unicodedata
from hashlib import blake2b
from pathlib import Path
from typing import Final

NAME: Final = "SPINE.md"
MAX_BYTES: Final = 64 << 10
"""Bytes of UTF-8 of one file: some 16,000 tokens, more than any model should read at every start."""
MAX_NAME: Final = 100
"""Bytes of an agent's name that can have a file of its own."""


class Unfit(Exception):
    """A file that can't be guidance; the message goes on after its name."""


def read(path: Path) -> str:
    """Read a file of guidance, through links. Raises Unfit.

    It must be a regular file of our own user: a pipe would hold us up, and another user's file would let them speak
    to the agents. Both are asked of the open file, so that nobody can put another in its place in between.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError:
        raise Unfit("is a link to nothing" if path.is_symlink() else "is not there") from None
    except OSError as error:
        raise Unfit(f"can't be opened: {error.strerror}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unfit("is not a regular file")
        if status.st_uid != os.geteuid():
            raise Unfit("belongs to another user")
        data = b""
        while len(data) <= MAX_BYTES and (piece := os.read(descriptor, MAX_BYTES + 1 - len(data))):
            data += piece
    except OSError as error:
        raise Unfit(f"can't be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    return decoded(data)


def decoded(data: bytes) -> str:
    """The text in the bytes of a file, its lines ended by \\n alone. Raises Unfit."""
    if len(data) > MAX_BYTES:
        raise Unfit(f"has more than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unfit(f"is not UTF-8: see byte {error.start:,}") from None
    if "\0" in text:
        raise Unfit(f"has a NUL: see character {text.index(chr(0)):,}")
    if not text.strip():
        raise Unfit("is empty; one line will do where there is nothing to say")
    return text.replace("\r\n", "\n").strip("\n") + "\n"


def version_of(text: str) -> str:
    """Name a version by its text: 12 hexadecimal digits."""
    return blake2b(text.encode(), digest_size=6).hexdigest()


def may_name_a_file(agent: str) -> bool:
    """Tell whether an agent's name can be that of a directory: nothing in it leads elsewhere or hides."""
    return (
        0 < len(agent.encode(errors="replace")) <= MAX_NAME
        and agent.isprintable()
        and not any(each in agent for each in "/\\")
        and agent[0] not in ". "
        and agent == agent.strip() == unicodedata.normalize("NFC", agent)
    )


def stamp(path: Path) -> tuple[int, ...] | None:
    """What changes whenever the file behind a name does; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_mode)
