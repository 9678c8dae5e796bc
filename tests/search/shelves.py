"""Indexes in memory of texts that no store has, and questions to them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from memtrigd.domain.levels import Level
from memtrigd.search import candidates
from memtrigd.search.analyser import memory_terms
from memtrigd.search.postings import LevelIndex
from memtrigd.search.question import Filters, Question, question
from memtrigd.search.ranking import Hit
from memtrigd.search.sight import Sight, sight
from memtrigd.store.interface_index import Indexed, Place
from memtrigd.store.lexicon import prints, spelling, term_hash, token


def indexed(number: int, text: str, **fields: object) -> Indexed:
    """What an index gets of a text; its key is no word of it unless one is given."""
    found = memory_terms(str(fields.get("key", "")), text, None, (), None)
    made = {
        "number": number,
        "id": f"id-{number}",
        "key": f"key of {number}",
        "space": "default",
        "session": None,
        "entity": None,
        "kind": "general",
        "source": "auto_detect",
        "created": number,
        "updated": fields.get("created", number),
        "valid_from": None,
        "valid_to": None,
        "length": len(found),
        **fields,
    }
    return Indexed(**made, **dict(zip(("hashes", "times"), prints(spelling(found)), strict=True)))  # type: ignore[arg-type]


def shelf(level: Level, texts: Iterable[str | Indexed]) -> LevelIndex:
    """The index of a level with these texts, numbered from 1."""
    numbers = count(1)
    return LevelIndex(level, [indexed(next(numbers), each) if isinstance(each, str) else each for each in texts])


class Reader:
    """What an index in memory asks of a level; nothing is tagged, and nothing changes."""

    def indexed(self, ids: Sequence[str] | None = None) -> Iterator[Indexed]:
        """None."""
        return iter(())

    def changed_since(self, place: Place) -> tuple[Place, list[str]] | None:
        """Nothing."""
        return place, []

    def place(self) -> Place:
        """The beginning."""
        return Place(0, b"")

    def term_hashes(self, terms: Sequence[str]) -> bytes:
        """As the store has them."""
        return b"".join(term_hash(token(term)) for term in terms)

    def tagged(self, tags: Sequence[str]) -> list[int]:
        """None."""
        return []


def everything(_: str) -> bool:
    """See every space."""
    return True


def view(index: LevelIndex, sees: Callable[[str], bool] = everything, filters: Filters | None = None) -> Sight:
    """A caller's view of an index."""
    return sight(index, sees, filters or Filters(), Reader())


def rank(
    indexes: Sequence[LevelIndex],
    query: str | Question,
    sees: Callable[[str], bool] = everything,
    meaning: candidates.Meaning | None = None,
) -> list[Hit]:
    """All that answers a question."""
    asked = question(query) if isinstance(query, str) else query
    sights = [view(index, sees, asked.filters) for index in indexes]
    return list(candidates.rank(sights, asked, Reader().term_hashes, lambda name: (name,), meaning))
