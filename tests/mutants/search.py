"""Breakages of the indexes in memory: what they count, and whether they follow."""

from typing import Final

from tests.mutants.catalogue import Edit, Mutant

BM25: Final = "tests/search/test_lexical.py"
FOLLOWING: Final = "tests/search/test_indexes.py"
RANKING: Final = "tests/search/test_candidates.py"
CANDIDATES: Final = "memtrigd/search/candidates.py"
INDEXES: Final = "memtrigd/search/indexes.py"
LEXICAL: Final = "memtrigd/search/lexical.py"
POSTINGS: Final = "memtrigd/search/postings.py"
SIGHT: Final = "memtrigd/search/sight.py"

SEARCHED: Final = (
    Mutant(
        "documents of every space counted",
        (Edit(SIGHT, "count = int(documents[spaces].sum())", "count = int(documents.sum())"),),
        (BM25,),
    ),
    Mutant(
        "lengths of every space in the average",
        (Edit(SIGHT, "count, int(terms[spaces].sum()))", "count, int(terms.sum()))"),),
        (BM25,),
    ),
    Mutant(
        "words counted wherever they are said",
        (Edit(LEXICAL, "    if sight.whole:\n", "    if sight.index:\n"),),
        (BM25,),
    ),
    Mutant(
        "an index that does not follow its file",
        (Edit(INDEXES, "index.change(ids, reader.indexed(ids))", "index.figures()"),),
        (FOLLOWING,),
    ),
    Mutant(
        "an index that keeps what is gone",
        (Edit(POSTINGS, "        self.at.drop(left)\n", ""),),
        (FOLLOWING,),
    ),
    Mutant(
        "neighbours that are not found anew",
        (Edit(POSTINGS, "        if touched:\n", "        if not touched:\n"),),
        (FOLLOWING,),
    ),
    Mutant(
        "equal ones chosen by where they lie in memory",
        (Edit(CANDIDATES, "np.argpartition(numbers[equal], missing - 1)", "np.argpartition(equal, missing - 1)"),),
        (RANKING,),
    ),
)
"""Statistics, following, and what nobody may see of either."""
