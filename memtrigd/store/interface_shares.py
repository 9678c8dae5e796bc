"""What may be asked of one level about how much of it is whose."""

from typing import Protocol


class ShareReader(Protocol):
    """Reads of one level about who has how much."""

    def kept_by(self, agent: str | None) -> tuple[int, int]:
        """How many active and waiting memories an agent has here, None for those without a name, and their bytes.

        Counted row by row: 200,000 in some tens of milliseconds.
        """
