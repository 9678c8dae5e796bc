"""``python -m tests.mutants [WORD]``: break a copy of the source in every way of the catalogue and run its guards.

With WORD only the mutants with that word in their name. Exit code 0 if every guard is green on the source as it is,
and every mutant turns its guards red.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants import catalogue
from tests.mutants.catalogue import Edit, Mutant
from tests.mutants.crash import CUT_OFF
from tests.mutants.folders import FOLLOWED
from tests.mutants.mcp import UNASKED
from tests.mutants.search import SEARCHED
from tests.mutants.trust import TRUSTED

MUTANTS = (*catalogue.MUTANTS, *TRUSTED, *UNASKED, *CUT_OFF, *SEARCHED, *FOLLOWED)
ROOT = Path(__file__).parents[2]
PARTS = ("memtrigd", "client", "tests", "pyproject.toml")
TIMEOUT = 900
"""Seconds for the guards of one mutant, or for all of them at once; one that hangs is a failure, but says so."""
FAILED = 1
"""Exit code of pytest: tests ran and some failed. Others mean that they did not run as they should."""


class Stale(Exception):
    """The catalogue no longer fits the source."""


def main(words: Sequence[str]) -> int:
    """Run the guards on the source as it is, then on each mutant; print a line for each."""
    chosen = [mutant for mutant in MUTANTS if all(word in mutant.name for word in words)]
    guards = tuple(dict.fromkeys(guard for mutant in chosen for guard in mutant.guards))
    sound = Mutant("the source as it is", (), guards)
    print(f"{len(chosen)} mutants")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(_line, [sound, *chosen]))
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


def _line(mutant: Mutant) -> bool:
    """Run one mutant and print how it went; returns whether that is as it should be."""
    began = time.monotonic()
    good, said = _run(mutant)
    print(f"{'ok  ' if good else 'FAIL'}  {mutant.name:62} {time.monotonic() - began:5.1f} s  {said}", flush=True)
    return good


def _run(mutant: Mutant) -> tuple[bool, str]:
    with tempfile.TemporaryDirectory(prefix="mutant-") as place:
        copy = Path(place)
        for part in PARTS:
            _copy(ROOT / part, copy / part)
        try:
            for edit in mutant.edits:
                _apply(copy, edit)
            ended = _guards(copy, mutant.guards)
        except (Stale, subprocess.TimeoutExpired) as error:
            return False, str(error)
    red = [line for line in ended.stdout.splitlines() if line.startswith("FAILED")]
    if ended.returncode == (FAILED if mutant.edits else 0):
        return True, red[0].split("::")[1].split(" ")[0].split("[")[0] if red else "all green"
    if ended.returncode in (0, FAILED):
        return False, "\n".join(red) or "survived: no guard noticed"
    return False, ended.stdout + ended.stderr


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _apply(copy: Path, edit: Edit) -> None:
    path = copy / edit.file
    text = path.read_text(encoding="utf-8")
    if text.count(edit.old) != 1:
        raise Stale(f"{edit.file} has {text.count(edit.old)} times: {edit.old.strip()!r}")
    path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")


def _guards(copy: Path, guards: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run tests in the copy. Its packages come before the installed ones, in the daemons that tests start as well."""
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (copy, copy / "client"))),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    where = _python(copy, environ, "-c", "import memtrig, memtrigd; print(memtrig.__file__, memtrigd.__file__)")
    if where.stdout.count(str(copy)) != 2:
        raise Stale(f"the tests would not run on the copy: {where.stdout}{where.stderr}")
    options = ("-x", "--tb=no", "-p", "no:cacheprovider", "-p", "tests.mutants.profile", "--hypothesis-profile=mutants")
    return _python(copy, environ, "-m", "pytest", *options, *guards)


def _python(copy: Path, environ: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=copy, env=environ, capture_output=True, text=True, timeout=TIMEOUT, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
