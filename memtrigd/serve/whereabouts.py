"""Whereabouts: the level at which an owner's act runs that names a memory by its id and no level."""

from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Status
from memtrigd.gate.view import View
from memtrigd.serve import entries
from memtrigd.serve.below import restraints


def level_of(request: wire.Write, view: View) -> Level | None:
    """The level where the named memory lies, None where it names none that is there.

    What is to be unforgotten but is not forgotten where it lies: the highest level that puts it away for its readers.
    """
    named = getattr(request, "id", None)
    row = view.find(named) if named else None
    if row is None:
        return entries.level_of(request, view)
    if isinstance(request, wire.Unforget) and row.status is not Status.FORGOTTEN:
        return next((restraint.level for restraint in restraints(view, row)), row.level)
    return row.level
