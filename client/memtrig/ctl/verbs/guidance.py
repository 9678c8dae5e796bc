"""``memtrigctl guidance``: what agents are told about the use of their memory."""

from __future__ import annotations

import sys

from memtrig.ctl.failure import REFUSED, usage
from memtrig.ctl.grammar import CONTROL, Argument, DaemonVerb, Family, Option, integer
from memtrig.ctl.render import one_line, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

AGENT = Option("agent", "--agent", "AGENT", "the file of this agent, which stands behind that for all")
LACKING = {"agent": None, "version": None, "at": None, "problem": None}
"""What the frame leaves out of a file that has none."""


def document(shown: dict[str, Any]) -> dict[str, Any]:
    """Name also what a file has none of."""
    return {**shown, "files": [{**LACKING, **file} for file in shown["files"]]}


def show(shown: dict[str, Any], screen: Screen) -> list[str]:
    """Print the text that is in force; on a terminal also where it is from."""
    _complain_of(shown)
    lines = [safe(shown["text"]).rstrip("\n")]
    if screen.columns is not None:
        since = f"{one_line(shown['source'])}, version {one_line(shown['version'])}, since {screen.when(shown['at'])}"
        lines += ["", screen.dim(since)]
    return lines


def _complain_of(shown: dict[str, Any]) -> None:
    from memtrig.ctl.output import complain

    for file in shown["files"]:
        if file.get("problem"):
            complain(f"{file['path']} {file['problem']}: its last good version is in force.", "Mend it, or edit it.")


def refuse_to_edit(shown: dict[str, Any], screen: Screen) -> list[str]:
    """Say how to edit without a terminal."""
    path = one_line(shown["files"][-1]["path"])
    raise usage("An editor needs a terminal.", f"Write {path} in any other way: it is in force within two seconds.")


def edit(shown: dict[str, Any], _: Screen, door: Door, given: dict[str, Any]) -> int:
    """Edit the file on a copy, and let it take the file's place once it is good."""
    from pathlib import Path

    from memtrig.ctl import editing
    from memtrig.ctl.output import print_lines

    whose = {"agent": given["agent"]} if "agent" in given else {}

    def check(text: str) -> list[str]:
        problems: list[str] = door.ask("guidance.check", {"text": text, **whose}).result["problems"]
        return [one_line(problem) for problem in problems]

    path = Path(shown["files"][-1]["path"])
    beginning = f"# For {given['agent']}\n\n" if whose else shown["text"]
    changed = editing.edit(path, beginning, check)
    print_lines([f"{one_line(str(path))} is in force within two seconds." if changed else "Nothing was changed."])
    return 0


def document_check(checked: dict[str, Any]) -> dict[str, Any]:
    """Name also what there is nothing of."""
    return {"problems": checked["problems"], "notes": checked.get("notes", []), "tokens": checked.get("tokens", 0)}


def show_check(checked: dict[str, Any], screen: Screen) -> list[str]:
    """List what is wrong, or say that nothing is, and what it costs."""
    problems, notes = checked["problems"], checked.get("notes", [])
    if problems:
        return [one_line(problem) for problem in problems]
    return [f"Good: about {checked.get('tokens', 0):,} tokens.", *(one_line(note) for note in notes)]


def code(checked: dict[str, Any]) -> int:
    """Fail if the text can't be guidance."""
    return REFUSED if checked["problems"] else 0


def read_file(path: str) -> str:
    """Read a file, or with ``-`` standard input, as UTF-8. Raises ValueError."""
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode()
        from pathlib import Path

        return Path(path).read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: see byte {error.start:,}") from None
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from None


def document_history(told: dict[str, Any]) -> dict[str, Any]:
    """Leave out what only a comparison needs."""
    return {"path": told["path"], "versions": told["versions"]}


def show_history(told: dict[str, Any], screen: Screen) -> list[str]:
    """Show the versions in a table."""
    rows = [
        (each["version"], screen.clock(each["at"]), f"{len(each['text'].encode()):,}", _first_line(each["text"]))
        for each in told["versions"]
    ]
    return screen.table(("VERSION", "SINCE", "BYTES", "BEGINS"), rows) if rows else ["No version was ever kept."]


def document_diff(told: dict[str, Any]) -> dict[str, Any]:
    """Name the two versions, and write the difference as one text."""
    old, new = _pair(told)
    return {"old": old["version"], "new": new["version"], "diff": "\n".join(_difference(told))}


def show_diff(told: dict[str, Any], screen: Screen) -> list[str]:
    """Show what the newest version changed."""
    if len(told["versions"]) < 2:
        return ["There is no older version."]
    return [safe(line) for line in _difference(told)]


def _pair(told: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    versions = told["versions"] or [{"version": None, "at": "", "text": ""}]
    return versions[min(told.get("against", 1), len(versions) - 1)], versions[0]


def _difference(told: dict[str, Any]) -> list[str]:
    import difflib

    old, new = _pair(told)
    before, after = (f"{each['version']} {each['at']}" for each in (old, new))
    lines = old["text"].splitlines(), new["text"].splitlines()
    return list(difflib.unified_diff(*lines, before, after, lineterm=""))


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


SHOW = DaemonVerb(
    "guidance show",
    "print what agents are told, and where it is from",
    "memtrigctl guidance show --agent claude-code",
    door=CONTROL,
    request="guidance.show",
    options=(AGENT,),
    document=document,
    show=show,
)
EDIT = DaemonVerb(
    "guidance edit",
    "edit it on a copy, which is checked before it is in force",
    "memtrigctl guidance edit",
    door=CONTROL,
    request="guidance.show",
    options=(AGENT,),
    document=document,
    show=refuse_to_edit,
    converse=edit,
)
CHECK = DaemonVerb(
    "guidance check",
    "say whether a file can be guidance; exit code 1 if not",
    "memtrigctl guidance check --agent claude-code",
    door=CONTROL,
    request="guidance.check",
    arguments=(Argument("text", "FILE", "a draft, - for standard input", required=False, read=read_file),),
    options=(AGENT,),
    document=document_check,
    show=show_check,
    code=code,
)
DIFF = DaemonVerb(
    "guidance diff",
    "show what the newest version changed",
    "memtrigctl guidance diff 3",
    door=CONTROL,
    request="guidance.history",
    arguments=(
        Argument("against", "N", "how many versions before the newest; 1 unsaid", required=False, read=integer),
    ),
    options=(AGENT,),
    document=document_diff,
    show=show_diff,
)
HISTORY = DaemonVerb(
    "guidance history",
    "list the last 20 versions",
    "memtrigctl guidance history",
    door=CONTROL,
    request="guidance.history",
    options=(AGENT,),
    document=document_history,
    show=show_history,
)
VERB = Family(
    "guidance",
    "what agents are told about their memory: show, edit, check, diff, history",
    SHOW,
    EDIT,
    CHECK,
    DIFF,
    HISTORY,
)
