"""Completion scripts: made from the tables, so that no shell offers what the parser refuses."""

import shutil
import subprocess

import pytest
from memtrig.ctl import completions
from memtrig.ctl.catalogue import GLOBALS, every

BASH = shutil.which("bash")
GLOBAL_FLAGS = [option.flag for option in GLOBALS]


def offered(line: str) -> list[str]:
    """Complete the last word of a line as bash would."""
    words = line.split(" ")
    script = "\n".join(
        [
            completions.bash(),
            'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memtrigctl',
            "printf '%s\\n' \"${COMPREPLY[@]}\"",
        ]
    )
    assert BASH is not None
    done = subprocess.run([BASH, "-euc", script, "bash", *words], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("memtrigctl s", ["save", "search", "suppressions", "stats", "selfcheck", "status", "sessions"]),
        ("memtrigctl save k t --emo", ["--emotion-tag"]),
        ("memtrigctl --json save k t --co", ["--confidence", "--core", "--context"]),
        ("memtrigctl get k --as res", ["restricted"]),
        ("memtrigctl save k t --kind h", ["habit"]),
        ("memtrigctl list --tag ", []),
        ("memtrigctl completion f", ["fish"]),
        ("memtrigctl help del", ["delete"]),
        ("memtrigctl write Anna pre", ["preference"]),
        ("memtrigctl forget --all", ["--all-levels"]),
        ("memtrigctl promise ", ["add", "done", "list", "check", *GLOBAL_FLAGS]),
        ("memtrigctl --json promise add text --", ["--by", "--about", *(f for f in GLOBAL_FLAGS if f != "-h")]),
        ("memtrigctl promise list --a", ["--all", "--as"]),
        ("memtrigctl list --a", ["--as"]),
        ("memtrigctl wellness --s", ["--sleep"]),
        ("memtrigctl why-not k --a", ["--as"]),
        ("memtrigctl why-not k --as pub", ["public"]),
        ("memtrigctl listen promise_due mem", ["memory_expiring"]),
    ],
)
def test_bash_completes_verbs_options_and_values(line: str, words: list[str]) -> None:
    """Run by the shell itself."""
    assert offered(line) == words


@pytest.mark.parametrize("script", [completions.bash, completions.zsh, completions.fish])
def test_every_verb_and_option_is_in_every_script(script: object) -> None:
    """A new verb needs no work here."""
    assert callable(script)
    text = script()
    for verb in every():
        assert all(word in text for word in verb.name.split())
        for option in (*verb.options, *GLOBALS):
            assert (option.flag in text) or f"-l {option.flag[2:]}" in text or f"-s {option.flag[1:]}" in text


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_can_read_their_scripts(shell: str) -> None:
    """A dry run finds no error of syntax."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = {"zsh": completions.zsh, "fish": completions.fish}[shell]()
    subprocess.run([program, "-n"], input=script, text=True, check=True)
