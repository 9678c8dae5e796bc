"""``memtrigctl prove``: that nobody at a level can tell what is above it, shown on a copy of one's own store."""

from __future__ import annotations

from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import REFUSED
from memtrig.ctl.grammar import CONTROL, LONG, DaemonVerb, Option
from memtrig.ctl.records import counted
from memtrig.ctl.render import one_line, wrap
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memtrig.ctl.render import Screen

WIDTH = 80
"""Columns of a report that goes to a file."""


def document(proof: dict[str, Any]) -> dict[str, Any]:
    """Name also what is zero, and the verdict."""
    whole = {"differing_kinds": [], "seen_above": 0, "covers": [], "leaves_out": [], **proof}
    return {**whole, "verdict": _verdict(proof)}


def show(proof: dict[str, Any], screen: Screen) -> list[str]:
    """Write the report: what was found, how, and what it does not show."""
    found = document(proof)
    dropped = ", ".join(f"{one_line(name)} ({counted(count)})" for name, count in found["above"].items())
    kinds = ", ".join(f"{one_line(kind)} {count:,}" for kind, count in found["asked"].items())
    columns = screen.columns or WIDTH
    sampled = ", ".join(f"{one_line(name)} {count:,}" for name, count in found["sampled"].items())
    versions = f"Python {found['python']}, SQLite {found['sqlite']}, schema {found['schema']}"
    facts = (
        ("Level", one_line(found["level"])),
        ("Dropped", dropped),
        ("Questions", f"{found['probes']:,}: {kinds}"),
        ("Differing", f"{found['differing']:,}" + _in_kinds(found["differing_kinds"])),
        ("Seen above", f"{found['seen_above']:,} of the first questions were answered otherwise at the highest level"),
        ("Replies", f"SHA-256 {one_line(found['digest'])}"),
        ("Sample", f"memories that the questions were made of: {sampled}"),
        ("Made", f"{one_line(found['at'])} by memtrigd {one_line(found['server'])}"),
        ("With", one_line(versions)),
        ("Code", f"SHA-256 {one_line(found['code'])} over the modules of the daemon"),
    )
    lines = [f"Proof for {one_line(found['level'])}: {_SAYS[found['verdict']]}", ""]
    for name, value in facts:
        first, *others = wrap(value, columns - 12)
        lines += [f"{name:<12}{first}", *(f"{'':12}{line}" for line in others)]
    lines += ["", "What was done", *_points(found["covers"], columns)]
    return [*lines, "", "What this does not show", *_points(found["leaves_out"], columns)]


def code(proof: dict[str, Any]) -> int:
    """Fail unless it is a proof."""
    return REFUSED if proof["differing"] else 0


def _verdict(proof: dict[str, Any]) -> str:
    """Say holds or leaks; or nothing_above where no reply at all could have differed."""
    if proof["differing"]:
        return "leaks"
    return "holds" if proof.get("seen_above") else "nothing_above"


def _in_kinds(kinds: list[str]) -> str:
    return f" (in {', '.join(map(one_line, kinds))})" if kinds else ""


def _points(texts: list[str], columns: int) -> Iterator[str]:
    for text in texts:
        first, *others = wrap(one_line(text), columns - 2)
        yield f"- {first}"
        yield from (f"  {line}" for line in others)


_SAYS = {
    "holds": "every reply is the same, byte for byte, whether what is above exists or not.",
    "leaks": "replies differ. Please report this: it is a fault of memtrigd.",
    "nothing_above": "every reply is the same, but there is nothing above that anybody could have seen.",
}
VERB = DaemonVerb(
    "prove",
    "show on a copy of your store that a level can't tell what is above it",
    "memtrigctl prove --level internal",
    door=CONTROL,
    patience=LONG,
    progress=True,
    options=(Option("level", "--level", "LEVEL", "the level that is asked at", read=level, values=LEVELS),),
    one_of=("level",),
    document=document,
    show=show,
    code=code,
)
