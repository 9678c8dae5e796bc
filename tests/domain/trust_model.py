"""What trust promises, said a second time and as plainly as it goes: rows in lists, and the rules as they are read.

Two levels, the upper of which sees the lower and writes nothing there: it keeps pages and masks of its own on it.
"""

from dataclasses import dataclass, field

from memtrigd.domain.moments import Micros
from tests.domain.trust_rows import RELAYED, STATED, Page, Row, Said, Wish, covering, left


@dataclass
class Model:
    """A level: its rows, its wishes not to be told again, and what it keeps of the rows ``below``.

    A wish is the row that it came from, its key and text, and when it was said; a mask how often the row was seen then.
    """

    below: "Model | None" = None
    rows: list[Row] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)
    pages: dict[str, Page] = field(default_factory=dict)
    masks: dict[str, int] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    """The rows that the agent was shown, since the start."""

    def say(self, said: Said, now: Micros, new_id: str | None) -> str:
        """Take a claim; return its outcome, or the code of the refusal."""
        outcome = self._said(said, now, new_id)
        copy = self.below.held(said.key, now) if self.below else None
        if outcome != "forgotten" and said.weight == STATED and copy and copy.text == said.text:
            self._forgive(copy)
        return outcome

    def _said(self, said: Said, now: Micros, new_id: str | None) -> str:
        asked = self.wishes + (self.below.wishes if self.below else [])
        if not said.is_users and covering(asked, said.key, said.text):
            return "forgotten"
        if said.is_users:
            self._lift(covering(self.wishes, said.key, said.text))
        standing = self.held(said.key, now)
        if standing and said.adds_nothing_to(standing):
            if standing.id in self.told and not said.owner:
                return "echo"
            if said.weight <= standing.weight:
                standing.seen += 1
                standing.keep(now)
                return "known"
        same = [row for row in self.rows if (row.key, row.text) == (said.key, said.text)]
        for waiting in same:
            if waiting.waits(now):
                return self._again(said, waiting, standing, now)
        refused = ("rejected", "disputed", "forgotten")
        if not said.is_users and any(row.status in refused and row.reason != "deleted" for row in same):
            return "echo"
        assert new_id is not None
        held = self._holder(said.key)
        row = Row(
            new_id, said.key, said.text, said.weight, "active", said.confidence, said.until, not said.owner, now, now
        )
        if said.is_guess or (standing and said.weight < standing.weight):
            row.status, row.contests = "pending", standing.id if standing else None
            outcome = "contested" if standing else "pending"
        else:
            row.supersedes = held.id if held else None
            row.recalled = held.recalled if held else None
            self._retire(said.key, now)
            outcome = "updated" if held else "new"
        self.rows.append(row)
        row.keep(now)
        return outcome

    def _again(self, said: Said, waiting: Row, standing: Row | None, now: Micros) -> str:
        """Hear again what waits: the user's word puts it into service, surer grounds do where only they lack."""
        surer = said.weight == waiting.weight == 0 and not (said.is_guess or waiting.contests or waiting.denied)
        strong = standing is None or said.weight >= standing.weight
        if not (said.is_users and strong) and not (surer and standing is None):
            return "echo"
        if said.is_users:
            waiting.until, waiting.importance = said.until, 1.0
        self._promote(waiting, said.weight, said.confidence, now)
        return "confirmed"

    def confirm(self, row: Row, owner: bool, now: Micros) -> str | None:
        """Say yes; return the code of the refusal."""
        if not self._asks(row, owner, now):
            return "not_found"
        if row.is_over(now):
            return "bad_time"
        standing = self.held(row.key, now)
        weight = STATED if owner else RELAYED
        if standing and standing.weight > weight:
            return "not_yours"
        row.importance = 1.0
        self._promote(row, weight, None, now)
        return None

    def reject(self, row: Row, owner: bool, now: Micros) -> str | None:
        """Say no; return the code of the refusal."""
        if not self._asks(row, owner, now):
            return "not_found"
        row.status, row.reason = "rejected", "rejected"
        row.keep(now)
        return None

    def deny(self, key: str, owner: bool, now: Micros) -> str | None:
        """Call what is served wrong: a tenth counts. The second time it is over, but for the owner's word to agents."""
        row = self.served(key, now)
        if row is None:
            return "not_found"
        heeded = owner or row.weight < STATED
        if row not in self.rows:
            page = self._page(row, now)
            if page.denied == 0 or heeded:
                page.importance, page.denied = page.importance * 0.1, page.denied + 1
                self.pages[row.id] = page
            return None
        row.denied += 1
        if row.denied == 1 or heeded:
            row.materialise(now)
            row.importance *= 0.1
        if row.denied >= 2 and heeded:
            row.status = "disputed"
        row.keep(now)
        return None

    def forget(self, key: str, owner: bool, now: Micros) -> str | None:
        """Forget what was not put away, hide what is below, and do not learn it again."""
        gone = [row for row in self.rows if row.key == key and row.status in ("active", "pending", "disputed")]
        copy = self.below.held(key, now) if self.below else None
        hidden = [copy] if copy and not self._masked(copy) and not self._wished(copy) else []
        if not hidden and not any(row.status != "pending" or owner or row.agents for row in gone):
            return "not_found"
        for row in gone:
            row.status, row.reason = "forgotten", "forgotten"
            row.keep(now)
        for row in hidden:
            self.masks[row.id] = row.seen
        self.wishes += [(row.id, row.key, row.text, now) for row in (*gone, *hidden)]
        return None

    def delete(self, key: str, now: Micros) -> str | None:
        """Retire what stands here, and hide what it stood before."""
        row = self.held(key, now)
        if row is None:
            return "not_found"
        copy = self._copy_below(key, now)
        if copy and (copy.weight < RELAYED or row.weight >= copy.weight):
            self.masks[copy.id] = copy.seen
        row.status, row.reason = "forgotten", "deleted"
        row.keep(now)
        return None

    def unforget(self, row: Row, now: Micros) -> str | None:
        """Let a forgotten row be what it was; one that was in service waits where what holds its key weighs as much."""
        if row.status != "forgotten":
            return "not_found"
        if row.is_over(now):
            return "bad_time"
        turns = [at for at, step in enumerate(row.life) if step.status == "forgotten" != row.life[at - 1].status]
        was = row.life[turns[-1] - 1]
        standing = self.held(row.key, now)
        if was.status == "active" and (standing is None or standing.weight < row.weight):
            self._promote(row, row.weight, row.confidence, now)
        else:
            row.status, row.reason = "pending" if was.status == "active" else was.status, was.reason
            row.contests = standing.id if standing and row.status == "pending" else None
            row.keep(now)
        self._lift_for(row)
        return None

    def restrains(self, row: Row) -> bool:
        """Whether something is done here to a row below."""
        return bool(self._wished(row) or self._masked(row) or self._denials(row))

    def release(self, row: Row) -> None:
        """Take back what is done here to a row below."""
        self._lift(self._wished(row))
        self.masks.pop(row.id, None)
        self._forgive(row)

    def undo(self, row: Row, now: Micros) -> bool:
        """Take the last change of a row back, and what it did to the row that it replaced; tell whether it has room."""
        steps = [row, *(each for each in self.rows if each.id == row.supersedes and each.changed == row.changed)]
        back = {each.id: each.life[-2] if len(each.life) > 1 else None for each in steps}
        making_way = {id for id, was in back.items() if was is None or was.status != "active"}
        holder = self._holder(row.key)
        room = holder is None or holder.id in making_way
        found = False
        for each in sorted(steps, key=lambda each: each.id not in making_way):
            was = back[each.id]
            if each.id not in making_way and not (room or holder is each):
                continue
            found, forgotten = True, each.status == "forgotten"
            if was is None:
                each.status, each.reason = "rejected", "undone"
            else:
                each.become(was)
            each.keep(now)
            if forgotten and each.status != "forgotten":
                self._lift_for(each)
            elif each.status == "forgotten" and not forgotten and each.reason != "deleted":
                self.wishes.append((each.id, each.key, each.text, now))
        return found

    def dream(self, now: Micros, *, sweep: bool = False) -> None:
        """Put away what is past its date, and write down what has faded; a mere sweep only the former."""
        for row in self.rows:
            if row.status == "active" and row.is_over(now):
                row.status, row.reason = "expired", "expired"
                row.keep(now)
            elif row.status == "active" and not sweep:
                row.materialise(now)

    def recall(self, key: str, now: Micros) -> Row | None:
        """Show the agent what is served: it comes nearer, up here; and who says the same afterwards is a parrot."""
        row = self.served(key, now)
        if row is None:
            return None
        self.told.add(row.id)
        if row in self.rows:
            row.recall(now)
            return row
        page = self._page(row, now)
        page.recall(now, denied=bool(page.denied or row.denied))
        self.pages[row.id] = page
        return row

    def held(self, key: str, now: Micros) -> Row | None:
        """The row that stands here."""
        return next((row for row in self.rows if row.key == key and row.stands(now)), None)

    def served(self, key: str, now: Micros) -> Row | None:
        """The row that readers of this level are served: the weightier if the user said one, else the upper."""
        own, copy = self.held(key, now), self._copy_below(key, now)
        if copy and self._masked(copy):
            copy = None
        if own is None or copy is None:
            return own or copy
        return copy if copy.weight >= RELAYED and copy.weight > own.weight else own

    def worth(self, row: Row, now: Micros) -> float:
        """What a served row counts for readers of this level."""
        own = left(row.importance, row.since, now)
        page = self.pages.get(row.id)
        if page is None:
            return own
        kept = left(page.importance, page.since, now)
        return float(own * 0.1**page.denied) if page.denied or row.denied else max(own, kept)

    def is_contested(self, served: Row) -> bool:
        """Whether a proposal waits against a row."""
        waiting = self.rows + (self.below.rows if self.below else [])
        return any(row.status == "pending" and row.contests == served.id for row in waiting)

    def _copy_below(self, key: str, now: Micros) -> Row | None:
        copy = self.below.held(key, now) if self.below else None
        return None if copy is None or self._wished(copy) or self._denials(copy) >= 2 else copy

    def _masked(self, row: Row) -> bool:
        return row.id in self.masks and row.seen <= self.masks[row.id]

    def _wished(self, row: Row) -> list[Wish]:
        """The wishes that hide a row below: those that cover it, unless it is the user's word and said since."""
        found = covering(self.wishes, row.key, row.text)
        return [wish for wish in found if row.weight < RELAYED or row.updated <= wish[3]]

    def _denials(self, row: Row) -> int:
        return self.pages[row.id].denied if row.id in self.pages else 0

    def _page(self, row: Row, now: Micros) -> Page:
        return self.pages.get(row.id) or Page(left(row.importance, row.since, now), now)

    def _forgive(self, row: Row) -> None:
        page = self.pages.get(row.id)
        if page:
            page.forgive()

    def _lift(self, gone: list[Wish]) -> None:
        self.wishes = [wish for wish in self.wishes if wish not in gone]

    def _lift_for(self, row: Row) -> None:
        """Lift what kept a row away, and let lower copies of its key be."""
        own = {each.id for each in self.rows}
        self._lift([w for w in self.wishes if w[0] == row.id or (w[1] == row.key and w[0] not in own)])
        for copy in self.below.rows if self.below else []:
            if copy.key == row.key:
                self.masks.pop(copy.id, None)

    def _asks(self, row: Row, owner: bool, now: Micros) -> bool:
        """Whether a row asks for an answer: of this agent its own proposals and what is disputed, of the owner all."""
        if row.status == "pending":
            return owner or row.agents
        return row.status == "disputed" or (owner and row.denied >= 2 and row.stands(now))

    def _holder(self, key: str) -> Row | None:
        return next((row for row in self.rows if row.key == key and row.status == "active"), None)

    def _retire(self, key: str, now: Micros) -> None:
        holder = self._holder(key)
        if holder:
            holder.status = "superseded" if holder.stands(now) else "expired"
            holder.keep(now)

    def _promote(self, row: Row, weight: int, confidence: float | None, now: Micros) -> None:
        holder = self._holder(row.key)
        if holder and holder is not row:
            self._retire(row.key, now)
            row.supersedes = holder.id
        row.status, row.weight, row.confidence, row.contests, row.denied = "active", weight, confidence, None, 0
        row.updated, row.since, row.reason = now, now, ""
        row.keep(now)
