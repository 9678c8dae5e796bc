"""What the pump does with each line of MCP, whichever side it comes from. No descriptor, no clock.

Of JSON-RPC it knows which request an answer belongs to. So it can answer where the daemon can't, ask again what is
safe to ask twice, and set up a connection anew for a client of the older protocol, which does that only once.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Ident: TypeAlias = str | int

LONGEST = 16 << 20
"""Bytes of a line; the daemon takes no longer ones."""
GREETING = 64 << 10
"""Bytes of the daemon's first line. What sends more is no memtrigd."""
SENT = 256 << 10
"""Bytes on their way to the daemon; other requests wait, and are not lost with the connection."""
PATIENCE = 10.0
"""Seconds that a request waits for a daemon."""
SAFE = ("initialize", "ping", "server/discover", "tools/list", "prompts/list", "resources/list")
"""What may be asked twice, and so is asked anew of a daemon that came back."""
SETTING_UP = ("initialize", "notifications/initialized", "logging/setLevel", "resources/subscribe")
"""What an older client says once for a whole connection."""
FAILED, UNREADABLE, INVALID = -32000, -32700, -32600
LOST = "memtrigd went away before it answered. What was asked for may or may not have been done; ask again."
CHANGED = b"".join(
    b'{"jsonrpc":"2.0","method":"notifications/%s/list_changed"}\n' % what
    for what in (b"tools", b"prompts", b"resources")
)


class _Lenient:
    """How the C scanner of JSON reads here: only to find out what a line is."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_int, parse_float = int, float
    memo: dict[str, str] = {}  # noqa: RUF012

    @staticmethod
    def parse_constant(name: str) -> None:
        """Refuse NaN and the like, which are no JSON."""
        raise ValueError(name)


_scan: Any = _json.make_scanner(_Lenient)  # type: ignore[arg-type]
_quote = _json.encode_basestring_ascii


def parse(line: bytes) -> Any:
    """Read a line of JSON; None for what is none."""
    try:
        text = line.decode().strip()
        value, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError, SystemError):  # the last where nobody has loaded json: its type
        return None
    return value if end == len(text) else None


class Request:
    """A line of the host on its way. ``number`` is None for what gets no answer; ``until`` its patience lasts."""

    __slots__ = ("line", "method", "number", "until")

    def __init__(self, line: bytes, method: str, number: Ident | None, until: float) -> None:
        self.line = line
        self.method = method
        self.number = number
        self.until = until


class Relay:
    """The lines between one host and one daemon after another. Moments are seconds of the monotonic clock."""

    def __init__(self, labels: dict[str, str | None]) -> None:
        self.up = bytearray()
        """Bytes for the daemon."""
        self.down = bytearray()
        """Bytes for the host: whole lines."""
        self.greeted = False
        self.waiting: list[Request] = []
        self.flight: dict[Ident, Request] = {}
        self._labels = labels
        self._resume: str | None = None
        self._reason = ""
        self._partial = bytearray()
        self._arriving = bytearray()
        self._skipping = False
        self._set_up: dict[str, bytes] = {}
        self._set_up_again: set[Ident] = set()
        self._asked: set[Ident] = set()
        """Requests of the daemon that the host has not answered."""

    @property
    def idle(self) -> bool:
        """Whether nothing is on its way."""
        return not (self.up or self.down or self.waiting or self.flight)

    @property
    def held(self) -> int:
        """How many bytes wait for the daemon."""
        return len(self.up) + sum(len(request.line) for request in self.waiting)

    # -- the host speaks -----------------------------------------------------------------------------------------

    def from_host(self, data: bytes, now: float) -> None:
        """Take what the host wrote."""
        for line in _lines(self._partial, data):
            if not self._skipping and line.strip():
                self._take(line, parse(line), now)
            self._skipping = False
        if len(self._partial) > LONGEST:
            if not self._skipping:
                self._fail(None, INVALID, f"A line may have {LONGEST >> 20} MiB; this one is longer.")
            self._skipping = True
            self._partial.clear()
        self.pour()

    def _take(self, line: bytes, message: Any, now: float) -> None:
        if not isinstance(message, dict):
            code = UNREADABLE if message is None else INVALID
            self._fail(None, code, "A line must be one JSON-RPC message.")
            return
        method, number = message.get("method"), _ident(message.get("id"))
        if not isinstance(method, str):
            if number is not None:
                if number not in self._asked:
                    return  # the answer to a daemon that is gone
                self._asked.discard(number)
            method, number = "", None
        if method == "notifications/cancelled" and self._call_off(message.get("params")):
            return
        self.waiting.append(Request(line, method, number, now + PATIENCE))

    def _call_off(self, params: Any) -> bool:
        """Forget a request that nobody wants to know of any more; tell whether the daemon never heard of it."""
        number = _ident(params.get("requestId")) if isinstance(params, dict) else None
        if number is None:
            return False
        waiting = [request for request in self.waiting if request.number != number]
        unheard = len(waiting) < len(self.waiting)
        self.waiting = waiting
        self.flight.pop(number, None)
        return unheard

    def pour(self) -> None:
        """Send on what waits, as far as the daemon keeps up."""
        sent = 0
        while self.greeted and sent < len(self.waiting) and len(self.up) < SENT:
            request = self.waiting[sent]
            sent += 1
            self.up += request.line
            if request.number is not None:
                self.flight[request.number] = request
            elif request.method in SETTING_UP:
                self._set_up[request.method] = request.line
        del self.waiting[:sent]

    # -- the daemon speaks ---------------------------------------------------------------------------------------

    def greet(self) -> None:
        """Begin a connection: say whom it is for, and which session it goes on with."""
        said = {**self._labels, "client": "memtrig-mcp", "resume": self._resume}
        fields = "".join(f",{_quote(name)}:{_quote(value)}" for name, value in said.items() if value is not None)
        self.up[:] = b'{"memtrig":{"protocol":1%s}}\n' % fields.encode()

    def from_daemon(self, data: bytes) -> bool:
        """Take what the daemon sent; tell whether the connection is still good."""
        for line in _lines(self._arriving, data):
            message = parse(line)
            if not self.greeted:
                if not self._welcome(message):
                    return False
            elif isinstance(message, dict):
                self._give(line, message)
        self.pour()
        return self.greeted or len(self._arriving) <= GREETING

    def _welcome(self, message: Any) -> bool:
        told = message.get("memtrig") if isinstance(message, dict) else None
        error = told.get("error") if isinstance(told, dict) else None
        if not isinstance(told, dict) or isinstance(error, dict):
            if isinstance(error, dict):
                self._reason = f"{error.get('message')} {error.get('hint') or ''}".strip()
                if error.get("code") == "session_unknown" and self._resume is not None:
                    self._resume = None  # the next connection begins a session
                else:
                    self.expire(float("inf"), "")
            return False
        self.greeted = True
        self._reason = ""
        self._resume = told.get("resume") or self._resume
        for line in self._set_up.values():
            number = _ident(parse(line).get("id"))
            if number is not None:
                self._set_up_again.add(number)
            self.up += line
        if self._set_up:
            self.down += CHANGED
        return True

    def _give(self, line: bytes, message: dict[str, Any]) -> None:
        number = _ident(message.get("id"))
        if number is not None:
            if "method" in message:
                self._asked.add(number)
            elif number in self._set_up_again:
                self._set_up_again.discard(number)
                return
            else:
                request = self.flight.pop(number, None)
                if request is not None and "result" in message:
                    self._remember(request)
        self.down += line

    def _remember(self, request: Request) -> None:
        """Keep what set the connection up, or was taken back."""
        if request.method in ("resources/subscribe", "resources/unsubscribe"):
            params = parse(request.line).get("params")
            about = str(params.get("uri") if isinstance(params, dict) else None)
            self._set_up.pop(about, None)
            if request.method == "resources/subscribe":
                self._set_up[about] = request.line
        elif request.method in SETTING_UP:
            self._set_up.pop(request.method, None)
            first, others = {request.method: request.line}, self._set_up
            self._set_up = {**first, **others} if request.method == "initialize" else {**others, **first}

    # -- things go wrong -----------------------------------------------------------------------------------------

    def lost(self) -> None:
        """The connection is gone: ask anew what may be asked twice, and tell of the rest that its end is unknown."""
        again = [request for request in self.flight.values() if request.method in SAFE]
        for request in self.flight.values():
            if request.method not in SAFE:
                self._fail(request.number, FAILED, LOST, retryable=True)
        self.waiting[:0] = again
        self.flight.clear()
        self.greeted = False
        for gone in (self.up, self._arriving, self._asked, self._set_up_again):
            gone.clear()

    def expire(self, now: float, reason: str) -> None:
        """Answer those that have waited long enough with a reason, or with the daemon's own."""
        late = [request for request in self.waiting if request.until <= now]
        if late:
            self.waiting = [request for request in self.waiting if request.until > now]
        for request in late:
            if request.number is not None:
                self._fail(request.number, FAILED, self._reason or reason, retryable=True)

    def give_up(self, reason: str) -> None:
        """Answer all that is on its way: nobody will."""
        self.expire(float("inf"), reason)
        self.lost()
        self.expire(float("inf"), reason)

    def _fail(self, number: Ident | None, code: int, message: str, *, retryable: bool = False) -> None:
        """Answer in the daemon's place."""
        ident = _quote(number) if isinstance(number, str) else "null" if number is None else repr(number)
        more = ',"data":{"retryable":true}' if retryable else ""
        answer = f'{{"jsonrpc":"2.0","id":{ident},"error":{{"code":{code},"message":{_quote(message)}{more}}}}}\n'
        self.down += answer.encode()


def _ident(value: Any) -> Ident | None:
    """The id of a request, None for what can't be one."""
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _lines(partial: bytearray, data: bytes) -> list[bytes]:
    """Add what arrived to the beginning of a line; take out the lines that are whole."""
    if b"\n" not in data:
        partial += data
        return []
    head, _, rest = data.rpartition(b"\n")
    whole = bytes(partial) + head
    partial[:] = rest
    return [line + b"\n" for line in whole.split(b"\n")]
