"""What is done without a daemon: by the daemon's own code, in a process that ends with it."""

from __future__ import annotations

import msgpack

from memtrig.ctl.failure import UNREACHABLE, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.homes import Home


def do_alone(home: Home, *words: str, by: str = "doctor") -> dict[str, Any]:
    """Let ``python -m memtrigd.doctor``, or another, do something on a home, and give its result. Raises Failure."""
    import subprocess  # only who has no daemon pays for it
    import sys

    command = [sys.executable, "-m", f"memtrigd.{by}", *words, *(["--home", home.root] if home.root else [])]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)  # noqa: S603
    try:
        said = msgpack.unpackb(done.stdout)
        result = {name: value for name, value in said.items() if name != "type"}
    except (ValueError, AttributeError, msgpack.UnpackException):
        hint = "Is memtrigd installed beside this memtrigctl? What it said is above."
        raise Failure(
            "internal", "It could not be looked into without a daemon.", hint, exit_code=UNREACHABLE
        ) from None
    if done.returncode:
        raise Failure(said["code"], said["message"], said.get("hint", ""), retryable=said.get("retryable", False))
    return result
