"""The help texts, made from the descriptions that the parser reads."""

from __future__ import annotations

from memtrig.ctl.catalogue import GLOBALS, GROUPS, load
from memtrig.ctl.grammar import Family
from memtrig.ctl.render import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memtrig.ctl.grammar import Argument, Option, Verb

USAGE = "memtrigctl [--json] [--as LEVEL[:AGENT]] [--home DIR] VERB …"
EXITS = "Exit codes: 0 done, 1 refused or not found, 2 usage, 3 no daemon, 4 in part."
WIDTH = 80
"""Columns of a help text, on a terminal and in a pipe."""


def overview() -> str:
    """List the verbs by group, and the options that all of them take."""
    lines = [f"Usage: {USAGE}", "", "Look after what your agents remember. `memtrigctl VERB --help` explains a verb."]
    for group, names in GROUPS.items():
        lines += ["", group, *_aligned((name, load(name).summary) for name in names)]
    return "\n".join([*lines, "", "Options, before or after the verb", *_options(GLOBALS), "", EXITS])


def verb_text(verb: Verb) -> str:
    """Explain one verb: its line, arguments, options and an example; or which verbs a family has."""
    if isinstance(verb, Family):
        return _family_text(verb)
    own = {option.flag for option in verb.options}
    common = [option for option in GLOBALS if option.flag not in own]
    places = [_place(argument) for argument in verb.arguments]
    line = " ".join(["memtrigctl", verb.name, *places, *(["[OPTION]…"] if verb.options else [])])
    lines = [f"Usage: {line}", "", *_sentence(verb)]
    if verb.arguments:
        lines += ["", *_aligned((a.metavar, a.help) for a in verb.arguments)]
    if verb.options:
        lines += ["", "Options", *_options(verb.options)]
    return "\n".join([*lines, "", "Options of every verb", *_options(common), "", "Example", f"  {verb.example}"])


def _sentence(verb: Verb) -> Iterator[str]:
    return wrap(verb.summary[0].upper() + verb.summary[1:] + ".", WIDTH)


def _place(argument: Argument) -> str:
    """Write an argument as in the line of a verb: brackets around what may be left out, dots behind several."""
    word = argument.metavar + ("…" if argument.many else "")
    return word if argument.required else f"[{word}]"


def _family_text(family: Family) -> str:
    """Explain the verbs of a family in a line each."""
    members = [(" ".join([verb.name, *map(_place, verb.arguments)]), verb.summary) for verb in family.members.values()]
    if family.usual is not None:
        usual = " ".join([family.name, *map(_place, family.usual.arguments)])
        members.insert(0, (usual, f"the same as {family.usual.name}"))
    lines = [f"Usage: memtrigctl {family.name} VERB …", "", *_sentence(family)]
    hint = f"`memtrigctl {next(iter(family.members.values())).name} --help` explains one of them."
    return "\n".join([*lines, "", *_aligned(members), "", hint, "", "Example", f"  {family.example}"])


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
    """Set terms beside what they mean, which goes on below itself where it is long."""
    known = list(pairs)
    room = max(len(term) for term, _ in known)
    return [
        f"  {'' if number else term:<{room}}  {line}"
        for term, meaning in known
        for number, line in enumerate(wrap(meaning, WIDTH - room - 4))
    ]
