"""Notes in Markdown: which pieces they have, and what basic-memory, Obsidian and Claude Code mean by them."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.exchange import basic_memory, claude_code, markdown, obsidian
from memtrigd.exchange.formats import told
from memtrigd.exchange.items import Beside, Item, Left, Noted, Taken
from memtrigd.exchange.markdown import Note
from tests.exchange.test_formats import READING, contents, items

SAMPLES = Path(__file__).with_name("samples")


@pytest.fixture(name="noted")
def _noted(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a note."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def records(found: list[Item]) -> list[wire.ImportRecord]:
    """What can be taken."""
    return [item.record for item in found if isinstance(item, Taken)]


def said(found: list[Item]) -> str:
    """What was noted."""
    return "\n".join(item.message for item in found if isinstance(item, Noted))


def pieces(text: str) -> list[tuple[int, str, str | None]]:
    """The pieces of a note, by their lines, with their headings."""
    return [(each.line, each.text, each.heading) for each in markdown.pieces(markdown.note(text))]


# Pieces


def test_a_notes_pieces_are_its_items_paragraphs_quotes_and_fences() -> None:
    """What is indented below an item belongs to it, a paragraph goes on until a line is empty."""
    text = """---
title: x
---
# Tea #

She drinks tea
in the morning.
- green
  - with lemon

  and honey
- black
1. हिरवा चहा
> said once
> and again
```
- no item

# no heading
```
***
C#
== end"""
    assert pieces(text) == [
        (6, "She drinks tea\nin the morning.", "Tea"),
        (8, "green\n  - with lemon\n\n  and honey", "Tea"),
        (12, "black", "Tea"),
        (13, "हिरवा चहा", "Tea"),
        (14, "said once\nand again", "Tea"),
        (16, "```\n- no item\n\n# no heading\n```", "Tea"),
        (22, "C#\n== end", "Tea"),
    ]


@given(
    st.lists(
        st.sampled_from(["# a", "- b", "  c", "> d", "e", "", "```", "---", "1. f", "**g**", "\t- h"]), max_size=30
    )
)
def test_no_line_of_a_note_is_lost(lines: list[str]) -> None:
    """Each letter is in a piece, or in the heading of the pieces below it; the pieces are in order."""
    text = "\n".join(lines)
    found = list(markdown.pieces(Note({}, text), bold=True))
    assert [each.line for each in found] == sorted({each.line for each in found})
    for letter in "bcdefh":
        assert text.count(letter) == sum(each.text.count(letter) for each in found)


@pytest.mark.parametrize(
    ("front", "says"),
    [
        ("a: [torn", "no YAML"),
        ("a: &x [1]\nb: *x", "no YAML"),
        ("a: !!python/object/apply:os.system ['true']", ""),
        ("{{date}}: x", "no YAML"),
        ("a: " + "[" * 5000, "no YAML"),
        ("a: " + "x" * 70_000, "characters"),
        ("- a list", ""),
    ],
)
def test_front_matter_that_is_none_costs_no_text(noted: Callable[[str, str], Path], front: str, says: str) -> None:
    """It is told of, runs nothing and grows without a bound in nothing; the note is read."""
    found = items(noted("vault/note.md", f"---\n{front}\n---\n- a line\n").parent)
    assert contents(found) == ["a line"]
    assert says in said(found)


def test_words_of_front_matter_stay_words() -> None:
    """No date and no truth is made of them: 12:30 is no number of seconds, and no is a word."""
    assert markdown.note("---\na: no\nb: 12:30\nc: 2026-09-01\nd: [1.10]\n---\n").front == {
        "a": "no",
        "b": "12:30",
        "c": "2026-09-01",
        "d": ["1.10"],
    }


@pytest.mark.parametrize(
    ("text", "tags", "without"),
    [
        ("#idea/memory keep short", ["idea/memory"], "keep short"),
        ("likes #चहा and #咖啡, often #daily #x-y", ["चहा", "咖啡", "daily", "x-y"], "likes #चहा and #咖啡, often"),
        ("#1 is no tag, a#b neither, nor # alone", [], "#1 is no tag, a#b neither, nor # alone"),
        ("#only", ["only"], "#only"),
        ("see https://x.org/#part", [], "see https://x.org/#part"),
    ],
)
def test_tags_stand_in_texts(text: str, tags: list[str], without: str) -> None:
    """At an end they are tags alone, in the midst words as well."""
    assert markdown.hashtags(text) == tags
    assert markdown.without_hashtags(text) == (without if tags else markdown.without_hashtags(text))


@pytest.mark.parametrize(
    "text",
    [
        "# a" + " " * 300_000 + "b",
        "- [[x]]" + " " * 300_000 + "y",
        "#a " * 150_000 + "x",
        pytest.param("![[" * 100_000, marks=pytest.mark.slow),
        pytest.param("%%" * 150_001, marks=pytest.mark.slow),
        "- a" + "\n  b" * 100_000,
        "[" * 300_000,
        pytest.param("a" + " ^" * 150_000, marks=pytest.mark.slow),
        pytest.param("> " * 150_000, marks=pytest.mark.slow),
        pytest.param("- [x](" * 50_000, marks=pytest.mark.slow),
    ],
    ids=lambda text: text[:8],
)
def test_no_text_makes_a_reader_slow(noted: Callable[[str, str], Path], text: str) -> None:
    """What is looked for again and again from each place would take hours here."""
    began = time.perf_counter()
    for name, module in (("a.md", obsidian), ("b.md", basic_memory), ("MEMORY.md", claude_code)):
        list(module.read(noted(name, text), READING))
    assert time.perf_counter() - began < 20


# Obsidian


def test_a_daily_note_is_of_its_day() -> None:
    """Its tags are those of all its pieces; comments, block ids and boxes are no text, links stay as they are."""
    found = items(SAMPLES / "obsidian")
    assert [(each.content, each.tags[2:]) for each in records(found)] == [
        ("call the piano tuner 📅 2026-09-20", ["task"]),
        ("Slept 7 h; see [[Sleep log#September|sleep]] and ![[chart.png]]", []),
        ("mood: calm", []),
        ("Remember\nDr. appointment moved to Friday", []),
        ("keep short", ["idea/memory"]),
    ]
    assert all(each.tags[:2] == ["daily", "health/sleep"] for each in records(found))
    assert {each.created for each in records(found)} == {"2026-09-14T00:00:00+00:00"}
    assert "private" not in "".join(map(str, found))


def test_a_note_is_about_what_it_is_named(noted: Callable[[str, str], Path]) -> None:
    """Unless it is named after a day; a task says whether it is done; comments may go over lines."""
    path = noted(
        "vault/people/आशा.md", "- [x] sent a card\n- [-] called\n%%\nnot for\nyou\n%%\n[[Mira]] knows her ^id1\n"
    )
    found = items(path.parents[1])
    assert [(each.entity, each.content, each.tags) for each in records(found)] == [
        ("आशा", "sent a card", ["task", "done"]),
        ("आशा", "called", ["task", "cancelled"]),
        ("आशा", "[[Mira]] knows her", []),
    ]
    assert [each.place for each in found if isinstance(each, Taken)][-1] == "people/आशा.md: line 7"
    assert [each.entity for each in records(items(noted("v/2026-09-14.md", "- x").parent))] == [None]


@pytest.mark.parametrize(
    "written", ["aliases: [Asha, 阿莎, asha, आशा]", "aliases: Asha, 阿莎", "alias:\n- Asha\n- 阿莎"]
)
def test_a_notes_aliases_are_other_names_of_what_it_is_about(noted: Callable[[str, str], Path], written: str) -> None:
    """Each once; those of a day, which is no entity, are told of."""
    text = f"---\n{written}\n---\n- likes tea\n"
    found = items(noted("v/आशा.md", text).parent)
    assert [item.entry for item in found if isinstance(item, Beside)] == [
        wire.ImportAlias(alias=name, entity="आशा") for name in ("Asha", "阿莎")
    ]
    assert said(found) == ""
    day = items(noted("w/2026-09-14.md", text).parent)
    assert not [item for item in day if isinstance(item, Beside)] and "aliases" in said(day)


def test_a_date_that_is_none_leaves_the_note_to_be_mended(noted: Callable[[str, str], Path]) -> None:
    """Each piece with its text, which is read again without the date."""
    found = items(noted("vault/note.md", "---\ncreated: sometime\n---\n- a line #x\n").parent)
    (left,) = [each for each in found if isinstance(each, Left)]
    assert left.code == "bad_time" and left.raw is not None
    assert contents(list(obsidian.again(left.raw, "line 4", READING))) == ["a line"]


# basic-memory


def test_prose_observations_and_relations_are_memories() -> None:
    """A category is a kind where there is such a kind, and a tag otherwise; nothing of the prose is lost."""
    found = records(items(SAMPLES / "basic-memory"))
    assert [(each.content, each.kind, each.tags[2:], each.context) for each in found] == [
        ("Free prose that is not a structured observation.", None, [], None),
        ("Green tea at 75 degrees, never boiling", "preference", ["tea", "temperature"], "stated on 1 Sept"),
        ("The kettle is limescale-free since August", None, ["fact"], None),
        ("毎朝八時に淹れる", None, ["decision", "habit"], None),
        ("Tea brewing uses Kettle", None, ["relation", "uses"], None),
        ("Tea brewing part_of Morning routine", None, ["relation", "part_of"], None),
        ("Tea brewing links_to Kitchen index", None, ["relation", "links_to"], None),
    ]
    assert {(each.entity, each.created) for each in found} == {("Tea brewing", "2026-09-01T08:00:00+00:00")}
    assert all(each.tags[:2] == ["kitchen", "preference"] for each in found)


def test_what_only_looks_like_an_observation_is_none(noted: Callable[[str, str], Path]) -> None:
    """A task, a link, and prose that ends with a link to another note."""
    text = """---
title: N
permalink: n
---
- [ ] buy tea
- [x] bought tea
- [a link](https://x.org) to it
- Slept well, see [[Sleep log]]
- [[Kettle#Spout|kettle]] (since May)
- [rule] no [[sugar]] #diet
"""
    found = records(items(noted("n.md", text)))
    assert [(each.content, each.tags) for each in found] == [
        ("buy tea", ["task"]),
        ("bought tea", ["task", "done"]),
        ("[a link](https://x.org) to it", []),
        ("Slept well, see [[Sleep log]]", []),
        ("N links_to Kettle", ["relation", "links_to"]),
        ("no [[sugar]]", ["diet"]),
    ]
    assert (found[4].context, found[5].kind) == ("since May", "rule")


# Claude Code


def test_a_memory_folder_is_its_files(noted: Callable[[str, str], Path]) -> None:
    """A file is a memory with its description; the index and the guidance are told of."""
    found = items(SAMPLES / "claude-code-memory")
    quirks, style = records(found)
    assert quirks.content.startswith("why the linker step is slow\n\nLinking takes 40 s")
    assert (quirks.key, quirks.tags) == ("claude-code-memory/build-quirks", ["project", "claude-code-memory"])
    assert style.content.endswith("**Why:** they read logs on a phone.")
    assert "make check" not in "".join(contents(found)) and "guidance" in said(found)


def test_two_projects_may_have_memories_of_one_name(noted: Callable[[str, str], Path], tmp_path: Path) -> None:
    """Each has its project in its key; what else lies in the home is not taken."""
    for project in ("-home-u-harbour", "-home-u-船"):
        noted(
            f"projects/{project}/memory/style.md",
            f"---\nname: style\nmetadata:\n  type: user\n---\nText of {project}.\n",
        )
        noted(f"projects/{project}/memory/MEMORY.md", "- [Style](style.md) — how\n- A fact of its own\n")
    noted("projects/-home-u-harbour/session.jsonl", "{}")
    noted("plans/some.md", "- a plan")
    found = items(tmp_path)
    assert told(tmp_path).name == "claude-code"
    assert [each.key for each in records(found)] == [
        None,
        "-home-u-harbour/style",
        None,
        "-home-u-船/style",
    ]
    assert contents(found).count("A fact of its own") == 2
    assert records(found)[1].tags == ["user", "-home-u-harbour"]
    assert {each.place for each in found if isinstance(each, Noted)} >= {"*.jsonl", "*.md"}


def test_an_older_folder_has_all_in_its_index(noted: Callable[[str, str], Path]) -> None:
    """And topics without front matter; a link to a file that is gone is not lost."""
    noted("memory/MEMORY.md", "# Project\n- Uses pnpm\n- [Gone](gone.md) — what it was about\n")
    path = noted("memory/debugging.md", "Logs are in /var/log.\n")
    found = items(path.parent)
    assert [(each.content, each.tags) for each in records(found)] == [
        ("Uses pnpm", ["Project"]),
        ("[Gone](gone.md) — what it was about", ["Project"]),
        ("Logs are in /var/log.", ["debugging"]),
    ]


def test_a_memory_that_is_left_is_read_again(noted: Callable[[str, str], Path]) -> None:
    """As the file that it was."""
    text = "---\nname: a\ntype: user\ncreated: soon\n---\nLikes tea.\n"
    (left,) = [each for each in items(noted("a.md", text)) if isinstance(each, Left)]
    assert left.raw == text
    assert contents(list(claude_code.again(text.replace("soon", "2026-01-01"), "all", READING))) == ["Likes tea."]
