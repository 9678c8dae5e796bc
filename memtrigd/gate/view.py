"""A view: what a caller holds of the vault. A file that it may not see is not in it, so no clause can be forgotten."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property

from msgspec.structs import replace

from memtrigd.domain import aliases
from memtrigd.domain.entries import Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import DENIAL, DISPUTED_AT, effective_importance, faded
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, canonical
from memtrigd.domain.moments import Micros
from memtrigd.domain.shadowing import Mask, Winner, winner
from memtrigd.domain.suppression import Subject, Suppression, hides
from memtrigd.gate.policy import Actor, Permit, spaces_of
from memtrigd.store.interface import Ledger, LevelReader, LevelWriter


class View:
    """Read handles of the permitted levels, the highest first, and at most the write handle of exactly one.

    A permitted level whose file can't be used at present is not among ``readers``: the reply names it as incomplete.
    """

    def __init__(self, permit: Permit, handles: Mapping[Level, LevelReader], writer: LevelWriter | None = None) -> None:
        self.level = permit.level
        self.about = permit.level if permit.about is None else permit.about
        self.permitted = permit.reads
        self.readers = tuple(handles[level] for level in permit.reads if level not in permit.missing)
        self._writer = writer
        self.every_space = permit.every_space
        self._spaces = permit.spaces
        self._wishful: dict[Level, bool] = {}

    @property
    def spaces(self) -> tuple[str, ...]:
        """The spaces in sight: the caller's own and the shared one, or for the owner every one there is."""
        if not self.every_space:
            return self._spaces
        others = {space for reader in self.readers for space in reader.spaces()}
        return (*self._spaces, *sorted(others.difference(self._spaces)))

    def sees(self, space: str) -> bool:
        """Tell whether a space is in sight."""
        return self.every_space or space in self._spaces

    def rivals(self, space: str) -> tuple[str, ...]:
        """The spaces whose copies of a key compete with one in ``space``: for the owner each space stands alone."""
        return (space,) if self.every_space else self._spaces

    @property
    def own_space(self) -> str:
        """The space that new memories go to."""
        return self._spaces[0]

    @property
    def writer(self) -> LevelWriter:
        """The write handle of the caller's own level."""
        if self._writer is None:
            raise Refusal(
                "level_unavailable",
                f"The database of {self.level.name} can't be used; nothing was written.",
                "`memtrigctl status` tells why.",
            )
        return self._writer

    def reader(self, level: Level) -> LevelReader | None:
        """The read handle of one level, None where it is not permitted or not available."""
        return next((reader for reader in self.readers if reader.level == level), None)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside see one state of each level: what many statements put together must fit together."""
        with ExitStack() as stack:
            for reader in self.readers:
                stack.enter_context(reader.snapshot())
            yield

    @cached_property
    def aliases(self) -> tuple[tuple[str, str], ...]:
        """The other names in sight: (alias, entity) of every permitted level."""
        entries = [entry for reader in self.readers for entry in reader.entries(Sort.ALIAS)]
        return tuple((str(entry.body["alias"]), str(entry.body["entity"])) for entry in entries)

    def names_of(self, entity: str | None) -> tuple[str, ...]:
        """Every canonical name in sight of an entity; none of none."""
        return () if entity is None else aliases.names_of(entity, self._classes)

    def meant_in(self, query: str) -> tuple[str, ...]:
        """The names in sight that a query means by saying another one of their entities."""
        return aliases.meant_in(query, self._classes)

    @cached_property
    def _classes(self) -> dict[str, frozenset[str]]:
        return aliases.classes(self.aliases)

    def copies(self, key: str, spaces: Sequence[str]) -> list[Memory]:
        """The active copies of a key in every permitted level, in ``spaces``, but those that a level above put away."""
        found = []
        for reader in self.readers:
            for space in spaces:
                memory = reader.active(key, space)
                if memory is None or self.denials(memory) >= DISPUTED_AT or self.wishes_on(memory):
                    continue
                found.append(memory)
        return found

    def above(self, memory: Memory) -> tuple[LevelReader, ...]:
        """The levels in sight above a memory's own, the highest first."""
        return tuple(reader for reader in self.readers if reader.level > memory.level)

    def wishes_on(self, memory: Memory) -> list[tuple[Level, Suppression]]:
        """The standing wishes of levels in sight above a memory that hide it here, the highest level first.

        At its own level a wish is asked when something is saved; what stands there the owner let stand.
        """
        asked = [reader for reader in self.above(memory) if self._has_wishes(reader)]
        if not asked:
            return []
        about, text = self.names_of(memory.entity), canonical(memory.content)
        found = []
        for reader in asked:
            keyed = reader.key_digest(memory.space, memory.key)
            subject = Subject(memory.key, memory.space, about, reader.digest(text), keyed)
            found += [(reader.level, wish) for wish in reader.wishes(subject) if hides(wish, memory, subject)]
        return found

    def _has_wishes(self, reader: LevelReader) -> bool:
        """Tell whether anything is to be forgotten at a level; most have nothing, and most rows need no more asking."""
        if reader.level not in self._wishful:
            self._wishful[reader.level] = reader.has_wishes()
        return self._wishful[reader.level]

    def denials(self, memory: Memory) -> int:
        """How often a memory was denied at levels in sight above its own."""
        return sum(page.deny_count for page in self._pages(memory))

    def worth(self, memory: Memory, now: Micros) -> float:
        """The effective importance for this caller: the most that the row or a level in sight above it gives it.

        Denials above count a tenth each, as they would in the row itself.
        """
        pages = self._pages(memory)
        recalled = [page for page in pages if not (page.deny_count or memory.deny_count)]  # no lift for what is denied
        kept = [faded(page.importance, page.importance_at, now) for page in recalled]
        most = max([effective_importance(memory, now), *kept])
        return float(most * DENIAL ** sum(page.deny_count for page in pages))

    def seen(self, memory: Memory, now: Micros) -> Memory:
        """A memory as it counts for this caller: with its recalls and denials of levels in sight above it."""
        pages = self._pages(memory)
        if not pages:
            return memory
        recalls = [at for at in (memory.last_recalled, *(page.last_recalled for page in pages)) if at is not None]
        return replace(
            memory,
            importance=self.worth(memory, now),
            importance_at=now,
            last_recalled=max(recalls, default=None),
            recall_count=memory.recall_count + sum(page.recall_count for page in pages),
            deny_count=memory.deny_count + sum(page.deny_count for page in pages),
        )

    def _pages(self, memory: Memory) -> list[Ledger]:
        """What the levels in sight above a memory keep of it."""
        above = (reader.ledger(memory.id) for reader in self.above(memory))
        return [page for page in above if page is not None]

    def masks(self, key: str, spaces: Sequence[str]) -> list[Mask]:
        """What deletes at the permitted levels hide of a key."""
        return [mask for reader in self.readers for mask in reader.masks(key, spaces)]

    def winner(self, key: str, space: str, now: Micros) -> Winner | None:
        """The copy of a key that the caller sees, of ``space`` and its rivals."""
        rivals = self.rivals(space)
        copies = self.copies(key, rivals)
        if not copies:
            return None
        lowest = copies[-1].level
        masks = [
            mask
            for reader in self.readers
            if reader.level > lowest or len(rivals) > 1  # a mask hides what is below it, or in another space
            for mask in reader.masks(key, rivals)
        ]
        return winner(copies, masks, rivals[0], now)

    def serves(self, memory: Memory, now: Micros) -> Winner | None:
        """The winner of a memory's key if that is the memory itself, else None: it is shadowed, masked or expired."""
        if memory.space not in self.rivals(memory.space):
            return None
        found = self.winner(memory.key, memory.space, now)
        return found if found is not None and found.memory.id == memory.id else None

    def find(self, memory_id: str) -> Memory | None:
        """The row with an id, in whichever permitted level it lies."""
        return next(filter(None, (reader.by_id(memory_id) for reader in self.readers)), None)


def at_home_in(view: View, space: str) -> View:
    """The same view of one whose own space is another: organising, not protecting."""
    other = copy.copy(view)
    other._spaces = spaces_of(space)
    return other


def narrowed(view: View, space: str | None) -> View:
    """What a session with a space of its own would hold at the level that a question of the owner's is about."""
    missing = tuple(level for level in view.permitted if view.reader(level) is None)
    leave = Permit(Actor("agent"), view.about, view.about.and_below(), spaces_of(space), missing=missing)
    return View(leave, {reader.level: reader for reader in view.readers})
