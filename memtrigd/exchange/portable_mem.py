"""`.mem`, the interchange format "Portable Memory": a folder of JSON Lines, one file a kind of record, and checksums.

Episodes, facts, profiles, settings and routines are memories, relations sentences; a reference to a secret never is.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Kind, Source, Status
from memtrigd.exchange import items
from memtrigd.exchange.containers import Tree, opened
from memtrigd.exchange.documents import documents
from memtrigd.exchange.items import Ignored, Item, Noted, Reading
from memtrigd.exchange.lines import lines_of
from memtrigd.exchange.markdown import tags
from memtrigd.exchange.server_memory import RELATION

NAME: Final = "portable-memory"
MANIFEST: Final = "manifest.json"
CHECKSUMS: Final = "CHECKSUMS"
_ITEMS: Final = re.compile(r"(?:.*/)?items/(?P<kind>\w+)\.jsonl")
_SUM: Final = re.compile(r"(?P<sum>[0-9a-f]{64}) [ *](?P<name>\S.*)")
_IDS: Final = {"id", "episodeID", "sourceID", "contextID", "evidenceEpisodeIDs", "vaultRefs", "object", "ingestionTime"}
_TIMES: Final = {"eventTime", "mentionTime", "createdAt", "updatedAt", "expirationDate", "deletedAt", "lastAccessed"}
_STATES: Final = {"supersededBy", "prunedAt", "tValidFrom", "tValidTo", "extractionState", "lifecycleState", "version"}
_TEXTS: Final = {
    "summary",
    "details",
    "text",
    "predicate",
    "subject",
    "content",
    "key",
    "value",
    "name",
    "steps",
    "type",
}
_OTHERS: Final = {"categories", "sensitivity", "confidence", "accessCount", "pinned", "charBudget", "triggerPattern"}
_ENDS: Final = {"canonicalName", "aliases", "srcEntityID", "dstEntityID", "edgeType", "sourceType", "lastReinforcedAt"}
_KNOWN: Final = _IDS | _TIMES | _STATES | _TEXTS | _OTHERS | _ENDS
_KINDS: Final = ("episode", "fact", "core", "preference", "procedure", "entity", "edge")


def folder(path: Path) -> bool:
    """Tell whether a folder or a zip is such a bundle."""
    with opened(path) as tree:
        return any(PurePosixPath(name).name == MANIFEST for name in tree.names) and any(
            _ITEMS.fullmatch(name) for name in tree.names
        )


def looks(head: str, path: Path) -> bool:
    """Tell whether a file is one of such a bundle's."""
    return path.parent.name == "items" and path.suffix == ".jsonl" and path.stem in _KINDS and '"id"' in head


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a bundle, or in one file of it."""
    with opened(path) as tree:
        yield from tree.left
        files = {name: path.stem if tree.single else _kind(name) for name in tree.names}
        mine = [name for name in tree.names if files[name] in _KINDS]
        yield from _check(tree)
        names = _entities(tree, [name for name in mine if files[name] == "entity"])
        ignored = Ignored()
        yield from tree.each(mine, lambda name, file: _lines(file, files[name], names, ignored, reading))
        yield from ignored.told()
        yield from tree.others([*mine, *_frame(tree)])


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a line of a bundle; of which kind it is its fields tell."""
    return _line(text, place, ("", {}, Ignored()), reading)


def _kind(name: str) -> str:
    found = _ITEMS.fullmatch(name)
    return found["kind"] if found else ""


def _frame(tree: Tree) -> list[str]:
    return [name for name in tree.names if PurePosixPath(name).name in (MANIFEST, CHECKSUMS)]


def _check(tree: Tree) -> Iterator[Item]:
    """Tell which files are not as they were when the bundle was made."""
    sums = [name for name in tree.names if PurePosixPath(name).name == CHECKSUMS]
    for line in tree.head(sums[0], 1 << 20).splitlines() if sums else []:
        found = _SUM.fullmatch(line.strip())
        name = (PurePosixPath(sums[0]).parent / found["name"]).as_posix() if found else ""
        if found is None or name not in tree.names:
            missing = f"{found['name'][:200]!r} is missing." if found else "A line of it can't be read."
            yield Noted(sums[0], missing)
            continue
        try:
            with tree.open(name) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        except (Refusal, OSError):  # it is told of where it is read
            continue
        if digest != found["sum"]:
            yield Noted(name, "It is not as it was when the bundle was made: changed, or damaged.")


def _entities(tree: Tree, files: list[str]) -> dict[str, str]:
    """The names of entities by their ids, for relations, which name but the ids."""
    names: dict[str, str] = {}
    for name in files:
        try:
            with tree.open(name) as file:
                for line in lines_of(file):
                    for found, _ in documents(line.text):
                        if isinstance(found, dict) and isinstance(found.get("canonicalName"), str):
                            names[str(found.get("id"))] = found["canonicalName"]
        except (Refusal, OSError):  # it is told of where it is read
            continue
    return names


def _lines(file: BinaryIO, kind: str, names: dict[str, str], ignored: Ignored, reading: Reading) -> Iterator[Item]:
    for line in lines_of(file):
        if line.refusal is not None:
            yield items.left(line.place, line.refusal, line.raw)
        else:
            yield from _line(line.text, line.place, (kind, names, ignored), reading)


def _line(text: str, place: str, of: tuple[str, dict[str, str], Ignored], reading: Reading) -> Iterator[Item]:
    kind, names, ignored = of
    for found, part in documents(text):
        try:
            if isinstance(found, Refusal):
                raise found
            made, named = _record(found, kind, names), [*_named(found, place)]
            ignored.add(found, _KNOWN if "predicate" not in found else _KNOWN | {"speaker"})
            yield from items.taken({"created": found.get("createdAt"), **made}, place, reading)
            yield from named
        except Refusal as refusal:
            yield items.left(place, refusal, part)


def _record(found: dict[str, Any], kind: str, names: dict[str, str]) -> dict[str, Any]:
    """The memory that a record is, by the kind that its file says, or by its fields."""
    made = _said(found, kind) or _related(found, kind, names) or _kept(found, kind)
    if made is None:
        raise Refusal("bad_request", f"It is no record of the kind {kind[:40]!r}.", "Mend the line.")
    return made


def _said(found: dict[str, Any], kind: str) -> dict[str, Any] | None:
    """Episodes, and the facts that were made of them."""
    match found:
        case {"details": str(), "summary": str()} if kind in ("episode", ""):
            return _episode(found)
        case {"text": str(text), "predicate": _} if kind in ("fact", ""):
            over = found.get("supersededBy") or found.get("prunedAt")
            fields = {
                "status": Status.SUPERSEDED if over else Status.ACTIVE,
                "source": Source.USER_EXPLICIT if found.get("speaker") == "user" else None,
                "confidence": found.get("confidence"),
            }
            return {"content": text, "entity": found.get("subject") or None, **fields, **_valid(found)}
    return None


def _related(found: dict[str, Any], kind: str, names: dict[str, str]) -> dict[str, Any] | None:
    """Entities, and what relates them."""
    match found:
        case {"canonicalName": str(name)} if kind in ("entity", ""):
            what = str(found.get("type") or "")
            told = f"{name}: {found.get('summary') or what}" if found.get("summary") or what else name
            return {"content": told, "entity": name, "tags": tags([what]), "created": found.get("updatedAt")}
        case {"srcEntityID": one, "dstEntityID": other, "edgeType": how} if kind in ("edge", ""):
            one, other = names.get(str(one), str(one)), names.get(str(other), str(other))
            return {
                "content": f"{one} {how} {other}",
                "entity": one,
                "tags": tags([RELATION, str(how)]),
                **_valid(found),
            }
    return None


def _kept(found: dict[str, Any], kind: str) -> dict[str, Any] | None:
    """What is always told to an agent, settings and routines."""
    match found:
        case {"content": str(text), "charBudget": _} if kind in ("core", ""):
            return {"content": text, "core": True, "tags": tags([str(found.get("id") or "")])}
        case {"key": str(name), "value": said} if kind in ("preference", ""):
            return {"content": f"{name}: {said}", "kind": Kind.PREFERENCE}
        case {"name": str(name), "steps": list(steps)} if kind in ("procedure", ""):
            when = found.get("triggerPattern")
            head = f"{name} (when: {when})" if when else name
            return {
                "content": "\n".join([head, *(f"{n}. {step}" for n, step in enumerate(steps, 1))]),
                "kind": Kind.RULE,
            }
    return None


def _named(found: dict[str, Any], place: str) -> Iterator[Item]:
    """The other names of an entity. Raises Refusal for those that are none."""
    name, others = found.get("canonicalName"), found.get("aliases")
    if isinstance(name, str) and others:
        if not isinstance(others, list) or not all(isinstance(each, str) for each in others):
            raise Refusal("bad_value", "Its aliases are no list of names.", "Mend the line.")
        yield from items.aliases(name, others, place)


def _valid(found: dict[str, Any]) -> dict[str, Any]:
    return {"valid_from": found.get("tValidFrom"), "valid_to": found.get("tValidTo")}


def _episode(found: dict[str, Any]) -> dict[str, Any]:
    summary, details = found["summary"].strip(), found["details"].strip()
    sensitivity = str(found.get("sensitivity") or "low")
    return {
        "content": details if summary[:100] in details else f"{summary}\n\n{details}".strip(),
        "tags": tags(found.get("categories"), [] if sensitivity == "low" else [f"sensitivity:{sensitivity}"]),
        "confidence": found.get("confidence"),
        "created": found.get("mentionTime") or found.get("eventTime"),
        "expires_at": found.get("expirationDate"),
        "last_recalled": found.get("lastAccessed"),
        "recall_count": found.get("accessCount"),
        "pinned": found.get("pinned") or None,
        "status": Status.FORGOTTEN if found.get("deletedAt") else Status.ACTIVE,
    }
