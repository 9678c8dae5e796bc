"""Vectors in one level's SQLite file: which memories have them, of which model, and what they are."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Final, cast

import apsw

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.handles import ReadHandle
from memtrigd.store.interface_vectors import Vector
from memtrigd.store.records import FIELDS, from_row

KEPT: Final = 4096
"""Vectors whose pages stay in SQLite's cache meanwhile: all of them would fill it for nothing."""
NO_MODEL: Final = b""
"""The model of a document that has no vectors."""


class VectorReading(ReadHandle):
    """The VectorReader of one file."""

    _level: Level

    def backlog(self, model: bytes | None) -> int:
        """How many active memories have no vectors of a model: 100,000 are counted in 2 ms."""
        if model is None:
            return int(self._rows(_COUNT.format("= x''"))[0][0])
        return sum(int(self._rows(_COUNT.format(other), (model,))[0][0]) for other in ("< ?", "> ?"))

    def unembedded(self, model: bytes, limit: int, but: Collection[int] = ()) -> list[tuple[int, Memory]]:
        """Some active memories that have no vectors of a model: the newest without any first, as many as there are."""
        found: list[tuple[int, Memory]] = []
        for which, values in (("= x''", ()), ("> x'' AND model < ?", (model,)), ("> ?", (model,))):
            asked = (*values, json.dumps(sorted(but)), limit - len(found))
            if len(found) < limit:
                rows = self._rows(_UNEMBEDDED.format(which), asked)
                found += [(number, from_row(tuple(row), self._level)) for number, *row in rows]
        return found

    def vectors(self, model: bytes, after: int = 0) -> Iterator[Vector]:
        """The vectors of a model that were kept after one, in that order. Pages are not kept: it is read once."""
        for count, row in enumerate(self._lazily(_AFTER, (after, model)), start=1):
            yield cast(Vector, row)
            if count % KEPT == 0:
                self.connection.release_memory()

    def vectors_of(self, model: bytes, numbers: Sequence[int], until: int) -> Iterator[Vector]:
        """Those of some documents that were kept up to one."""
        return cast(Iterator[Vector], self._lazily(_OF, (json.dumps(numbers), until, model)))


class VectorWriting(VectorReading):
    """The VectorWriter of one file."""

    connection: apsw.Connection

    def embed(self, number: int, model: bytes, vectors: Sequence[bytes]) -> bool:
        """Keep the vectors of a document in place of those it had; False where nothing was to be done.

        Raises ValueError without a model or vectors.
        """
        if not model or not vectors:
            raise ValueError(f"document {number} is embedded by no model, or to nothing")
        execute = self.connection.execute
        execute("UPDATE document SET model = ? WHERE number = ? AND model <> ?", (model, number, model))
        if not self.connection.changes():
            return False
        execute("DELETE FROM vector WHERE number = ?", (number,))
        rows = [(number, passage, model, data) for passage, data in enumerate(vectors)]
        self.connection.executemany("INSERT INTO vector (number, passage, model, data) VALUES (?, ?, ?, ?)", rows)
        return True


_COUNT: Final = "SELECT count(*) FROM document INDEXED BY document_model WHERE model {}"
_UNEMBEDDED: Final = " ".join(
    (
        "SELECT number,",
        ", ".join(FIELDS),
        "FROM memory WHERE number IN (SELECT number FROM document INDEXED BY document_model WHERE model {}",
        "AND number NOT IN (SELECT value FROM json_each(?)) ORDER BY model DESC, number DESC LIMIT ?)",
        "ORDER BY number DESC",
    )
)
_AFTER: Final = "SELECT seq, number, passage, data FROM vector WHERE seq > ? AND model = ? ORDER BY seq"
_OF: Final = (
    "SELECT seq, number, passage, data FROM vector INDEXED BY vector_of"
    " WHERE number IN (SELECT value FROM json_each(?)) AND seq <= ? AND model = ? ORDER BY number, passage"
)
