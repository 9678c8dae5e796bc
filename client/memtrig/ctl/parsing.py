"""The one pass that reads a command line by the descriptions of its verbs.

argparse would cost 8 ms at start and lets no global option stand after the verb.
"""

from __future__ import annotations

from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import Family, closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from memtrig.ctl.grammar import Argument, Option, Verb


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
    if isinstance(verb, Family) and verb.usual and not any(each.required for each in verb.usual.arguments):
        verb = verb.usual
    if isinstance(verb, Family):
        raise usage(f"{verb.name} needs one of {', '.join(verb.members)}.", f"For example: {verb.example}")
    placed = _placed(verb, places)
    _check_choice(verb, [*found, *(argument.name for argument, _ in placed)])
    values = {name: _convert(option, raw) for name, (option, raw) in found.items()}
    own = {option.name for option in verb.options} - {"as"}  # a verb may say more of --as, which tells whose door it is
    settings = {option.name: values.pop(option.name) for option in common if option.name in values.keys() - own}
    arguments = {a.name: _several(a.metavar, a.read, raw, a.many) for a, raw in placed}
    return Command(verb, settings, arguments | values)


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
            if isinstance(verb, Family) and verb.usual and word.partition("=")[0] not in options:
                verb = _become(verb.usual, options)
            option, value = _read_flag(word, words, options)
            _, said = found.setdefault(option.name, (option, []))
            if said and not option.many:
                raise usage(f"{option.flag} is said twice, or against itself.", "Say it once.")
            said.append(value)
        elif verb is None:
            verb = _become(load(word), options)
        elif isinstance(verb, Family):
            if verb.usual and (ended or word not in verb.members):
                places.append(word)
                verb = _become(verb.usual, options)
            else:
                verb = _become(_member(verb, word), options)
        else:
            places.append(word)
    return verb, found, places


def _become(verb: Verb, options: dict[str, Option]) -> Verb:
    """Take a verb's options into those that are known from here on."""
    options.update((option.flag, option) for option in verb.options)
    return verb


def _member(family: Family, word: str) -> Verb:
    """Find the verb of a family by its second word. Raises Failure ``usage``."""
    if word not in family.members:
        hint = closest(word, family.members) + f"{family.name} has {', '.join(family.members)}."
        raise usage(f"There is no verb '{family.name} {word}'.", hint)
    return family.members[word]


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


def _placed(verb: Verb, places: list[str]) -> list[tuple[Argument, list[str]]]:
    """Give each argument its words; the last one may take several."""
    missing = [a.metavar for a in verb.arguments[len(places) :] if a.required]
    if missing:
        raise usage(f"{verb.name} needs {' and '.join(missing)}.", f"For example: {verb.example}")
    placed = [(argument, [word]) for argument, word in zip(verb.arguments, places, strict=False)]
    extra = places[len(placed) :]
    if extra and placed and placed[-1][0].many:
        placed[-1][1].extend(extra)
    elif extra:
        raise usage(f"{verb.name} does not know what to do with {extra[0]!r}.", "Put quotes around a text with spaces.")
    return placed


def _check_choice(verb: Verb, named: list[str]) -> None:
    """Refuse a line that gives none of the fields of ``one_of``, or several of it or of ``at_most``."""
    for fields, fewest, so_many in ((verb.one_of, 1, "exactly"), (verb.at_most, 0, "at most")):
        if fields and not fewest <= sum(name in fields for name in named) <= 1:
            places = [a.metavar for a in verb.arguments if a.name in fields]
            flags = [o.flag for o in verb.options if o.name in fields]
            choice = ", ".join(places + flags)
            needed = f"{so_many} one of {choice}" if len(fields) > 1 else choice
            raise usage(f"{verb.name} needs {needed}.", f"For example: {verb.example}")


def _convert(option: Option, raw: list[Any]) -> Any:
    return _several(option.flag, option.read, raw, option.many) if option.metavar else raw[0]


def _several(label: str, read: Callable[[str], Any], raw: list[str], many: bool) -> Any:
    values = [_converted(label, read, each) for each in raw]
    return values if many else values[0]


def _converted(label: str, read: Callable[[str], Any], raw: str) -> Any:
    try:
        return read(raw)
    except ValueError as error:
        raise usage(f"{label}: {error}.", f"Give another {label}.") from None
