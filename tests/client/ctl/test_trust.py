"""How the life of a memory looks on a terminal of 80 columns, in three scripts."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.ctl.catalogue import every
from memtrig.ctl.curve import DAILY, MARGIN, WEEKS, mark, sketch
from memtrig.ctl.grammar import DaemonVerb
from memtrig.ctl.render import Screen, width

from memtrigd.domain.forgetting import DAILY_RETENTION

Made = Callable[..., wire.Record]
COLUMNS, ROWS = 80, 24
SCREEN = Screen(COLUMNS, now=datetime(2026, 11, 30, 12, 0, tzinfo=UTC), zone=UTC)
MOMENT = "2026-11-30T08:15:00+00:00"
RULE = wire.Rule(
    rule="pending", memory=wire.Touched(id="m", key="k", level="PUBLIC", status="pending"), says="It waits for a yes."
)
TEXTS = {
    "english": ("user.tea", "Likes masala tea in the morning, " * 40),
    "中文": ("安娜.咖啡", "安娜每天早上喝咖啡，不加糖，" * 60),
    "मराठी": ("आवड.वाचन", "अण्णाला मराठी पुस्तकं वाचायला आवडतात, " * 40),
    "one long word": ("k" * 256, "क्ष" * 400),
}


def shown(name: str, result: wire.Result, screen: Screen = SCREEN) -> list[str]:
    """Show a result as its verb does, taken as it comes out of its frame."""
    verb = next(verb for verb in every() if verb.name == name)
    assert isinstance(verb, DaemonVerb)
    return "\n".join(verb.show(msgspec.to_builtins(result), screen)).split("\n")


def day_results(key: str, content: str, memory: wire.Record) -> dict[str, wire.Result]:
    """Make results of the verbs about days, the week and what ends, with texts of any length and script."""
    touched = wire.Touched(id="m-1", key=content, level="PUBLIC", status="active")
    ending = msgspec.structs.replace(memory, expires_at=MOMENT)
    promise = wire.Promise(id="p", text=content, level="PUBLIC", status="due", created=MOMENT, deadline=MOMENT)
    day = wire.Wellness(
        id="w", date="2026-11-30", mood=content, level="PUBLIC", recorded=MOMENT, sleep_quality=content, note=content
    )
    rule = wire.Rule(rule="shadowed", memory=touched, says=content, hint=content)
    return {
        "week": wire.Weekly(
            since=MOMENT,
            counts={"learned": 1},
            items=[wire.Item(about="learned", memory=memory, against=memory, note=content)],
        ),
        "erase": wire.Erased(count=1, memories=[touched], level="PUBLIC"),
        "expire": wire.Expired(count=1, memories=[touched], remind=[ending]),
        "why-not": wire.Hidden(level="PUBLIC", rules=[rule]),
        "promise list": wire.Promises(promises=[promise]),
        "wellness list": wire.WellnessTold(notes=[day]),
        "alias list": wire.Aliases(aliases=[wire.Alias(alias=key, entity=content, level="PUBLIC", at=MOMENT)]),
    }


@pytest.mark.parametrize(("key", "content"), TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(
    "name",
    [
        "review",
        "recall",
        "stats",
        "suppressions",
        "forget",
        "week",
        "erase",
        "expire",
        "why-not",
        "promise list",
        "wellness list",
        "alias list",
    ],
)
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
    lines = shown(name, (results | day_results(key, content, memory))[name])
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


def test_a_card_says_whether_a_memory_is_pinned_and_its_quote_was_heard(record: Made) -> None:
    """Who pinned a memory sees it, and a quote that the daemon heard is told from one that it did not."""
    plain = record(key="k", content="c", quote="yes")
    shown_plain, shown_both = (
        "\n".join(shown("get", wire.Got(memory=each)))
        for each in (plain, msgspec.structs.replace(plain, pinned=True, attested=True))
    )
    assert "pinned" not in shown_plain and "heard" not in shown_plain
    assert "no agent replaces, denies or expires it" in shown_both and "“yes”, heard by the daemon" in shown_both


def test_a_dream_that_stopped_says_why() -> None:
    """A wrong clock is the first thing to look at."""
    dreamt = wire.Dreamt(level="PUBLIC", materialised=0, expired=900, asked_again=0, conflicts=[], stopped=True)
    assert "900 memories would expire at once" in shown("decay", dreamt)[0]


def test_a_dream_that_was_sure_says_the_way_back() -> None:
    """What it expired comes back by its session, and pairs that say the same are named."""
    dreamt = wire.Dreamt(
        level="PUBLIC",
        materialised=5,
        expired=1,
        asked_again=0,
        conflicts=["m"],
        more=40,
        similar=[["m-1", "m-2"]],
        session="dream-1",
    )
    lines = shown("decay", dreamt)
    assert "  contested  41 that a proposal contradicts" in lines
    assert lines[-2:] == ["  m-1 and m-2", "`memtrigctl undo --session dream-1` brings back what it expired."]


def test_why_not_names_each_rule() -> None:
    """First what the session gets, then which rule hides which row, why, and the way out."""
    low, high = (
        wire.Touched(id=f"m-{level[0]}", key="user.tea", level=level, status="active") for level in ("PUBLIC", "SECRET")
    )
    rule = wire.Rule(rule="level", memory=high, says="It is above the session.", hint="Raise the session.")
    assert shown("why-not", wire.Hidden(level="PUBLIC", served=low, rules=[rule])) == [
        "A session at PUBLIC gets m-P, active at PUBLIC: user.tea",
        "",
        "level hides m-S, active at SECRET: user.tea",
        "  It is above the session.",
        "  Raise the session.",
    ]
    assert shown("why-not", wire.Hidden(level="PUBLIC")) == [
        "A session at PUBLIC gets nothing by this name.",
        "No rule hides anything of it.",
    ]


def test_the_whole_of_a_long_text_is_where_it_is_said_to_be(record: Made) -> None:
    """What is not served can't be got: its history has it."""
    for status, verb in (("active", "get"), ("pending", "history"), ("forgotten", "history")):
        memory = record(content="Likes", content_bytes=3000, status=status)
        lines = shown("review", wire.Reviewed(items=[wire.Item(about="pending", memory=memory)]))
        assert any(f"3,000 bytes: `memtrigctl {verb} KEY` shows all" in line for line in lines)


def test_a_history_that_lacks_its_beginning_says_so(record: Made) -> None:
    """What found no room is not taken for what never was."""
    memories = [record()]
    for name in ("history", "why"):
        lines = shown(name, wire.Told(memories=memories, steps=[], more=7, earlier=1200))
        assert "Not shown, for want of room: 7 older memories and 1,200 older steps." in lines
        assert not any("Not shown" in line for line in shown(name, wire.Told(memories=memories, steps=[])))
    assert "Not shown, for want of room: 3 more." in shown("why-not", wire.Hidden(level="PUBLIC", more=3, rules=[RULE]))
    ending = [record(expires_at=MOMENT)]
    assert shown("expire", wire.Expired(count=0, memories=[], remind=ending, more=4))[-1] == "and 4 more"


def test_more_than_is_named_is_counted() -> None:
    """The answer to a great forgetting names a hundred and counts all."""
    touched = [wire.Touched(id="m", key="k", level="INTERNAL", status="forgotten")]
    assert "and 119 more" in shown("forget", wire.Forgotten(count=120, memories=touched, levels=["INTERNAL"]))
