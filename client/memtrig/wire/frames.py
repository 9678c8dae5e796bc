"""The envelope: a 4-byte big-endian length and a msgpack map, a Call one way and an Answer the other."""

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from memtrig.limits import PREFIX
from memtrig.wire.doors import AgentRequest, ControlRequest, HookRequest
from memtrig.wire.lived import AnyResult, Notice
from memtrig.wire.requests import Request


class Call(Struct, frozen=True, forbid_unknown_fields=True):
    """One request: ``id`` is chosen by the client, unique among those in flight, and comes back in the answer."""

    id: int
    request: Raw


class Error(Struct, frozen=True, kw_only=True):
    """A refusal: a stable code, a sentence, the way out, and whether the same request may succeed later."""

    code: str
    message: str
    hint: str = ""
    retryable: bool = False


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One reply: ``result`` or ``error``, or a ``notice``. ``incomplete`` names the visible levels not consulted."""

    id: int
    result: AnyResult | UnsetType = UNSET
    error: Error | UnsetType = UNSET
    incomplete: list[str] = []
    notice: Notice | UnsetType = UNSET
    """Instead of both, with the id 0: the answer to no request, but to a subscription."""


_encoder = msgspec.msgpack.Encoder()
decode_call = msgspec.msgpack.Decoder(Call).decode
decode_agent = msgspec.msgpack.Decoder(AgentRequest).decode
decode_control = msgspec.msgpack.Decoder(ControlRequest).decode
decode_hook = msgspec.msgpack.Decoder(HookRequest).decode
decode_answer = msgspec.msgpack.Decoder(Answer).decode


def frame(message: Call | Answer) -> bytes:
    """Encode a message and put its length before it."""
    body = _encoder.encode(message)
    return len(body).to_bytes(PREFIX, "big") + body


def call(number: int, request: Request) -> bytes:
    """Frame a request under ``number``."""
    return frame(Call(number, Raw(_encoder.encode(request))))
