"""Limits are documented, and enforced with a typed error; nothing is cut, kept or allocated."""

from collections.abc import Callable
from typing import Any

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, error_of, figures, packed


def save(**fields: Any) -> wire.Save:
    """A save with one field out of bounds."""
    return wire.Save(**{"content": "x", **fields})


@pytest.mark.parametrize(
    "make",
    [
        lambda: save(tags=[str(n) for n in range(100_000)]),
        lambda: save(tags=["x" * 129]),
        lambda: save(emotion_tags=["x"] * 65),
        lambda: save(key="k" * (1 << 20)),
        lambda: save(entity="k" * 257),
        lambda: save(content="x" * ((1 << 20) + 1)),
        lambda: save(content="म" * 400_000),
        lambda: save(context="x" * 5000),
        lambda: save(quote="x" * 5000),
        lambda: save(idempotency_key="x" * (1 << 20)),
        lambda: wire.Get(key="k" * (1 << 20)),
        lambda: wire.Delete(key="k" * 257),
        lambda: wire.Search(query="word " * 10_000),
        lambda: wire.List(tag="x" * 129),
    ],
    ids=[
        *("tags", "tag", "emotions", "key", "entity", "content", "bytes"),
        *("context", "quote", "once", "get", "delete", "query", "filter"),
    ],
)
def test_what_is_over_a_limit_is_too_large(shared_daemon: Daemon, make: Callable[[], wire.Request]) -> None:
    """BR-074: 100,000 tags, a key of 1 MB and the like: the message says what and how much, memory stays flat."""
    with agent(shared_daemon) as line:
        before = figures(shared_daemon.pid)["rss"]
        for _ in range(3):
            refusal = line.refusal(make())
            assert refusal.code == "too_large"
            assert any(letter.isdigit() for letter in refusal.message)
        assert figures(shared_daemon.pid)["rss"] - before < 24 << 10
        assert not line.ask(wire.List(), wire.Listed).memories


def test_fifty_megabytes_are_refused_by_their_length(shared_daemon: Daemon) -> None:
    """BR-074: the frame's prefix says it all; not a byte more is taken in."""
    before = figures(shared_daemon.pid)["rss"]
    with agent(shared_daemon) as line:
        line.raw((50 << 20).to_bytes(4, "big"))
        assert error_of(line.answer()).code == "too_large"
        assert line.ended()
    assert figures(shared_daemon.pid)["rss"] - before < 8 << 10


def test_exactly_the_limit_is_kept_whole(shared_daemon: Daemon) -> None:
    """A mebibyte of text comes back to the byte, and so do all tags."""
    text, tags = "म" * 349_525 + "x", [f"{n:0128}" for n in range(64)]
    assert len(text.encode()) == 1 << 20
    with agent(shared_daemon, "restricted") as line:
        line.ask(save(key="k" * 256, content=text, tags=tags), wire.Saved)
        record = line.ask(wire.Get(key="k" * 256), wire.Got).memory
        assert (record.content, record.tags) == (text, tags)


@pytest.mark.parametrize("raw", [b"\xed\xb2\x8f", b"\xed\xa0\xbd", b"\xff", b"\xc0\x80", b"\xf4\x90\x80\x80"])
@pytest.mark.parametrize("field", ["content", "key", "quote", "tags"])
def test_half_a_surrogate_is_a_typed_error(shared_daemon: Daemon, raw: bytes, field: str) -> None:
    """BR-077: bytes that are no UTF-8, lone surrogates among them, are refused; nothing is half written."""
    marker = b"?" * len(raw)
    fields = {"type": "save", "content": "abc", field: ["a" + marker.decode()] if field == "tags" else marker.decode()}
    with agent(shared_daemon) as line:
        line.raw(packed(5, fields).replace(marker, raw))
        answer = line.answer()
        assert answer.id == 5
        assert error_of(answer).code == "bad_request"
        assert not line.ask(wire.List(), wire.Listed).memories


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"content": " \n "}, "bad_value"),
        ({"content": "a\x00b"}, "bad_value"),
        ({"key": ""}, "bad_value"),
        ({"key": "a\nb"}, "bad_value"),
        ({"tags": ["ok", ""]}, "bad_value"),
        ({"confidence": 1.5}, "bad_value"),
        ({"confidence": float("nan")}, "bad_value"),
        ({"kind": "prefrence"}, "bad_kind"),
        ({"source": "stated"}, "bad_source"),
        ({"source": "god"}, "bad_source"),
        ({"expires_at": "tomorrow"}, "bad_time"),
        ({"expires_at": "9999-12-31T23:59:59-12:00"}, "bad_time"),
        ({"valid_from": "2026-12-02", "valid_to": "2026-12-01"}, "bad_time"),
        ({"core": True, "source": "self_inferred"}, "bad_value"),
    ],
    ids=repr,
)
def test_a_value_that_cannot_be_stored_is_refused(shared_daemon: Daemon, fields: dict[str, Any], code: str) -> None:
    """Each with its own code and a way out, and nothing of the request is kept."""
    with agent(shared_daemon) as line:
        refusal = line.refusal(save(**fields))
        assert (refusal.code, refusal.retryable) == (code, False)
        assert refusal.hint
        assert not line.ask(wire.List(), wire.Listed).memories
