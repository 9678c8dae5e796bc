"""``python -m memtrigd.embedder``: the process of the model, which the daemon starts, and what memtrigctl asks.

To memtrigctl it answers with one msgpack map: what was asked for, or a code and a sentence, with the exit code 1.
"""

import argparse
import os
import sys
from pathlib import Path

import msgspec
from memtrig import homes

from memtrigd.embedder import asked
from memtrigd.embedder.runtime import ALONE
from memtrigd.embedder.serving import serve
from memtrigd.embedder.shelf import HOW, Unusable


def main() -> int:
    """Do what is asked; returns the exit code."""
    os.environ.update(ALONE)
    given = _given()
    if given.what == "serve":
        serve(given.which)
        return 0
    config = Path(homes.find(given.home).config) / "memtrigd.toml"
    try:
        code, said = 0, msgspec.to_builtins(_done(given.what, given.which, config))
    except Unusable as why:
        hint = HOW if why.code == "not_installed" else "`memtrigctl model` shows which model is chosen."
        code, said = 1, {"code": why.code, "message": why.message, "hint": hint, "retryable": why.again}
    sys.stdout.buffer.write(msgspec.msgpack.encode(said))
    return code


def _done(what: str, which: str, config: Path) -> msgspec.Struct:
    match what:
        case "install":
            return asked.install(config)
        case "use":
            return asked.use(config, which)
        case "verify":
            return asked.verify(config)
        case "remove":
            return asked.remove()
        case _:
            return asked.show(config)


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser("memtrigd.embedder", description=__doc__)
    parser.add_argument("what", choices=("serve", "show", "install", "use", "verify", "remove"))
    parser.add_argument("which", nargs="?", default="", help="a directory; with use also `installed` or `off`")
    parser.add_argument("--home")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
