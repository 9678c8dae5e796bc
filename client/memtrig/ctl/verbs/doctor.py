"""``memtrigctl doctor``: whether anything is wrong with the daemon or its files, and what to do about it."""

from __future__ import annotations

from memtrig.ctl.alone import do_alone
from memtrig.ctl.grammar import CONTROL, LONG, DaemonVerb, Option
from memtrig.ctl.render import one_line, wrap
from memtrig.ctl.scrubbed import OPTIONS, instead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen
    from memtrig.homes import Home

WARNED, FAILED = 1, 2
"""Exit codes: something should be done; something is damaged, open to others, or was not done."""
WIDTH = 100
"""Columns where there is no terminal to measure."""
MARKS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


def document(diagnosis: dict[str, Any]) -> dict[str, Any]:
    """Name also what a finding has none of, and the worst of all."""
    findings = [{"level": None, "todo": None, **each} for each in [*diagnosis["findings"], *_of_versions(diagnosis)]]
    verdicts = [each["verdict"] for each in findings]
    worst = next((each for each in ("fail", "warn") if each in verdicts), "ok")
    return {**diagnosis, "findings": findings, "verdict": worst}


def show(diagnosis: dict[str, Any], screen: Screen) -> list[str]:
    """A line for each finding, and below it what to do."""
    told = document(diagnosis)
    columns, lines = screen.columns or WIDTH, list[str]()
    for each in told["findings"]:
        mark = MARKS.get(each["verdict"], one_line(each["verdict"]))
        what = " ".join(one_line(word) for word in (each["check"], each["level"]) if word)
        first, *others = wrap(one_line(f"{what}: {each['says']}"), max(20, columns - 6))
        lines += [
            f"{mark if each['verdict'] == 'ok' else screen.bold(mark)}  {first}",
            *(f"      {each}" for each in others),
        ]
        if each["todo"]:
            lines += [f"      → {line}" if not n else f"        {line}" for n, line in enumerate(_todo(each, columns))]
    counts = {verdict: sum(each["verdict"] == verdict for each in told["findings"]) for verdict in MARKS}
    if told["verdict"] == "ok":
        return [*lines, "", "All is well."]
    return [*lines, "", f"{counts['fail']} failed, {counts['warn']} to see to, {counts['ok']} are well."]


def code(diagnosis: dict[str, Any]) -> int:
    """0 where all is well, 1 for warnings, 2 for failures."""
    return {"ok": 0, "warn": WARNED, "fail": FAILED}[document(diagnosis)["verdict"]]


def _todo(finding: dict[str, Any], columns: int) -> list[str]:
    """What to do; a command stays on one line, so that it can be copied."""
    text = one_line(finding["todo"])
    return [text] if "`" in text else list(wrap(text, max(20, columns - 8)))


def _of_versions(diagnosis: dict[str, Any]) -> list[dict[str, Any]]:
    """Whether the daemon is of the version that is installed: one that was not restarted runs the old program."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("memtrigd")
    except PackageNotFoundError:  # from a source tree
        return []
    if own == diagnosis["server"]:
        return []
    says = f"The daemon runs memtrigd {diagnosis['server']}, and {own} is installed."
    return [{"check": "versions", "verdict": "warn", "says": says, "todo": "Restart the daemon."}]


def _alone(home: Home, given: dict[str, Any], down: bool) -> dict[str, Any] | None:
    """Look into the files where no daemon does."""
    return do_alone(home, "repair" if given.get("repair") else "examine") if down else None


VERB = DaemonVerb(
    "doctor",
    "look whether anything is wrong, and say what to do; exit code 1 for warnings, 2 for failures",
    "memtrigctl doctor --repair",
    door=CONTROL,
    patience=LONG,
    options=(
        Option("repair", "--repair", help="make indexes anew from the rows, after a backup, where they differ"),
        *OPTIONS,
    ),
    instead=instead,
    alone=_alone,
    document=document,
    show=show,
    code=code,
)
