"""Files that are kept by hand: what each tells, line by line, or why it can't be taken up as a whole."""

import json
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.exchange import byhand
from memtrigd.exchange.byhand import Unfit, told

NOW = 1_790_000_000_000_000
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)


def read(name: str, data: bytes | str) -> list[tuple[int, str | None, str]]:
    """What a file of that name tells: line, key and text of each memory."""
    with tempfile.TemporaryFile() as file:
        file.write(data if isinstance(data, bytes) else data.encode())
        file.flush()
        found = told(file.fileno(), name, NOW)
    return [(each.line, each.record.key, each.record.content) for each in found]


def test_markdown_and_text_are_a_memory_a_line() -> None:
    """Lists of any depth; चहा and 茶 too; what is empty tells nothing."""
    for name in ("a.md", "a.Markdown", "notes.TXT"):
        assert read(name, "# Tea\n\n- Likes चहा\n* 喜欢喝茶\n") == [(3, None, "Likes चहा"), (4, None, "喜欢喝茶")]
        assert read(name, "") == [] == read(name, "\n\n---\n")


def test_json_is_a_list_or_a_map_with_the_line_of_each_entry() -> None:
    """Texts and memories in a list, keys with their texts in a map, over as many lines as they have."""
    assert read("a.json", '[\n "one",\n {"content": "two",\n  "key": "k"},\n "three"]') == [
        (2, None, "one"),
        (3, "k", "two"),
        (5, None, "three"),
    ]
    assert read("a.json", '{"tea": "no sugar",\n "walk": {"content": "at six"}, "tea": "with salt",}') == [
        (1, "tea", "no sugar"),
        (2, "walk", "at six"),
        (2, "tea", "with salt"),
    ]
    assert read("a.json", "") == [] == read("a.json", "\ufeff[ ]\n")


def test_lines_of_known_formats_are_read_as_such() -> None:
    """Our own JSON Lines, and the file of the official memory server."""
    assert read("a.jsonl", '{"content": "one"}\n{"content": "two", "key": "k"}\n') == [
        (1, None, "one"),
        (2, "k", "two"),
    ]
    entity = '{"type": "entity", "name": "Mira", "entityType": "person", "observations": ["Likes tea", "Walks"]}\n'
    assert read("memory.json", "\n" + entity) == [(2, None, "Likes tea"), (2, None, "Walks")]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.md", b"- one\n- \xff\n", "line 2"),
        ("a.md", b"- one\n\0", "binary"),
        ("a.json", b'["\xff"]', "not UTF-8"),
        ("a.json", '["one",\n "two"', "not JSON: see line 2"),
        ("a.json", '["one" "two"]', "not JSON"),
        ("a.json", '{"a" 1}', "not JSON"),
        ("a.json", '{1: "a"}', "not JSON"),
        ("a.json", '"one"', "neither a list nor a map"),
        ("a.json", '["one",\n 3]', "line 2: It is neither"),
        ("a.json", '[{"content": "one", "content": "two"}]', "twice"),
        ("a.json", '[{"contents": "one"}]', "no field 'contents'"),
        ("a.json", '[{"content": "\\ud800"}]', "surrogate"),
        ("a.json", "[" * 100_000, "deep|line 1"),
        ("a.jsonl", '{"content": "one"}\n{"content": \n', "line 2"),
        ("a.md", "- x\n" * (byhand.MAX_LINES + 1), "more than 5,000"),
    ],
)
def test_what_cant_be_taken_up_is_left_as_a_whole(name: str, data: bytes | str, why: str) -> None:
    """Half of a file would close the memories of the other half."""
    with pytest.raises(Unfit, match=why):
        read(name, data)


@given(st.lists(TEXTS, max_size=5), st.sampled_from([None, 0, 1, 2]))
def test_any_list_of_texts_comes_out_as_it_is(texts: list[str], indent: int | None) -> None:
    """Whatever is in it, however it is laid out, each on its line."""
    data = json.dumps(texts, ensure_ascii=False, indent=indent)
    assert [text for _, _, text in read("a.json", data)] == texts
    if indent is not None and texts:
        assert [line for line, _, _ in read("a.json", data)] == [n + 2 for n in range(len(texts))]


@given(st.binary(max_size=60) | TEXTS.map(str.encode), st.sampled_from(["a.md", "a.json", "a.jsonl"]))
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    """Nothing else comes of them, and no line lies outside the file."""
    try:
        found = read(name, data)
    except Unfit:
        return
    assert all(1 <= line <= data.count(b"\n") + 1 for line, _, _ in found)
