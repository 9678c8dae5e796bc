"""``memtrigctl model``: the model that tells what texts mean, so that searches find what says it in other words."""

from __future__ import annotations

from memtrig.ctl.alone import do_alone
from memtrig.ctl.failure import REFUSED
from memtrig.ctl.grammar import CONTROL, Argument, DaemonVerb, Family
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memtrig.ctl.render import Screen
    from memtrig.homes import Home

MEGABYTE = 1_000_000


def by_itself(what: str) -> Callable[[Home, dict[str, Any], bool], dict[str, Any]]:
    """What does something without the daemon, which takes up by itself what became of it."""

    def alone(home: Home, given: dict[str, Any], down: bool) -> dict[str, Any]:
        words = [unlike_an_option(given["which"])] if "which" in given else []
        return do_alone(home, what, *words, by="embedder")

    return alone


def unlike_an_option(text: str) -> str:
    """A path that no option can be taken for."""
    return f"./{text}" if text.startswith("-") else text


def show(model: dict[str, Any], screen: Screen) -> list[str]:
    """Show which model is chosen, and what is known of it."""
    chosen = one_line(model.get("directory") or "the one that is installed with memtrigd")
    ready = bool(model.get("usable"))
    facts = [
        ("chosen", chosen if model["on"] else "none: searches go by the words"),
        ("model", one_line(model.get("name", ""))),
        ("digest", one_line(model.get("digest", ""))),
        ("in", one_line(model.get("folder", ""))),
        ("size", f"{model['size'] / MEGABYTE:,.0f} MB" if model.get("size") else ""),
        ("vectors", f"{model['dim']} numbers" if model.get("dim") else ""),
        ("unrelated", f"cosine {model['mu']:.3f} ± {model['sigma']:.3f}, floor {model['floor']:.3f}" if ready else ""),
    ]
    return [*screen.facts(facts), *([] if ready else [one_line(model.get("why", ""))])]


def document_check(checked: dict[str, Any]) -> dict[str, Any]:
    """The verdict in a word beside what is wrong."""
    return {**checked, "ok": not checked["problems"]}


def show_check(checked: dict[str, Any], screen: Screen) -> list[str]:
    """Say that all is well, or what is not."""
    name = one_line(checked["name"])
    return [one_line(each) for each in checked["problems"]] or [f"{name} is as it was made, and tells texts apart."]


def code(checked: dict[str, Any]) -> int:
    """Fail if anything is wrong."""
    return REFUSED if checked["problems"] else 0


def show_removed(removed: dict[str, Any], screen: Screen) -> list[str]:
    """Say how much it was."""
    return [f"{removed['size'] / MEGABYTE:,.0f} MB taken away; the daemon makes it anew at its start unless it is off."]


_SHOW = DaemonVerb(
    "model show", "show which model is chosen", "memtrigctl model", door=CONTROL, alone=by_itself("show"), show=show
)
VERB = Family(
    "model",
    "the model that tells what texts mean",
    _SHOW,
    DaemonVerb(
        "model install",
        "make the model of its installed weights now, with no network",
        "memtrigctl model install",
        door=CONTROL,
        alone=by_itself("install"),
        show=show,
    ),
    DaemonVerb(
        "model use",
        "choose another model; it is tried first, then all is embedded anew",
        "memtrigctl model use ~/models/e5",
        door=CONTROL,
        alone=by_itself("use"),
        arguments=(
            Argument(
                "which",
                "DIR",
                "with model.onnx and tokenizer.json; or `installed`, or `off`",
                values=("installed", "off"),
            ),
        ),
        show=show,
    ),
    DaemonVerb(
        "model verify",
        "look at every byte of the model, and try it; exit code 1 if it is no good",
        "memtrigctl model verify",
        door=CONTROL,
        alone=by_itself("verify"),
        document=document_check,
        show=show_check,
        code=code,
    ),
    DaemonVerb(
        "model remove",
        "take away what was made",
        "memtrigctl model remove",
        door=CONTROL,
        alone=by_itself("remove"),
        show=show_removed,
    ),
    usual=_SHOW,
)
