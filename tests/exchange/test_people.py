"""Markdown for people: what a memory says shows as it is, and can pose as nothing else."""

import re
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.claim import is_blank
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Status
from memtrigd.exchange import people

NOW = 1_764_490_500_000_000
MARKUP = "\\`*_{}[]<>()#+!|~&=:$^@"


def memory(content: str, **fields: Any) -> Memory:
    """Make a memory."""
    times = {"created": NOW, "updated": NOW, "importance_at": NOW}
    return Memory(id="m", key="k", level=Level.INTERNAL, space="default", content=content, **{**times, **fields})


def page(*rows: Memory, zone: Any = UTC, space: str = "default") -> str:
    """Write a page."""
    return b"".join(people.page(Level.INTERNAL, space, rows, zone, NOW)).decode()


def test_a_page_goes_by_entity_and_marks_what_waits() -> None:
    """Dates are the reader's own, and a memory of several lines is one item."""
    rows = (
        memory("तिला चहा आवडतो.", entity="आशा", kind=Kind.PREFERENCE, tags=("सकाळ",), pinned=True),
        memory("她住在上海。\n\n- 1.5 km away", entity="आशा", status=Status.PENDING),
        memory("Likes jazz.", entity="आशा", status=Status.PENDING, contests="m2"),
        memory("Sails.", status=Status.DISPUTED),
        memory("Over.", status=Status.ACTIVE, expires_at=NOW - 1),
    )
    assert page(*rows, zone=ZoneInfo("Asia/Kolkata"), space="my garden") == (
        "# INTERNAL, my garden\n"
        "\n## आशा\n\n"
        "- **[pinned]** तिला चहा आवडतो\\.\n  *(preference; 2025-11-30 13:45; सकाळ)*\n"
        "- **[waits for your yes]** 她住在上海。  \n  \\- 1.5 km away  \n  *(general; 2025-11-30 13:45)*\n"
        "- **[contests what stands]** Likes jazz\\.\n  *(general; 2025-11-30 13:45)*\n"
        "\n## Of nobody in particular\n\n"
        "- **[disputed: you denied it]** Sails\\.\n  *(general; 2025-11-30 13:45)*\n"
    )


@given(
    said=st.text(st.sampled_from(MARKUP + "ab1 \n\r\x1b\u202e\u2028\x85\ud7ff-.'\"/") | st.characters(codec="utf-8"))
)
def test_no_text_is_markup(said: str) -> None:
    """Every mark that Markdown or HTML could read is escaped, nothing invisible is left, an item is its own lines."""
    text = f"x{said}" if is_blank(said) else said
    shown = page(memory(text, entity=text))
    item = shown.partition("\n- ")[2]
    for line in item.splitlines()[:-1]:
        assert not set(re.sub(r"\\.", "", line)) & set(MARKUP), line
        assert not line.startswith(("#", "-", ">", "    "))
    assert not set(shown) & set("\x1b\u202e\u2028\x85\r\x00\u2066")
    heading = shown.split("\n## ")[1].partition("\n")[0]
    assert heading.strip()


def test_a_space_is_a_harmless_file_name() -> None:
    """Of whatever script, never a path, and no two are one file."""
    taken: set[str] = set()
    for space in ("default", "Default", "../../etc/passwd", "花园", "बाग", "a/b", "a-b", "...", "x" * 500, "花" * 256):
        name = people.file_name(Level.PUBLIC, space, taken)
        assert "/" not in name and not name.startswith(".") and len(name.encode()) < 255
        assert name.casefold() not in {each.casefold() for each in taken}
        taken.add(name)
    assert {"public-default.md", "public-Default-2.md", "public-花园.md", "public-बाग.md"} <= taken
