"""msgpack as no library writes it: half surrogates, double keys, claims that are not kept, ints in any width."""

import random
import struct
from typing import Any, NamedTuple

import msgspec


class Verbatim(NamedTuple):
    """Bytes that stand in a message as they are."""

    data: bytes


class Pairs(NamedTuple):
    """A map with keys of any sort, and the same one twice."""

    pairs: list[tuple[Any, Any]]


def pack(value: Any, chance: random.Random) -> bytes:
    """Pack a value; the widths of ints, lengths and counts are chosen now and then, not the least."""
    wide = chance.random() < 0.05
    match value:
        case Verbatim(data):
            return data
        case Pairs(pairs):
            return _head(0x80, 16, (0xDE, 0xDF), len(pairs), wide) + b"".join(
                pack(key, chance) + pack(each, chance) for key, each in pairs
            )
        case dict():
            return pack(Pairs(list(value.items())), chance)
        case list():
            return _head(0x90, 16, (0xDC, 0xDD), len(value), wide) + b"".join(pack(each, chance) for each in value)
        case str():
            data = value.encode("utf-8", "surrogatepass")
            return _head(0xA0, 32, (0xDA, 0xDB), len(data), wide) + data
        case bool():
            return msgspec.msgpack.encode(value)
        case int() if wide and -(2**63) <= value < 2**63:
            return struct.pack(">Bq", 0xD3, value)
    return msgspec.msgpack.encode(value)


def _head(small: int, below: int, sized: tuple[int, int], count: int, wide: bool) -> bytes:
    """The beginning of a text, an array or a map."""
    if count < below and not wide:
        return bytes([small | count])
    if count < 1 << 16 and not wide:
        return struct.pack(">BH", sized[0], count)
    return struct.pack(">BI", sized[1], count)
