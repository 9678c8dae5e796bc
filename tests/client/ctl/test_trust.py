"""How the life of a memory looks on a terminal of 80 columns, in three scripts."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.ctl.catalogue import load
from memtrig.ctl.curve import DAILY, MARGIN, WEEKS, mark, sketch
from memtrig.ctl.grammar import DaemonVerb
from memtrig.ctl.render import Screen, width

from memtrigd.domain.forgetting import DAILY_RETENTION

Made = Callable[..., wire.Record]
COLUMNS, ROWS = 80, 24
SCREEN = Screen(COLUMNS, now=datetime(2026, 11, 30, 12, 0, tzinfo=UTC), zone=UTC)
MOMENT = "2026-11-30T08:15:00+00:00"
TEXTS = {
    "english": ("user.tea", "Likes masala tea in the morning, " * 40),
    "中文": ("安娜.咖啡", "安娜每天早上喝咖啡，不加糖，" * 60),
    "मराठी": ("आवड.वाचन", "अण्णाला मराठी पुस्तकं वाचायला आवडतात, " * 40),
    "one long word": ("k" * 256, "क्ष" * 400),
}


def shown(name: str, result: wire.Result, screen: Screen = SCREEN) -> list[str]:
    """Show a result as its verb does, taken as it comes out of its frame."""
    verb = load(name)
    assert isinstance(verb, DaemonVerb)
    return "\n".join(verb.show(msgspec.to_builtins(result), screen)).split("\n")


@pytest.mark.parametrize(("key", "content"), TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("name", ["review", "recall", "stats", "suppressions", "forget"])
def test_no_line_is_wider_than_the_terminal(name: str, key: str, content: str, record: Made) -> None:
    """However long a text is, and whatever its script."""
    memory = record(key=key, content=content)
    results: dict[str, wire.Result] = {
        "review": wire.Reviewed(items=[wire.Item(about="contested", memory=memory, against=memory)]),
        "recall": wire.Recalled(ideas=[wire.Idea(memory=memory, channel="warm", reason="near", score=1.0)]),
        "stats": wire.Statistics(
            levels=[
                wire.Curve(level="CONFIDENTIAL", statuses={"active": 3}, kinds={"habit": 3}, core=1, mean_importance=m)
                for m in (1.0, 0.35, 0.0, None)
            ],
            weakest=[memory],
            stalest=[memory],
        ),
        "suppressions": wire.Wishes(
            suppressions=[wire.Wish(id="w", scope="entity", level="PUBLIC", at=MOMENT, entity=content, reason=content)]
        ),
        "forget": wire.Forgotten(
            count=1, memories=[wire.Touched(id="m-1", key=content, level="PUBLIC", status="forgotten")], levels=["A"]
        ),
    }
    lines = shown(name, results[name])
    if name == "recall":  # whose keys are whole
        lines = [line for line in lines if not line.startswith(key)]
    assert max(map(width, lines)) <= COLUMNS
    assert any(key[:5] in line or content[:2] in line for line in lines)


def test_columns_align_in_every_script(record: Made) -> None:
    """The second column begins at the same place on each line."""
    memories = [record(key=key, content=content, level="INTERNAL") for key, content in list(TEXTS.values())[:3]]
    lines = shown("stats", wire.Statistics(levels=[], weakest=memories, stalest=[]))
    places = {width(line[: line.index("INTERNAL")]) for line in lines if "INTERNAL" in line}
    assert len(places) == 1


def test_the_curve_is_that_of_the_daemon() -> None:
    """Written twice, to spare an import; and drawn as it falls, from all to a sixth."""
    assert DAILY == DAILY_RETENTION
    *bars, days = sketch()
    heights = [
        sum(" ▁▂▃▄▅▆▇█".index(row.ljust(MARGIN + WEEKS)[MARGIN + week]) for row in bars) for week in range(WEEKS)
    ]
    assert heights == sorted(heights, reverse=True)
    assert (heights[0], heights[-1]) == (32, round(32 * DAILY_RETENTION**364))
    assert days.split() == ["today", "half", "a", "year", "a", "year"]


@pytest.mark.parametrize(
    ("mean", "week", "said"),
    [(1.0, 0, "after 0 days"), (0.5, 20, "after 138 days"), (0.17, 51, "after 354 days"), (0.0, 52, "over a year")],
)
def test_a_mean_is_marked_where_the_curve_has_it(mean: float, week: int, said: str) -> None:
    """Half is left after 138 days."""
    line = mark(mean, "INTERNAL")
    assert line.index("▲") == MARGIN + week
    assert said in line
    assert len(line) <= COLUMNS


def test_why_says_who_said_it_and_what_came_of_it(record: Made) -> None:
    """Origin, quote, recalls and the steps stand below the text, then what it replaced."""
    old = record(id="m-0", content="Likes coffee", agent="gardener", status="superseded")
    new = record(quote="I like tea", attested=True, session="s-1", recall_count=3, last_recalled=MOMENT)
    step = wire.Step(at=MOMENT, op="confirm", actor="owner", id="m-1", status="active", reason="asked")
    lines = shown("why", wire.Told(memories=[old, new], steps=[step]))
    assert lines[:2] == ["user.tea  INTERNAL  preference  active", "  Likes masala tea"]
    assert "  quote     “I like tea”, heard by the daemon" in lines
    assert "  recalled  3 times, last today 08:15" in lines
    assert lines.index("In the place of") < lines.index("  Likes coffee")
    assert lines[-1].split() == ["today", "08:15", "confirm", "owner", "m-1", "active;", "asked"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "active", "deny_count": 1}, "counts a tenth"),
        ({"status": "disputed", "deny_count": 2}, "2 times now: it is disputed"),
        ({"status": "active", "deny_count": 2, "below": True}, "for readers of INTERNAL only"),
    ],
)
def test_a_denial_says_what_it_changed(fields: dict[str, Any], said: str) -> None:
    """Once, twice, and of a lower level."""
    settled = wire.Settled(id="m", key="k", level="INTERNAL", **fields)
    assert said in " ".join(shown("deny", settled))


def test_a_dry_run_says_that_it_is_none() -> None:
    """Nothing in the sentence claims that it was done."""
    touched = [wire.Touched(id="m", key="k", level="INTERNAL", status="active")]
    forgotten = wire.Forgotten(count=1, memories=touched, levels=["INTERNAL"], dry_run=True)
    assert shown("forget", forgotten)[0] == "This would forget 1 memory at INTERNAL."
    assert shown("undo", wire.Undone(memories=touched, dry_run=True))[0] == "This would put 1 memory back."
    dreamt = wire.Dreamt(level="PUBLIC", materialised=5, expired=1, asked_again=0, conflicts=[], dry_run=True)
    assert shown("decay", dreamt)[0] == "The dream cycle at PUBLIC, not carried out:"


def test_a_dream_that_stopped_says_why() -> None:
    """A wrong clock is the first thing to look at."""
    dreamt = wire.Dreamt(level="PUBLIC", materialised=0, expired=900, asked_again=0, conflicts=[], stopped=True)
    assert "900 memories would expire at once" in shown("decay", dreamt)[0]


def test_more_than_is_named_is_counted() -> None:
    """The answer to a great forgetting names a hundred and counts all."""
    touched = [wire.Touched(id="m", key="k", level="INTERNAL", status="forgotten")]
    assert "and 119 more" in shown("forget", wire.Forgotten(count=120, memories=touched, levels=["INTERNAL"]))
