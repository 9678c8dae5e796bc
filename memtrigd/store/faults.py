"""What an error of SQLite, or of the system under it, means for the caller."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from memtrigd.domain.errors import Refusal

ORDINARY: Final = (
    apsw.SQLError,
    apsw.ConstraintError,
    apsw.MismatchError,
    apsw.RangeError,
    apsw.TooBigError,
    apsw.BindingsError,
)
"""Errors of a statement, not of the disk: SQLite undoes the statement and the transaction can go on."""

DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError)
"""What SQLite says of a file whose bytes are not what it wrote."""


def refusal_for(error: apsw.Error, name: str) -> Refusal | None:
    """Say an error of SQLite on the file ``name`` as a refusal; None where it is a fault of the program.

    ``disk_full`` and ``store_locked`` may pass by themselves. Damage and disk errors make the level unavailable.
    """
    if isinstance(error, apsw.FullError):
        return Refusal("disk_full", f"The disk of {name} is full.", "Free some space and try again.", retryable=True)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return Refusal(
            "store_locked",
            f"Another process holds {name}.",
            "Close the program that has the file open and try again.",
            retryable=True,
        )
    if isinstance(error, (*DAMAGE, apsw.IOError, apsw.CantOpenError)):
        return Refusal(
            "level_unavailable",
            f"{name} can't be read ({type(error).__name__.removesuffix('Error')}).",
            "It was left as it is. Check the disk, then restore the file from a backup.",
        )
    return None


@contextmanager
def unusable(name: str) -> Iterator[None]:
    """Say whatever SQLite or the system has against the file ``name`` as a refusal: nothing of it is in use yet."""
    try:
        yield
    except apsw.Error as error:
        raise refusal_for(error, name) or _unusable(name, f"SQLite says {type(error).__name__}") from error
    except OSError as error:
        raise _unusable(name, error.strerror or type(error).__name__) from error


def _unusable(name: str, why: str) -> Refusal:
    return Refusal(
        "level_unavailable",
        f"{name} can't be used: {why}.",
        "It was left as it is. See to its owner, mode and disk, or restore it from a backup.",
    )
