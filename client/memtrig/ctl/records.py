"""How memories look to people: one line each in a list, or a whole one with its facts below."""

from __future__ import annotations

from memtrig.ctl.render import one_line, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memtrig.ctl.render import Screen

KINDS = (
    "preference",
    "event",
    "habit",
    "rule",
    "scene",
    "relationship",
    "emotion",
    "identity",
    "milestone",
    "general",
)
"""The ten kinds; the daemon's list rules, this one is offered by the shell's completion."""
SOURCES = ("stated", "user_explicit", "file_import", "auto_detect", "self_inferred")
"""The sources that an owner may name; offered by the shell's completion."""
_BESIDE = {"supplement": "said beside it", "newer_lower": "newer below"}


def rows(memories: list[dict[str, Any]], screen: Screen) -> list[str]:
    """Show memories as a table, one line each."""
    header = ("KEY", "LEVEL", "UPDATED", "MEMORY")
    return screen.table(header, [(m["key"], m["level"], screen.when(m["updated"]), beginning(m)) for m in memories])


def counted(count: int) -> str:
    """Say how many memories."""
    return f"{count:,} {'memory' if count == 1 else 'memories'}"


def touched(memories: list[dict[str, Any]], screen: Screen) -> list[str]:
    """Show as a table which memories a change reached, and what they are now."""
    return screen.table(
        ("ID", "LEVEL", "STATUS", "KEY"), [(m["id"], m["level"], m["status"], m["key"]) for m in memories]
    )


def card(memory: dict[str, Any], screen: Screen) -> list[str]:
    """Show one memory: its address, its text in full, and its facts."""
    head = f"{screen.bold(one_line(memory['key']))}  {one_line(memory['level'])}  {one_line(memory['kind'])}"
    return [head, "", safe(memory["content"]), "", *screen.facts(_facts(memory, screen))]


def beginning(memory: dict[str, Any]) -> str:
    """Give the content; where the daemon sent only a part of it, say which verb shows the whole."""
    whole: int | None = memory.get("content_bytes")
    text: str = memory["content"]
    verb = "get" if memory["status"] == "active" else "history"  # what is not served can't be got
    return (
        text
        if whole is None
        else f"{text.removesuffix('…').rstrip()} … ({whole:,} bytes: `memtrigctl {verb} KEY` shows all)"
    )


def _facts(memory: dict[str, Any], screen: Screen) -> list[tuple[str, str]]:
    """Name what is worth telling about a memory; a blank value means that it is not."""
    told: Callable[..., Any] = memory.get
    core = "core, never fades" if told("core") else ""
    weight = f"{memory['effective_importance']:.2f}"
    return [
        ("about", told("entity") or ""),
        ("tags", ", ".join(memory["tags"])),
        ("emotions", ", ".join(told("emotion_tags", []))),
        ("context", told("context") or ""),
        ("tone", told("sentiment") or ""),
        ("quote", f"“{told('quote')}”{', heard by the daemon' * bool(told('attested'))}" if told("quote") else ""),
        ("status", "" if memory["status"] == "active" else memory["status"]),
        ("pinned", "no agent replaces, denies or expires it" if told("pinned") else ""),
        ("contested", "somebody says otherwise; the owner decides" if told("contested") else ""),
        ("source", ", ".join(filter(None, [memory["source"], told("agent") and f"by {told('agent')}"]))),
        ("confidence", f"{told('confidence'):.2f}" if told("confidence") is not None else ""),
        ("importance", ", ".join(filter(None, [weight, core]))),
        ("saved", screen.when(memory["created"])),
        ("updated", screen.when(memory["updated"]) if memory["updated"] != memory["created"] else ""),
        ("valid from", screen.when(told("valid_from")) if told("valid_from") else ""),
        ("valid to", screen.when(told("valid_to")) if told("valid_to") else ""),
        ("expires", screen.when(told("expires_at")) if told("expires_at") else ""),
        *((label, _reference(told(field))) for field, label in _BESIDE.items()),
        ("id", memory["id"]),
    ]


def _reference(memory: dict[str, Any] | None) -> str:
    return f"{memory['level']}: {beginning(memory)}" if memory else ""
