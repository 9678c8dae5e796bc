"""The parts of the index, read from the record that FTS5 keeps of them."""

from itertools import count

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.store.lexicon_parts import STRUCTURE, parts


def told(index: apsw.Connection) -> dict[tuple[int, int, int], bool]:
    """The parts as they are now."""
    ((structure,),) = index.execute(STRUCTURE)
    assert isinstance(structure, bytes)
    return parts(structure)


@given(acts=st.lists(st.integers(0, 9), max_size=60))
def test_parts_are_those_that_the_index_has(index: apsw.Connection, acts: list[int]) -> None:
    """Each commit makes one, a merge makes one of many; one of which something was deleted says so until it is gone."""
    index.execute("INSERT INTO lexicon (lexicon) VALUES ('delete-all')")
    assert told(index) == {}
    number, there = count(1), []
    for act in acts:
        if act < 6:
            there.append(next(number))
            index.execute("INSERT INTO lexicon (rowid, terms) VALUES (?, ?)", (there[-1], f"a b{act} c{there[-1]}"))
        elif act < 8 and there:
            index.execute("DELETE FROM lexicon WHERE rowid = ?", (there.pop(act % len(there)),))
            assert any(told(index).values())
        elif act == 8:
            index.execute("INSERT INTO lexicon (lexicon) VALUES ('optimize')")
            assert len(told(index)) <= 1 and not any(told(index).values())
        segments = {row[0] for row in index.execute("SELECT DISTINCT segid FROM lexicon_idx")}
        assert {number for number, _, _ in told(index)} >= segments
    assert {term for (term,) in index.execute("SELECT term FROM posting WHERE term LIKE 'c%'")} == {
        f"c{each}" for each in there
    }


def test_a_record_of_another_version_is_told_of() -> None:
    """What can't be read is not taken for an index in which nothing was deleted."""
    with pytest.raises(ValueError, match="another version"):
        parts(bytes(16))
