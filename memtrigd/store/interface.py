"""What the rest of the daemon may ask of the store at one level. A second store needs only this page and its sister."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from msgspec import Struct

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Suppression
from memtrigd.store.interface_bringing import BringReader, BringWriter
from memtrigd.store.interface_control import ControlWriter
from memtrigd.store.interface_index import IndexReader
from memtrigd.store.interface_journal import JournalReader
from memtrigd.store.interface_scrubbing import ScrubReader, ScrubWriter
from memtrigd.store.interface_shares import ShareReader
from memtrigd.store.interface_vectors import VectorReader, VectorWriter
from memtrigd.store.interface_wishes import WishReader

Asker: TypeAlias = tuple[Hashable, str | None]
"""Who waits for their turn: a process, and the session that it speaks for. Both None: the daemon."""


class Change(Struct, frozen=True, kw_only=True):
    """Who did what, when and why: kept with every version and every audit row."""

    op: str
    actor: str
    session: str | None
    at: Micros
    reason: str | None = None


class Remembered(Struct, frozen=True):
    """The answer that a request with an idempotency key got: ``digest`` of the request, ``reply`` as encoded bytes."""

    digest: bytes
    reply: bytes


class Corpus(Struct, frozen=True):
    """Figures of one level's index: active memories and the sum of their lengths in terms."""

    documents: int
    terms: int


class Version(Struct, frozen=True, kw_only=True):
    """One step in a memory's life. ``fields`` is what it changed, a first version's all that is not at its default."""

    seq: int
    memory_id: str
    change: Change
    fields: dict[str, object]


class Event(Struct, frozen=True):
    """What was done at a level to no memory of it. ``about`` is the lower memory, or the wish that was lifted."""

    op: str
    at: Micros
    actor: str
    session: str | None
    about: str | None


class Ledger(Struct, frozen=True, kw_only=True):
    """What a higher level keeps of a memory below it, which it must not write: its own recalls and denials."""

    memory_id: str
    importance: float
    importance_at: Micros
    last_recalled: Micros | None = None
    recall_count: int = 0
    deny_count: int = 0


class LevelReader(
    WishReader, JournalReader, ScrubReader, IndexReader, ShareReader, VectorReader, BringReader, Protocol
):
    """Reads of one level. Each call sees the newest committed state; a handle belongs to one thread.

    Where the level can't be read a call raises Refusal ``level_unavailable`` or ``store_locked``, naming what it is.
    """

    @property
    def level(self) -> Level:
        """The level of this file."""

    def snapshot(self) -> AbstractContextManager[object]:
        """Let all reads inside see one state; without it each call sees the newest."""

    def active(self, key: str, space: str) -> Memory | None:
        """The row of a slot whose status is active, past its date or not."""

    def pending(self, key: str, space: str) -> list[Memory]:
        """The waiting proposals of a slot, the oldest first."""

    def refused(self, key: str, space: str) -> list[Memory]:
        """Rejected, disputed and forgotten rows of a slot, the newest first; not those that were only deleted."""

    def told(self, key: str, spaces: Sequence[str]) -> list[Memory]:
        """Every row that a key ever had, whatever its status, the oldest first."""

    def select(
        self,
        spaces: Sequence[str],
        statuses: Sequence[str],
        *,
        entities: Sequence[str] = (),
        kind: str | None = None,
        tag: str | None = None,
        session: str | None = None,
        expires_before: Micros | None = None,
        updated_since: Micros | None = None,
    ) -> Iterator[Memory]:
        """Rows with one of ``statuses`` that fit all that is given, the newest first.

        ``entities`` are names of one entity, of which a row must have one, by canonical name.
        """

    def after(self, number: int, limit: int) -> list[tuple[int, Memory]]:
        """Active and pending rows with their document numbers, in number order after ``number``: a slice of a walk."""

    def expiring(self, before: Micros) -> int:
        """How many active memories end before ``before``, or have; counted, not read."""

    def versions(self, memory_id: str) -> list[Version]:
        """The life of a memory, the oldest step first."""

    def before(self, version: Version) -> Memory | None:
        """The memory as it was before one of its versions; None before its first, and if it was erased."""

    def session_versions(self, session: str) -> list[Version]:
        """All that a session did at this level, the newest first."""

    def versions_since(self, at: Micros) -> Iterator[Version]:
        """All that happened at this level since a moment, the newest first; lazily, for a year may be asked about."""

    def session_events(self, session: str) -> list[Event]:
        """What a session did at this level to no memory of it, the newest first."""

    def events_since(self, at: Micros) -> Iterator[Event]:
        """What was done at this level since a moment to no memory of it, the newest first; lazily, as versions are."""

    def entries(self, sort: Sort, *, closed: bool = False, name: str | None = None) -> list[Entry]:
        """The open entries of a sort, the oldest first; with ``closed`` every one."""

    def session_entries(self, session: str) -> list[Entry]:
        """All entries that a session made here, the oldest first."""

    def entry(self, entry_id: str) -> Entry | None:
        """The entry with this id, closed or not."""

    def ledger(self, memory_id: str) -> Ledger | None:
        """What this level keeps of a memory of a lower one."""

    def ledger_ids(self) -> list[str]:
        """The ids of all lower memories of which this level keeps anything."""

    def by_id(self, memory_id: str) -> Memory | None:
        """The row with this id, whatever its status."""

    def newest(self, spaces: Sequence[str], tag: str | None, before: tuple[Micros, str] | None) -> Iterator[Memory]:
        """Active rows by (updated, id) descending, strictly before ``before``; lazily, so that a page costs a page."""

    def core(self, spaces: Sequence[str]) -> Iterator[Memory]:
        """Active rows that never fade, the newest first; lazily, like ``newest``."""

    def spaces(self) -> list[str]:
        """The spaces that have memories here, in order."""

    def facet(self, entities: Sequence[str], kind: str, spaces: Sequence[str], limit: int) -> list[Memory]:
        """Active rows of an entity, by whichever of its names, and of a kind, the newest first."""

    def corpus(self) -> Corpus:
        """The figures of this level's index."""

    def postings(self, term: str) -> list[tuple[int, int]]:
        """(document, times) for each indexed memory that has the term. Documents are numbers of this store only."""

    def document(self, number: int) -> Memory | None:
        """The memory behind a document number."""

    def counts(self) -> dict[str, int]:
        """How many memories there are by status."""

    def remembered(self, session: str | None, idempotency_key: str) -> Remembered | None:
        """The answer that this session's request with that key got at this level."""


class LevelWriter(LevelReader, ScrubWriter, VectorWriter, BringWriter, Protocol):
    """Reads and writes of one level inside the writer's transaction; all or nothing of a request becomes durable."""

    def add(self, memory: Memory, terms: Sequence[str], change: Change) -> None:
        """Append a memory: its row, first version, index entry (if active) and audit row.

        ``terms`` are what the analyser made of it, repeats included: the index counts them.
        """

    def amend(self, memory: Memory, change: Change, terms: Sequence[str] = ()) -> None:
        """Put a row into a new state: its row, a new version, its index entry, an audit row.

        Content, key and space of a row never change: another text is another memory. A row that stops being active
        leaves the index; one that becomes active enters it with ``terms``; one that stays active keeps its entry,
        unless ``terms`` bring a new one.
        """

    def stamp(self, memory: Memory) -> None:
        """Keep recall stamps and importance of an own row: no version, no audit row, outside ``as_of``."""

    def keep_ledger(self, ledger: Ledger) -> None:
        """Keep what this level knows of a memory below it."""

    def suppress(self, wish: Suppression, change: Change) -> None:
        """Keep a suppression, with its audit row."""

    def lift(self, suppression_id: str, change: Change) -> None:
        """Take a suppression back, with its audit row."""

    def reinstate(self, suppression_id: str, change: Change) -> None:
        """Let a lifted suppression stand again, with its audit row."""

    def unmask(self, memory_id: str, change: Change) -> None:
        """Take back every mask on a lower memory."""

    def mask(self, key: str, mask: Mask) -> None:
        """Hide a lower copy of ``key`` from the readers of this level and of the mask's space."""

    def keep(self, entry: Entry, change: Change) -> None:
        """Keep an entry as it now is, new or in place of what it was, with its audit row."""

    def archive(self, before: Micros) -> int:
        """Move superseded rows that were last changed before ``before`` out of the way; return how many.

        ``by_id``, ``told`` and ``versions`` still find them, and ``amend`` brings one back.
        """

    def archivable(self, before: Micros) -> int:
        """How many rows ``archive`` would move."""

    def erase(self, memory_id: str, change: Change) -> None:
        """Remove every byte of a memory's text: from its row, versions, index, events, wishes, answers, and its salt.

        The row stays, forgotten and empty, under a made-up key; a wish that names nothing stays in its place, so that
        neither its key nor its text is learnt again. Call ``Upkeep.scrub`` after the commit, or the log still has it.
        """

    def merge_index(self, pages: int) -> bool:
        """Put parts of the index together, writing about so many pages; tell whether there is more to do."""

    def note(self, change: Change, about: str | None = None) -> None:
        """Keep something that happened at this level to no memory of it, with its audit row."""

    def remember(
        self, session: str | None, idempotency_key: str, answer: Remembered, memory_id: str | None, at: Micros
    ) -> None:
        """Keep the answer to a request, so that a retry gets it again instead of a second write."""

    def forget_answers(self, before: Micros) -> int:
        """Drop the answers that were given before ``before``; return how many."""


class Upkeep(Protocol):
    """What is done to a level's file between transactions, alone on the writer's thread."""

    def scrub(self) -> Iterator[None]:
        """Let nothing that was deleted before the first step remain in the file, its index or its log.

        Each step is short, in a transaction of its own or none, and others may write between two; all is gone when
        there is none left. What it takes in all grows with the file. Raises Refusal ``store_locked`` if somebody reads
        the old state of the file for too long: then the log has it.
        """


class Hands(Struct, frozen=True):
    """What a write holds: at a level its write handle and the reads at and below it; else only control.

    Reads at the level itself go through the write handle, so that a job sees what those before it in the batch wrote.
    """

    readers: Mapping[Level, LevelReader]
    writer: LevelWriter | None
    controls: ControlWriter | None = None

    @property
    def control(self) -> ControlWriter:
        """The write handle of control. Raises LookupError in a job at a level: its transaction is another."""
        if self.controls is None:
            raise LookupError("a job at a level does not hold control")
        return self.controls
