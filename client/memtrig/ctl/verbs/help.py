"""``memtrigctl help``: the verbs, or one of them."""

from __future__ import annotations

from memtrig.ctl.grammar import Argument, LocalVerb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def text(given: dict[str, Any]) -> str:
    """Explain the verb that was named, or list all."""
    from memtrig.ctl.catalogue import GLOBALS, load
    from memtrig.ctl.manual import overview, verb_text
    from memtrig.ctl.parsing import parse

    if "verb" not in given:
        return overview()
    verb = parse([*given["verb"], "--help"], GLOBALS, load).verb
    assert verb is not None  # its name is there
    return verb_text(verb)


VERB = LocalVerb(
    "help",
    "list the verbs, or explain one",
    "memtrigctl help save",
    arguments=(Argument("verb", "VERB", "the verb to explain", required=False, many=True),),
    text=text,
)
