"""What memtrigctl could not do, in the form of the daemon's own errors: a code, a sentence, a way out."""

from __future__ import annotations

REFUSED = 1
"""Exit code: the daemon refused, or there is no such memory."""
USAGE = 2
"""Exit code: the command line can't be understood."""
PARTIAL = 4
"""Exit code: it was done, but not for all that was given; the rest is where the output says."""
UNREACHABLE = 3
"""Exit code: no daemon answered, or not in time."""


class Failure(Exception):
    """An error to report: ``code`` is stable, ``incomplete`` names levels that could not be consulted meanwhile."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        retryable: bool = False,
        exit_code: int = REFUSED,
        incomplete: list[str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.retryable = retryable
        self.exit_code = exit_code
        self.incomplete = incomplete or []


def usage(message: str, hint: str, code: str = "usage") -> Failure:
    """Make the failure for a command line that can't be understood."""
    return Failure(code, message, hint, exit_code=USAGE)
