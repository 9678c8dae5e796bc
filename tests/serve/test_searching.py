"""What a search may be asked for beside the question, and how what it finds is shown."""

import unicodedata
from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.limits import MAX_FRAME

from memtrigd.domain.moments import DAY, instant, to_iso
from memtrigd.search.snippet import LIMIT
from memtrigd.serve.glimpses import cost
from memtrigd.serve.lines import tokens
from tests.serve.harness import World
from tests.serve.worlds import Cast, is_a

LONG = {
    "en": (
        "Notes of a long meeting about the garden. " * 240,
        "The spare key is under the blue flowerpot. ",
        "spare key",
    ),
    "zh": ("关于花园的会议记录，大家讨论了很久。" * 190, "备用钥匙在蓝色花盆下面。", "备用钥匙"),
    "mr": ("बागेबद्दल लांबलेल्या बैठकीच्या नोंदी. " * 110, "जास्तीची किल्ली निळ्या कुंडीखाली आहे. ", "जास्तीची किल्ली"),
}
"""A text of 20 kB but for what is asked about, that, and the question."""


@pytest.fixture(name="cast")
def _cast(world: World) -> Cast:
    return Cast(world)


def find(cast: Cast, query: str, level: str = "INTERNAL", **asked: Any) -> wire.Found:
    """Ask, as an agent."""
    return is_a(wire.Found, cast.ask(level, wire.Search(query=query, **asked)))


def keys(cast: Cast, query: str, **asked: Any) -> list[str]:
    """The keys of what is found, the best first."""
    return [hit.key for hit in find(cast, query, **asked).results]


@pytest.mark.parametrize("language", LONG)
def test_ten_hits_of_twenty_kilobytes_are_a_small_answer(cast: Cast, language: str) -> None:
    """BR-037: each by the piece that answers, with how long it is, and its id gets the whole."""
    filling, answer, query = LONG[language]
    whole = {f"long-{n}": f"{filling}{answer}{n} {filling}"[: 40_000 + n] for n in range(10)}
    for key, content in whole.items():
        cast.save("INTERNAL", key, content)
    found = find(cast, query)
    assert len(found.results) == 10 and found.left_out == 0
    assert (
        len(msgspec.msgpack.encode(found)) < 9_000 and sum(len(hit.content.encode()) for hit in found.results) < 8_000
    )
    for hit in found.results:
        assert answer.strip(" .。") in hit.content and len(hit.content) <= LIMIT
        assert hit.content_bytes == len(whole[hit.key].encode()) >= 20_000
        assert hit.content.strip("…") in whole[hit.key] and hit.content.startswith("…") and hit.content.endswith("…")
        assert is_a(wire.Got, cast.ask("INTERNAL", wire.Get(id=hit.id))).memory.content == whole[hit.key]


def test_what_is_found_by_its_meaning_is_shown_where_that_is_said(cast: Cast) -> None:
    """No word of the question is in it: the passage that is nearest is shown, and not the beginning."""
    cast.world.models.use("made-up")
    said = ["sand and gravel for the path"] * 80
    said[55:62] = ["espresso espresso espresso espresso espresso espresso"] * 7
    cast.save("INTERNAL", "long", ". ".join(said))
    (hit,) = find(cast, "tea").results
    assert hit.why == ["meaning"] and "espresso" in hit.content and hit.content.startswith("…")


def test_notes_and_what_stands_beside_a_hit_are_shown_likewise(cast: Cast) -> None:
    """A long quote, context or reason makes an answer as long as a long content; lower copies do, too."""
    long = "once upon a time there was tea, " * 100
    cast.save("PUBLIC", "tea", long + "below")
    cast.save("INTERNAL", "tea", long, context=long, quote=long, reason=long)
    cast.save("PUBLIC", "tea", long + "newer")
    (hit,) = find(cast, "tea").results
    assert hit.newer_lower is not None
    shown = (hit.content, hit.context, hit.quote, hit.reason, hit.newer_lower.content)
    assert all(each is not None and len(each) <= LIMIT and each.endswith("…") for each in shown)
    assert hit.newer_lower.content_bytes == len(long) + 5


def test_short_contents_come_whole(cast: Cast) -> None:
    """And nothing says that there is more."""
    cast.save("INTERNAL", "tea", "茶" * LIMIT)
    (hit,) = find(cast, "茶").results
    assert hit.content == "茶" * LIMIT and hit.content_bytes is None


def test_full_brings_whole_contents_as_far_as_an_answer_has_room(cast: Cast) -> None:
    """Then pieces again: every hit is there, and the frame is one that can be sent."""
    for n in range(6):
        cast.save("INTERNAL", f"long-{n}", f"tea {n} " + "x" * 250_000)
    found = find(cast, "tea", full=True)
    whole = [hit for hit in found.results if hit.content_bytes is None]
    assert len(found.results) == 6 and len(whole) == 4 and all(len(hit.content) > 250_000 for hit in whole)
    assert len(msgspec.msgpack.encode(found)) < MAX_FRAME and found.left_out == 0


@pytest.mark.parametrize("text", ["a cup of tea {} in the morning ", "每天早上一杯茶{}。", "रोज सकाळी चहा {} घेते. "])
@pytest.mark.parametrize("full", [False, True])
def test_a_budget_of_tokens_is_kept_and_nothing_is_cut_silently(cast: Cast, text: str, full: bool) -> None:
    """Whatever the script, what is shown and what is left out are all there is, and more budget never shows less."""
    for n in range(12):
        cast.save("INTERNAL", f"k{n}", text.format(n) * (n + 1) * 3)
    query = text.format("")
    all_of_them = keys(cast, query, full=full, max_results=12)
    assert len(all_of_them) == 12
    shown = 0
    for budget in (1, 150, 400, 1000, 3000, 100_000):
        found = find(cast, query, full=full, max_results=12, max_tokens=budget)
        assert [hit.key for hit in found.results] == all_of_them[: len(found.results)]
        assert len(found.results) + found.left_out == 12 and len(found.results) >= shown
        assert sum(map(cost, found.results)) <= budget
        shown = len(found.results)
    assert shown == 12
    assert find(cast, query, max_results=5, max_tokens=1).left_out == 5


def test_the_estimate_of_tokens_holds_for_every_script(cast: Cast) -> None:
    """As the page of the protocol says: four characters a token, from U+0900 on one and a half; of all that is sent."""
    for n, text in enumerate(("tea in the morning", "早上喝茶", "सकाळी चहा")):
        cast.save("INTERNAL", f"k{n}", text)
        (hit,) = find(cast, text, entity=None, max_results=1).results
        sent = msgspec.json.encode(hit).decode()
        assert hit.content in sent
        dense = sum(each >= "\u0900" for each in sent)
        assert abs(cost(hit) - (dense / 1.5 + (len(sent) - dense) / 4)) <= 1
        assert cost(hit) == tokens(sent)


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_of_nothing_is_refused(cast: Cast, budget: int) -> None:
    """Rather than answered with nothing."""
    assert cast.ask("INTERNAL", wire.Search(query="x", max_tokens=budget)).code == "bad_value"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, {"a", "b", "c", "d"}),
        ({"kind": "event"}, {"b"}),
        ({"kind": " EVENT "}, {"b"}),
        ({"tags": ["home"]}, {"a", "b"}),
        ({"tags": ["home", "茶"]}, {"a"}),
        ({"entity": "आशा"}, {"a", "c"}),
        ({"entity": "ASHA"}, {"a", "c"}),
        ({"source": "user_explicit"}, {"c"}),
        ({"since": 1, "until": 3}, {"b", "c"}),
        ({"tags": ["home"], "since": 1}, {"b"}),
        ({"kind": "habit"}, set()),
        ({"entity": "nobody"}, set()),
    ],
)
def test_filters_let_only_that_through(cast: Cast, asked: dict[str, Any], expected: set[str]) -> None:
    """By kind, all of some tags, an entity by any of its names, source, and when it was last said."""
    cast.act(wire.AliasAdd(alias="आशा", entity="Asha"), "PUBLIC")
    began = cast.world.now
    memories: list[dict[str, Any]] = [
        {"entity": "Asha", "tags": ["home", "茶"]},
        {"kind": "event", "tags": ["home"]},
        {"entity": "आशा", "source": "user_explicit", "quote": "tea"},
        {},
    ]
    for n, (key, fields) in enumerate(zip("abcd", memories, strict=True)):
        cast.world.now = began + n * DAY
        cast.save("INTERNAL", key, f"tea number {n}", **fields)
    bounds = {name: to_iso(began + asked[name] * DAY) for name in ("since", "until") if name in asked}
    assert set(keys(cast, "tea", **{**asked, **bounds})) == expected


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"kind": "opinion"}, "bad_kind"),
        ({"source": "hearsay"}, "bad_source"),
        ({"entity": " "}, "bad_value"),
        ({"tags": [""]}, "bad_value"),
        ({"zone": "Mars/Olympus"}, "bad_value"),
        ({"zone": "../../etc/passwd"}, "bad_value"),
        ({"zone": ""}, "bad_value"),
    ],
)
def test_what_no_memory_can_be_is_refused(cast: Cast, asked: dict[str, Any], code: str) -> None:
    """A typing error is not answered with nothing, which would pass for an answer, even if the query is blank."""
    for query in ("tea", ""):
        assert cast.ask("INTERNAL", wire.Search(query=query, **asked)).code == code


def test_filters_change_neither_scores_nor_what_a_shadow_hides(cast: Cast) -> None:
    """An older copy below does not come back because the newer one above is filtered out."""
    cast.save("PUBLIC", "tea", "tea in the morning", kind="habit")
    cast.save("INTERNAL", "tea", "tea at night", kind="event")
    cast.save("INTERNAL", "more", "more tea", kind="habit")
    scores = {hit.key: hit.score for hit in find(cast, "tea").results}
    assert {hit.key: hit.score for hit in find(cast, "tea", kind="habit").results} == {"more": scores["more"]}


def test_each_hit_says_why(cast: Cast) -> None:
    """By codes, of which a host can make words."""
    cast.save("INTERNAL", "garden-gate", "It squeaks", entity="house")
    cast.save("INTERNAL", "other", "The gate of Asha", entity="Asha")
    why = {hit.key: hit.why for hit in find(cast, "garden-gate").results}
    assert why == {"garden-gate": ["key", "words"], "other": ["words"]}
    assert {hit.key: hit.why for hit in find(cast, "Asha's gate").results}["other"] == ["words", "name"]


@pytest.mark.parametrize(
    ("query", "zone"),
    [
        ("what happened yesterday?", "UTC"),
        ("昨天怎么样", "UTC"),
        ("काल काय झाले", "UTC"),
        ("on 12 March 2024", "UTC"),
        ("13 March 2024", "Pacific/Kiritimati"),
    ],
)
def test_a_question_about_a_day_finds_what_was_then(cast: Cast, query: str, zone: str) -> None:
    """Without a word in common, by the calendar of the caller's zone; not by words alone, if that is asked for."""
    then = "2024-03-12T12:00:00+00:00"
    cast.save("INTERNAL", "then", "mended the fence", valid_from=then)
    cast.save("INTERNAL", "long-before", "painted the shed", valid_from="2022-03-12T12:00:00+00:00")
    cast.world.now = instant("2024-03-13T09:00:00+00:00")
    (hit,) = find(cast, query, zone=zone).results
    assert (hit.key, hit.why) == ("then", ["date"])
    assert keys(cast, query, zone=zone, lexical=True) == []


def test_the_zone_tells_which_day_is_meant(cast: Cast) -> None:
    """At one moment the same question is about another day elsewhere."""
    cast.save("INTERNAL", "fence", "mended", valid_from="2024-03-10T12:00:00+00:00")
    cast.world.now = instant("2024-03-12T10:30:00+00:00")  # the 11th in Pago Pago, the 13th in Kiritimati
    assert keys(cast, "and yesterday?", zone="Pacific/Pago_Pago") == ["fence"]
    assert keys(cast, "and yesterday?", zone="Pacific/Kiritimati") == []


def test_by_words_alone_neighbours_are_not_found(cast: Cast) -> None:
    """What was said beside a match is a hit, unless only words are asked for."""
    for n, text in enumerate(("the fence is broken", "let us mend it", "with what?")):
        cast.save("INTERNAL", f"turn-{n}", text, valid_from=f"2024-03-12T12:0{n}:00+00:00")
    assert {hit.key: hit.why for hit in find(cast, "fence").results} == {"turn-0": ["words"], "turn-1": ["neighbour"]}
    assert keys(cast, "fence", lexical=True) == ["turn-0"]


def test_a_search_says_how_it_was_done(cast: Cast) -> None:
    """By words, where there is no model, and it is not waited for."""
    found = find(cast, "tea")
    assert (found.how, found.warming) == ("lexical", False)


def test_an_id_gets_what_is_served_and_nothing_else(cast: Cast) -> None:
    """Not what was replaced, what a copy above shadows, nor what is above; and by key or id, not both."""
    old = cast.save("PUBLIC", "tea", "green")
    assert is_a(wire.Got, cast.ask("INTERNAL", wire.Get(id=old))).memory.content == "green"
    new = cast.save("INTERNAL", "tea", "black")
    for level, gone in (("INTERNAL", old), ("PUBLIC", new), ("PUBLIC", "m" + "x" * 16)):
        assert cast.ask(level, wire.Get(id=gone)).code == "not_found"
    for request in (wire.Get(), wire.Get(key="tea", id=old)):
        assert cast.ask("INTERNAL", request).code == "bad_request"


@pytest.mark.parametrize(
    ("saved", "query"),
    [
        ("中文优先", "中文"),
        ("中文优先", "优"),
        ("회의록을 정리한다", "회의록"),
        ("회의록을 정리한다", unicodedata.normalize("NFD", "회의록")),
        ("🙂 at the fair", "🙂"),
    ],
)
def test_short_words_of_every_script_find_what_holds_them(cast: Cast, saved: str, query: str) -> None:
    """BR-046, BR-047, BR-050: one and two characters of Chinese, Korean in either composition, an emoji."""
    cast.save("INTERNAL", "k", saved)
    cast.save("INTERNAL", "other", "something else")
    assert keys(cast, query) == ["k"]


def test_the_same_text_in_another_composition_is_no_second_memory(cast: Cast) -> None:
    """BR-047: a second save in NFD is known."""
    cast.save("INTERNAL", "minutes", "회의록을 정리한다")
    again = cast.ask("INTERNAL", wire.Save(content=unicodedata.normalize("NFD", "회의록을 정리한다"), key="minutes"))
    assert again.outcome == "known" and keys(cast, "회의록") == ["minutes"]
