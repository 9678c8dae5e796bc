"""Snippets: the piece of a long text that shows why it was found."""

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtrigd.search.analyser import query_terms
from memtrigd.search.snippet import BYTES, LIMIT, MARKED, between_clusters, between_words, snippet

ENGLISH = "She gets up at six every morning and runs in the park. ", "The spare key is under the blue flowerpot. "
CHINESE = "她每天早上六点起床，去公园跑步，然后回家做早饭。", "备用钥匙在蓝色花盆下面，别告诉邻居。"
MARATHI = "ती रोज सकाळी सहा वाजता उठते आणि बागेत फिरायला जाते. ", "जास्तीची किल्ली निळ्या कुंडीखाली आहे, कोणालाही सांगू नकोस. "
HINDI = "वह रोज़ सुबह छह बजे उठती है और पार्क में दौड़ती है। ", "फ़ालतू चाबी नीले गमले के नीचे है। "
THAI = "ผู้ใช้ชอบดื่มชาเขียวในตอนเช้าและอ่านหนังสือ", "กุญแจอยู่ใต้กระถางสีน้ำเงิน"
KOREAN = "그녀는 매일 아침 여섯 시에 일어나 공원에서 달린다. ", "여분 열쇠는 파란 화분 아래에 있다. "
TEXTS = st.one_of(
    st.text(max_size=3000),
    st.lists(
        st.sampled_from([*"a e\u0301🙂👨‍👩‍👧🏽\n.。क्षि中ใ", *ENGLISH, *CHINESE, *MARATHI, *THAI, "x" * 400]),
        max_size=80,
    ).map("".join),
)
QUERIES = st.one_of(st.text(max_size=40), st.sampled_from([each for _, each in (ENGLISH, CHINESE, MARATHI, THAI)]))


def shown(text, query):
    """Return the snippet of a text for a question."""
    return snippet(text, query_terms(query))


def inner(piece):
    """Return a snippet without its marks."""
    return piece.removeprefix(MARKED).removesuffix(MARKED)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        (ENGLISH, "Where's the spare key?", "spare key is under the blue flowerpot"),
        (CHINESE, "备用钥匙在哪个花盆", "备用钥匙在蓝色花盆下面"),
        (MARATHI, "कुंडीखालची जास्तीची किल्ली", "जास्तीची किल्ली निळ्या कुंडीखाली"),
        (HINDI, "फालतू चाबी कहाँ है", "फ़ालतू चाबी नीले गमले"),
        (THAI, "กุญแจอยู่ที่ไหน", "กุญแจอยู่ใต้กระถาง"),
        (KOREAN, "열쇠가 어느 화분 아래에", "열쇠는 파란 화분 아래에"),
    ],
)
@pytest.mark.parametrize(("before", "behind"), [(0, 200), (100, 100), (200, 0)])
def test_the_piece_that_answers_is_shown(text, query, expected, before, behind):
    """In whichever script, and wherever it stands in the text; what is left out is marked on its side."""
    filling, answer = text
    piece = shown(filling * before + answer + filling * behind, query)
    assert expected in piece
    assert (piece.startswith(MARKED), piece.endswith(MARKED)) == (before > 0, behind > 0)


@pytest.mark.parametrize(
    ("text", "query"),
    [("Café au lait at Zoë's", "zoes cafe"), ("they WENT home", "going"), ("the userName field", "user name")],
)
def test_other_forms_of_a_word_are_matches(text, query):
    """As the index finds them: accents, irregular forms, the words of a name."""
    assert text in shown("nothing here. " * 500 + text + " nothing there." * 500, query)


def test_the_window_with_most_of_the_question_wins():
    """More of its words count more than one of them said often."""
    text = "the key, the key, the key. " + "filler " * 200 + "a spare key in the flowerpot. " + "filler " * 200
    assert "spare key in the flowerpot" in shown(text, "spare key flowerpot")


def test_a_snippet_begins_with_a_sentence_if_one_begins_near():
    """It reads better."""
    text = "filler words. " * 100 + "She keeps the needle in the drawer. " + "more words. " * 100
    assert shown(text, "needle").startswith(MARKED + "filler words. ")
    assert "She keeps the needle" in shown(text, "needle")


def test_only_a_part_may_be_looked_at():
    """What matches elsewhere is not shown, and without a match it is the beginning of that part."""
    text = "The kettle is red. " * 40 + "The garden gate squeaks. " * 40 + "The kettle is blue. " * 40
    third = (19 * 40 / len(text), (19 + 25) * 40 / len(text))
    assert "blue" in snippet(text, query_terms("kettle"), part=(0.7, 1.0)) and "red" in shown(text, "kettle")
    for asked in ("kettle", "gate"):
        assert "gate squeaks" in snippet(text, query_terms(asked), part=third)


def test_without_a_match_it_is_the_beginning():
    """As of a hit that another thing than its words speaks for."""
    text = "Once upon a time " + "and so on " * 500
    assert text.startswith(inner(shown(text, "tea"))) and inner(shown(text, "!!!")).startswith("Once upon")


@pytest.mark.parametrize("text", ["", "short", "字" * LIMIT, "क्षि" * (LIMIT // 4), "\n " * (LIMIT // 2)])
def test_a_short_text_comes_whole(text):
    """Up to the limit, whatever its bytes."""
    assert shown(text, "text") == text


@given(text=TEXTS, query=QUERIES)
@example(text="x" * 5000, query="x")
@example(text="👨‍👩‍👧‍👦" * 500, query="👨‍👩‍👧‍👦")
@example(text="क्" * 500, query="क")
@example(text=ENGLISH[0] * 20 + CHINESE[0] * 20, query="公园跑步 park")
def test_a_snippet_is_a_bounded_piece_of_the_text(text, query):
    """As it stands there, within both limits, never empty where the text is not, and marked where it was cut."""
    piece = shown(text, query)
    if len(text) <= LIMIT:
        assert piece == text
        return
    assert len(piece) <= LIMIT and len(piece.encode()) <= BYTES + LIMIT // 2
    bare = inner(piece)
    assert bare in text and (bare or not text.strip())
    if text.strip() != text[:0]:
        assert piece.startswith(MARKED) or text.lstrip().startswith(bare)
        assert piece.endswith(MARKED) or text.rstrip().endswith(bare)


@given(
    filling=st.sampled_from([CHINESE[0], MARATHI[0], HINDI[0], THAI[0], KOREAN[0], "👩🏽‍🚀🇮🇳é "]),
    at=st.integers(0, 60),
    query=QUERIES,
)
def test_no_cluster_is_cut(filling, at, query):
    """Of Devanagari conjuncts, Thai vowels, Hangul and emoji: what stands behind a cut stands for itself."""
    text = filling[at % len(filling) :] + filling * 60
    bare = inner(shown(text, query + filling[:7]))
    place = text.index(bare)
    assert between_clusters(text, place) and between_clusters(text, place + len(bare))
    assert place == 0 or unicodedata.category(bare[0])[0] != "M"


@pytest.mark.parametrize(
    "clusters",
    [
        ["क्षि", "त्र", "ज्ञा", "नी", "हूँ"],
        ["e\u0301", "e", "ก", "ที่", "น้ำ"],
        ["👩🏽\u200d🚀", "🇮🇳", "🙂", "❤\ufe0f", "字", "각", "\u1100\u1161\u11a8"],
        ["স্থি", "த்தி", "a", "\r\n", "b"],
    ],
)
def test_what_is_read_as_one_character_is_not_cut(clusters):
    """Conjuncts with their vowel signs, accents, emoji with skins and joiners, flags, jamo."""
    text = "".join(clusters)
    ends = [len("".join(clusters[:n])) for n in range(len(clusters) + 1)]
    assert [place for place in range(len(text) + 1) if between_clusters(text, place)] == sorted(set(ends))


def test_words_are_cut_only_where_there_is_no_other_way():
    """Between words of scripts with spaces, anywhere between clusters of those without; a blob has no words."""
    text = "abc देवनागरी 中文字 x"
    assert [place for place in range(len(text) + 1) if between_words(text, place)] == [
        0,
        3,
        4,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
    ]
    piece = shown(MARATHI[0] * 50, "बागेत")
    assert all(word in MARATHI[0].split() for word in inner(piece).split())
    assert len(shown("x" * 5000, "y")) == LIMIT - 1


def test_the_longest_memory_is_looked_through_at_once():
    """A mebibyte of one word, of many, and without a space: a search may have a hundred of them."""
    for text in ("word number " * 87_000 + "needle", "x" * (1 << 20), "字" * 349_000, "किल्ली " * 58_000):
        began = time.process_time()
        shown(text, "numbers of needles, xs and 字 किल्ली")
        assert time.process_time() - began < 1
