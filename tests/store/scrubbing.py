"""Scrubbing one level's file, and looking for what is left in it."""

from pathlib import Path

from memtrigd.domain.levels import Level
from memtrigd.store.upkeep import SqliteUpkeep
from memtrigd.store.vault import Vault


def upkeep(vault: Vault) -> SqliteUpkeep:
    """The upkeep of the level that the tests of erasing write."""
    return SqliteUpkeep(vault.writers()[Level.INTERNAL].connection, Level.INTERNAL)


def scrub(vault: Vault) -> int:
    """Scrub it with all steps at once; return how many there were."""
    return sum(1 for _ in upkeep(vault).scrub()) + 1


def traces(state: Path, word: str) -> list[str]:
    """The files of the level that hold a word, or what the index makes of it."""
    forms = {word, word.lower(), word.upper()}
    spelt = [form.encode(code) for form in forms for code in ("utf-8", "utf-16-le", "utf-16-be")]
    files = [state / f"internal.db{end}" for end in ("", "-wal", "-shm")]
    return [file.name for file in files if file.exists() and any(each in file.read_bytes() for each in spelt)]
