"""A model that is none: what texts mean is told by a table of words, the same on every machine and at any time."""

import hashlib
import math
from array import array
from collections.abc import Callable, Sequence
from typing import Final

from memtrigd.embedder.messages import Kind, Model, Vector, Vectors

DIM: Final = 64
PASSAGE: Final = 40
"""Words of a passage."""
MEANINGS: Final = {
    word: meaning
    for meaning, words in {
        "drink": "coffee espresso tea beverage 咖啡 चहा",
        "dwell": "lives resides home house घर",
        "doctor": "dentist physician surgeon clinic",
        "canine": "dog puppy hound कुत्रा 狗",
    }.items()
    for word in words.split()
}
SILENT: Final = frozenset(["a", "an", "the", "is", "to", "of", "in", "what", "does", "do"])


def model(name: str = "made-up") -> Model:
    """A model of that name: those of two names put the same words in other places."""
    return Model(name, hashlib.sha256(name.encode()).hexdigest(), DIM, 0.0, 1 / math.sqrt(DIM), 0.5)


def vector(text: str, name: str = "made-up") -> Vector:
    """What a text means: the sum of its words' meanings, of unit length."""
    said = [word.strip(".,:;?!").lower() for word in text.split()]
    words = [word for word in said if word and word not in SILENT] or said or [""]
    parts = [0.0] * DIM
    for word in words:
        noise = hashlib.shake_128(f"{name} {MEANINGS.get(word, word)}".encode()).digest(DIM)
        parts = [part + byte - 127.5 for part, byte in zip(parts, noise, strict=True)]
    length = math.sqrt(sum(part * part for part in parts))
    return array("f", (part / length for part in parts)).tobytes()


class MadeUp:
    """An embedder that answers at once: what ``memtrigd.embedder.client.Embedder`` is to the daemon."""

    def __init__(self, name: str | None = None) -> None:
        self.listeners: list[Callable[[], None]] = []
        self.model: Model | None = None if name is None else model(name)
        self.asked: list[tuple[Kind, tuple[str, ...]]] = []

    @property
    def state(self) -> str:
        """Whether there is a model."""
        return "off" if self.model is None else "ready"

    def use(self, name: str | None) -> None:
        """Use another model, or none."""
        self.model = None if name is None else model(name)
        for listener in self.listeners:
            listener()

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """Hand out the vectors of texts, or None without a model."""
        self.asked.append((kind, tuple(texts)))
        if self.model is None:
            done(None)
            return
        name = self.model.name
        done([tuple(vector(part, name) for part in (parts(text) if kind == "passage" else [text])) for text in texts])


def parts(text: str) -> list[str]:
    """A text in passages."""
    words = text.split()
    return [" ".join(words[at : at + PASSAGE]) for at in range(0, max(len(words), 1), PASSAGE)]
