"""memtrigctl search: what it asks, and how hits look on a terminal in every script."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.ctl import main
from memtrig.ctl.render import Screen, width
from memtrig.ctl.spans import here
from memtrig.ctl.verbs.search import VERB

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
Made = Callable[..., wire.Record]
TEXTS = {
    "en": "…of the garden. The spare key is under the blue flowerpot. Do not tell the neighbours, they would use it…",
    "zh": "…关于花园的会议记录。备用钥匙在蓝色花盆下面，别告诉邻居，他们会用的。大家讨论了很久，晚上才回家，买了花…",
    "mr": "…बागेबद्दल नोंदी. जास्तीची किल्ली निळ्या कुंडीखाली आहे, कोणालाही सांगू नकोस. बैठक खूप वेळ चालली, मग सगळे घरी गेले…",
}


def lines(screen: Screen, *hits: wire.Record, **more: Any) -> list[str]:
    """What is shown of an answer."""
    found = msgspec.to_builtins(wire.Found(results=list(hits), **more))
    return VERB.show(found, screen)


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_long_hits_are_blocks_that_fit_the_terminal(language: str, columns: int, record: Made) -> None:
    """The piece that was found is read to its end, in columns of every script, with what it is and why it is here."""
    text = TEXTS[language]
    hit = record(key="钥匙.किल्ली", content=text, content_bytes=20_000, why=["words", "neighbour"])
    shown = lines(Screen(columns, now=NOW), hit)
    assert all(width(line) <= columns for line in shown)
    assert len(shown) > 2 and all(line.startswith("  ") for line in shown[1:])
    said = "".join("".join(shown[1:]).split())
    assert "".join(text[1:20].split()) in said
    if columns >= 80:
        assert shown[0].startswith("钥匙.किल्ली  ") and shown[0].endswith("words, neighbour")
        assert "20,000bytes" in said and "……" not in said


def test_short_hits_are_rows_of_a_table(record: Made) -> None:
    """A look is enough; one that does not fit makes blocks of all, so that each shows what was found."""
    short = record(key="tea", content="no sugar", why=["words"])
    shown = lines(Screen(80, now=NOW), short, short)
    assert len(shown) == 3 and shown[0].startswith("KEY") and "no sugar" in shown[1]
    assert lines(Screen(80, now=NOW), short, record(key="k", content="word " * 30))[0].endswith("words")
    assert lines(Screen(now=NOW), record(key="k", content="word " * 30))[1].endswith("word")


def test_what_has_no_room_and_a_model_that_is_not_ready_are_told(record: Made) -> None:
    """Nothing is left out silently, not even all of it."""
    assert lines(Screen(now=NOW)) == ["Nothing found."]
    assert lines(Screen(now=NOW), left_out=1) == ["1 more has no room in --max-tokens."]
    shown = lines(Screen(80, now=NOW), record(content="x"), left_out=1200, warming=True)
    assert shown[-2].startswith("1,200 more have no room") and "not ready yet" in shown[-1]


def test_options_are_the_fields_of_the_request(control: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by its name; the zone is that of here unless it is said."""
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    daemon = control(wire.Found(results=[]), wire.Found(results=[]))
    said = ["--kind", "event", "--tag", "a", "--tag", "b", "--entity", "Asha", "--source", "stated", "-n", "3"]
    home = ["--json", "--home", str(tmp_path)]
    assert main(["search", "q", *said, "--max-tokens", "500", "--full", "--lexical", *home]) == 0
    assert main(["search", "q", "--zone", "UTC", *home]) == 0
    first, second = (act.request for act in daemon.heard)
    narrow = {"kind": "event", "tags": ["a", "b"], "entity": "Asha", "source": "stated", "max_results": 3}
    asked = narrow | {"max_tokens": 500, "full": True, "lexical": True, "zone": "Asia/Kolkata"}
    assert first == wire.Search(query="q", **asked)  # type: ignore[arg-type]
    assert second == wire.Search(query="q", zone="UTC")


def test_json_names_what_is_usual(
    control: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str], record: Made
) -> None:
    """Programs need not know what a frame leaves out."""
    control(wire.Found(results=[record()], left_out=2, how="hybrid"))
    assert main(["search", "q", "--json", "--home", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["left_out"], told["how"], told["warming"], told["results"][0]["why"]) == (2, "hybrid", False, [])


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("Asia/Kolkata", "Asia/Kolkata"),
        (":America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("UTC", "UTC"),
        ("IST-5:30", None),
        ("../etc/passwd", None),
        ("", None),
    ],
)
def test_the_zone_of_here_is_named_only_by_a_name(said: str, zone: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule of POSIX is none that the daemon would know; then its own holds."""
    monkeypatch.setenv("TZ", said)
    assert here() == zone
