"""The indexes of a daemon in memory: one per level, loaded once, and following its file from then on.

Only the thread that searches has them. numpy is imported there, when the first level is loaded.
"""

import ctypes
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.search.passages import mark
from memtrigd.search.question import Question
from memtrigd.search.ranking import Hit
from memtrigd.store.interface import LevelReader
from memtrigd.store.interface_index import Place

if TYPE_CHECKING:
    from memtrigd.embedder.messages import Model
    from memtrigd.search.meaning import Nearness
    from memtrigd.search.postings import LevelIndex
    from memtrigd.search.question import Meant
    from memtrigd.search.vectors import LevelVectors


class Indexes:
    """Indexes by level, each as far as the journal of its file was read."""

    def __init__(self) -> None:
        self._levels: dict[Level, tuple[LevelIndex, Place]] = {}
        self._vectors: dict[Level, LevelVectors] = {}

    def rank(
        self,
        readers: Iterable[LevelReader],
        question: Question,
        sees: Callable[[str], bool],
        names_of: Callable[[str], Collection[str]],
    ) -> Iterator[Hit]:
        """Give the memories that answer a question, the best first, of the levels and the spaces that a caller sees.

        Inside a snapshot of the readers. Lazily: no other question may be asked before the last hit that is wanted.
        """
        from memtrigd.search import candidates
        from memtrigd.search.sight import sight

        levels = list(readers)
        sights = [sight(self.follow(reader), sees, question.filters, reader) for reader in levels]
        meaning = None if question.meaning is None else self._nearness(question.meaning, levels)
        return candidates.rank(sights, question, levels[0].term_hashes, names_of, meaning) if levels else iter(())

    def follow(self, reader: LevelReader) -> "LevelIndex":
        """The index of a level as its file is now: what the journal says has changed is read again.

        A file that is not the one that was read is read anew. Raises Refusal where it can't be read.
        """
        index, place = self._levels.pop(reader.level, (None, None))
        changed = reader.changed_since(place) if place is not None else None
        if index is None or changed is None:
            from memtrigd.search.postings import LevelIndex

            place = reader.place()
            index = LevelIndex(reader.level, reader.indexed())
            self._vectors.pop(reader.level, None)
        else:
            place, ids = changed
            if ids:
                numbers = index.change(ids, reader.indexed(ids))
                if (vectors := self._vectors.get(reader.level)) is not None:
                    vectors.drop(numbers)
                    vectors.add(reader.vectors_of(vectors.model, numbers.tolist(), vectors.until))
        self._levels[reader.level] = index, place
        return index

    def vectors(self, reader: LevelReader, model: "Model") -> "LevelVectors":
        """The vectors of a level that ``follow`` has, of a model, in the same snapshot; those of one are kept."""
        vectors, known = self._vectors.pop(reader.level, None), mark(model)
        if vectors is None or vectors.model != known:
            from memtrigd.search.vectors import LevelVectors

            vectors = LevelVectors(known, model.dim)
        vectors.add(reader.vectors(known, vectors.until))
        self._vectors[reader.level] = vectors
        return vectors

    def part(self, hit: Hit, meant: "Meant") -> tuple[float, float]:
        """Which part of a long text, from 0 to 1, is nearest to what a question means; the whole where that is unknown.

        About: passages are counted, which are as long as each other to a model, not in characters.
        """
        vectors = self._vectors.get(hit.level)
        passage, passages = (0, 0) if vectors is None else vectors.nearest(meant.vector, hit.document)
        return (passage / passages, (passage + 1) / passages) if passages else (0.0, 1.0)

    def drop(self, level: Level) -> None:
        """Forget the index of a level: what it was made from was made anew without a word in the journal."""
        self._levels.pop(level, None)
        self._vectors.pop(level, None)

    def warm(self, handles: Mapping[Level, LevelReader], model: "Model | None" = None) -> None:
        """Load every level that can be read, and its vectors of a model; of the others whoever asks is told."""
        for reader in handles.values():
            with suppress(Refusal), reader.snapshot():
                self.follow(reader)
                if model is not None:
                    self.vectors(reader, model)
        _give_back()

    def _nearness(self, meant: "Meant", readers: Iterable[LevelReader]) -> "Nearness":
        from memtrigd.search.meaning import Nearness

        return Nearness(meant, {reader.level: self.vectors(reader, meant.model) for reader in readers})


def _give_back() -> None:
    """Let the system have what loading needed meanwhile: at 100,000 memories 50 MB, which glibc would keep."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
