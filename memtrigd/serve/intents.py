"""Intents: a wish at every level is kept before its first act and closed after its last, so that no crash halves it.

Each level has its own file and its own transactions. The wish itself, which names content, is an entry of the highest
level that can be used; control.db has no more than its id and that level. What a start finds open it carries out:
each level's part has an idempotency key, so what was done already is not done again.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec
from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.gate.policy import DEFAULT_SPACE
from memtrigd.serve.dispatch import Dispatcher, Done, Reply
from memtrigd.store.interface import Change, Hands

PREFIX: Final = "intent."
"""Of the settings that name open intents."""

Go: TypeAlias = Callable[[wire.Act, Done], None]
"""Acts at each level in turn."""


class Intents:
    """Keeps what is under way. ``left`` is what the last start found open, and what became of it."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._writers = dispatcher.writers
        self.left: list[wire.Left] = []

    def keep(self, act: wire.Act, go: Go, done: Done) -> None:
        """Keep a wish, let it ``go``, close it, and then tell ``done`` what it came to.

        What stays open is only what the end of the daemon cut off. Raises ``level_unavailable`` without any level.
        """
        entry = self._entry(act)
        kept = decoded(entry)
        assert kept is not None
        setting = PREFIX + entry.id

        def named(outcome: Any) -> None:
            if isinstance(outcome, Exception):
                done(Reply(error=outcome))
                return
            _carry_out(go, kept, partial(self._over, entry, done))

        def written(outcome: Any) -> None:
            if isinstance(outcome, Exception):
                done(Reply(error=outcome))
            else:
                self._writers.submit(None, lambda hands: hands.control.set_setting(setting, entry.level.slug), named)

        self._writers.submit(entry.level, _keeping(entry, "intent", self._dispatcher.clock()), written)

    def resume(self, go: Go, kept: Mapping[str, str], done: Callable[[], None]) -> None:
        """Carry out what is open, one after the other; ``kept`` are the settings that name such and their levels.

        ``done`` is told when all is over. An intent at a level that can't be used waits for the next start.
        """
        open_: list[Entry] = []
        unread = bool(self._dispatcher.missing(Level))
        for level, reader in self._dispatcher.handles.items():
            try:
                open_ += reader.entries(Sort.INTENT) if level not in self._dispatcher.unavailable else []
            except Refusal:  # damage that the opening did not see: whoever asks for the level is told of it
                unread = True
        known = {PREFIX + entry.id for entry in open_}
        for setting in kept:
            if setting not in known and not unread:  # its entry was closed before the crash
                self._let_go(setting, parse_level(kept[setting]), lambda: None)
        self._resume_next(go, open_, done)

    def _resume_next(self, go: Go, open_: list[Entry], done: Callable[[], None]) -> None:
        if not open_:
            done()
            return
        entry, act = open_[0], decoded(open_[0])

        def told(reply: Reply) -> None:
            self.left.append(_left(entry, act, reply))
            self._resume_next(go, open_[1:], done)

        over = partial(self._over, entry, told)
        if act is None:
            over(Reply(error=Refusal("internal", "It can't be read.")))
        else:
            _carry_out(go, act, over)

    def _entry(self, act: wire.Act) -> Entry:
        level = next((each for each in Level.RESTRICTED.and_below() if each not in self._dispatcher.unavailable), None)
        if level is None:
            raise Refusal("level_unavailable", "No level can be used.", "`memtrigctl status` tells why.")
        identity, now = self._dispatcher.ids.memory(level), self._dispatcher.clock()
        request = act.request
        if isinstance(request, wire.Write) and request.idempotency_key is None:
            act = replace(act, request=replace(request, idempotency_key=PREFIX + identity))
        return Entry(
            id=identity,
            sort=Sort.INTENT,
            level=level,
            space=DEFAULT_SPACE,
            created=now,
            updated=now,
            body={"act": b64encode(msgspec.msgpack.encode(act)).decode()},
        )

    def _over(self, entry: Entry, done: Done, reply: Reply) -> None:
        """Close an intent and only then tell; what was wished is in it no more. The end of the daemon is no end."""
        if isinstance(reply.error, Refusal) and reply.error.code == "stopping":
            done(reply)
            return
        act, now = decoded(entry), self._dispatcher.clock()

        def over() -> None:
            done(reply)

        def closed(_: Any) -> None:
            if act is not None and isinstance(act.request, wire.Erase):
                self._let_go(PREFIX + entry.id, entry.level, over)
            else:
                self._writers.submit(None, _dropping(PREFIX + entry.id), lambda _: over())

        self._writers.submit(entry.level, _keeping(_empty(entry, now), "intent_done", now), closed)

    def _let_go(self, setting: str, level: Level, over: Callable[[], None]) -> None:
        """Drop what names a closed intent once nothing of it remains on the disk; else the next start does it."""

        def scrubbed(refusal: Any) -> None:
            if isinstance(refusal, Exception):
                over()
            else:
                self._writers.submit(None, _dropping(setting), lambda _: over())

        self._writers.scrub(level, scrubbed)


def _carry_out(go: Go, act: wire.Act, over: Done) -> None:
    try:
        go(act, over)
    except Refusal as refusal:
        over(Reply(error=refusal))


def decoded(entry: Entry) -> wire.Act | None:
    """The act that an intent is about; None if it can't be read, being of a later version."""
    try:
        return msgspec.msgpack.decode(b64decode(str(entry.body["act"])), type=wire.Act)
    except (KeyError, ValueError, msgspec.DecodeError):
        return None


def _empty(entry: Entry, now: Micros) -> Entry:
    return replace(entry, closed=now, updated=now, body={})


def _keeping(entry: Entry, op: str, now: Micros) -> Callable[[Hands], None]:
    def run(hands: Hands) -> None:
        assert hands.writer is not None
        hands.writer.keep(entry, Change(op=op, actor="owner", session=None, at=now))

    return run


def _dropping(setting: str) -> Callable[[Hands], None]:
    return lambda hands: hands.control.drop_setting(setting)


def _left(entry: Entry, act: wire.Act | None, reply: Reply) -> wire.Left:
    """What an intent came to, in words without content."""
    verb = "wish" if act is None else str(act.request.__struct_config__.tag)
    result = reply.result
    if isinstance(result, wire.Forgotten | wire.Erased):
        became = f"carried out at every level: {result.count} memories"
    elif isinstance(reply.error, Refusal) and reply.error.code == "not_found":
        became = "there was nothing left to do"
    else:
        code = reply.error.code if isinstance(reply.error, Refusal) else "internal"
        became = f"given up: {code}"
    return wire.Left(what=f"{verb} at all levels", level=entry.level.name, at=to_iso(entry.created), became=became)
