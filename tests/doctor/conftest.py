"""Homes of a daemon that saved something and stopped, and what the doctor says of them."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from memtrig import wire
from memtrig.homes import Home

from memtrigd.doctor.examination import examined
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.search.analyser import terms_of
from memtrigd.store.backup import take
from memtrigd.store.interface import Change
from memtrigd.store.manifest import Manifest
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

NOW = 1_790_000_000_000_000
TEXTS = ("Asha drinks green tea", "Asha walks before breakfast", "the meeting is on Friday", "चहा साखरेशिवाय", "绿茶")

Findings = Callable[..., list[wire.Finding]]


@pytest.fixture(name="template", scope="module")
def _template() -> Iterator[Path]:
    """Where the home is made that the tests get copies of: in memory where the system has such a file system.

    Its path is short, as a Unix socket asks.
    """
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="mt-", dir=shared if shared.is_dir() else None) as place:
        root = Path(place) / "template"
        for part in ("config", "run"):
            (root / part).mkdir(mode=0o700, parents=True)
        root.chmod(0o700)
        with Vault.open(root / "state") as vault:
            transactions = Transactions(vault)
            for level in (Level.INTERNAL, Level.RESTRICTED):
                for number, text in enumerate(TEXTS):
                    memory = remembered(level, number, text)
                    transactions.run_now(
                        level, lambda hands, memory=memory: hands.writer.add(memory, terms_of(memory), SAVED)
                    )
        yield root


@pytest.fixture(name="home")
def _home(template: Path) -> Iterator[Home]:
    """A home with a space and another script in its path, with memories at two levels; its daemon has stopped."""
    root = template.with_name("घर of Asha")
    shutil.copytree(template, root)
    yield Home(*(os.fspath(root / part) for part in ("config", "state", "run")), root=os.fspath(root))
    shutil.rmtree(root)


SAVED = Change(op="save", actor="agent:claude", session="s-1", at=NOW, reason=None)


def remembered(level: Level, number: int, text: str) -> Memory:
    """A memory of some text."""
    return Memory(
        id=f"m-{level.slug}-{number}",
        key=f"k{number}",
        level=level,
        space="default",
        content=text,
        created=NOW,
        updated=NOW + number,
        importance_at=NOW,
        entity="Asha" if "Asha" in text else None,
        tags=("kept", f"t{number}"),
    )


@pytest.fixture(name="saved")
def _saved(home: Home) -> Manifest:
    """A backup of the home."""
    return take(Path(home.state), at=NOW, why="owner", server="0")


@pytest.fixture(name="found")
def _found(home: Home) -> Findings:
    """Everything that the doctor finds, or all of one check, with the daemon stopped."""

    def run(check: str | None = None, now: int = NOW) -> list[wire.Finding]:
        return [each for each in examined(home, now, None).findings if check in (None, each.check)]

    return run


def bad(findings: list[wire.Finding]) -> list[tuple[str, str, str | None]]:
    """Check, verdict and level of what is not well."""
    return [(each.check, each.verdict, each.level) for each in findings if each.verdict != "ok"]


def on(home: Home, statements: str, level: Level = Level.INTERNAL) -> None:
    """Run statements on a level's file, behind the daemon's back."""
    connection = apsw.Connection(str(Path(home.state) / f"{level.slug}.db"))
    connection.execute(statements)
    connection.close()
