"""A write with an idempotency key is done at most once, and a retry is answered as the first try was."""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from memtrig import wire

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import Remembered


def once(turn: Turn, request: Any, run: Callable[[], wire.Result]) -> wire.Result:
    """Run a write at most once per idempotency key, and answer a retry with what the first try was answered.

    A key is looked up in every level in sight, since the session may have been raised between try and retry, and
    kept at the level that was written. Raises ``key_reused`` if it came with another request.
    """
    if request.idempotency_key is None:
        return run()
    key, session = name(request.idempotency_key, "idempotency key"), turn.actor.session
    where = turn.view.level.slug.encode() if turn.actor.is_owner else b""  # the owner says it, a session is raised
    digest = blake2b(where + msgspec.msgpack.encode(request), digest_size=16).digest()
    for reader in turn.view.readers:
        earlier = reader.remembered(session, key)
        if earlier is None:
            continue
        if earlier.digest != digest:
            raise Refusal(
                "key_reused",
                "This idempotency key was used for a different request.",
                "Make a new random key for each request, and keep it for the retries of that one.",
            )
        return _decode_result(earlier.reply)
    result = run()
    kept = Remembered(digest, msgspec.msgpack.encode(result))
    turn.view.writer.remember(session, key, kept, getattr(result, "id", None), turn.now)
    return result


_decode_result: Callable[[bytes], wire.AnyResult] = msgspec.msgpack.Decoder(wire.AnyResult).decode
