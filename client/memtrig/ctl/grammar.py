"""The grammar of the command line: what an option, an argument and a verb are, and the one pass that reads them.

The same descriptions make the parser, the help texts and the shell completions. argparse would cost 8 ms at start and
lets no global option stand after the verb.
"""

from __future__ import annotations

from memtrig.ctl.failure import usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

DATA, OWNER, PLAIN, CONTROL = "data", "owner", "plain", "control"
"""How a verb reaches the daemon: as an act at a level, as one that only the owner may do, as it stands, as it stands
and only from the owner."""


class Argument:
    """A value given by its place. ``name`` is the field of the request that it fills."""

    __slots__ = ("help", "metavar", "name", "read", "required", "values")

    def __init__(
        self,
        name: str,
        metavar: str,
        help: str,
        *,
        required: bool = True,
        read: Callable[[str], Any] = str,
        values: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.metavar = metavar
        self.help = help
        self.required = required
        self.read = read
        self.values = values


class Option:
    """A value given by a flag; without ``metavar`` the flag alone means ``constant``. ``many`` may be repeated.

    ``values`` are what a shell offers to complete; only ``read`` refuses a value, by a ValueError that says why.
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

    ``one_of`` names fields, by argument or option, of which exactly one is to be given.
    """

    __slots__ = ("arguments", "example", "name", "one_of", "options", "summary")

    def __init__(
        self,
        name: str,
        summary: str,
        example: str,
        *,
        arguments: tuple[Argument, ...] = (),
        options: tuple[Option, ...] = (),
        one_of: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.summary = summary
        self.example = example
        self.arguments = arguments
        self.options = options
        self.one_of = one_of


class LocalVerb(Verb):
    """A verb that asks nobody: ``text`` makes its output from what was given."""

    __slots__ = ("text",)

    def __init__(self, *grammar: str, text: Callable[[dict[str, Any]], str], **more: Any) -> None:
        super().__init__(*grammar, **more)
        self.text = text


class DaemonVerb(Verb):
    """A verb that asks the daemon, at the ``door`` for its kind.

    ``request`` is the type of the wire's request, if not the name; its fields are the arguments and options that were
    given, but for those of ``beside``, which stand beside it in the owner's act. ``document`` turns the result into
    what ``--json`` prints, ``show`` into lines for people; with the owner at a terminal ``converse``, if any, takes
    over.
    """

    __slots__ = ("beside", "converse", "document", "door", "request", "show")

    def __init__(
        self,
        *grammar: str,
        door: str,
        show: Callable[[dict[str, Any], Screen], list[str]],
        document: Callable[[dict[str, Any]], dict[str, Any]] = dict,
        request: str = "",
        beside: tuple[str, ...] = (),
        converse: Callable[[dict[str, Any], Screen, Door], None] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*grammar, **more)
        self.door = door
        self.show = show
        self.document = document
        self.request = request or self.name
        self.beside = beside
        self.converse = converse


class Command:
    """A command line that was understood. ``verb`` is None only beside the settings ``help`` and ``version``."""

    __slots__ = ("given", "settings", "verb")

    def __init__(self, verb: Verb | None, settings: dict[str, Any], given: dict[str, Any]) -> None:
        self.verb = verb
        self.settings = settings
        self.given = given


def parse(argv: Sequence[str], common: Iterable[Option], load: Callable[[str], Verb]) -> Command:
    """Read a command line. ``load`` finds the verb, whose options then hold beside the global ones.

    Values are converted only when the whole line is known to be well formed: one of them may read standard input.
    Raises Failure ``usage``.
    """
    verb, found, places = _scan(argv, common, load)
    if "help" in found or "version" in found:
        return Command(verb, dict.fromkeys(found, True), {})
    if verb is None:
        raise usage("There is no verb.", "`memtrigctl help` lists them.")
    _check_places(verb, places)
    _check_choice(verb, [*found, *(a.name for a, _ in zip(verb.arguments, places, strict=False))])
    values = {name: _convert(option, raw) for name, (option, raw) in found.items()}
    settings = {option.name: values.pop(option.name) for option in common if option.name in values}
    arguments = {a.name: _converted(a.metavar, a.read, raw) for a, raw in zip(verb.arguments, places, strict=False)}
    return Command(verb, settings, arguments | values)


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


def _scan(
    argv: Sequence[str], common: Iterable[Option], load: Callable[[str], Verb]
) -> tuple[Verb | None, dict[str, tuple[Option, list[Any]]], list[str]]:
    """Sort the words: the verb, what each option was given, as written, and the arguments."""
    options = {option.flag: option for option in common}
    verb: Verb | None = None
    found: dict[str, tuple[Option, list[Any]]] = {}
    places: list[str] = []
    words = list(reversed(argv))
    ended = False
    while words:
        word = words.pop()
        if word == "--" and not ended:
            ended = True
        elif not ended and _is_flag(word):
            option, value = _read_flag(word, words, options)
            _, said = found.setdefault(option.name, (option, []))
            if said and not option.many:
                raise usage(f"{option.flag} is said twice, or against itself.", "Say it once.")
            said.append(value)
        elif verb is None:
            verb = load(word)
            options.update((option.flag, option) for option in verb.options)
        else:
            places.append(word)
    return verb, found, places


def _is_flag(word: str) -> bool:
    """Tell ``-n`` and ``--tag`` from texts such as ``-``, ``-5 °C`` and ``- milk``."""
    return word.startswith("-") and word.lstrip("-")[:1].isalpha() and not word.startswith("---")


def _read_flag(word: str, words: list[str], options: dict[str, Option]) -> tuple[Option, Any]:
    """Read a flag and, from the word itself or the next one on the stack, its value."""
    if word.startswith("--"):
        flag, equals, value = word.partition("=")
    else:
        flag, equals, value = word[:2], word[2:], word[2:].removeprefix("=")
    option = options.get(flag)
    if option is None:
        hint = closest(flag, options) + "Text that begins with a dash goes behind `--`."
        raise usage(f"There is no option {flag} here.", hint)
    if not option.metavar:
        if equals:
            raise usage(f"{flag} takes no value.", f"Say {flag} alone.")
        return option, option.constant
    if equals:
        return option, value
    if not words or words[-1].startswith("--"):
        raise usage(f"{flag} needs a value.", f"Write {flag}={option.metavar}; so the value may begin with dashes too.")
    return option, words.pop()


def _check_places(verb: Verb, places: list[str]) -> None:
    missing = [a.metavar for a in verb.arguments[len(places) :] if a.required]
    if missing:
        raise usage(f"{verb.name} needs {' and '.join(missing)}.", f"For example: {verb.example}")
    if len(places) > len(verb.arguments):
        extra = places[len(verb.arguments)]
        raise usage(f"{verb.name} does not know what to do with {extra!r}.", "Put quotes around a text with spaces.")


def _check_choice(verb: Verb, named: list[str]) -> None:
    """Refuse a line that gives none of the fields of ``one_of``, or several."""
    if not verb.one_of or sum(name in verb.one_of for name in named) == 1:
        return
    places = [a.metavar for a in verb.arguments if a.name in verb.one_of]
    flags = [o.flag for o in verb.options if o.name in verb.one_of]
    raise usage(f"{verb.name} needs exactly one of {', '.join(places + flags)}.", f"For example: {verb.example}")


def _convert(option: Option, raw: list[Any]) -> Any:
    if not option.metavar:
        return raw[0]
    values = [_converted(option.flag, option.read, value) for value in raw]
    return values if option.many else values[0]


def _converted(label: str, read: Callable[[str], Any], raw: str) -> Any:
    try:
        return read(raw)
    except ValueError as error:
        raise usage(f"{label}: {error}.", f"Give another {label}.") from None
