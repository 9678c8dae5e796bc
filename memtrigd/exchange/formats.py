"""The one table of formats. A further one is a module and a line here."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import (
    basic_memory,
    bundle,
    bundle_mended,
    chatgpt_export,
    claude_code,
    claude_export,
    mcp_memory_service,
    mem0,
    memory_trigger,
    memory_trigger_lines,
    obsidian,
    own,
    pam,
    plain,
    portable_mem,
    repairs,
    server_memory,
    triggerfish,
)
from memtrigd.exchange.items import Item, Reading
from memtrigd.exchange.zips import is_zip

HEAD: Final = 64 << 10
"""Bytes of a file by which its format is told."""
Looks: TypeAlias = Callable[[str, Path], bool]
Folder: TypeAlias = Callable[[Path], bool]
Read: TypeAlias = Callable[[Path, Reading], Iterator[Item]]


class Format(Struct, frozen=True):
    """How one format is told and read. ``looks`` gets the beginning of a file, ``read`` finds what is in it.

    ``again`` finds what is in a piece of it that was mended. ``folder`` tells whether a folder, or a zip of one, is of
    this format: then ``read`` takes that too. A format without it is one of files alone.
    """

    name: str
    title: str
    looks: Looks
    read: Read
    again: repairs.Again
    folder: Folder | None = None


_SOURCES: Final = (
    Format(own.NAME, "memtrig's own JSON Lines", own.looks, own.read, own.again),
    Format(
        server_memory.NAME,
        "the file of the official MCP memory server",
        server_memory.looks,
        server_memory.read,
        server_memory.again,
    ),
    Format(
        memory_trigger.NAME,
        "a library of memory-trigger",
        memory_trigger.looks,
        memory_trigger.read,
        memory_trigger.again,
        memory_trigger.folder,
    ),
    Format(
        memory_trigger_lines.NAME,
        "an agent's impressions for memory-trigger",
        memory_trigger_lines.looks,
        memory_trigger_lines.read,
        memory_trigger_lines.again,
    ),
    Format(triggerfish.NAME, "Triggerfish's store", triggerfish.looks, triggerfish.read, triggerfish.again),
    Format(pam.NAME, "a bundle of Portable AI Memory", pam.looks, pam.read, pam.again, pam.folder),
    Format(
        mcp_memory_service.NAME,
        "an export of mcp-memory-service",
        mcp_memory_service.looks,
        mcp_memory_service.read,
        mcp_memory_service.again,
    ),
    Format(mem0.NAME, "an export of mem0", mem0.looks, mem0.read, mem0.again),
    Format(
        portable_mem.NAME,
        "a .mem bundle of Portable Memory",
        portable_mem.looks,
        portable_mem.read,
        portable_mem.again,
        portable_mem.folder,
    ),
    Format(
        claude_export.NAME,
        "an export of Claude",
        claude_export.looks,
        claude_export.read,
        claude_export.again,
        claude_export.folder,
    ),
    Format(
        chatgpt_export.NAME,
        "an export of ChatGPT",
        chatgpt_export.looks,
        chatgpt_export.read,
        chatgpt_export.again,
        chatgpt_export.folder,
    ),
    Format(
        basic_memory.NAME,
        "notes of basic-memory",
        basic_memory.looks,
        basic_memory.read,
        basic_memory.again,
        basic_memory.folder,
    ),
    Format(
        claude_code.NAME,
        "memories of Claude Code",
        claude_code.looks,
        claude_code.read,
        claude_code.again,
        claude_code.folder,
    ),
    Format(obsidian.NAME, "notes of Obsidian", obsidian.looks, obsidian.read, obsidian.again, obsidian.folder),
    Format(plain.NAME, "plain text or a Markdown list", plain.looks, plain.read, plain.again),
)
"""The formats of programs, in the order in which they are tried."""
_AGAIN: Final = {bundle.MARK: bundle_mended.again} | {each.name: each.again for each in _SOURCES}
FORMATS: Final = (
    Format(repairs.NAME, "a repair file", repairs.looks, partial(repairs.read, _AGAIN), own.again),
    *_SOURCES,
)


def named(name: str) -> Format:
    """The format of a name. Raises Refusal ``bad_value`` and lists them."""
    found = next((each for each in FORMATS if each.name == name), None)
    if found is None:
        every = ", ".join(each.name for each in FORMATS)
        raise Refusal("bad_value", f"There is no format {name[:40]!r}.", f"The formats are: {every}.")
    return found


def chosen(name: str | None, path: Path) -> Format:
    """The format that was named, else the one that a file or folder looks like. Raises Refusal ``bad_value``; OSError.

    What is neither file nor folder, and may never end, is read by none.
    """
    if not path.is_file() and not path.is_dir():
        path.stat()
        raise Refusal("bad_value", "It is neither a file nor a folder.", "Name one.")
    if not name:
        return told(path)
    format = named(name)
    if format.folder is None and (path.is_dir() or is_zip(path)):
        what = "folder" if path.is_dir() else "zip"
        raise Refusal("bad_value", f"{format.name} is a format of files, and this is a {what}.", "Name a file in it.")
    return format


def told(path: Path) -> Format:
    """The format that a file or a folder looks like. Raises Refusal ``bad_value``; OSError."""
    whole = path.is_dir() or is_zip(path)
    found = _told_by_content(path) if whole else _told_by_head(path)
    if found is None:
        what = "folder" if path.is_dir() else "zip" if whole else "file"
        raise Refusal("bad_value", f"The {what} looks like no format that is known.", "Name one before the path.")
    return found


def _told_by_content(folder: Path) -> Format | None:
    return next((each for each in FORMATS if each.folder is not None and each.folder(folder)), None)


def _told_by_head(path: Path) -> Format | None:
    with path.open("rb") as file:
        head = file.read(HEAD).decode("utf-8-sig", "replace")
    if head.count("\ufffd") > len(head) // 10 and not triggerfish.looks(head, path):
        raise Refusal("bad_value", "The file is no UTF-8 text.", "Unpack it, or convert it to UTF-8.")
    return next((each for each in FORMATS if each.looks(head, path)), None)
