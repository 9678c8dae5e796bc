"""What trust is about, as plainly as it goes: what is said, the rows that are kept of it, and how they fade."""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from memtrigd.domain.moments import DAY, Micros

KEYS = ("tea", "home")
TEXTS = ("Asha drinks it black", "the lake in winter", "7 o'clock")
"""No two alike: what is near to a forgotten text is not of this model."""
STATED, RELAYED = 4, 3


def left(importance: float, since: Micros, now: Micros) -> float:
    """What is left of an importance."""
    return float(importance * 0.995 ** (max(0, now - since) / DAY))


@dataclass(frozen=True)
class Said:
    """A claim. ``weight`` is that of its source, 0 for an inference to 4 for the owner's statement."""

    key: str
    text: str
    weight: int
    confidence: float | None
    until: Micros | None
    owner: bool

    @property
    def is_users(self) -> bool:
        """Whether it counts as the user's word."""
        return self.owner or self.weight >= RELAYED

    @property
    def is_guess(self) -> bool:
        """Whether it waits for the user."""
        return self.weight == 0 and (self.confidence or 0.5) < 0.8

    def adds_nothing_to(self, row: "Row") -> bool:
        """Whether the row says all of it."""
        same = self.text == row.text and self.confidence in (None, row.confidence)
        return same and self.until in (None, row.until)


@dataclass
class Row:
    """A memory. ``life`` is how it was after each of its changes; recalls are none."""

    id: str
    key: str
    text: str
    weight: int
    status: str
    confidence: float | None
    until: Micros | None
    agents: bool
    updated: Micros
    since: Micros
    contests: str | None = None
    supersedes: str | None = None
    reason: str = ""
    denied: int = 0
    seen: int = 1
    importance: float = 1.0
    recalled: Micros | None = None
    changed: Micros = 0
    life: list["Row"] = field(default_factory=list)

    def stands(self, now: Micros) -> bool:
        """Whether it is served."""
        return self.status == "active" and not self.is_over(now)

    def waits(self, now: Micros) -> bool:
        """Whether it waits for an answer, and is not over."""
        return self.status == "pending" and not self.is_over(now)

    def is_over(self, now: Micros) -> bool:
        """Whether its date has passed."""
        return self.until is not None and self.until <= now

    def materialise(self, now: Micros) -> None:
        """Write down what has faded; a clock that was set back is none."""
        if now > self.since:
            self.importance, self.since = left(self.importance, self.since, now), now

    def recall(self, now: Micros) -> None:
        """Come nearer, once a day; what was denied does not."""
        if self.denied:
            return
        if self.recalled is None or self.recalled // DAY < now // DAY:
            self.materialise(now)
            self.importance += 0.3 * (1 - self.importance)
        self.recalled = max(now, self.recalled or now)

    def keep(self, now: Micros) -> None:
        """Have been changed."""
        self.changed = now
        self.life.append(replace(self, life=[]))

    def become(self, earlier: "Row") -> None:
        """Be as before; what was recalled since is not unsaid."""
        for name in self.__dataclass_fields__.keys() - {"life", "recalled"}:
            setattr(self, name, getattr(earlier, name))


@dataclass
class Page:
    """What the upper level keeps of a row below."""

    importance: float
    since: Micros
    denied: int = 0
    recalled: Micros | None = None

    def recall(self, now: Micros, *, denied: bool) -> None:
        """Let the row come nearer for readers up here, once a day, unless anybody denied it."""
        if not denied and (self.recalled is None or self.recalled // DAY < now // DAY):
            worth = left(self.importance, self.since, now)
            self.importance, self.since = worth + 0.3 * (1 - worth), now
        self.recalled = now

    def forgive(self) -> None:
        """Take the denials back, and what they took."""
        self.importance, self.denied = min(1.0, self.importance / 0.1**self.denied), 0


Wish: TypeAlias = tuple[str, str, str, Micros]
"""A wish: the row that it came from, its key, its text, and when it was said."""


def covering(wishes: list[Wish], key: str, text: str) -> list[Wish]:
    """The wishes about a key or a text."""
    return [wish for wish in wishes if wish[1] == key or wish[2] == text]
