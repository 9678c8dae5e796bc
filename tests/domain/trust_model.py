"""What trust promises, said a second time and as plainly as it goes: rows in a list, and the rules as they are read."""

from dataclasses import dataclass, field

from memtrigd.domain.moments import Micros

KEYS = ("tea", "home")
TEXTS = ("Asha drinks it black", "the lake in winter", "7 o'clock")
"""No two alike: what is near to a forgotten text is not of this model."""
STATED, RELAYED = 4, 3


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


@dataclass
class Row:
    """A memory."""

    id: str
    key: str
    text: str
    weight: int
    status: str
    confidence: float | None
    until: Micros | None
    agents: bool
    contests: str | None = None
    denied: int = 0
    was: str = ""
    """Its status before it was forgotten."""

    def stands(self, now: Micros) -> bool:
        """Whether it is served."""
        return self.status == "active" and (self.until is None or self.until > now)

    def stands_denied(self, now: Micros) -> bool:
        """Whether it is served although it was denied more than once."""
        return self.stands(now) and self.denied >= 2

    def waits(self, now: Micros) -> bool:
        """Whether it waits for an answer, and is not over."""
        return self.status == "pending" and (self.until is None or self.until > now)


@dataclass
class Model:
    """All rows, and the wishes not to be told again: keys and texts, each with the row that it came from."""

    rows: list[Row] = field(default_factory=list)
    wishes: list[tuple[str, str, str]] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    """The rows that the agent was shown."""

    def say(self, said: Said, now: Micros, new_id: str | None) -> str:
        """Take a claim; return its outcome, or the code of the refusal."""
        covering = [wish for wish in self.wishes if wish[1] == said.key or wish[2] == said.text]
        if covering and not said.is_users:
            return "forgotten"
        self.wishes = [wish for wish in self.wishes if wish not in covering]
        standing = self.served(said.key, now)
        if standing and _adds_nothing(said, standing):
            if standing.id in self.told and not said.owner:
                return "echo"
            if said.weight <= standing.weight:
                return "known"
        waiting = next(
            (row for row in self.rows if row.waits(now) and (row.key, row.text) == (said.key, said.text)), None
        )
        if waiting:
            return self._again(said, waiting, standing, now)
        if not said.is_users and self._with(said, "rejected", "disputed", "forgotten"):
            return "echo"
        assert new_id is not None
        row = Row(new_id, said.key, said.text, said.weight, "active", said.confidence, said.until, not said.owner)
        if said.is_guess or (standing and said.weight < standing.weight):
            row.status, row.contests = "pending", standing.id if standing else None
            self.rows.append(row)
            return "contested" if standing else "pending"
        outcome = "updated" if self._holder(said.key) else "new"
        self._retire(said.key, now)
        self.rows.append(row)
        return outcome

    def _again(self, said: Said, waiting: Row, standing: Row | None, now: Micros) -> str:
        """Hear again what waits: the user's word puts it into service, surer grounds do where only they lack."""
        surer = said.weight == waiting.weight == 0 and not said.is_guess and waiting.contests is None
        strong = standing is None or said.weight >= standing.weight
        if not (said.is_users and strong) and not (surer and standing is None):
            return "echo"
        self._promote(waiting, said.weight, said.confidence, now)
        waiting.until = said.until if said.is_users else waiting.until
        return "confirmed"

    def confirm(self, row: Row, owner: bool, now: Micros) -> str | None:
        """Say yes; return the code of the refusal."""
        if row.stands_denied(now) and owner:
            row.weight, row.confidence, row.denied = STATED, None, 0
            return None
        if not _answerable(row, owner):
            return "not_found"
        if row.until is not None and row.until <= now:
            return "bad_time"
        standing = self.served(row.key, now)
        weight = STATED if owner else RELAYED
        if standing and standing.weight > weight:
            return "not_yours"
        self._promote(row, weight, None, now)
        return None

    def reject(self, row: Row, owner: bool, now: Micros) -> str | None:
        """Say no; return the code of the refusal."""
        if not _answerable(row, owner) and not (row.stands_denied(now) and owner):
            return "not_found"
        row.status = "rejected"
        return None

    def deny(self, key: str, owner: bool, now: Micros) -> str | None:
        """Call what is served wrong; the second time it goes out of service, but the owner's word for nobody else."""
        row = self.served(key, now)
        if row is None:
            return "not_found"
        row.denied += 1
        if row.denied >= 2 and (owner or row.weight < STATED):
            row.status = "disputed"
        return None

    def forget(self, key: str, owner: bool) -> str | None:
        """Forget all of a key that was not put away, and do not learn it again; an agent must know of some of it."""
        gone = [row for row in self.rows if row.key == key and row.status in ("active", "pending", "disputed")]
        if not any(row.status != "pending" or owner or row.agents for row in gone):
            return "not_found"
        for row in gone:
            row.was, row.status = row.status, "forgotten"
            self.wishes.append((row.id, row.key, row.text))
        return None

    def unforget(self, row: Row, now: Micros) -> str | None:
        """Let a forgotten row be what it was; one that was in service waits where what holds its key weighs as much."""
        if row.status != "forgotten":
            return "not_found"
        if row.until is not None and row.until <= now:
            return "bad_time"
        self.wishes = [wish for wish in self.wishes if wish[0] != row.id]
        standing = self.served(row.key, now)
        if row.was == "active" and (standing is None or standing.weight < row.weight):
            self._promote(row, row.weight, row.confidence, now)
            return None
        row.status = "pending" if row.was == "active" else row.was
        row.contests = standing.id if standing and row.status == "pending" else None
        return None

    def dream(self, now: Micros) -> None:
        """Put away what is past its date."""
        for row in self.rows:
            if row.status == "active" and not row.stands(now):
                row.status = "expired"

    def recall(self, key: str, now: Micros) -> Row | None:
        """Show the agent what is served: if it says the same afterwards it is a parrot."""
        row = self.served(key, now)
        self.told |= {row.id} if row else set()
        return row

    def served(self, key: str, now: Micros) -> Row | None:
        """The row that is served."""
        return next((row for row in self.rows if row.key == key and row.stands(now)), None)

    def is_contested(self, served: Row) -> bool:
        """Whether a proposal waits against a row."""
        return any(row.status == "pending" and row.contests == served.id for row in self.rows)

    def statuses(self, key: str) -> dict[str, str]:
        """Every row of a key with its status."""
        return {row.id: row.status for row in self.rows if row.key == key}

    def at(self, place: int) -> list[Row]:
        """The row at a place, counted from the newest, as a list; none where there are fewer."""
        return self.rows[::-1][place : place + 1]

    def _with(self, said: Said, *statuses: str) -> Row | None:
        same = (row for row in self.rows if (row.key, row.text) == (said.key, said.text) and row.status in statuses)
        return next(same, None)

    def _holder(self, key: str) -> Row | None:
        return next((row for row in self.rows if row.key == key and row.status == "active"), None)

    def _retire(self, key: str, now: Micros) -> None:
        holder = self._holder(key)
        if holder:
            holder.status = "superseded" if holder.stands(now) else "expired"

    def _promote(self, row: Row, weight: int, confidence: float | None, now: Micros) -> None:
        self._retire(row.key, now)
        row.status, row.weight, row.confidence, row.contests, row.denied = "active", weight, confidence, None, 0


def _adds_nothing(said: Said, row: Row) -> bool:
    return said.text == row.text and said.confidence in (None, row.confidence) and (said.until in (None, row.until))


def _answerable(row: Row, owner: bool) -> bool:
    """An agent is asked of its own proposals and of what is disputed; the owner of all that waits."""
    return row.status == "disputed" or (row.status == "pending" and (owner or row.agents))
