"""What waits for the owner, one item at a time on a terminal, answered by one key each."""

from __future__ import annotations

from itertools import takewhile

from memtrig.ctl import keyboard
from memtrig.ctl.catalogue import load
from memtrig.ctl.failure import REFUSED, Failure
from memtrig.ctl.grammar import DaemonVerb
from memtrig.ctl.items import note
from memtrig.ctl.lives import head, origin
from memtrig.ctl.output import complain, print_lines
from memtrig.ctl.records import beginning
from memtrig.ctl.render import Screen, clip, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door

_SETTLE = {"y": ("confirm", "yes"), "n": ("reject", "no"), "f": ("forget", "forget it")}
_CHANGE = {"d": ("deny", "it is wrong"), "f": ("forget", "forget it")}
QUESTIONS = {
    "pending": ("An agent believes this. Is it so?", _SETTLE),
    "guessed": ("An agent guessed this. Is it so?", _SETTLE),
    "contested": ("This contradicts what is served now. Is it so?", _SETTLE),
    "disputed": ("You called this wrong twice. Is it so after all?", _SETTLE),
    "expiring": ("This ends soon. Until then it is served.", _CHANGE),
    "newer_lower": ("A lower level says something newer.", _CHANGE),
    "elsewhere": (
        "You asked to forget this, or called it wrong, at another level. Here it stands.",
        {"f": ("forget", "forget it here too"), "u": ("unforget", "take that back")},
    ),
    "learned": ("An agent learned this. It is served.", {"k": ("", "keep it"), **_CHANGE}),
    "forgot": ("An agent had this forgotten, or called it wrong.", {"u": ("unforget", "bring it back")}),
}
"""What is asked about an item, and the keys that answer it: each sends a verb, if any, and means something."""
_BACK = {"forgotten": "unforget", "disputed": "confirm"}
"""The verb that brings a memory of this status back; any other has its last change undone."""
SKIP, QUIT = ("s", " "), ("q", keyboard.END)


def ask_all(items: list[dict[str, Any]], screen: Screen, door: Door) -> int:
    """Ask about each item in turn and send the answers, until none is left or the owner has had enough.

    Returns how many were answered. Raises Failure if the daemon goes away.
    """
    answered = 0
    for number, item in enumerate(items, 1):
        print_lines(["", *question(item, f"{number} of {len(items)}", screen), ""])
        done = _answer(item, screen, door)
        if done is None:
            break
        answered += done
    return answered


def question(item: dict[str, Any], place: str, screen: Screen) -> list[str]:
    """Show an item: the question, the memory, and what speaks for or against it, each on one line."""
    memory, against = item["memory"], item.get("against")
    asked, _ = _asked(item)
    said = note(item, screen)
    facts = [
        *origin(memory, screen),
        ("about", memory.get("entity") or ""),
        ("ends", screen.when(memory["expires_at"]) if memory.get("expires_at") else ""),
        ("reason", memory.get("reason") or ""),
        ("note", "" if said == f"{memory.get('agent')}, {screen.when(memory['updated'])}" else said),
        ("but", f"{against['level']}, {against['source']}: {beginning(against)}" if against else ""),
    ]
    room = (screen.columns or 80) - max(len(name) for name, value in facts if value) - 4
    clipped = [(name, clip(one_line(value), room)) for name, value in facts]
    return [screen.dim(f"{place}  {one_line(item['about'])}"), asked, "", *head(memory, screen), *screen.facts(clipped)]


def _asked(item: dict[str, Any]) -> tuple[str, dict[str, tuple[str, str]]]:
    return QUESTIONS.get(item["about"], ("This waits for you.", {}))


def _answer(item: dict[str, Any], screen: Screen, door: Door) -> bool | None:
    """Wait for a key that fits and do what it says. Returns whether it was an answer, None to stop."""
    _, fitting = _asked(item)
    rest = [] if "k" in fitting else [f"{screen.bold('s')} skip"]
    choices = [*(f"{screen.bold(key)} {meaning}" for key, (_, meaning) in fitting.items()), *rest]
    prompt = "  ".join([*choices, f"{screen.bold('q')} quit"]) + "  › "
    while True:
        key = keyboard.ask(prompt, (*fitting, *SKIP, *QUIT))
        if key in QUIT or key in SKIP:
            print("quit" if key in QUIT else "skipped")
            return None if key in QUIT else False
        name, meaning = fitting[key]
        print(meaning)
        if not name or _send(name, item, screen, door):
            return True


def _send(name: str, item: dict[str, Any], screen: Screen, door: Door) -> bool:
    """Send an answer and say what became of it; False if it was refused.

    It goes to the memory's own level; only what takes something back finds the level where that was said.
    """
    memory = item["memory"]
    if item["about"] == "forgot":
        name = _BACK.get(memory["status"], "undo")
    verb = load(name)
    assert isinstance(verb, DaemonVerb)
    try:
        reply = door.ask(verb.request, {"id": memory["id"]}, None if name in ("unforget", "undo") else memory["level"])
    except Failure as failure:
        if failure.exit_code != REFUSED:
            raise
        complain(failure.message, failure.hint)
        return False
    print_lines(_outcome(verb, reply.result, screen))
    return True


def _outcome(verb: DaemonVerb, result: dict[str, Any], screen: Screen) -> list[str]:
    """Say what became of an answer: what the verb says up to its first blank line, as wide as the terminal."""
    said = takewhile(bool, verb.show(result, Screen(screen.columns, now=screen.now, zone=screen.zone)))
    return [line for sentence in said for line in wrap(sentence, screen.columns or 80)]
