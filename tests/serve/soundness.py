"""Is a store as it should be? Asked of the files of a stopped daemon."""

from pathlib import Path

import apsw

from memtrigd.domain.levels import Level
from memtrigd.store.vault import Vault
from tests.conftest import Daemon


def unsound(daemon: Daemon) -> list[str]:
    """Stop the daemon, and name everything in its files that does not fit: pages, index, counts, journal."""
    assert daemon.stop() == 0
    problems = []
    with Vault.open(Path(daemon.home) / "state") as vault:
        for level in Level:
            connection = vault.writers()[level].connection
            problems += [f"{level.name}: {each}" for each in _problems(connection)]
            problems += [f"{level.name}: {each}" for each in vault.verify(level)]
    return problems


def _problems(connection: apsw.Connection) -> list[str]:
    (answer,) = connection.execute("PRAGMA integrity_check").fetchall()
    figures = {name: connection.execute(sql).get for name, sql in _FIGURES.items()}
    active = figures.pop("active")
    found = [f"{name} are {count}, active memories {active}" for name, count in figures.items() if count != active]
    orphans = connection.execute(_ORPHANS).get
    return [*found, *([] if answer == ("ok",) else [str(answer)]), *([f"{orphans} without version"] if orphans else [])]


_FIGURES = {
    "active": "SELECT count(*) FROM memory WHERE status = 'active'",
    "documents": "SELECT count(*) FROM document JOIN memory USING (number) WHERE status = 'active'",
    "counted documents": "SELECT documents FROM corpus",
    "indexed documents": "SELECT count(*) FROM lexicon",
}
_ORPHANS = "SELECT count(*) FROM memory WHERE id NOT IN (SELECT memory_id FROM version)"
