"""Memories that come to one level's SQLite file with their lives, from another file of ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import apsw

from memtrigd.domain.memory import Memory, Status
from memtrigd.store import audit
from memtrigd.store.handles import ReadHandle
from memtrigd.store.interface import Change, Version
from memtrigd.store.interface_bringing import BROUGHT
from memtrigd.store.records import COLUMNS, spelt, to_row
from memtrigd.store.sqlite_erasing import NOTHING


class BringingReader(ReadHandle):
    """Reads of what came here before."""

    def brought(self, source: str) -> bool:
        """Tell whether rows of this bundle were taken here."""
        return self._first(_BROUGHT, (BROUGHT, source)) is not None

    def has_event(self, change: Change, about: str | None) -> bool:
        """Tell whether this very event is here."""
        said = change.at, change.op, change.actor, change.session, change.reason, about
        return self._first(_EVENT, said) is not None


class BringingWriter(BringingReader):
    """Writes of memories with their lives.

    Every row of the journal vouches for the memory as it stands now, for it was never here as it was before, and for
    the step that it tells of.
    """

    connection: apsw.Connection
    _key: bytes

    if TYPE_CHECKING:

        def _enter_index(self, number: int, memory: Memory, terms: Sequence[str]) -> None: ...
        def _place(self, memory_id: str) -> tuple[int, bytes | None]: ...
        def _update(self, number: int, before: Memory, memory: Memory) -> None: ...
        def _reindex(self, number: int, before: Memory, memory: Memory, terms: Sequence[str]) -> None: ...
        def _enter_version(self, seq: int, memory_id: str, change: Change, fields: str) -> None: ...

    def bring(self, memory: Memory, steps: Sequence[Version], terms: Sequence[str]) -> None:
        """Add a memory as it stands with all the steps of its life. What was erased has no salt and tells nothing."""
        salt = None if memory.erased else audit.new_salt()
        self.connection.execute(_ADD, (salt, *to_row(memory)))
        if memory.status is Status.ACTIVE:
            self._enter_index(self.connection.last_insert_rowid(), memory, terms)
        self._live(memory, salt, steps)

    def go_on(self, before: Memory, memory: Memory, steps: Sequence[Version], terms: Sequence[str]) -> None:
        """Put a memory that is here, as it stands ``before``, into a later state. Raises ValueError for another one."""
        if before.erased or memory.erased or before.id != memory.id:
            raise ValueError(f"memory {before.id} can't go on so")
        number, salt = self._place(memory.id)
        self._update(number, before, memory)
        self._reindex(number, before, memory, terms)
        self._live(memory, salt, steps)

    def _live(self, memory: Memory, salt: bytes | None, steps: Sequence[Version]) -> None:
        kept = audit.NO_SALT if salt is None else salt
        for step in steps:
            fields = NOTHING if memory.erased else spelt(step.fields)
            seq = audit.append(self.connection, self._key, memory, kept, change=step.change, fields=fields)
            self._enter_version(seq, memory.id, step.change, fields)


_ADD: Final = " ".join(("INSERT INTO memory (salt,", ", ".join(COLUMNS), ") VALUES (?", ", ?" * len(COLUMNS), ")"))
_BROUGHT: Final = "SELECT 1 FROM event WHERE op = ? AND about = ? ORDER BY seq DESC LIMIT 1"
"""While a bundle comes its event is among the last."""
_EVENT: Final = (
    "SELECT 1 FROM event INDEXED BY event_at WHERE at = ? AND op = ? AND actor = ? AND session IS ? AND reason IS ?"
    " AND about IS ?"
)
