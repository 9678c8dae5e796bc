"""``memtrigctl get``: one memory in full."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option
from memtrig.ctl.records import card

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(got: dict[str, Any]) -> dict[str, Any]:
    """Take the memory itself."""
    memory: dict[str, Any] = got["memory"]
    return memory


def show(got: dict[str, Any], screen: Screen) -> list[str]:
    """Show the memory with its facts."""
    return card(got["memory"], screen)


VERB = DaemonVerb(
    "get",
    "show the memory of a key",
    "memtrigctl get user.tea",
    door=DATA,
    arguments=(Argument("key", "KEY", "the key it was saved under", required=False),),
    options=(Option("id", "--id", "ID", "its id, instead of a key"),),
    one_of=("key", "id"),
    document=document,
    show=show,
)
