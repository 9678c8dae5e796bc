"""Completion scripts for three shells, made from the descriptions that the parser reads. No daemon is asked."""

from __future__ import annotations

from memtrig.ctl.catalogue import GLOBALS, every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtrig.ctl.grammar import Option, Verb


def bash() -> str:
    """Write the script for bash: the verb so far decides the words, the option before decides its values."""
    verbs = every()
    options = {o.flag: o for each in (GLOBALS, *(verb.options for verb in verbs)) for o in each if o.metavar}
    values = [f"        {flag}) words={_quote(' '.join(o.values))} ;;" for flag, o in options.items() if o.values]
    free = "|".join(flag for flag, o in options.items() if not o.values and o.metavar != "DIR")
    words = [f"        {verb.name}) words={_quote(' '.join(_words(verb)))} ;;" for verb in verbs]
    return "\n".join(
        [
            "_memtrigctl() {",
            '    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb="" words="" word',
            '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            f"        case $word in {'|'.join(verb.name for verb in verbs)}) verb=$word; break ;; esac",
            "    done",
            "    case $verb in",
            f"        '') words={_quote(' '.join([*(verb.name for verb in verbs), *_flags(GLOBALS)]))} ;;",
            *words,
            "    esac",
            "    case $before in",
            *values,
            """        --home) local IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$current")); return ;;""",
            f"        {free}) COMPREPLY=(); return ;;",
            "    esac",
            '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
            "}",
            "complete -F _memtrigctl memtrigctl",
        ]
    )


def zsh() -> str:
    """Write the script for zsh; its last line is for a copy in $fpath, its second for ``source``."""
    verbs = every()
    described = [f"        {_quote(f'{verb.name}:{verb.summary}')}" for verb in verbs]
    cases = [f"            {verb.name}) _arguments $common {' '.join(_zsh_specs(verb))} ;;" for verb in verbs]
    return "\n".join(
        [
            "#compdef memtrigctl",
            "compdef _memtrigctl memtrigctl",
            "_memtrigctl() {",
            "    local -a verbs common",
            "    local state line",
            "    verbs=(",
            *described,
            "    )",
            f"    common=({' '.join(_zsh_option(option) for option in GLOBALS)})",
            "    _arguments -C $common '1: :->verb' '*:: :->rest'",
            "    case $state in",
            "        verb) _describe verb verbs ;;",
            "        rest) case $line[1] in",
            *cases,
            "        esac ;;",
            "    esac",
            "}",
            'if [ "$funcstack[1]" = _memtrigctl ]; then _memtrigctl "$@"; fi',
        ]
    )


def fish() -> str:
    """Write the script for fish: one rule a verb, an option or a value."""
    verbs = every()
    first = f"not __fish_seen_subcommand_from {' '.join(verb.name for verb in verbs)}"
    lines = ["complete -c memtrigctl -f", *(_fish_option(option, "") for option in GLOBALS)]
    for verb in verbs:
        seen = f"__fish_seen_subcommand_from {verb.name}"
        lines.append(f"complete -c memtrigctl -n {_quote(first)} -a {verb.name} -d {_quote(verb.summary)}")
        if _places(verb):
            lines.append(f"complete -c memtrigctl -n {_quote(seen)} -a {_quote(' '.join(_places(verb)))}")
        lines += [_fish_option(option, seen) for option in verb.options]
    return "\n".join(lines)


def _quote(text: str) -> str:
    """Quote a text for any of the three shells; our own tables hold no backslash, so fish reads it alike."""
    return "'" + text.replace("'", "'\\''") + "'"


def _flags(options: tuple[Option, ...]) -> list[str]:
    return [option.flag for option in options]


def _places(verb: Verb) -> list[str]:
    """List the values that a verb's arguments may have, where they are few."""
    names = [each.name for each in every()] if verb.name == "help" else []
    return [*names, *(value for argument in verb.arguments for value in argument.values)]


def _words(verb: Verb) -> list[str]:
    return [*_places(verb), *_flags(verb.options), *_flags(GLOBALS)]


def _zsh_option(option: Option) -> str:
    """Describe an option for _arguments: ``*`` may be repeated, brackets explain, the last part completes."""
    about, metavar = _zsh_escape(option.help), _zsh_escape(option.metavar)
    action = "_files -/" if option.metavar == "DIR" else f"({' '.join(option.values)})" if option.values else ""
    value = f":{metavar}:{action}" if option.metavar else ""
    return _quote(f"{'*' if option.many else ''}{option.flag}[{about}]{value}")


def _zsh_escape(text: str) -> str:
    """Take their meaning from the characters that divide a description for _arguments."""
    return text.replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _zsh_specs(verb: Verb) -> list[str]:
    places = [_quote(f":value:({' '.join(_places(verb))})")] if _places(verb) else [_quote("*:text:")]
    return [*(_zsh_option(option) for option in verb.options), *places]


def _fish_option(option: Option, condition: str) -> str:
    name = f"-l {option.flag[2:]}" if option.flag.startswith("--") else f"-s {option.flag[1:]}"
    values = " -r -a '(__fish_complete_directories)'" if option.metavar == "DIR" else " -x"
    if option.values:
        values += f" -a {_quote(' '.join(option.values))}"
    where = f" -n {_quote(condition)}" if condition else ""
    return f"complete -c memtrigctl{where} {name}{values if option.metavar else ''} -d {_quote(option.help)}"
