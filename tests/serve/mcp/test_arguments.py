"""Arguments as models send them: what can be meant in one way only is taken as meant, all else is refused."""

from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import arguments
from memtrigd.serve.mcp.tool import Arguments
from memtrigd.serve.mcp.tools import SETS
from memtrigd.serve.mcp.tools.core import Save, Search

EVERY = {(name, tool.name): tool for name, tools in SETS.items() for tool in tools.values()}


class Each(Arguments, frozen=True):
    """One argument of each type."""

    text: str | None = None
    whole: int = 0
    real: float | None = None
    flag: bool | None = None
    texts: list[str] = []  # noqa: RUF012


def read(**sent: Any) -> dict[str, Any]:
    """What a tool gets of what was sent."""
    got = arguments.read(sent, Each, "each")
    return {name: getattr(got, name) for name in sent}


def refused(kind: type[Arguments], **sent: Any) -> Refusal:
    """The refusal of what can't be meant."""
    with pytest.raises(Refusal) as told:
        arguments.read(sent, kind, "each")
    return told.value


@given(whole=st.integers(-(2**53), 2**53), real=st.floats(allow_nan=False), flag=st.booleans())
def test_numbers_and_booleans_in_strings_are_what_they_say(whole: int, real: float, flag: bool) -> None:
    """As JSON writes them, and as Python does (BR-034)."""
    for spelt in (str, lambda value: msgspec.json.encode(value).decode()):
        assert read(whole=spelt(whole), flag=spelt(flag)) == {"whole": whole, "flag": flag}
    assert read(real=repr(real)) == {"real": real}


@given(texts=st.lists(st.text()))
def test_a_list_in_a_string_is_the_list(texts: list[str]) -> None:
    """Any texts, commas and brackets in them too (BR-034)."""
    assert read(texts=msgspec.json.encode(texts).decode()) == {"texts": texts}


@given(text=st.text())
def test_a_text_stays_what_it_is(text: str) -> None:
    """One that looks like a list, a number or null too: a person may be called Null (BR-034)."""
    for sent in (text, f"[{text}]", "null", "5", "true", '["a"]'):
        assert read(text=sent) == {"text": sent}


@given(sent=st.text())
def test_no_text_becomes_a_list_of_one_odd_item(sent: str) -> None:
    """It is a list as it stands, or it is refused (BR-034)."""
    try:
        got = read(texts=sent)["texts"]
    except Refusal as refusal:
        assert refusal.code == "bad_request"
    else:
        assert got == msgspec.json.decode(sent)


@pytest.mark.parametrize(
    "sent",
    [
        {"texts": "a,b"}, {"texts": "a"}, {"texts": '["a", 1]'}, {"texts": "[a]"}, {"texts": '{"a": 1}'},
        {"whole": "5.5"}, {"whole": 5.5}, {"whole": "five"}, {"whole": True}, {"whole": "0x5"}, {"whole": ""},
        {"real": "1,5"}, {"flag": "yes"}, {"flag": "on"}, {"text": 5}, {"text": True}, {"text": ["a"]},
    ],
)  # fmt: skip
def test_what_would_have_to_be_guessed_is_refused_with_the_right_form(sent: dict[str, Any]) -> None:
    """The form names each argument and its type, and the refusal names the one that is wrong (BR-034)."""
    told = refused(Each, **sent)
    assert told.code == "bad_request" and f"$.{next(iter(sent))}" in told.message
    assert '"texts": [string, …] (optional)' in told.hint and '"whole": integer (optional)' in told.hint


def test_null_is_nothing_where_nothing_need_be_given() -> None:
    """An optional argument that is null is as if it were not there; a required one is refused."""
    assert read(whole=None, texts=None, flag=None) == {"whole": 0, "texts": [], "flag": None}
    assert "$.query" in refused(Search, query=None).message


def test_what_is_unknown_is_refused_and_no_value_is_said_again() -> None:
    """An argument that no tool has, a word outside an enumeration, however long."""
    assert "`levels`" in refused(Search, query="q", levels=3).message
    wrong = refused(Save, content="x", source="a secret\n" * 1000)
    assert "secret" not in wrong.message + wrong.hint and "$.source" in wrong.message
    long = refused(Search, query="q", **{"x" * 100_000: 1})
    assert len(long.message) < 300


@pytest.mark.parametrize(("of", "name"), EVERY)
def test_each_tools_arguments_are_one_flat_object(of: str, name: str) -> None:
    """No reference, no choice at the top, each list says of what, each argument has a description (BR-035)."""
    schema = arguments.schema(EVERY[of, name].arguments)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs"} & set(schema)

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            assert "$ref" not in part and (part.get("type") != "array" or part.get("items"))
            for each in part.values():
                walk(each)
        elif isinstance(part, list):
            for each in part:
                walk(each)

    walk(schema)
    fields = schema["properties"]
    assert all(field.get("description") for field in fields.values())
    assert not [field for field in fields if "level" in field or "classif" in field or "ceiling" in field]


@pytest.mark.parametrize(("of", "name"), EVERY)
def test_each_tool_says_what_it_is_and_what_it_does(of: str, name: str) -> None:
    """Its name fits every host's limits; nothing that reads also destroys; its order among the tools is fixed."""
    tool = EVERY[of, name]
    assert name == tool.name and len(name) <= 64 and name.replace("_", "").isalnum()
    assert tool.title and 10 < len(tool.description) < 400
    assert not (tool.reads and tool.destroys)
    assert tool.reads or name not in ("get", "search", "list", "memory_get", "memory_search", "memory_list")
