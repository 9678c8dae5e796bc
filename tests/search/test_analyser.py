"""What a text is made of: a memory is found by what people type."""

import hashlib
import sys
import threading
import time
import unicodedata
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer

from memtrigd.search.analyser import MOST_TIMES, STEMMED, VERSION, memory_terms, query_terms, terms, whole_terms

ANY_TEXT = st.text() | st.text(st.characters(codec=None))
"""All of Unicode, lone surrogates included."""
PIECES = "don't a\u093c C++ a--b userName क़लम ऱ각 中 ไทย 👩🏽\u200d💻 🇮🇳 café ﬁ İ ' /-/ _ 12 ٣ Pythonमध्ये"
AWKWARD = st.lists(
    st.sampled_from(PIECES.split())
    | st.sampled_from([" ", "\n", "\u3000", "\u200d", "\ud800", "\ue000", "\u0301", "\ufe0f", "x" * 80])
).map("".join)
"""Pieces that analysers stumble over, glued together at random."""


def finds(query: str, content: str) -> bool:
    """Tell whether a question has a term in common with a memory."""
    return bool(set(query_terms(query)) & set(terms(content)))


@given(ANY_TEXT | AWKWARD)
def test_any_text_has_terms_that_can_be_stored(text):
    """Whatever is said, the analyser answers, with terms that are not empty, have no white space and are UTF-8."""
    for term in terms(text):
        assert term
        assert not any(c.isspace() for c in term)
        assert term.encode()
        assert len(term) <= 64


@given(ANY_TEXT | AWKWARD)
def test_a_text_finds_itself(text):
    """The terms of a question are terms that the same text is indexed by, each once, and none only where none are."""
    asked = query_terms(text)
    assert len(asked) == len(set(asked))
    assert set(asked) <= set(terms(text))
    assert bool(asked) == bool(terms(text))


@given(ANY_TEXT | AWKWARD)
def test_composed_and_decomposed_text_are_one(text):
    """BR-047: how a keyboard composes letters makes no difference to any term."""
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@given(st.lists(st.sampled_from(["warnings", "中文", "घर", "node.js", "🙂"])))
def test_repeats_are_kept_for_the_index(parts):
    """The index counts mentions, so each mention is there."""
    assert len(terms(" ".join(parts))) == sum(len(terms(part)) for part in parts)


@pytest.mark.parametrize("query", ["ask-codex", "pre-edit-check", "-foo", "foo-"])
def test_hyphens_are_text(query):
    """BR-041: a hyphen is no operator; what is typed finds what was saved, and so does each of its words."""
    assert finds(query, f"run {query} first")
    assert all(finds(word, query) for word in query.split("-") if word)


def test_an_identifier_is_kept_whole_and_split():
    """BR-041: the whole name tells more than its words, and each word finds it."""
    assert terms("user-name") == ["user-name", "user", "name"]
    assert terms("--error-on-warnings") == terms("error-on-warnings")
    assert "error-on-warnings" in query_terms("--error-on-warnings")


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        ("snake_case", ["snake", "case", "snake_case"]),
        ("userName", ["user", "name", "username"]),
        ("XMLHttpRequest", ["xml", "http", "request"]),
        ("python3", ["python", "python3"]),
        ("src/main.py", ["src", "main.py", "main", "src/main.py"]),
        ("https://example.com/a-b?q=1", ["example.com", "example", "a-b"]),
        ("me@example.com", ["example.com", "me@example.com"]),
        ("APIs", ["API"]),
    ],
)
def test_the_parts_of_a_name_find_it(saved, words):
    """Names of code, paths and addresses are found by the parts that people remember."""
    assert all(finds(word, saved) for word in words)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("don't", "don’t"),
        ("O'Brien", "O’Brien"),
        ("user's", "user’s"),
        ("it's", "it''s"),
        ("l'été", "l’e\u0301te\u0301"),
    ],
)
def test_straight_and_curly_apostrophes_are_alike(left, right):
    """BR-043: the apostrophe of a keyboard and that of a book are one."""
    assert terms(left) == terms(right) != []


def test_an_apostrophe_hides_no_word():
    """BR-043: possessives and elisions are found by the word inside."""
    assert finds("Brien", "O’Brien called")
    assert finds("obrien", "O’Brien called")
    assert finds("été", "pendant l’été")
    assert finds("user", "the user's name")
    assert not finds("ill", "I'll come")


@pytest.mark.parametrize(
    ("query", "other"), [("GB/s", "GB"), ("C++", "C"), ("node.js", "node"), ("38.101", "38"), ("C#", "C"), ("a:b", "b")]
)
def test_signs_inside_names_tell(query, other):
    """BR-044: a name with signs has a term of its own, which the bare word lacks."""
    assert set(terms(f"with {query}, always.")) >= set(query_terms(query))
    assert not set(query_terms(query)) <= set(terms(other))


@pytest.mark.parametrize("query", ["(x OR", "NEAR(", "AND", '"x', "{} x", "x^", "what's the deal?", "x*"])
def test_nothing_is_an_operator(query):
    """BR-044, and the first seed's fault of throwing on plain questions: signs of query languages are text."""
    assert query_terms(query)


@pytest.mark.parametrize("query", ["中文", "优", "先", "文优"])
def test_one_and_two_characters_find_a_chinese_phrase(query):
    """BR-046: words of one and two characters are found inside a sentence without spaces."""
    assert finds(query, "中文优先")


def test_chinese_pairs_cross_no_space_and_no_script():
    """A pair of characters is a word only where both stand together in one script."""
    assert "文优" not in terms("中文 优先")
    assert "べ物" not in terms("食べ物")
    assert finds("手冲咖啡", "我喜欢手冲咖啡。")


def test_words_glued_to_chinese_are_found():
    """Latin words and identifiers between Chinese characters stand for themselves."""
    assert {"python", "node.js", "程序"} <= set(terms("我用Python写node.js程序"))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("query", ["회의록", "회의", "회의록을", "회의록은"])
def test_korean_particles_hide_no_word(query, form):
    """BR-047: a noun is found whatever particle follows it, in either composition."""
    assert finds(unicodedata.normalize(form, query), "회의록을 정리한다")


@pytest.mark.parametrize(
    ("saved", "query"),
    [
        ("안녕하세요 세계", "세계"),
        ("책을 읽는다", "책"),
        ("Она читает книги", "книга"),
        ("Μου αρέσει ο καφές", "ΚΑΦΕΣ"),
        ("أحب القهوة", "قهوة"),
        ("שָׁלוֹם עולם", "שלום"),
        ("ผมชอบกินข้าวผัด", "ข้าวผัด"),
        ("ຂ້ອຍມັກກາເຟ", "ກາເຟ"),
        ("ខ្ញុំចូលចិត្តកាហ្វេ", "កាហ្វេ"),
        ("ကျွန်တော်ကော်ဖီကြိုက်တယ်", "ကော်ဖီ"),
        ("वापरकर्त्याचे नाव", "वापरकर्ता"),
        ("मुझे हिन्दी पसंद है", "हिंदी"),
        ("আমি চা ভালোবাসি", "চা"),
        ("コーヒーを飲む", "コーヒー"),
        ("सन १९४७ मध्ये", "1947"),
    ],
)
def test_every_script_is_found(saved, query):
    """BR-049: a word of a sentence finds it in every writing system."""
    assert finds(query, saved)


@pytest.mark.parametrize(
    ("left", "right"), [("cafe", "café"), ("Lodz", "ŁÓDŹ"), ("strasse", "Straße"), ("елка", "Ёлка")]
)
def test_accents_fold_both_ways(left, right):
    """BR-049: with and without accents and capitals a word is one, and none loses a letter."""
    assert query_terms(left) == query_terms(right)
    assert query_terms("café") != query_terms("caf")


@pytest.mark.parametrize("word", ["घर", "घराचे", "घरात", "घराच्या", "घराला", "घरामुळे"])
def test_marathi_cases_hide_no_word(word):
    """A Marathi noun is found by its bare form in every case: they share a stem, not only trigrams."""
    assert query_terms("घर")[0] in terms(word)


def test_a_devanagari_syllable_is_no_word():
    """The first seed's fault: a matra is no border of words, so मर is no word of मेमरी and shares nothing with it."""
    assert not finds("मर", "मेमरी")


def test_a_trigram_is_no_word():
    """Fragments of Devanagari words and whole words are different terms, though the letters are the same."""
    assert not set(query_terms("घरटे")[1:]) & {"घरट", "रटे", "घर"}
    assert query_terms("घर")[0] not in terms("घरटे")


@pytest.mark.parametrize("text", ["", "   ", "!!!", "...", "—", "\ud800", "\ue000", "\u0301", "'", "/-/"])
def test_what_says_nothing_has_no_terms(text):
    """BR-050: punctuation and white space are no terms."""
    assert terms(text) == query_terms(text) == []


@pytest.mark.parametrize(
    ("query", "saved"),
    [("🙂", "ok 🙂"), ("❤", "❤️"), ("💻", "👩🏽‍💻"), ("👩🏽‍💻", "👩🏽‍💻!"), ("👍", "👍🏽"), ("🇮🇳", "🇮🇳🇩🇪")],
)
def test_an_emoji_is_found_by_itself(query, saved):
    """BR-050: emoji are terms: whole, without skin tone, and the pictures that a sequence is made of."""
    assert finds(query, saved)


def test_another_emoji_is_not_found():
    """BR-050: one picture is not another."""
    assert not finds("🙃", "ok 🙂")
    assert not finds("🇳🇩", "🇮🇳🇩🇪")


def test_forms_that_no_rule_takes_off_are_one_word():
    """Who asks where she went finds that she goes, and the other way round; a form that is a word of its own stays."""
    assert finds("children who wrote", "a child") and finds("Where do they write?", "It was written there.")
    assert finds("When did she go?", "Yesterday she Went.")
    assert not finds("grinding", "the ground")


def test_an_analyser_that_makes_other_terms_has_another_version():
    """A level's index is made anew when the version changes: whoever changes a term here counts VERSION up."""
    said = f"{PIECES} user-name GB/s 38.101 --error children wrote running घराच्यामुळे 한국어를 日本語で ภาษาไทย русский"
    digest = hashlib.blake2b(" ".join(terms(said)).encode(), digest_size=4).hexdigest()
    assert (VERSION, digest) == (1, "31b7e0cf")


def test_stop_words_leave_questions_only():
    """Function words leave a question, unless it has nothing else; the index keeps them."""
    assert query_terms("What is the user's name?") == ["user", "name"]
    assert query_terms("AND") == ["and"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]
    assert query_terms("घर कहाँ है") == query_terms("घर")
    assert "的" not in query_terms("我的猫")
    assert terms("the who") == ["the", "who"]


def test_of_a_memory_key_text_entity_tags_and_context_are_searched():
    """The first seed indexed agent and level too, so that the word "public" found everything; here they can't enter."""
    found = memory_terms("user-name", "is called Asha", "Asha Patil", ("persona", "new-hire"), "cheerful")
    assert found == [
        *("user-name", "user", "name", "is", "call", "asha", "asha", "patil"),
        *("persona", "new-hire", "new", "hire", "cheer"),
    ]
    assert memory_terms("k", "v", None, (), None) == ["k", "v"]


def test_threads_that_analyse_at_once_agree():
    """The writer and the read lane analyse at the same time; neither spoils the other's stems."""
    share = {
        name: [f"{name}{a}{b}nationalities" for a in "bcdfghklmnpqrstvwz" for b in "bcdfghklmnpqrstvwz"]
        for name in "tvwz"
    }
    found = {}

    def work(name):
        found[name] = terms(" ".join(share[name]))

    threads = [threading.Thread(target=work, args=(name,)) for name in share]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == {name: [EnglishStemmer().stemWord(word) for word in words] for name, words in share.items()}


@pytest.mark.parametrize(
    "blob",
    [
        *("a-", "/a--", "中", "क्", "x" * 70 + " "),
        *(
            pytest.param(blob, marks=pytest.mark.slow)
            for blob in ("a", "aB", "'", "-", "가", "👍\u200d", "\u0301", "ab1")
        ),
    ],
)
def test_a_mebibyte_of_anything_takes_linear_time(blob):
    """A text of the greatest size, however repetitive, costs processor seconds and not minutes."""
    before = time.process_time()
    terms(blob * ((1 << 20) // len(blob.encode())))
    assert time.process_time() - before < 8


def test_a_long_blob_is_found_whole():
    """What is too long for a term is not cut: the whole finds it, what merely begins alike does not."""
    blob = "x" * 500
    assert finds(blob, f"token {blob}.")
    assert not finds(blob + "y", blob)


@pytest.mark.slow
def test_a_text_of_nothing_but_new_words_is_bounded() -> None:
    """After STEMMED different words the others are indexed as they stand, and are found as they stand."""
    made_up = ["a" + "".join(letters) + "ks" for letters in islice(product("abcdefghijklm", repeat=4), STEMMED + 10)]
    found = terms(" ".join(made_up))
    assert made_up[0] not in found and made_up[0][:-1] in found
    assert made_up[-1] in found


def test_a_word_without_end_counts_so_often_and_no_more() -> None:
    """A text of one word a hundred thousand times must not slow down everybody's search for that word."""
    assert memory_terms("", "tea " * 100_000, None, (), None).count("tea") == MOST_TIMES


@pytest.mark.parametrize(
    "unseen", ["\u200b", "\xad", "\u061c", "\u180e", "\u2060", "\u206a", "\u3164", "\ufeff", "\U000e0041"]
)
def test_what_nobody_sees_splits_no_word(unseen: str) -> None:
    """A word with an invisible character in it is found by whoever types it; between Thai words it is their bound."""
    assert terms(f"cof{unseen}fee") == terms("coffee")
    assert terms("กาแฟ\u200bร้อน") == terms("กาแฟ ร้อน")


@pytest.mark.parametrize("asked", ["--error-on-warnings", "-error-on-warnings", " --error-on-warnings\n"])
def test_an_option_is_an_identifier_as_it_stands(asked: str) -> None:
    """Who asks for it means the text that has it, before those that have its words."""
    whole = whole_terms(asked)
    assert whole and set(whole) <= set(terms("CI runs with --error-on-warnings."))
    assert not set(whole) & set(terms("an error is shown, and on top of it warnings"))
    assert whole_terms("--") == whole_terms("-- two words") == ()
