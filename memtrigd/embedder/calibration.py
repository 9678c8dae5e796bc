"""What is usual for a model, found with texts that are shipped: everyday questions and facts in eleven languages.

The vectors of a model all point about one way, those of a language more so. The mean of the background is taken off:
in Marathi that is worth five of a hundred answers. What is usual is that of pairs in one language, which are nearer to
one another than those in two, whatever they tell of.
"""

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
RECIPE: Final = "1"
"""Another number for another way to calibrate: its vectors are not those of before."""
PASSED: Final = 0.01
"""The part of unrelated pairs that reach the floor."""


class Calibration(Struct, frozen=True):
    """What is taken off vectors, as float32, and how near unrelated ones are then."""

    mean: bytes
    mu: float
    sigma: float
    floor: float

    def centred(self, raw: Numbers) -> Vector:
        """A vector of a model as it is compared."""
        return unit(raw - np.frombuffer(self.mean, np.float32)).tobytes()


def calibrate(embed: Callable[[str, Kind], Numbers], told: Callable[[int, int], None]) -> Calibration:
    """Calibrate a model, which ``embed`` is."""
    lines = rows()
    questions, facts = [], []
    for done, (_, _, question, fact) in enumerate(lines):
        told(done, len(lines))
        questions.append(embed(question, "query"))
        facts.append(embed(fact, "passage"))
    asked, answers = np.array(questions), np.array(facts)
    mean = (asked.mean(axis=0) + answers.mean(axis=0)) / 2
    cosines = _units(asked - mean) @ _units(answers - mean).T
    languages, matters = (np.array([row[column] for row in lines]) for column in (0, 1))
    unrelated = (languages[:, None] == languages) & (matters[:, None] != matters)
    usual = cosines[unrelated]
    mu, sigma, floor = usual.mean(), usual.std(), np.quantile(usual, 1 - PASSED)
    return Calibration(mean.tobytes(), float(mu), float(sigma), float(floor))


def rows() -> list[list[str]]:
    """The background: of each line a language, a matter, a question and a fact."""
    return [line.split("\t") for line in BACKGROUND.read_text(encoding="utf-8").splitlines()]


def load(path: Path) -> Calibration | None:
    """Read a calibration; None where there is none that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Calibration)
    except (OSError, msgspec.MsgspecError):
        return None


def _units(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.array([unit(vector) for vector in vectors])
