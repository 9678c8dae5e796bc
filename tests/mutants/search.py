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
DATES: Final = "memtrigd/search/dates.py"
SNIPPET: Final = "memtrigd/search/snippet.py"
GLIMPSES: Final = "memtrigd/serve/glimpses.py"
SEARCHING: Final = "tests/serve/test_searching.py"

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
    Mutant(
        "what is usual of every space",
        (Edit(CANDIDATES, "near[sight.seen & ~np.isnan(near)]", "near[~np.isnan(near)]"),),
        (RANKING,),
    ),
    Mutant(
        "one word of many that finds whatever it means",
        (Edit(CANDIDATES, "return told & (share > 0)", "return share > 0"),),
        (RANKING,),
    ),
    Mutant(
        "words that nobody says left out of a question",
        (Edit(LEXICAL, "return shares / (sum(impacts) or 1.0)", "return shares / (shares.max() or 1.0)"),),
        (RANKING,),
    ),
    Mutant(
        "days that are not those of the caller's zone",
        (Edit(DATES, "timedelta(microseconds=now)).astimezone(zone).date()", "timedelta(microseconds=now)).date()"),),
        ("tests/search/test_dates.py",),
    ),
    Mutant(
        "a day that begins where the one before has not ended",
        (Edit(DATES, "if each.astimezone(zone).date() >= day", "if day"),),
        ("tests/search/test_dates.py",),
    ),
    Mutant(
        "conjuncts that are cut",
        (Edit(SNIPPET, "before == ZWJ or before in _VIRAMAS or ", "before == ZWJ or "),),
        ("tests/search/test_snippet.py",),
    ),
    Mutant(
        "hits that are left out in silence",
        (Edit(GLIMPSES, "        self.left_out += 1\n", ""),),
        (SEARCHING,),
    ),
)
"""Statistics, following, and what nobody may see of either."""
