"""What can go wrong for a client, as types. Only built-in names are used, so that importing this costs nothing."""

from __future__ import annotations


class MemtrigError(Exception):
    """The base of all errors: a stable ``code``, a sentence, the way out, whether the same call may succeed later."""

    def __init__(self, code: str, message: str, hint: str = "", retryable: bool = False) -> None:
        super().__init__(code, message, hint, retryable)
        self.code = code
        self.message = message
        self.hint = hint
        self.retryable = retryable

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class Refused(MemtrigError):
    """The daemon understood and said no; docs/protocol.md lists its codes."""


class NotFound(Refused):
    """No such memory is visible at the session's level."""


class DaemonDown(MemtrigError):
    """Nobody listens on the socket (``daemon_down``), or the connection broke before the answer (``connection_lost``).

    After ``connection_lost`` a write may or may not have been done.
    """


class Timeout(MemtrigError):
    """No answer came in time. A write may or may not have been done."""


class ProtocolError(MemtrigError):
    """The other side doesn't speak this protocol; the connection was dropped."""


class IncompleteView(UserWarning):
    """Levels that the session may see could not be consulted: an answer may lack memories or be an older lower copy.

    ``warnings.simplefilter("error", memtrig.IncompleteView)`` makes it an error.
    """
