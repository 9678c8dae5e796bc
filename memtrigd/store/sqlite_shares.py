"""Who has how much of one level's SQLite file."""

from typing import Final

from memtrigd.store.handles import ReadHandle


class SqliteShareReader(ReadHandle):
    """The ShareReader of one file."""

    def kept_by(self, agent: str | None) -> tuple[int, int]:
        """How many active and waiting memories an agent has here, and the bytes of their contents."""
        ((memories, size),) = self._rows(_KEPT_BY, (agent,))
        return int(memories), int(size)


_KEPT_BY: Final = (
    "SELECT count(*), coalesce(sum(octet_length(content)), 0) FROM memory"
    " WHERE status IN ('active', 'pending') AND agent IS ?"
)
