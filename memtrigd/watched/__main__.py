"""The process in which the files of a folder are read: it holds nothing of the store, and ends with the daemon."""

import os
import sys
import threading

import msgspec

from memtrigd.clockwork.pipe import Fault, Outcome, Refused, receive, send
from memtrigd.watched.reading import Reading, read


def main() -> None:
    """Read what is asked for. What is asked and told are messages of ``memtrigd.clockwork.pipe``."""
    os.umask(0o077)
    body = receive(sys.stdin.buffer)
    if body is None:
        return
    threading.Thread(target=_end_with_the_daemon, daemon=True).start()
    try:
        found = read(msgspec.msgpack.decode(body, type=Reading))
        send(sys.stdout.buffer, Outcome(msgspec.Raw(msgspec.msgpack.encode(found))))
    except OSError:
        send(sys.stdout.buffer, Refused("not_found", "The folder can't be read.", "Look whether it is there.", True))
    except Exception as error:
        send(sys.stdout.buffer, Fault(type(error).__name__, "watched"))


def _end_with_the_daemon() -> None:
    """Wait for the end of the input: the daemon is gone then, or does not want to hear any more."""
    sys.stdin.buffer.read(1)
    os._exit(1)


if __name__ == "__main__":
    main()
