"""What an error of SQLite means for the caller."""

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
    if isinstance(error, apsw.NotADBError | apsw.CorruptError | apsw.IOError | apsw.CantOpenError):
        return Refusal(
            "level_unavailable",
            f"{name} can't be read ({type(error).__name__.removesuffix('Error')}).",
            "It was left as it is. Check the disk, then restore the file from a backup.",
        )
    return None
