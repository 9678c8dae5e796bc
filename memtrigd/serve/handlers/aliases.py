"""alias: other names of an entity, exact, and only the owner's."""

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain import aliases as rules
from memtrigd.domain.claim import name
from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import canonical
from memtrigd.domain.moments import to_iso
from memtrigd.serve.entries import made
from memtrigd.serve.turn import Turn


def add(turn: Turn, request: wire.AliasAdd) -> wire.Aliases:
    """Let a name mean an entity, for readers of the act's level and above."""
    alias, entity = name(request.alias, "alias"), name(request.entity, "entity")
    rules.check(alias, entity, turn.view.aliases)
    store = turn.view.writer
    known = store.entries(Sort.ALIAS, name=canonical(alias))
    if known:
        return wire.Aliases(aliases=[_shown(known[0])])
    check_room(turn)
    entry = made(turn, Sort.ALIAS, {"alias": alias, "entity": entity}, name=canonical(alias))
    store.keep(entry, turn.change("alias"))
    return wire.Aliases(aliases=[_shown(entry)])


def check_room(turn: Turn) -> None:
    """Raise ``too_large`` where the act's level has as many as it keeps."""
    kept = len(turn.view.writer.entries(Sort.ALIAS))
    if kept >= rules.MOST:
        raise Refusal("too_large", f"There are {kept:,} aliases at {turn.view.level.name}.", "Remove one first.")


def remove(turn: Turn, request: wire.AliasRemove) -> wire.Aliases:
    """Let a name stand for itself again."""
    known = turn.view.writer.entries(Sort.ALIAS, name=canonical(name(request.alias, "alias")))
    if not known:
        raise Refusal(
            "not_found", f"{request.alias!r} is no other name at {turn.view.level.name}.", "`alias list` shows them."
        )
    for entry in known:
        turn.view.writer.keep(replace(entry, closed=turn.now, updated=turn.now), turn.change("alias_removed"))
    return wire.Aliases(aliases=[_shown(entry) for entry in known])


def listing(turn: Turn, request: wire.AliasList) -> wire.Aliases:
    """The other names in sight, in order."""
    entries = [entry for reader in turn.view.readers for entry in reader.entries(Sort.ALIAS)]
    entries.sort(key=lambda entry: (entry.name or "", entry.level, entry.id))
    return wire.Aliases(aliases=[_shown(entry) for entry in entries])


def _shown(entry: Entry) -> wire.Alias:
    return wire.Alias(
        alias=str(entry.body["alias"]),
        entity=str(entry.body["entity"]),
        level=entry.level.name,
        at=to_iso(entry.created),
    )
