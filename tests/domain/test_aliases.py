"""Names of one entity: whole names, an equivalence, and never a part of a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.aliases import check, classes, meant_in, names_of, says
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import canonical

names = st.sampled_from(["Asha", "ASHA", "mum", "आई", "妈妈", "书店", "读书", "读书笔记软件选型", "Acme"])
pairs = st.lists(st.tuples(names, names), max_size=8)


@given(pairs, names)
def test_a_name_is_of_its_own_entity(known: list[tuple[str, str]], name: str) -> None:
    """Reflexive: its own canonical name comes first, and no name comes twice."""
    found = names_of(name, classes(known))
    assert found[0] == canonical(name)
    assert len(set(found)) == len(found)


@given(pairs, names, names, names)
def test_names_of_one_entity_are_an_equivalence(known: list[tuple[str, str]], one: str, two: str, three: str) -> None:
    """Symmetric and transitive, whatever the owner linked, in rings too."""
    same = classes(known)

    def are_one(left: str, right: str) -> bool:
        return canonical(right) in names_of(left, same)

    assert are_one(one, two) is are_one(two, one)
    assert are_one(one, three) or not (are_one(one, two) and are_one(two, three))
    if are_one(one, two):
        assert set(names_of(one, same)) == set(names_of(two, same))


@given(pairs)
def test_names_are_one_only_if_links_lead_from_one_to_the_other(known: list[tuple[str, str]]) -> None:
    """Against the plain closure: what is reached from a name step by step, and nothing else."""
    links = [(canonical(one), canonical(other)) for one, other in known]
    for start in {name for link in links for name in link}:
        reached = {start}
        for _ in links:
            reached |= {far for link in links for near, far in (link, link[::-1]) if near in reached}
        assert set(names_of(start, classes(known))) == reached


@given(pairs, st.permutations(range(8)))
def test_the_order_of_links_does_not_matter(known: list[tuple[str, str]], order: list[int]) -> None:
    """Levels are read one after the other, so the same links in another order are the same names."""
    again = [known[place] for place in order if place < len(known)]
    assert classes(again) == classes(known)


def test_a_part_of_a_name_is_another_name() -> None:
    """The second seed rewrote 书店 to 读书 and let 读书 swallow 读书笔记软件选型."""
    same = classes([("书", "读书")])
    assert names_of("书店", same) == ("书店",)
    assert names_of("读书笔记软件选型", same) == ("读书笔记软件选型",)
    assert meant_in("在书店门口合影", same) == ()
    assert meant_in("书店", same) == ()
    assert meant_in("读书笔记软件选型", same) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Where does Mum live?", "mum"),
        ("mum's birthday", "mum"),
        ("mum’s birthday", "mum"),
        ("what of (mum), then", "mum"),
        ("new york in spring", "new york"),
        ("आई कुठे आहे", "आई"),
        ("妈妈 喜欢什么？", "妈妈"),
        ("“妈妈”喜欢什么", "妈妈"),
        ("mummy and mum", "mum"),
    ],
)
def test_a_whole_word_is_said(text: str, name: str) -> None:
    """Beside spaces, punctuation and a possessive; at any place."""
    assert says(canonical(text), canonical(name))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mummy", "mum"),
        ("minimum", "mum"),
        ("mum2", "mum"),
        ("mum_box", "mum"),
        ("ann-marie", "ann"),
        ("marie-ann", "ann"),
        ("d'ann", "ann"),
        ("newyork", "new york"),
        ("आईस्क्रीम", "आई"),
        ("कि", "क"),
        ("我妈妈喜欢什么", "妈妈"),
        ("", "mum"),
    ],
)
def test_a_part_of_a_word_is_not_said(text: str, name: str) -> None:
    """A letter, a mark, a digit or a joined word beside it makes it another one."""
    assert not says(canonical(text), canonical(name))


@given(st.text(alphabet="ab -'’_1क\u094d書", max_size=12), st.text(alphabet="abक書", min_size=1, max_size=2))
def test_what_is_said_is_in_the_text_and_the_text_says_itself(text: str, name: str) -> None:
    """Whatever adjoins: no name is found that is not there."""
    assert not says(canonical(text), canonical(name)) or canonical(name) in canonical(text)
    assert says(canonical(name), canonical(name))


def test_a_query_means_the_names_that_it_does_not_say() -> None:
    """All of the entity's but those it says; of an entity that it does not name none."""
    same = classes([("mum", "Asha Kulkarni"), ("आई", "mum"), ("boss", "Vikram")])
    assert meant_in("Where was mum born?", same) == ("asha kulkarni", "आई")
    assert meant_in("mum is Asha Kulkarni", same) == ("आई",)
    assert meant_in("Where was she born?", same) == ()
    assert meant_in("mum", {}) == ()


def refusal(alias: str, entity: str, known: list[tuple[str, str]]) -> Refusal:
    """Check what must be refused."""
    with pytest.raises(Refusal) as refused:
        check(alias, entity, known)
    return refused.value


def test_a_name_of_its_own_is_no_alias() -> None:
    """Nor in other letters, nor where it is an alias of something else already."""
    assert refusal("Mum", " mum", []).code == "bad_value"
    assert refusal("mum", "MUM", [("mum", "Asha")]).code == "bad_value"


def test_an_alias_means_one_entity() -> None:
    """The refusal tells which it means; the same again is none."""
    refused = refusal("mum", "Vikram", [("Mum", "Asha")])
    assert (refused.code, "'Asha'" in refused.message) == ("slot_taken", True)
    assert refusal("mum", "Ashu", [("mum", "Asha"), ("Ashu", "Asha")]).code == "slot_taken"
    check("MUM", "asha", [("mum", "Asha")])


def test_names_do_not_run_in_a_ring() -> None:
    """Straight back, or by way of a third; a chain is none."""
    assert refusal("Asha", "mum", [("mum", "Asha")]).code == "bad_value"
    assert refusal("Asha", "आई", [("mum", "Asha"), ("आई", "mum")]).code == "bad_value"
    check("आई", "mum", [("mum", "Asha")])
