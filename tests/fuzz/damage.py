"""What is done to good messages so that they are none: to their values, and to their bytes."""

import copy
import random
from typing import Any

from memtrig import wire

from tests.fuzz.pack import Pairs, Verbatim

MARK = "fuzzmark"
"""Stands in texts of every request, and must not in the log."""
TEXTS = (
    "", " ", "\0", f"{MARK}\0", "\ud800", f"{MARK}\udfff", f"{MARK}\u202e\u2066", "../../x", "/etc/passwd", "%2e%2e/x",
    "~root", f"'; DROP TABLE memory; -- {MARK}", f'{MARK} NEAR("a" b) OR * -', "\x1b[2J\x9b31m", f"a\r\nb {MARK}",
    MARK * 40, MARK * 700, MARK * 9000, "茶" * 400, "é" * 300,
    "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "2026-02-30", "1e999", "NaN", "RESTRICTED", "stated",
    "default", "WzEsIm0xIl0=", "1:x", "[" * 3000, "\ufdd0\U0010ffff",
)  # fmt: skip
NUMBERS = (-1, 0, 1, 2, 127, 128, 255, 256, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, -(2**63))
REALS = (0.5, -0.0, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"))
VERBATIM = (
    b"\xc1", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff",
    b"\x91" * 3000 + b"\xc0", b"\x81\xa1x" * 3000 + b"\xc0", b"\xd6\xff\x00\x00\x00\x00",
    b"\xc7\x0c\xff" + b"\xff" * 12, b"\xd4\x05x",
    b"\xc4\x03abc", b"\xa3\xed\xa0\x80", b"\xa2\xc0\x80", b"\xa4\xf4\x90\x80\x80", b"\xa1\xff",
    b"\xdc\x10\x00" + b"\xa1a" * 4096, b"\xdd\x00\x02\x00\x00" + b"\x90" * 131072,
)  # fmt: skip
PREFIXES = (0, 1, wire.MAX_FRAME, wire.MAX_FRAME + 1, 2**31, 2**32 - 1)


def odd(chance: random.Random, *, as_json: bool = False) -> Any:
    """A value that nobody asked for."""
    kinds = (TEXTS, TEXTS, NUMBERS, REALS, (None, True, False), ([], {}, [[]], {"": 0}, [None] * 70))
    if not as_json and chance.random() < 0.2:
        return Verbatim(chance.choice(VERBATIM))
    return chance.choice(chance.choice(kinds))


def marked(value: Any, chance: random.Random) -> Any:
    """The same with the mark in some of its texts, types and levels aside."""
    if isinstance(value, dict):
        return {
            key: each if key in ("type", "method", "name", "jsonrpc") else marked(each, chance)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [marked(each, chance) for each in value]
    return f"{MARK} {chance.randrange(50)} {value}" if isinstance(value, str) and chance.random() < 0.5 else value


def changed(message: Any, chance: random.Random, *, as_json: bool = False) -> Any:
    """A message with values exchanged, left out, added or said twice."""
    message = copy.deepcopy(message)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 5))):
        parts = [each for each in _containers(message) if each]
        if not parts:
            return message
        part = chance.choice(parts)
        place = chance.choice(list(part)) if isinstance(part, dict) else chance.randrange(len(part))
        match chance.randrange(8):
            case 0:
                del part[place]
            case 1 if isinstance(part, dict):
                part[chance.choice(("level", "", "x" * 300, MARK, "type", "__proto__"))] = odd(chance, as_json=as_json)
            case 2 if not as_json and isinstance(part, dict):
                again = Pairs([*part.items(), (place, odd(chance)), (odd(chance), 1)])
                return again if part is message else {**message, "request": again}
            case _:
                part[place] = odd(chance, as_json=as_json)
    return message


def _containers(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value] if isinstance(value, dict | list) else []
    return own + [found for each in inner for found in _containers(each)]


def broken(data: bytes, chance: random.Random) -> bytes:
    """Bytes with some flipped, added, taken away or doubled."""
    damaged = bytearray(data)
    for _ in range(chance.choice((0, 0, 0, 1, 2, 8))):
        place = chance.randrange(len(damaged) + 1)
        size = chance.choice((1, 1, 2, 7, 64))
        match chance.randrange(5):
            case 0:
                damaged[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                damaged[place:place] = chance.randbytes(size)
            case 2:
                del damaged[place : place + size]
            case 3:
                damaged[place:place] = damaged[place : place + size]
            case _:
                del damaged[place:]
    return bytes(damaged)


def framed(body: bytes, chance: random.Random) -> bytes:
    """A body behind its length, or behind one that is wrong."""
    length = len(body)
    if chance.random() < 0.06:
        length = chance.choice((*PREFIXES, length + 1, max(0, length - 1)))
    return length.to_bytes(wire.PREFIX, "big") + body
