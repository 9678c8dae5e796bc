"""JSON documents element by element: what a parser makes of the whole, and of a broken one all that is not broken."""

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import elements
from memtrigd.exchange.documents import value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('ab{}[]",:\\ चहा', max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def cut(data: bytes, limit: int = 1 << 20) -> list[tuple[str, int, bytes | None]]:
    """The elements of a document."""
    return [(each.field, each.number, each.raw) for each in elements.elements(BytesIO(data), limit)]


@settings(max_examples=60)
@given(st.lists(JSON, max_size=6), st.integers(4, 40), st.sampled_from([None, 1]), st.booleans())
def test_a_lists_elements_are_those_of_a_parser(found: list[Any], chunk: int, indent: int | None, mark: bool) -> None:
    """However it is written and however it comes in: each value, in order, numbered from 1."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements, "CHUNK", chunk)
        data = b"\xef\xbb\xbf" * mark + json.dumps(found, indent=indent, ensure_ascii=False).encode()
        got = cut(data)
    assert [value(raw) for _, _, raw in got if raw is not None] == found
    assert [number for _, number, _ in got] == list(range(1, len(found) + 1))


@settings(max_examples=60)
@given(st.dictionaries(st.text("xyz", min_size=1, max_size=3), JSON, max_size=4), st.integers(4, 40))
def test_an_objects_lists_are_cut_and_its_values_are_whole(found: dict[str, Any], chunk: int) -> None:
    """By the names of its members."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements, "CHUNK", chunk)
        got = cut(json.dumps(found).encode())
    made: dict[str, Any] = {name: [] for name, each in found.items() if isinstance(each, list)}
    for field, number, raw in got:
        if number:
            made[field].append(value(raw or b""))
        else:
            made[field] = value(raw or b"")
    assert made == found


@given(st.lists(st.sampled_from([*'{}[]",:\\\n', "a", "1", " ", "\xff"]), max_size=40).map("".join), st.integers(1, 9))
def test_any_bytes_come_to_an_end_and_none_are_lost(text: str, chunk: int) -> None:
    """Every word and number of them is in some element, or the name of a member."""
    data = text.encode("latin-1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements, "CHUNK", chunk)
        got = list(elements.elements(BytesIO(data)))
    for sign in (b"a", b"1", b"\xff"):
        held = sum((each.raw or b"").count(sign) + each.field.encode("latin-1", "replace").count(sign) for each in got)
        assert sign not in data or held or b'"' in data or b":" in data


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ('[{"a": 1}, {"a": NaN}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('[{"a": 1}, {"a": 1, "a": 3}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('[{"a": [1}, {"a": 2}]', [{"a": 2}]),
        ('[{"a": 1, {"a": 2}]\n{"a": 3}', [{"a": 3}]),
        ('[\n{"a": "torn},\n{"a": 2},\n{"a": 3}\n]', [{"a": 2}, {"a": 3}]),
        ('[{"a": 1}, ' + "[" * 50_000 + "]" * 50_000 + ', {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('{"list": [{"a": 1}, {"a": ', [{"a": 1}]),
        ('[{"a": 1}]{"a": 2}\n[{"a": 3}]', [{"a": 1}, {"a": 2}, {"a": 3}]),
    ],
)
def test_a_broken_element_costs_only_itself(text: str, good: list[Any]) -> None:
    """What stands around it is read, and itself it is there as it was."""
    found = []
    for each in elements.elements(BytesIO(text.encode())):
        try:
            found.append(value(each.raw or b""))
        except Refusal:
            continue
    assert found == good


def test_a_file_that_breaks_off_says_so() -> None:
    """Behind all that was before the break."""
    *_, torn, end = elements.elements(BytesIO(b'[{"a": 1}, {"a": "x'))
    assert torn.raw == b'{"a": "x' and end.refusal is not None and "breaks off" in end.refusal.message
    assert [each.place for each in elements.elements(BytesIO(b'[{"a": 1},'))] == ["record 1", "end"]
    assert cut(b"[]") == cut(b"{}") == cut(b"") == []


def test_an_element_over_the_limit_is_named_by_its_place() -> None:
    """And it is not carried along; the next one is read."""
    long = b'{"a": "' + b"x" * 1000 + b'"}'
    first, second = elements.elements(BytesIO(b"[" + long + b', {"a": 1}]'), 100)
    assert first.refusal is not None and first.refusal.code == "too_large" and first.raw is None
    assert f"{len(long):,} bytes, from byte 1 on" in first.refusal.message
    assert second.raw == b'{"a": 1}'


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the most memory of a process is told in /proc")
def test_a_hundred_thousand_records_take_no_more_memory_than_a_few(tmp_path: Path) -> None:
    """The most that a process takes for a file of 65 MB, beside what it takes for a small one."""
    record = json.dumps({"id": "x", "memory": "चहा " * 30, "user_id": "u", "created_at": "2026-08-12T01:00:00Z"})
    script = (
        "import sys; from datetime import UTC; from pathlib import Path; from memtrigd.exchange import mem0\n"
        "from memtrigd.exchange.items import Reading\n"
        "print(sum(1 for _ in mem0.read(Path(sys.argv[1]), Reading(UTC, 1_796_040_000_000_000))))\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    most = []
    for count in (10, 100_000):
        path = tmp_path / f"{count}.json"
        with path.open("w") as file:
            file.write('{"results": [' + f"{record},\n" * (count - 1) + record + "]}")
        done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, check=True, timeout=100)
        read, used = map(int, done.stdout.split())
        assert read == count
        most.append(used)
    assert most[1] - most[0] < 16 << 10  # KiB
