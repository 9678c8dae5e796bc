"""Completion scripts for three shells, made from the descriptions that the parser reads. No daemon is asked."""

from __future__ import annotations

from memtrig.ctl.catalogue import GLOBALS, tops
from memtrig.ctl.grammar import Family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtrig.ctl.grammar import Option, Verb


def bash() -> str:
    """Write the script for bash: the verb so far decides the words, the option before decides its values."""
    families = [top for top in tops() if isinstance(top, Family)]
    verbs = [*tops(), *(member for family in families for member in family.members.values())]
    options = {o.flag: o for each in (GLOBALS, *(verb.options for verb in verbs)) for o in each if o.metavar}
    values = [f"        {flag}) words={_quote(' '.join(o.values))} ;;" for flag, o in options.items() if o.values]
    free = "|".join(flag for flag, o in options.items() if not o.values and o.metavar != "DIR")
    words = [f"        {_quote(verb.name)}) words={_quote(' '.join(_words(verb)))} ;;" for verb in verbs]
    first = "|".join(_quote(f" {top.name}") for top in tops())
    second = "|".join(_quote(member.name) for family in families for member in family.members.values())
    return "\n".join(
        [
            "_memtrigctl() {",
            '    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb="" words="" word',
            '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            f'        case "$verb $word" in {first}) verb=$word ;; {second}) verb="$verb $word" ;; esac',
            "    done",
            "    case $verb in",
            f"        '') words={_quote(' '.join([*(top.name for top in tops()), *_flags(GLOBALS)]))} ;;",
            *words,
            "    esac",
            "    case $before in",
            *values,
            """        --home) local IFS=$'\n'; COMPREPLY=($(compgen -d -- "$current")); return ;;""",
            f"        {free}) COMPREPLY=(); return ;;",
            "    esac",
            '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
            "}",
            "complete -F _memtrigctl memtrigctl",
        ]
    )


def zsh() -> str:
    """Write the script for zsh; its last line is for a copy in $fpath, its second for ``source``."""
    described = [f"        {_quote(f'{top.name}:{top.summary}')}" for top in tops()]
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
            *(line for top in tops() for line in _zsh_case(top)),
            "        esac ;;",
            "    esac",
            "}",
            'if [ "$funcstack[1]" = _memtrigctl ]; then _memtrigctl "$@"; fi',
        ]
    )


def fish() -> str:
    """Write the script for fish: one rule a verb, an option or a value."""
    families = [top for top in tops() if isinstance(top, Family)]
    seconds = {name for family in families for name in family.members}
    first = f"not __fish_seen_subcommand_from {' '.join(top.name for top in tops())}"
    lines = ["complete -c memtrigctl -f", *(_fish_option(option, "") for option in GLOBALS)]
    for top in tops():
        seen = f"__fish_seen_subcommand_from {top.name}"
        if top.name in seconds:
            seen += f"; and not __fish_seen_subcommand_from {' '.join(family.name for family in families)}"
        lines.append(f"complete -c memtrigctl -n {_quote(first)} -a {top.name} -d {_quote(top.summary)}")
        lines += _fish_verb(top, seen)
        if isinstance(top, Family):
            for name, member in top.members.items():
                lines += _fish_verb(member, f"{seen}; and __fish_seen_subcommand_from {name}")
    return "\n".join(lines)


def _quote(text: str) -> str:
    """Quote a text for any of the three shells; our own tables hold no backslash, so fish reads it alike."""
    return "'" + text.replace("'", "'\\''") + "'"


def _flags(options: tuple[Option, ...]) -> list[str]:
    return [option.flag for option in options]


def _places(verb: Verb) -> list[str]:
    """List the values that a verb's arguments may have, where they are few."""
    if isinstance(verb, Family):
        return [*verb.members]
    names = [top.name for top in tops()] if verb.name == "help" else []
    return [*names, *(value for argument in verb.arguments for value in argument.values)]


def _own(verb: Verb) -> tuple[Option, ...]:
    """List a verb's options but for those in the place of global ones; of a family those of its usual verb."""
    if isinstance(verb, Family):
        return _own(verb.usual) if verb.usual else ()
    return tuple(option for option in verb.options if option.flag not in _flags(GLOBALS))


def _words(verb: Verb) -> list[str]:
    return [*_places(verb), *_flags(_own(verb)), *_flags(GLOBALS)]


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
    return [*(_zsh_option(option) for option in _own(verb)), *places]


def _zsh_case(top: Verb) -> list[str]:
    """Write what follows a first word; behind a family's, what follows the second."""
    if not isinstance(top, Family):
        return [f"            {top.name}) _arguments $common {' '.join(_zsh_specs(top))} ;;"]
    return [
        f"            {top.name}) _arguments -C $common {' '.join(_zsh_specs(top))} '*:: :->member'",
        '                if [ "$state" = member ]; then case $line[1] in',
        *(
            f"                    {name}) _arguments $common {' '.join(_zsh_specs(member))} ;;"
            for name, member in top.members.items()
        ),
        "                esac; fi ;;",
    ]


def _fish_verb(verb: Verb, seen: str) -> list[str]:
    """Write the rules for what follows a verb that was seen."""
    places = _quote(" ".join(_places(verb)))
    words = [f"complete -c memtrigctl -n {_quote(seen)} -a {places}"] if _places(verb) else []
    return [*words, *(_fish_option(option, seen) for option in _own(verb))]


def _fish_option(option: Option, condition: str) -> str:
    name = f"-l {option.flag[2:]}" if option.flag.startswith("--") else f"-s {option.flag[1:]}"
    values = " -r -a '(__fish_complete_directories)'" if option.metavar == "DIR" else " -x"
    if option.values:
        values += f" -a {_quote(' '.join(option.values))}"
    where = f" -n {_quote(condition)}" if condition else ""
    return f"complete -c memtrigctl{where} {name}{values if option.metavar else ''} -d {_quote(option.help)}"
