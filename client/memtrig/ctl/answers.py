"""What waits for the owner, one item at a time on a terminal, answered by one key each."""

from __future__ import annotations

from memtrig.ctl import keyboard
from memtrig.ctl.catalogue import load
from memtrig.ctl.failure import REFUSED, Failure
from memtrig.ctl.grammar import DaemonVerb
from memtrig.ctl.lives import head, origin
from memtrig.ctl.output import complain, print_lines
from memtrig.ctl.records import beginning
from memtrig.ctl.render import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

ANSWERS = {"y": ("confirm", "yes"), "n": ("reject", "no"), "d": ("deny", "it is wrong"), "f": ("forget", "forget it")}
"""The verb that a key sends, and what the key means."""
QUESTIONS = {
    "pending": ("An agent believes this. Is it so?", "ynf"),
    "contested": ("This contradicts what is served now. Is it so?", "ynf"),
    "disputed": ("You called this wrong twice. Is it so after all?", "ynf"),
    "expiring": ("This ends soon. Until then it is served.", "df"),
    "newer_lower": ("A lower level says something newer.", "df"),
    "elsewhere": ("You asked to forget this at another level.", "f"),
}
"""What is asked about an item, and the keys that answer it."""
SKIP, QUIT = ("s", " "), ("q", keyboard.END)


def converse(reviewed: dict[str, Any], screen: Screen, door: Door) -> None:
    """Ask about each item in turn and send the answers, until none is left or the owner has had enough."""
    items, more = reviewed["items"], reviewed.get("more", 0)
    answered = 0
    for number, item in enumerate(items, 1):
        print_lines(["", *question(item, f"{number} of {len(items)}", screen), ""])
        verb = _answer(item, screen, door)
        if verb is None:
            break
        answered += verb != ""
    left = len(items) - answered + more
    print_lines([*([""] if items else []), f"{left:,} still wait." if left else "Nothing waits for you."])


def question(item: dict[str, Any], place: str, screen: Screen) -> list[str]:
    """Show an item: the question, the memory, and what speaks for or against it, each on one line."""
    memory, against = item["memory"], item.get("against")
    asked, _ = _asked(item)
    facts = [
        *origin(memory, screen),
        ("about", memory.get("entity") or ""),
        ("ends", screen.when(memory["expires_at"]) if memory.get("expires_at") else ""),
        ("reason", memory.get("reason") or ""),
        ("note", item.get("note") or ""),
        ("but", f"{against['level']}, {against['source']}: {beginning(against)}" if against else ""),
    ]
    room = (screen.columns or 80) - max(len(name) for name, value in facts if value) - 4
    clipped = [(name, clip(one_line(value), room)) for name, value in facts]
    return [screen.dim(f"{place}  {one_line(item['about'])}"), asked, "", *head(memory, screen), *screen.facts(clipped)]


def _asked(item: dict[str, Any]) -> tuple[str, str]:
    return QUESTIONS.get(item["about"], ("This waits for you.", ""))


def _answer(item: dict[str, Any], screen: Screen, door: Door) -> str | None:
    """Wait for a key that fits and do what it says. Returns the verb that was sent, "" for none, None to stop."""
    _, fitting = _asked(item)
    keys = (*fitting, *SKIP, *QUIT)
    choices = [f"{screen.bold(key)} {ANSWERS[key][1]}" for key in fitting]
    prompt = "  ".join([*choices, f"{screen.bold('s')} skip", f"{screen.bold('q')} quit"]) + "  › "
    while True:
        key = keyboard.ask(prompt, keys)
        if key in QUIT or key in SKIP:
            print("quit" if key in QUIT else "skipped")
            return None if key in QUIT else ""
        name, meaning = ANSWERS[key]
        print(meaning)
        if _send(name, item["memory"], screen, door):
            return name


def _send(name: str, memory: dict[str, Any], screen: Screen, door: Door) -> bool:
    """Send an answer at the memory's own level and say what became of it; False if it was refused."""
    verb = load(name)
    assert isinstance(verb, DaemonVerb)
    try:
        reply = door.ask(verb.request, {"id": memory["id"]}, memory["level"])
    except Failure as failure:
        if failure.exit_code != REFUSED:
            raise
        complain(failure.message, failure.hint)
        return False
    print_lines(verb.show(reply.result, screen))
    return True
