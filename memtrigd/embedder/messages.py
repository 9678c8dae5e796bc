"""What the daemon and the process of the model say to one another: msgpack maps, each behind its length."""

from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

PREFIX: Final = 4
"""Bytes of a length, big-endian, before each message."""
LONGEST: Final = 64 << 20
"""Bytes of a message: what is longer is none of ours."""

Kind: TypeAlias = Literal["query", "passage"]
"""What a text is: the models are trained to put what is asked near to what answers it."""
Vector: TypeAlias = bytes
"""float32, little endian, ``Model.dim`` of them; centred, and of unit length."""
Vectors: TypeAlias = tuple[Vector, ...]
"""Of one text: one for each passage of it, and at least one; of a query always one."""


class Model(Struct, frozen=True):
    """A model, and what is usual for it: vectors of two models are never compared.

    The cosine of a question and a text that have nothing to do with one another is ``mu`` on the average, with the
    standard deviation ``sigma``; one in a thousand reaches ``floor``.
    """

    name: str
    digest: str
    """Hex; of the weights, the tokenizer, the prefixes, and the background that it was calibrated with."""
    dim: int
    mu: float
    sigma: float
    floor: float


class Embed(Struct, frozen=True, tag="embed"):
    """Texts that vectors are wanted of. Queries go first; one that is begun after ``until`` is answered without any.

    ``until`` is of CLOCK_MONOTONIC in seconds, 0 for no limit.
    """

    id: int
    kind: Kind
    texts: list[str]
    until: float = 0.0


class Warming(Struct, frozen=True, tag="warming"):
    """How far the model is from being ready: what is done, how much of it, and of how much."""

    what: Literal["convert", "calibrate", "load"]
    done: int = 0
    of: int = 0


class Ready(Struct, frozen=True, tag="ready"):
    """The model is loaded: texts can be sent."""

    model: Model


class Embedded(Struct, frozen=True, tag="embedded"):
    """The vectors of each text; None where it was too late, or a text could not be taken."""

    id: int
    vectors: list[Vectors] | None


class Failed(Struct, frozen=True, tag="failed"):
    """There will be no vectors: a code, and a sentence for the owner. The process ends."""

    code: str
    message: str
    again: bool = False
    """Whether it may go better another time, with nothing changed."""


FromModel: TypeAlias = Warming | Ready | Embedded | Failed

from_model: Final = msgspec.msgpack.Decoder(FromModel).decode
to_model: Final = msgspec.msgpack.Decoder(Embed).decode


def framed(message: Struct) -> bytes:
    """A message with its length before it."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(PREFIX, "big") + body
