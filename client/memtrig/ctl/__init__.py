"""memtrigctl, the owner's command. It starts in milliseconds: a verb loads its own module and no more than it needs."""

from __future__ import annotations

import os
import sys

from memtrig.ctl.failure import Failure, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memtrig.ctl.grammar import DaemonVerb

CLOSED_PIPE = 141
"""Exit code as a shell shows it for a program that SIGPIPE ended."""
INTERRUPTED = 130
"""Exit code as a shell shows it for a program that Ctrl-C ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code: 0 done, 1 refused or not found, 2 usage, 3 no daemon, 4 in part.

    An example: ``main(["--json", "get", "user.tea"])`` prints the memory as one JSON document.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    if words[:1] == ["hook"] and not {"--help", "-h"} & set(words):
        from memtrig import hook  # no error of its command line may stop a host

        return hook.main(words[1:])
    if sys.stdout is None:  # closed by the caller, who wants the deed and not the words
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        code = _answer(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # Python flushes once more at its end: what is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return CLOSED_PIPE
        from memtrig.ctl.output import complain

        complain(f"The answer can't be written: {error.strerror or error}.")
        return 1


def _answer(argv: Sequence[str]) -> int:
    """Understand, ask and print."""
    from memtrig.ctl import output

    options = argv[: argv.index("--")] if "--" in argv else argv
    as_json = "--json" in options
    try:
        _check_encoding(argv)
        from memtrig.ctl.catalogue import GLOBALS, load
        from memtrig.ctl.grammar import DaemonVerb, HookVerb, LocalVerb
        from memtrig.ctl.parsing import parse

        command = parse(argv, GLOBALS, load)
        verb = command.verb
        if "help" in command.settings or "version" in command.settings or verb is None:
            from memtrig.ctl.manual import overview, verb_text, version_text

            about = overview() if verb is None else verb_text(verb)
            output.print_lines([version_text() if "version" in command.settings else about])
        elif isinstance(verb, LocalVerb):
            if verb.run is not None:
                return verb.run(command.settings | command.given)
            assert verb.text is not None  # it has the one or the other
            output.print_lines([verb.text(command.settings | command.given)])
        elif isinstance(verb, HookVerb):
            from memtrig import hook

            said = command.settings | command.given
            options = [f"--{name}={said[name]}" for name in hook.OPTIONS if name in said]
            return hook.main([verb.name.split()[1], *options])
        elif isinstance(verb, DaemonVerb):
            meant, given = verb.instead(verb, command.given) if verb.instead else (verb, command.given)
            return _run(meant, command.settings, given)
    except Failure as failure:
        return output.report(failure, as_json)
    return 0


def _check_encoding(argv: Sequence[str]) -> None:
    """Refuse bytes that are no UTF-8; Python hands them over as lone surrogates."""
    for place, word in enumerate(argv, 1):
        try:
            word.encode()
        except UnicodeEncodeError:
            raise usage(f"Argument {place} is not UTF-8.", "Convert it to UTF-8 first.", "bad_value") from None


def _run(verb: DaemonVerb, settings: dict[str, Any], given: dict[str, Any]) -> int:
    """Ask the daemon, and print what it says or talk it over with the owner. Returns the exit code."""
    from memtrig.ctl import output
    from memtrig.ctl.door import Door

    door = Door(verb, settings)
    if verb.follow is not None:
        from memtrig.ctl.following import follow

        return follow(verb, door, given, "json" in settings)
    if verb.every is not None:
        from memtrig.ctl.watching import watch

        return watch(verb, door, given, "json" in settings)
    if verb.stream is not None:
        return verb.stream(door, given)
    talks = verb.converse is not None and "json" not in settings and door.is_owners and output.is_conversation()
    reply = door.ask_for(verb, verb.opening(given) if talks else given)
    if "json" in settings:
        output.print_json(verb.document(reply.result), reply.incomplete)
        return verb.code(reply.result)
    output.warn_incomplete(reply.incomplete)
    screen = output.screen_of(sys.stdout)
    if talks and verb.converse is not None:
        return verb.converse(reply.result, screen, door, given)
    output.print_lines(verb.show(reply.result, screen))
    return verb.code(reply.result)
