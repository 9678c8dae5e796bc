"""What a folder's files do to memories: a rule over lists of lines, held against any edits that somebody may make."""

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.folders import FEW, Line, Plan, planned, waiting

FILES = st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from("tuvwxyz"), max_size=6).map(tuple), max_size=3)
Pages = dict[str, list[Line]]


def numbered(lines: tuple[str, ...]) -> list[tuple[int, str]]:
    """Lines with their numbers."""
    return list(enumerate(lines, 1))


def carried_out(before: Pages, plan: Plan, ids: "count[int]") -> Pages:
    """The pages after a plan: what is wanted has become a memory, the same text the same one."""
    after, made = dict(before), dict[str, str]()
    for file, page in plan.pages.items():
        lines = list(page.lines)
        for wanted in page.wanted:
            line = lines[wanted.index]
            memory = made.setdefault(line.digest, f"m{next(ids)}")
            lines[wanted.index] = Line(line.number, line.digest, memory)
        after[file] = lines
    return {file: lines for file, lines in after.items() if lines}


def memories(pages: Pages) -> dict[str | None, str]:
    """What each memory says."""
    return {line.memory: line.digest for lines in pages.values() for line in lines}


@given(st.lists(FILES, min_size=1, max_size=5))
def test_after_every_edit_the_memories_are_what_the_files_say(states: list[dict[str, tuple[str, ...]]]) -> None:
    """No text is lost and none is left; what stands keeps its memory, and what goes closes or is replaced, once."""
    pages, ids = Pages(), count()
    for state in states:
        read = {file: numbered(state.get(file, ())) for file in {*pages, *state}}
        plan = planned(pages, read)
        old = memories(pages)
        ended = [memory for closing in plan.closing.values() for memory in closing]
        ended += [each.replaces for page in plan.pages.values() for each in page.wanted if each.replaces]
        said = {digest for lines in state.values() for digest in lines}
        assert sorted(ended) == sorted(memory for memory, digest in old.items() if memory and digest not in said)
        pages = carried_out(pages, plan, ids)
        assert set(memories(pages).values()) == said
        assert {file: [line.digest for line in lines] for file, lines in pages.items()} == {
            file: list(lines) for file, lines in state.items() if lines
        }
        assert {memory: old[memory] for memory in memories(pages) if memory in old} == {
            memory: digest for memory, digest in old.items() if digest in said
        }
        again = planned(pages, {file: numbered(lines) for file, lines in state.items()})
        assert not again.closing and not any(page.wanted for page in again.pages.values())


@given(FILES, FILES, st.sets(st.sampled_from("abc")))
def test_what_waits_closes_later_as_it_would_have_now(
    one: dict[str, tuple[str, ...]], other: dict[str, tuple[str, ...]], files: set[str]
) -> None:
    """Nothing of a file that waits closes, all that is new in it is there, and the next plan has nothing else to do."""
    pages = carried_out({}, planned({}, {file: numbered(lines) for file, lines in one.items()}), count())
    read = {file: numbered(other.get(file, ())) for file in {*one, *other}}
    plan = planned(pages, read)
    waits = files & plan.closing.keys()
    now = waiting(pages, plan, waits)
    assert now.closing == {file: gone for file, gone in plan.closing.items() if file not in waits}
    pages = carried_out(pages, now, count(100))
    assert {line.digest for lines in pages.values() for line in lines} >= {
        each for lines in other.values() for each in lines
    }
    later = planned(pages, read)
    assert later.closing == {file: plan.closing[file] for file in waits}
    assert not any(page.wanted for page in later.pages.values())


def test_a_line_in_the_place_of_another_replaces_it() -> None:
    """As many for as many; else it can't be told which became which."""
    pages = {"a": [Line(1, "one", "m1"), Line(2, "two", "m2"), Line(3, "three", "m3")]}
    changed = planned(pages, {"a": numbered(("one", "zwei", "three"))})
    assert [(each.index, each.replaces) for each in changed.pages["a"].wanted] == [(1, "m2")]
    grown = planned(pages, {"a": numbered(("one", "zwei", "drei", "three"))})
    assert [each.replaces for each in grown.pages["a"].wanted] == [None, None] and grown.closing == {"a": ["m2"]}


def test_a_refused_line_is_tried_again_when_its_file_is_read() -> None:
    """It has no memory; its code says why."""
    pages = {"a": [Line(1, "one", None, "forgotten"), Line(2, "two", "m2")]}
    plan = planned(pages, {"a": numbered(("one", "two"))})
    assert [each.index for each in plan.pages["a"].wanted] == [0] and not plan.closing


def test_much_at_once_is_held() -> None:
    """More than half and more than a few; or whatever there is, where nothing is left."""

    def held(before: int, after: int) -> bool:
        pages = {"a": [Line(n, f"t{n}", f"m{n}") for n in range(before)]}
        return planned(pages, {"a": numbered(tuple(f"t{n}" for n in range(after)))}).held

    assert held(20, 9) and not held(20, 10)
    assert not held(FEW + 1, 1) and held(FEW + 2, 1)
    assert held(1, 0) and not held(2, 1) and not held(0, 0)
