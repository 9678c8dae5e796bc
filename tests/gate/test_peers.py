"""Who is at the other end, as the kernel tells it."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtrigd.gate import peers


@pytest.fixture(name="name")
def _name() -> Iterator[Path]:
    """The file of this process's own name, which is put back afterwards."""
    file = Path("/proc/self/comm")
    before = file.read_bytes()
    yield file
    file.write_bytes(before.rstrip(b"\n"))


@pytest.mark.parametrize("bytes_", [b"plain", b"\xff\xfe", "म".encode()[:2], b") R 1 (", b"a b\xe9"], ids=repr)
def test_a_process_may_have_any_name(name: Path, bytes_: bytes) -> None:
    """Fifteen bytes that the program chose: no text, cut inside a character, or made to look like the fields behind."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        before = peers.with_ancestors(peers.of(ours))
        name.write_bytes(bytes_)
        assert peers.with_ancestors(peers.of(ours)) == before
    assert before.process is not None
    assert before.process.pid == os.getpid()
    assert before.ancestors is not None
    assert before.ancestors[0].pid == os.getppid()
