"""The command line: what is understood, and what is refused with a way out."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig.ctl.catalogue import GLOBALS, GROUPS, every, load
from memtrig.ctl.failure import USAGE, Failure
from memtrig.ctl.manual import overview, verb_text
from memtrig.ctl.parsing import Command, parse


def read(*words: str) -> Command:
    """Parse as memtrigctl does."""
    return parse(words, GLOBALS, load)


def refusal(*words: str) -> Failure:
    """Parse what must be refused."""
    with pytest.raises(Failure) as caught:
        read(*words)
    assert caught.value.exit_code == USAGE
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("words", "settings", "fields"),
    [
        ("get k", {}, {"key": "k"}),
        ("--json get k", {"json": True}, {"key": "k"}),
        ("get k --json", {"json": True}, {"key": "k"}),
        ("get --json k", {"json": True}, {"key": "k"}),
        ("--level restricted delete k", {"level": "RESTRICTED"}, {"key": "k"}),
        ("get k --as public:bot", {"as": ("PUBLIC", "bot")}, {"key": "k"}),
        ("get k --as=Confidential", {"as": ("CONFIDENTIAL", None)}, {"key": "k"}),
        ("get k --as internal:a:b", {"as": ("INTERNAL", "a:b")}, {"key": "k"}),
        ("get -- --json", {}, {"key": "--json"}),
        ("-- get -- ", {}, {"key": "--"}),
        ("search q -n 3", {}, {"query": "q", "max_results": 3}),
        ("search q -n3", {}, {"query": "q", "max_results": 3}),
        ("search q -n=3", {}, {"query": "q", "max_results": 3}),
        ("search q -n -3", {}, {"query": "q", "max_results": -3}),
        ("list --tag a --limit 5 --cursor x", {}, {"tag": "a", "limit": 5, "cursor": "x"}),
        ("save k t --tag a --tag b", {}, {"key": "k", "content": "t", "tags": ["a", "b"]}),
        ("save k t --tag=--x", {}, {"key": "k", "content": "t", "tags": ["--x"]}),
        ("save k t --no-core --confidence .5", {}, {"key": "k", "content": "t", "core": False, "confidence": 0.5}),
        ("save k t --expires T --valid-from V", {}, {"key": "k", "content": "t", "expires_at": "T", "valid_from": "V"}),
        ("save k t --emotion-tag joy", {}, {"key": "k", "content": "t", "emotion_tags": ["joy"]}),
        ("save k t --quote q --sentiment warm", {}, {"key": "k", "content": "t", "quote": "q", "sentiment": "warm"}),
        ("write E habit t --key k", {}, {"entity": "E", "kind": "habit", "content": "t", "key": "k"}),
        ("deny k", {}, {"key": "k"}),
        ("deny --id i --reason r", {}, {"id": "i", "reason": "r"}),
        ("forget --tag t --dry-run --all-levels", {}, {"tag": "t", "dry_run": True, "all_levels": True}),
        ("forget k --confirm 21 --kind habit", {}, {"key": "k", "confirm": 21, "kind": "habit"}),
        ("undo --session s", {}, {"session": "s"}),
        ("promise add t --by 2026-12-24 --about E", {}, {"text": "t", "deadline": "2026-12-24", "entity": "E"}),
        ("promise --json list --all", {"json": True}, {"all": True}),
        ("wellness calm --sleep 6.5", {}, {"mood": "calm", "sleep_hours": 6.5}),
        ("wellness --sleep 6.5 calm", {}, {"mood": "calm", "sleep_hours": 6.5}),
        ("wellness list --days 3", {}, {"days": 3}),
        ("wellness add list", {}, {"mood": "list"}),
        ("wellness -- list", {}, {"mood": "list"}),
        ("wellness -- --", {}, {"mood": "--"}),
        ("expire", {}, {}),
        ("expire --id i", {}, {"id": "i"}),
        ("why-not k --as public:bot --space s", {"as": ("PUBLIC", "bot")}, {"key": "k", "space": "s"}),
        ("--as public why-not --id i", {"as": ("PUBLIC", None)}, {"id": "i"}),
        ("listen", {}, {}),
        ("listen a b c", {}, {"to": ["a", "b", "c"]}),
        ("help promise add", {}, {"verb": ["promise", "add"]}),
        ("deny k --quote q", {}, {"key": "k", "quote": "q"}),
        ("erase k --all-levels --confirm 2", {}, {"key": "k", "all_levels": True, "confirm": 2}),
        ("undo i --dry-run", {}, {"id": "i", "dry_run": True}),
    ],
)
def test_a_line_is_understood(words: str, settings: dict[str, object], fields: dict[str, object]) -> None:
    """Global options stand before or after the verb, values in any of the usual ways."""
    command = read(*words.split())
    assert (command.settings, command.given) == (settings, fields)


@pytest.mark.parametrize("text", ["-", "-5 °C outside", "- milk", "-- eggs", "---", "-१", ""])
def test_text_that_is_no_flag_needs_no_separator(text: str) -> None:
    """A dash does not make an option: a letter must follow."""
    assert read("get", text).given == {"key": text}


@pytest.mark.parametrize(
    "words",
    [
        "",
        "--json",
        "gte k",
        "get",
        "get a b",
        "save k",
        "get k --tag x",
        "--tag x save k t",
        "get k --level",
        "get k --level secret",
        "get k --as nowhere:bot",
        "search q -n many",
        "search q -n 99999999999999999999",
        "save k t --confidence high",
        "save k t --core --no-core",
        "save k t --kind habit --kind rule",
        "save k t --tag --json",
        "get k --json=yes",
        "get k --home=",
        "get --get",
        "completion tcsh",
        "deny",
        "deny k --id i",
        "why",
        "undo",
        "undo i --session s",
        "forget --reason r",
        "forget k --tag t",
        "forget --entity e --id i",
        "forget k --confirm all",
        "write Anna habit",
        "promise",
        "promise ad text",
        "promise add",
        "promise --by 2026-12-24 add text",
        "promise done a b",
        "wellness",
        "wellness --days 3",
        "wellness list --sleep 3",
        "expire k --id i",
        "erase",
        "erase k --id i",
        "week --days many",
    ],
)
def test_a_line_is_refused_with_a_hint(words: str) -> None:
    """What can't be understood is a usage error, and says the way out."""
    refusal(*words.split())


def test_a_slip_is_answered_with_the_nearest_word() -> None:
    """Verbs and options that are nearly right are named."""
    assert "Did you mean search?" in refusal("serach", "tea").hint
    assert "Did you mean --entity?" in refusal("save", "k", "t", "--entiyt", "x").hint
    assert "Did you mean check?" in refusal("promise", "chekc").hint


def test_help_asks_for_nothing_else() -> None:
    """``--help`` holds wherever it stands, also while arguments are missing."""
    assert "help" in read("save", "--help").settings
    assert read("--help").verb is None


@given(st.lists(st.text() | st.sampled_from(["get", "save", "--json", "--tag", "--", "-n", "--help", "--as", "-"])))
def test_any_words_are_understood_or_refused(words: list[str]) -> None:
    """Nothing but a Failure ever comes out of the parser."""
    try:
        read(*(word for word in words if word != "-"))  # which would read standard input
    except Failure as failure:
        assert failure.exit_code == USAGE


@given(st.text())
def test_behind_the_separator_every_text_is_an_argument(text: str) -> None:
    """``--`` makes any key reachable."""
    assert read("get", "--", text).given == {"key": text}


def test_help_fits_a_terminal_of_80_columns() -> None:
    """The overview and what each verb and family says of itself; only an example, to be copied, stays on its line."""
    names = [name for group in GROUPS.values() for name in group]
    texts = [overview(), *map(verb_text, [*every(), *map(load, names)])]
    assert [line for text in texts for line in text.partition("\nExample\n")[0].splitlines() if len(line) > 80] == []
    assert any("\n             warnings, 2 for failures\n" in text for text in texts)


def test_every_verb_explains_itself_with_an_example_that_parses() -> None:
    """The example of each help text is a line that memtrigctl understands."""
    for verb in every():
        program, *words = shlex.split(verb.example.split(" > ")[0])
        assert program == "memtrigctl"
        assert read(*words).verb is verb
