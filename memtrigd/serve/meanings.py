"""What a question means, asked of the model before the question goes to its lane; nobody waits long for it."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from memtrig import wire

from memtrigd.domain.claim import is_blank
from memtrigd.embedder.messages import Kind, Model, Vectors
from memtrigd.search.question import Meant

ENOUGH: Final = 2000
"""Characters of a question that are asked: a model takes 64 tokens of it."""


class Models(Protocol):
    """What makes vectors of texts, on the loop's thread."""

    @property
    def state(self) -> str:
        """Of "off", "warming", "ready" and "failed"."""

    @property
    def model(self) -> Model | None:
        """The model that is ready; None while none is."""

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """Hand the vectors of texts to ``done``, once, or None where there will be none, or not in time."""


class NoModel:
    """Where there is no model."""

    state: Final = "off"
    model: Final = None

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """There are no vectors."""
        done(None)


def meant(models: Models, request: wire.Search, told: Callable[[Meant | None], None]) -> None:
    """Have ``told`` hear once what a question means; None where that is not known in time, or not asked for."""
    model, query = models.model, request.query[:ENOUGH]
    if model is None or request.lexical or is_blank(query):
        told(None)
        return

    def found(vectors: Sequence[Vectors] | None) -> None:
        told(Meant(vectors[0][0], model) if vectors else None)

    models.ask([query], "query", found)
