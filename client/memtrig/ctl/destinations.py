"""To which level what is imported goes: as the owner says, of each kind if they wish, or as it says of itself."""

from __future__ import annotations

from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import usage
from memtrig.ctl.records import KINDS
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

BESIDE = ("alias", "wish", "promise", "wellness")
"""What comes beside memories, and may have a level like a kind."""
USUAL = "INTERNAL"


def read(text: str) -> tuple[str, str]:
    """Read ``LEVEL`` or ``KIND=LEVEL``; the kind is empty for what is said of all. Raises Failure, ValueError."""
    kind, sign, name = text.rpartition("=")
    kind = kind.strip().lower()
    if sign and kind not in (*KINDS, *BESIDE):
        raise ValueError(f"{kind!r} is no kind: they are {' '.join((*KINDS, *BESIDE))}")
    return kind, level(name)


class Destinations:
    """Where each item goes. ``keep``: one that says its level goes there, or to its kind's where that is higher."""

    def __init__(self, said: Sequence[tuple[str, str]] | str, *, keep: bool) -> None:
        said = [("", said)] if isinstance(said, str) else said  # it stood before the verb
        self._of = dict(said)
        self._said = "" in self._of
        if len(self._of) < len(said):
            raise usage("Two levels are said of one kind, or of all.", "Say --level LEVEL, and --level KIND=LEVEL.")
        self.usual = self._of.pop("", USUAL)
        self._keep = keep

    def of(self, item: dict[str, Any]) -> str:
        """The level of a record or an entry, as the reader gives it."""
        if "entry" in item:
            return self.of_kind(item["entry"]["type"].removeprefix("import_"))
        record = item["record"]
        kind = (record.get("kind") or "general").strip().lower()
        own = _known(record.get("level")) if self._keep else None
        return self.of_kind(kind) if own is None else _highest(own, self._of.get(kind, own))

    def of_kind(self, kind: str) -> str:
        """The level of what says none."""
        return self._of.get(kind, self.usual)

    def among(self, found: dict[str, Any]) -> list[str]:
        """The levels to which anything of a file may go, by what was found in it."""
        own = {name: count for name, count in found["levels"].items() if self._keep and _known(name)}
        some = {self.of_kind(kind) for kind in found["beside"]}
        if sum(own.values()) < found["records"]:
            some |= {self.of_kind(kind) for kind in found["kinds"]}
        some |= {name for kind, name in self._of.items() if kind in found["kinds"]} | set(own)
        return [name.upper() for name in LEVELS if name.upper() in some]

    def told(self) -> str:
        """Say where what is imported goes."""
        kinds = (f"; {kind}: {name}" for kind, name in self._of.items())
        return ("the level that each says, else " if self._keep else "") + self.usual + "".join(kinds)

    def proposal(self, found: dict[str, Any]) -> str:
        """Say what is proposed of kinds of which nobody said anything, and that would go lower; nothing, if none is."""
        proposals: dict[str, str] = found.get("proposed", {})
        higher = {
            kind: name
            for kind, name in proposals.items()
            if kind not in self._of and self.usual != _highest(self.usual, name)
        }
        said = [f"{name} for {kind} with --level {kind}={name.lower()}" for kind, name in higher.items()]
        if found["levels"] and not self._keep:
            said.append("each to its own level with --keep-levels")
        return "; ".join(said)

    def of_a_bundle(self) -> dict[str, str]:
        """The one level of a bundle that is to be taken, if not all. Raises Failure for what says nothing to one."""
        if self._of or self._keep:
            raise usage("A bundle comes back at its own levels.", "Say --level LEVEL to take only one of them.")
        return {"level": self.usual} if self._said else {}


def _known(name: str | None) -> str | None:
    """A level by the name that a record has for it; None for none, which the daemon then refuses."""
    name = (name or "").strip().lower()
    return name.upper() if name in LEVELS else None


def _highest(*names: str) -> str:
    return max(names, key=[each.upper() for each in LEVELS].index)
