"""The grammar of the command line: what an option, an argument and a verb are.

The same descriptions make the parser, the help texts and the shell completions.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen
    from memtrig.homes import Home

DATA, OWNER, PLAIN, CONTROL, VIEW, AGENT = "data", "owner", "plain", "control", "view", "agent"
"""How a verb reaches the daemon: as an act at a level, as one that only the owner may do, as it stands, as it stands
and only from the owner, as the owner's act about the view of the session that ``--as`` names, as that session."""

LONG = 600.0
"""Seconds that are waited for what may walk over a whole level."""


class Argument:
    """A value given by its place. ``name`` is the field of the request that it fills; ``many`` takes all that follow.

    ``values`` are what a shell offers to complete; only ``read`` refuses a value, by a ValueError that says why.
    """

    __slots__ = ("help", "many", "metavar", "name", "read", "required", "values")

    def __init__(
        self,
        name: str,
        metavar: str,
        help: str,
        *,
        required: bool = True,
        many: bool = False,
        read: Callable[[str], Any] = str,
        values: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.metavar = metavar
        self.help = help
        self.required = required
        self.many = many
        self.read = read
        self.values = values


class Option:
    """A value given by a flag; without ``metavar`` the flag alone means ``constant``. ``many`` may be repeated.

    ``values`` and ``read`` are as an argument's. A verb's own option stands in the place of a global one of its flag.
    """

    __slots__ = ("constant", "flag", "help", "many", "metavar", "name", "read", "values")

    def __init__(
        self,
        name: str,
        flag: str,
        metavar: str = "",
        help: str = "",
        *,
        read: Callable[[str], Any] = str,
        many: bool = False,
        constant: object = True,
        values: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.flag = flag
        self.metavar = metavar
        self.help = help
        self.read = read
        self.many = many
        self.constant = constant
        self.values = values


class Verb:
    """One command and its grammar: what the parser, the help and the completions need of it.

    ``one_of`` names fields, by argument or option, of which exactly one is to be given, ``at_most`` of which one may.
    """

    __slots__ = ("arguments", "at_most", "example", "name", "one_of", "options", "summary")

    def __init__(
        self,
        name: str,
        summary: str,
        example: str,
        *,
        arguments: tuple[Argument, ...] = (),
        options: tuple[Option, ...] = (),
        one_of: tuple[str, ...] = (),
        at_most: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.summary = summary
        self.example = example
        self.arguments = arguments
        self.options = options
        self.one_of = one_of
        self.at_most = at_most


class Family(Verb):
    """Verbs that share their first word; ``name`` of a member has both: ``promise add``.

    ``usual`` is the member that is meant where the second word names none.
    """

    __slots__ = ("members", "usual")

    def __init__(self, name: str, summary: str, *members: Verb, usual: Verb | None = None) -> None:
        super().__init__(name, summary, members[0].example)
        self.members = {member.name.rpartition(" ")[2]: member for member in members}
        self.usual = usual


class LocalVerb(Verb):
    """A verb that asks nobody: ``text`` makes its output of what was given, or ``run`` does all, the exit code too."""

    __slots__ = ("run", "text")

    def __init__(
        self,
        *grammar: str,
        text: Callable[[dict[str, Any]], str] | None = None,
        run: Callable[[dict[str, Any]], int] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*grammar, **more)
        self.text = text
        self.run = run


class HookVerb(Verb):
    """What a host's hook starts: ``memtrig.hook`` runs it before any grammar; here it is for help and completion."""

    __slots__ = ()


class DaemonVerb(Verb):
    """A verb that asks the daemon, at the ``door`` for its kind, and waits ``patience`` seconds (0: as long as usual).

    ``request`` is the type of the wire's request, if not the name; its fields are the arguments and options that were
    given, but for those of ``beside``, which stand beside it in the owner's act. ``document`` turns the result into
    what ``--json`` prints, ``show`` into lines for people, ``code`` into the exit code.

    With the owner at a terminal ``converse``, if any, takes over and returns the exit code. With ``follow`` the
    connection stays open, and each notice is shown by it. ``opening`` turns what was given into what these ask first.
    With ``progress`` the daemon can tell how far it is, and at a terminal it is asked to.
    ``stream`` asks and prints by itself, line by line, and returns the exit code. ``alone`` does without a daemon what
    needs none: it is asked first and, as ``down``, once more where none answers; None leaves it to the daemon.
    With ``every`` it asks again and again, so many seconds apart.
    ``instead`` makes of the verb and what it is given those that are meant, where an option makes it another.
    """

    __slots__ = (
        "alone",
        "beside",
        "code",
        "converse",
        "document",
        "door",
        "every",
        "follow",
        "instead",
        "opening",
        "patience",
        "progress",
        "request",
        "show",
        "stream",
    )

    def __init__(
        self,
        *grammar: str,
        door: str,
        show: Callable[[dict[str, Any], Screen], list[str]],
        document: Callable[[dict[str, Any]], dict[str, Any]] = dict,
        code: Callable[[dict[str, Any]], int] = lambda _: 0,
        request: str = "",
        beside: tuple[str, ...] = (),
        patience: float = 0,
        progress: bool = False,
        converse: Callable[[dict[str, Any], Screen, Door, dict[str, Any]], int] | None = None,
        opening: Callable[[dict[str, Any]], dict[str, Any]] = dict,
        follow: Callable[[dict[str, Any], Screen], str] | None = None,
        stream: Callable[[Door, dict[str, Any]], int] | None = None,
        instead: Callable[[DaemonVerb, dict[str, Any]], tuple[DaemonVerb, dict[str, Any]]] | None = None,
        alone: Callable[[Home, dict[str, Any], bool], dict[str, Any] | None] | None = None,
        every: float | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*grammar, **more)
        self.alone = alone
        self.instead = instead
        self.door = door
        self.show = show
        self.document = document
        self.code = code
        self.request = request or self.name
        self.beside = beside
        self.patience = patience
        self.progress = progress
        self.converse = converse
        self.opening = opening
        self.follow = follow
        self.stream = stream
        self.every = every


def integer(text: str) -> int:
    """Read a whole number of the 64 bits that the wire has; which ones are allowed, the daemon says."""
    try:
        value = int(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not a whole number") from None
    if abs(value) >= 1 << 63:
        raise ValueError(f"{text[:40]!r} is out of range")
    return value


def number(text: str) -> float:
    """Read a number; which ones are allowed, the daemon says."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not a number") from None


def closest(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant, as the beginning of a hint; empty if none is near."""
    import difflib  # only a mistake pays for it

    near = difflib.get_close_matches(word, list(known), 1)
    return f"Did you mean {near[0]}? " if near else ""
