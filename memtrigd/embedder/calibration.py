"""What is usual for a model, found with texts that are shipped: everyday questions and facts in eleven languages.

The vectors of a model all point about one way, and those of each language about a way of its own. What all have in
common is taken off, and then the directions in which languages differ. So a text is as near to a question in another
language as it would be in the same: measured, one floor for both lets a Chinese question find 85 of 100 English answers
where it was 42, and Marathi loses nothing.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from memtrigd.embedder.messages import Kind, Vector
from memtrigd.embedder.runtime import Numbers, unit

BACKGROUND: Final = Path(__file__).with_name("background.tsv")
"""Per line a language, what it is about, a question about that, and a fact. Lines of one matter are related."""
RECIPE: Final = "2"
"""Another number for another way to calibrate: its vectors are not those of before."""
DIRECTIONS: Final = 6
"""In which languages differ most: of 4, 6, 8 and 10, those with which languages are most alike then."""
PASSED: Final = 0.001
"""The part of unrelated pairs that reach the floor. Sentences of encyclopaedias, which have more in common, reach it
ten times as often: one in a hundred."""
FOLDS: Final = 5
"""How nearness is looked at: on each fifth of the matters by what the others gave, or it would seem less than it is."""

Told = Callable[[int, int], None]


class Calibration(Struct, frozen=True):
    """What is taken off vectors, as float32, and how near unrelated ones are then."""

    mean: bytes
    directions: bytes
    """Of unit length and at right angles to one another, one behind the other."""
    mu: float
    sigma: float
    floor: float

    def centred(self, raw: Numbers) -> Vector:
        """A vector of a model as it is compared."""
        mean = np.frombuffer(self.mean, np.float32)
        directions = np.frombuffer(self.directions, np.float32).reshape(-1, len(mean))
        return unit(_without(raw - mean, directions)).tobytes()


def calibrate(embed: Callable[[str, Kind], Numbers], told: Told) -> Calibration:
    """Calibrate a model, which ``embed`` is."""
    lines = rows()
    questions, facts = [], []
    for done, (_, _, question, fact) in enumerate(lines):
        told(done, len(lines))
        questions.append(embed(question, "query"))
        facts.append(embed(fact, "passage"))
    asked, answers = np.array(questions), np.array(facts)
    languages, matters = (np.array([row[column] for row in lines]) for column in (0, 1))
    near = _unrelated(asked, answers, languages, matters)
    mean, directions = _in_common(_between(asked, answers), languages)
    usual = float(near.mean()), float(near.std()), float(np.quantile(near, 1 - PASSED))
    return Calibration(mean.tobytes(), directions.tobytes(), *usual)


def _in_common(vectors: Numbers, languages: NDArray[np.str_]) -> tuple[Numbers, Numbers]:
    """The mean of vectors, and the directions in which those of their languages differ."""
    mean = vectors.mean(axis=0)
    means = np.array([vectors[languages == each].mean(axis=0) for each in np.unique(languages)])
    directions = np.linalg.svd(means - mean, full_matrices=False)[2]
    return mean, directions[: min(DIRECTIONS, len(mean) // 4)]


def _unrelated(asked: Numbers, answers: Numbers, languages: NDArray[np.str_], matters: NDArray[np.str_]) -> Numbers:
    """The cosines of questions with facts of other matters, each by what matters that are neither of both gave."""
    found = []
    for fold in range(FOLDS):
        out = np.isin(matters, np.unique(matters)[fold::FOLDS])
        mean, directions = _in_common(_between(asked[~out], answers[~out]), languages[~out])
        cosines = _units(_without(asked[out] - mean, directions)) @ _units(_without(answers[out] - mean, directions)).T
        found.append(cosines[matters[out][:, None] != matters[out]])
    return np.concatenate(found)


def _without(vectors: Numbers, directions: Numbers) -> Numbers:
    """Vectors without what they have of some directions."""
    left: Numbers = (vectors - (vectors @ directions.T) @ directions).astype(np.float32)
    return left


def _between(some: Numbers, others: Numbers) -> Numbers:
    middle: Numbers = ((some + others) / 2).astype(np.float32)
    return middle


def rows() -> list[list[str]]:
    """The background: of each line a language, a matter, a question and a fact."""
    return [line.split("\t") for line in BACKGROUND.read_text(encoding="utf-8").splitlines()]


class _Kept(Struct, frozen=True):
    sha256: str
    calibration: msgspec.Raw


def kept(calibration: Calibration) -> bytes:
    """A calibration as it is written, with its SHA-256."""
    said = msgspec.json.encode(calibration)
    return msgspec.json.encode(_Kept(hashlib.sha256(said).hexdigest(), msgspec.Raw(said)))


def load(path: Path) -> Calibration | None:
    """Read a calibration; None where there is none that is as it was written."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Kept)
        if hashlib.sha256(found.calibration).hexdigest() != found.sha256:
            return None
        return msgspec.json.decode(found.calibration, type=Calibration)
    except (OSError, msgspec.MsgspecError):
        return None


def _units(vectors: Numbers) -> Numbers:
    return np.array([unit(vector) for vector in vectors])
