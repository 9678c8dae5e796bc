"""vacuum, recover, init: the upkeep of a level, as far as anybody may ask for it."""

from typing import Final

from memtrig import wire

import memtrigd
from memtrigd.domain.moments import DAY
from memtrigd.serve.handlers.about import Facts
from memtrigd.serve.turn import Turn

KEPT_AT_HAND: Final = 90 * DAY
"""How long what was superseded stays among what is asked for every day."""


def vacuum(turn: Turn, request: wire.Vacuum) -> wire.Vacuumed:
    """Archive what was superseded long ago at the caller's own level. It stays in ``history``."""
    store, before = turn.view.writer, turn.now - KEPT_AT_HAND
    archived = store.archivable(before) if request.dry_run else store.archive(before)
    return wire.Vacuumed(archived=archived, level=turn.view.level.name, dry_run=request.dry_run)


def recover(turn: Turn, facts: Facts) -> wire.Recovered:
    """Tell what the last start found unfinished, and what became of it: all of it to the owner, else of own levels."""
    names = {level.name for level in turn.view.permitted}
    return wire.Recovered(left=[each for each in facts.left if turn.actor.is_owner or each.level in names])


def init(turn: Turn, facts: Facts) -> wire.Initialised:
    """Tell what is set up. A daemon that answers is ready; whether a level has memories is told of those in sight."""
    view = turn.view
    some = any(reader.corpus().documents for reader in view.readers)
    told = {
        "server": memtrigd.__version__,
        "protocol": str(wire.PROTOCOL),
        "schema": str(facts.schema),
        "reads": " ".join(level.name for level in view.permitted),
        "model": "none",
        "memories": "some" if some else "none yet",
    }
    if turn.actor.is_owner:
        told["home"] = facts.home
    return wire.Initialised(ready=True, level=view.level.name, facts=told)
