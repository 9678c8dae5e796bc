"""search end to end: what was saved is found by plain words in many scripts, and no text is an error."""

from collections.abc import Iterator

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent

TEXTS = {
    "codex": "Use ask-codex before pre-edit-check; foo is off",
    "agents": "We don't use agents; it's O'Brien's rule",
    "rate": "The disk reads 3 GB/s",
    "price": "The share stood at 38.101 points",
    "node": "The server runs on node.js",
    "cpp": "The engine is written in C++",
    "korean": "사용자는 녹차를 좋아한다",
    "russian": "Пользователь любит чай",
    "greek": "Ο χρήστης πίνει τσάι",
    "arabic": "المستخدم يحب الشاي",
    "hebrew": "המשתמש אוהב תה",
    "thai": "ผู้ใช้ชอบชา",
    "marathi": "वापरकर्ता चहा पितो",
    "chinese": "用户喜欢喝绿茶",
    "coffee": "Meet at the café on Sunday",
    "fish": "Pets: a 🐟 in the pond",
    **{f"weight-{n}": " ".join(["plum"] * n + ["filler"] * (6 - n)) for n in (1, 3, 6)},
}
ANYTHING = [
    "what's the deal?",
    "AND",
    "OR NOT",
    '"',
    "NEAR(",
    "NEAR(a b, 2)",
    "(x OR",
    "*",
    "{}",
    "^",
    "a:b",
    "-foo",
    "foo-",
]
ANYTHING += [
    "it''s",
    "'",
    ";--",
    "content:x",
    "%",
    "_",
    "\\",
    "\x1b[31m",
    "/",
    "٣",
    "a" * 5000,
    "\u202e",
    "x\u0301" * 50,
]


@pytest.fixture(scope="module", name="memory")
def _memory(shared_daemon: Daemon) -> Iterator[memtrig.Memory]:
    """A session in a store with one memory for each report."""
    with memtrig.connect(home=str(shared_daemon.home)) as memory:
        for key, content in TEXTS.items():
            memory.save(key, content)
        yield memory


def keys(memory: memtrig.Memory, query: str) -> list[str]:
    """The keys of the hits, the best first."""
    return [hit.key for hit in memory.search(query, max_results=100)]


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("ask-codex", "codex"),
        ("pre-edit-check", "codex"),
        ("-foo", "codex"),
        ("foo-", "codex"),
        ("don't use agents", "agents"),
        ("don’t use agents", "agents"),
        ("O’Brien", "agents"),
        ("it''s", "agents"),
        ("GB/s", "rate"),
        ("38.101", "price"),
        ("node.js", "node"),
        ("C++", "cpp"),
        ("c++", "cpp"),
        ("녹차", "korean"),
        ("чай", "russian"),
        ("χρήστης", "greek"),
        ("الشاي", "arabic"),
        ("תה", "hebrew"),
        ("ชา", "thai"),
        ("वापरकर्ता", "marathi"),
        ("绿茶", "chinese"),
        ("cafe", "coffee"),
        ("café", "coffee"),
        ("CAFÉ", "coffee"),
        ("🐟", "fish"),
    ],
)
def test_words_find_their_memory(memory: memtrig.Memory, query: str, key: str) -> None:
    """BR-041, BR-043, BR-044, BR-049, BR-050: literal text, apostrophes, slashes, every script, folded accents."""
    assert keys(memory, query)[:1] == [key]


@pytest.mark.parametrize("query", ["!!!", "🙂", "   ", "", "?", "—", "\u200b"])
def test_a_query_without_words_finds_nothing(memory: memtrig.Memory, query: str) -> None:
    """BR-050: never unrelated memories."""
    assert keys(memory, query) == []


@pytest.mark.parametrize("query", ANYTHING)
def test_no_text_is_an_error(memory: memtrig.Memory, query: str) -> None:
    """BR-041, BR-044: no query language leaks out of the index."""
    assert isinstance(keys(memory, query), list)


def test_the_strongest_match_comes_first(memory: memtrig.Memory) -> None:
    """BR-052: six mentions before three before one, at equal length, and scores fall."""
    hits = memory.search("plum")
    assert [hit.key for hit in hits] == ["weight-6", "weight-3", "weight-1"]
    scores = [hit.score or 0.0 for hit in hits]
    assert scores[0] > scores[1] > scores[2] > 0


def test_key_entity_tags_and_context_are_searched_and_labels_are_not(shared_daemon: Daemon) -> None:
    """Agent, session and level are no words of a memory."""
    with memtrig.connect(agent="zanzibar", home=str(shared_daemon.home)) as memory:
        saved = memory.save("kumquat-tree", "x", entity="Quetzal", tags=["wombat"], context="during the eclipse")
        for query in ("kumquat", "quetzal", "wombat", "eclipse"):
            assert keys(memory, query) == ["kumquat-tree"]
        for query in ("zanzibar", "internal", saved.id, str(memory.session)):
            assert "kumquat-tree" not in keys(memory, query)


def test_a_reply_has_a_bounded_size(shared_daemon: Daemon) -> None:
    """BR-038: what does not fit is shown by a piece, with its size; every hit is there; get has the whole."""
    with agent(shared_daemon, "restricted") as line:
        for n in range(30):
            line.ask(wire.Save(key=f"heavy-{n}", content=f"heavyweight {n} " + "x" * 99_000), wire.Saved)
        asked = wire.Search(query="heavyweight", max_results=100, full=True)
        hits = line.ask(asked, wire.Found).results
        assert len(hits) == 30
        assert sum(len(hit.content) for hit in hits) < 1_100_000
        cut = [hit for hit in hits if hit.content_bytes is not None]
        assert cut
        for hit in cut[:3]:
            whole = line.ask(wire.Get(id=hit.id), wire.Got).memory.content
            assert whole.startswith(hit.content.removesuffix("…"))
            assert len(whole.encode()) == hit.content_bytes


@pytest.mark.parametrize("count", [0, -1, 101, 2**63])
def test_a_count_out_of_range_is_refused(shared_daemon: Daemon, count: int) -> None:
    """1 to 100, and nothing is cut to it."""
    with agent(shared_daemon) as line:
        assert line.refusal(wire.Search(query="x", max_results=count)).code == "bad_value"
