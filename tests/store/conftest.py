"""A vault on a real file system, and memories to put into it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apsw
import pytest

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.interface import Change
from memtrigd.store.schema import LEVELS
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

Save = Callable[..., Memory]
Damage = Callable[[Level], None]


@pytest.fixture(scope="module")
def index() -> apsw.Connection:
    """A level's tables in memory."""
    connection = apsw.Connection(":memory:")
    for step in LEVELS[Level.PUBLIC].steps:
        step(connection)
    return connection


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The state directory of a home that does not exist yet."""
    return tmp_path / "state"


@pytest.fixture(scope="session")
def unused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state directory without memories, to be copied: to make one takes ten times as long as to open it."""
    state = tmp_path_factory.mktemp("unused") / "state"
    Vault.open(state).close()
    return state


@pytest.fixture
def used(state: Path, unused: Path, memory: Callable[..., Memory], change: Callable[[], Change]) -> Path:
    """The state directory of a daemon that saved ``k`` at each level and stopped."""
    shutil.copytree(unused, state)
    with Vault.open(state) as vault:
        transactions = Transactions(vault)
        for level in Level:
            made = memory(key="k", level=level)
            transactions.run_now(level, lambda hands, made=made: hands.writer.add(made, ["k"], change()))
    return state


@pytest.fixture
def damage(used: Path) -> Damage:
    """Overwrite the pages of a level's tables, but not those that tell which tables there are: it opens as ever."""

    def run(level: Level) -> None:
        path = used / f"{level.slug}.db"
        connection = apsw.Connection(str(path))
        pages = connection.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 1").fetchall()
        size = connection.pragma("page_size")
        connection.close()
        with path.open("r+b") as file:
            for (page,) in pages:
                file.seek((page - 1) * size)
                file.write(b"\xff" * size)

    return run


@pytest.fixture
def vault(state: Path, unused: Path) -> Iterator[Vault]:
    """An open vault, new."""
    shutil.copytree(unused, state)
    with Vault.open(state) as vault:
        yield vault


@pytest.fixture
def transactions(vault: Vault) -> Transactions:
    """The transactions of the vault, run on the test's own thread."""
    return Transactions(vault)


@pytest.fixture
def reader(vault: Vault) -> SqliteLevelReader:
    """A read-only handle of the level that the tests write."""
    return vault.readers()[Level.INTERNAL]


@pytest.fixture
def memory() -> Callable[..., Memory]:
    """Make a memory; each has an id and a key of its own and was saved a microsecond after the one before."""
    made = 0

    def make(**fields: object) -> Memory:
        nonlocal made
        made += 1
        return Memory(
            **{
                "id": f"id-{made:04}",
                "key": f"key-{made:04}",
                "level": Level.INTERNAL,
                "space": "default",
                "content": f"content {made}",
                "created": made,
                "updated": made,
                "importance_at": made,
                **fields,
            }
        )

    return make


@pytest.fixture
def change() -> Callable[..., Change]:
    """Make a change by an agent at moment 1."""

    def make(op: str = "save", at: int = 1, reason: str | None = None) -> Change:
        return Change(op=op, actor="agent:claude", session="s-1", at=at, reason=reason)

    return make


@pytest.fixture
def save(transactions: Transactions, memory: Callable[..., Memory], change: Callable[..., Change]) -> Save:
    """Make a memory of these fields and commit it."""

    def run(terms: Sequence[str] = ("term",), **fields: object) -> Memory:
        made = memory(**fields)
        transactions.run_now(made.level, lambda hands: hands.writer.add(made, terms, change()))
        return made

    return run


@pytest.fixture
def amend(transactions: Transactions, change: Callable[..., Change]) -> Callable[..., None]:
    """Commit a new state of a memory."""

    def run(new: Memory, terms: Sequence[str] = (), op: str = "amend") -> None:
        transactions.run_now(new.level, lambda hands: hands.writer.amend(new, change(op), terms))

    return run
