"""The help texts, made from the descriptions that the parser reads."""

from __future__ import annotations

from memtrig.ctl.catalogue import GLOBALS, GROUPS, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memtrig.ctl.grammar import Option, Verb

USAGE = "memtrigctl [--json] [--as LEVEL[:AGENT]] [--home DIR] VERB …"
EXITS = "Exit codes: 0 done, 1 refused or not found, 2 usage, 3 daemon not reachable."


def overview() -> str:
    """List the verbs by group, and the options that all of them take."""
    lines = [f"Usage: {USAGE}", "", "Look after what your agents remember. `memtrigctl VERB --help` explains a verb."]
    for group, names in GROUPS.items():
        lines += ["", group, *_aligned((name, load(name).summary) for name in names)]
    return "\n".join([*lines, "", "Options, before or after the verb", *_options(GLOBALS), "", EXITS])


def verb_text(verb: Verb) -> str:
    """Explain one verb: its line, arguments, options and an example."""
    places = [a.metavar if a.required else f"[{a.metavar}]" for a in verb.arguments]
    line = " ".join(["memtrigctl", verb.name, *places, *(["[OPTION]…"] if verb.options else [])])
    lines = [f"Usage: {line}", "", verb.summary[0].upper() + verb.summary[1:] + "."]
    if verb.arguments:
        lines += ["", *_aligned((a.metavar, a.help) for a in verb.arguments)]
    if verb.options:
        lines += ["", "Options", *_options(verb.options)]
    return "\n".join([*lines, "", "Options of every verb", *_options(GLOBALS), "", "Example", f"  {verb.example}"])


def version_text() -> str:
    """Name the version that is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"memtrigctl {version('memtrigd')}"
    except PackageNotFoundError:
        return "memtrigctl, from a source tree"


def _options(options: Iterable[Option]) -> list[str]:
    """Describe options, those of one name and one explanation on one line."""
    return _aligned(
        (f"{o.flag} {o.metavar}".strip(), o.help + (" (may be repeated)" if o.many else "")) for o in options
    )


def _aligned(pairs: Iterable[tuple[str, str]]) -> list[str]:
    known = list(pairs)
    room = max(len(term) for term, _ in known)
    return [f"  {term.ljust(room)}  {meaning}" for term, meaning in known]
