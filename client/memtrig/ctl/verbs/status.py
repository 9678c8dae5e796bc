"""``memtrigctl status``: how the daemon and its levels are."""

from __future__ import annotations

from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import PLAIN, Argument, DaemonVerb, Option, number
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(status: dict[str, Any], screen: Screen) -> list[str]:
    """Show the daemon in a line and its levels in a table."""
    facts = [
        ("started", screen.when(status["started"])),
        ("home", status.get("home") or ""),
        ("guidance", _guidance(status.get("guidance", []))),
        ("folders", _folders(status.get("folders", []))),
        ("model", _model(status.get("model") or {})),
    ]
    pid = status.get("pid")
    lines = [screen.bold(f"memtrigd {one_line(status['server'])}") + (f" (pid {pid})" if pid else "")]
    rows = [(each["level"], _sessions(each), _memories(each)) for each in status["levels"]]
    reasons = [f"{each['level']}: {one_line(each['reason'])}" for each in status["levels"] if each.get("reason")]
    table = screen.table(("LEVEL", "SESSIONS", "MEMORIES"), rows)
    dreams = [(each["level"], _dream(each["dream"], screen)) for each in status["levels"] if each.get("dream")]
    dreamt = ["", *screen.table(("LEVEL", "DREAM CYCLE"), dreams)] if dreams else []
    copies = [(each["level"], _copies(each["backups"], screen)) for each in status["levels"] if each.get("backups")]
    backed_up = ["", *screen.table(("LEVEL", "BACKUP"), copies)] if copies else []
    return [*lines, *screen.facts(facts), "", *table, *reasons, *backed_up, *dreamt]


def _guidance(files: list[dict[str, Any]]) -> str:
    """Say that all is in order, or which files are not and why: the daemon tells the owner alone."""
    wrong = [f"{file['path']} {file['problem']}: its last good version holds" for file in files if file.get("problem")]
    return "; ".join(wrong) or ("in order" if files else "")


def _folders(folders: list[dict[str, Any]]) -> str:
    """Name the watched folders in which something is wrong or held; nothing where all is in order."""
    named = ", ".join(one_line(each["path"]) for each in folders)
    return f"not all is taken up of {named}: `memtrigctl watch list`" if named else ""


def _model(model: dict[str, Any]) -> str:
    """Say whether searches go by meaning, and if they don't, why; nothing where nobody wants them to."""
    state, why = one_line(model.get("state", "")), one_line(model.get("why") or "")
    if state == "off" and not why:
        return ""
    far = f"{model.get('done', 0)} of {model['of']}" if model.get("of") else ""
    return ", ".join(part for part in (model.get("name") and one_line(model["name"]), state, why, far) if part)


def _sessions(level: dict[str, Any]) -> str:
    """How many are connected: the daemon tells the owner alone."""
    return "-" if level.get("sessions") is None else str(level["sessions"])


def _memories(level: dict[str, Any]) -> str:
    if not level["available"]:
        return "not available"
    counts = [f"{count:,} {status}" for status, count in level["memories"].items() if count]
    waiting = level.get("embedding_backlog")
    return ", ".join([*counts, *([f"{waiting:,} not found by meaning yet"] if waiting else ())]) or "none"


def _copies(copies: dict[str, Any], screen: Screen) -> str:
    """Say when the last good backup was made and tried out, and in one word that something is to be done."""
    good, drill, failed = copies.get("good"), copies.get("drill"), copies.get("failed")
    told = [f"made {screen.ago(good)}" if good else "none yet"]
    told += [f"the last try failed ({one_line(failed)})"] if failed else []
    if drill:
        became = "could not be restored" if copies.get("drill_failed") else "restored well"
        told.append(f"{became} in the drill {screen.ago(drill)}")
    return ("RED: " if copies.get("red") else "") + ", ".join(told)


def _dream(dream: dict[str, Any], screen: Screen) -> str:
    """Say when the last dream cycle was and what it did, or how far the one under way is."""
    at, progress = screen.ago(dream["at"]), dream.get("progress")
    if progress is not None:
        return f"under way, {progress:.0%} done; began {at}"
    if dream.get("failed"):
        return f"{at}: it failed, and is tried again"
    expired = dream.get("expired", 0)
    if dream.get("stopped"):
        return f"{at}: stopped before {expired:,} expired at once; is the clock right?"
    counts = [
        (dream.get("materialised", 0), "faded"),
        (expired, "expired"),
        (dream.get("asked_again", 0), "asked about again"),
        (dream.get("conflicts", 0), "contested"),
        (dream.get("similar", 0), "alike"),
    ]
    done = ", ".join(f"{count:,} {what}" for count, what in counts if count) or "nothing to do"
    back = f"; undo --session {dream['session']}" if expired and dream.get("session") else ""
    return f"{at}: {done}{back}"


def seconds(text: str) -> float:
    """Read how many seconds lie between two looks."""
    value = number(text)
    if not 0.1 <= value <= 86_400:
        raise ValueError(f"{text[:40]!r} is not from 0.1 to 86400 seconds")
    return value


def watched(verb: DaemonVerb, given: dict[str, Any]) -> tuple[DaemonVerb, dict[str, Any]]:
    """With ``--watch`` the verb asks again and again. Raises Failure for a time between looks that nobody takes."""
    if "watch" in given:
        return _verb(every=given.get("every", EVERY)), {}
    if "every" in given:
        raise usage("SECONDS says how often to look with --watch.", "Add --watch, or leave it out.")
    return verb, given


def _verb(**more: Any) -> DaemonVerb:
    return DaemonVerb(
        "status", "show how the daemon and its levels are", "memtrigctl status --watch 5", door=PLAIN, show=show, **more
    )


EVERY = 2.0
"""Seconds between two looks, where none are named."""
VERB = _verb(
    arguments=(
        Argument("every", "SECONDS", "with --watch, between two looks; 2 unsaid", required=False, read=seconds),
    ),
    options=(Option("watch", "--watch", help="look again and again, until Ctrl-C"),),
    instead=watched,
)
