"""From a frame's body to a typed request, by the door that it came through."""

from collections.abc import Callable
from typing import Final

import msgspec
from memtrig import wire

from memtrigd.domain import claim
from memtrigd.domain.errors import Refusal
from memtrigd.gate.doors import DoorKind
from memtrigd.serve import parts

LARGE: Final = 2 << 10
"""Characters of a save from which its analysis goes to a thread of its own: ten milliseconds, were all words new."""
_DECODERS: dict[DoorKind, Callable[[bytes | msgspec.Raw], wire.Request]] = {
    DoorKind.LEVEL: wire.decode_agent,
    DoorKind.HANDED: wire.decode_agent,
    DoorKind.CONTROL: wire.decode_control,
    DoorKind.HOOK: wire.decode_hook,
}
_EVERY_TYPE = frozenset(
    cls.__struct_config__.tag
    for union in (wire.AgentRequest, wire.OwnerData, wire.ControlRequest, wire.HookRequest)
    for cls in union.__args__
)
_HINT = "docs/protocol.md lists the operations and their fields."
_CROWDED: Final = msgspec.Raw(b"\xc0")
"""In the place of a request that has too many parts to be decoded."""


def call(body: bytes) -> wire.Call:
    """Decode the outer map of a request. Raises Refusal ``bad_frame``."""
    if len(body) >= parts.COUNTED and parts.is_crowded(body):
        return wire.Call(_number(body), _CROWDED)
    try:
        return wire.decode_call(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Refusal("bad_frame", f"The frame holds no request: {str(error)[:400]}.", _HINT) from None


def request(kind: DoorKind, raw: msgspec.Raw) -> wire.Request:
    """Decode a request as the door allows.

    Raises Refusal ``not_here`` for another door's, ``too_large`` for what must not even wait, else ``bad_request``.
    """
    if raw is _CROWDED:
        raise Refusal("too_large", f"The request has more than {parts.MOST:,} values.", _HINT)
    try:
        decoded = _DECODERS[kind](raw)
    except (msgspec.MsgspecError, RecursionError) as error:
        tag = _tag(raw)
        if tag in _EVERY_TYPE and not _carries(kind, tag):
            raise Refusal("not_here", f"This socket does not carry {tag!r}.", _OTHER_DOOR[kind]) from None
        raise Refusal("bad_request", f"{str(error)[:400]}.", _HINT) from None
    inner = decoded.request if isinstance(decoded, wire.Act) else decoded
    if isinstance(inner, wire.Save) and len(inner.content) > claim.MAX_CONTENT:
        claim.text(inner.content, "content")
    return decoded


def _number(body: bytes) -> int:
    """The id of a call that is not decoded as a whole: it is read where it stands first, as our clients write it."""
    try:
        return msgspec.msgpack.decode(body[4 : 5 + _WIDTHS.get(body[4], 0)], type=int) if body[1:4] == b"\xa2id" else 0
    except msgspec.MsgspecError:
        return 0


def _tag(raw: msgspec.Raw) -> object:
    """Read the type of a request that did not decode."""
    try:
        return msgspec.msgpack.decode(raw, type=_Tagged).type
    except (msgspec.MsgspecError, RecursionError):
        return None


def _carries(kind: DoorKind, tag: object) -> bool:
    union = {DoorKind.CONTROL: wire.ControlRequest, DoorKind.HOOK: wire.HookRequest}.get(kind, wire.AgentRequest)
    return any(cls.__struct_config__.tag == tag for cls in union.__args__)


_WIDTHS: Final = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
"""Bytes of an int behind its first one."""


class _Tagged(msgspec.Struct):
    type: str


_OTHER_DOOR = {
    DoorKind.LEVEL: "The owner's verbs are on control.sock.",
    DoorKind.HANDED: "The owner's verbs are on control.sock.",
    DoorKind.CONTROL: "The owner's data verbs come inside act; agents use a level socket.",
    DoorKind.HOOK: "A hook's socket carries only what a host's hook needs.",
}


def is_large(request: wire.Save | wire.Import | wire.BundleTake) -> bool:
    """Tell whether the text of a save takes long to analyse; those of an import do."""
    if not isinstance(request, wire.Save):
        return True
    texts = (request.content, request.context or "", request.entity or "", *request.tags)
    return sum(map(len, texts)) >= LARGE


def is_write(request: wire.Request) -> bool:
    """Tell whether a request changes something."""
    return isinstance(request.request if isinstance(request, wire.Act) else request, wire.Write)


def analysed_elsewhere(request: wire.Request) -> bool:
    """Tell whether a save's text is prepared on another thread: no write that needs none of that may overtake it."""
    inner = request.request if isinstance(request, wire.Act) else request
    return isinstance(inner, wire.Save | wire.Import | wire.BundleTake) and is_large(inner)
