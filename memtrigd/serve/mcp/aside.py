"""The arguments of large calls go round the library, which looks at each byte many times: taken out before, put back.

What is large and no call of a tool has no place in a line: nothing else that is asked for can be that long.
"""

from typing import Any, Final

import msgspec

LARGE: Final = 32 << 10
"""Bytes of a line from which its arguments go round the library."""
REST: Final = 256 << 10
"""Bytes of a line that the library may be left with."""


class Aside:
    """What was taken out of the calls of one connection that are under way, by the id of their request.

    ``size`` is how many bytes their lines have.
    """

    def __init__(self) -> None:
        self.size = 0
        self._kept: dict[str | int, tuple[dict[str, Any], int]] = {}

    def spare(self, line: bytes) -> bytes:
        """Take the arguments out of a large call. Raises ValueError or RecursionError for what can't be served."""
        if len(line) < LARGE:
            return line
        whole = msgspec.json.decode(line)
        if not isinstance(whole, dict):
            raise ValueError("no message")
        params, number = whole.get("params"), whole.get("id")
        if whole.get("method") == "tools/call" and isinstance(params, dict):
            given = params.get("arguments")
            if isinstance(given, dict) and isinstance(number, str | int) and not isinstance(number, bool):
                rest = msgspec.json.encode({**whole, "params": {**params, "arguments": {}}})
                self._keep(number, given, len(line), rest)
                return rest
        if len(line) > REST:
            raise ValueError("too much beside the arguments of a tool")
        return line

    def given(self, number: Any, otherwise: dict[str, Any] | None) -> dict[str, Any] | None:
        """The arguments of a call: those that were taken out of it, or what the library has."""
        return self._kept[number][0] if number in self._kept else otherwise

    def drop(self, number: Any) -> None:
        """The call is over."""
        if number in self._kept:
            self.size -= self._kept.pop(number)[1]

    def clear(self) -> None:
        """All of them are over."""
        self._kept.clear()
        self.size = 0

    def _keep(self, number: str | int, given: dict[str, Any], size: int, rest: bytes) -> None:
        if number in self._kept or len(rest) > REST:
            raise ValueError("its id is in use, or too much beside its arguments")
        self._kept[number] = given, size
        self.size += size
