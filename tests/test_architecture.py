"""What import-linter can't see: who compares levels, who logs, how long modules are, and that the map is true."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for folder in ("memtrigd", "client/memtrig") for path in (ROOT / folder).rglob("*.py"))
LONGEST = 300

LEVELS = {"level", "levels", "lower", "higher", "ceiling", "start_level", "taint"}
"""Names that a level has in this code."""
COMPARE_LEVELS = {
    "memtrigd/serve/greeting.py": "refuses a ceiling under its level, which asks for nothing that could be had",
    "memtrigd/store/control.py": "guards what the gate decided once more before it is written",
    "memtrigd/store/writer.py": "gives a job the handles at and below its level",
}
"""Who may compare levels outside gate/ and domain/, and why."""
LOGGERS = {
    "memtrigd/analysis/apart.py",
    "memtrigd/clockwork/apart.py",
    "memtrigd/clockwork/audits.py",
    "memtrigd/clockwork/backups.py",
    "memtrigd/clockwork/copybook.py",
    "memtrigd/clockwork/diary.py",
    "memtrigd/clockwork/dream.py",
    "memtrigd/clockwork/embedding.py",
    "memtrigd/clockwork/errands.py",
    "memtrigd/clockwork/housekeeping.py",
    "memtrigd/clockwork/imports.py",
    "memtrigd/clockwork/losses.py",
    "memtrigd/clockwork/scheduler.py",
    "memtrigd/clockwork/scrubs.py",
    "memtrigd/clockwork/stops.py",
    "memtrigd/daemon.py",
    "memtrigd/doctor/ward.py",
    "memtrigd/embedder/client.py",
    "memtrigd/guidance/keeper.py",
    "memtrigd/logs.py",
    "memtrigd/reload.py",
    "memtrigd/serve/faults.py",
    "memtrigd/serve/mcp/engine.py",
    "memtrigd/serve/meters.py",
    "memtrigd/serve/mcp/sdk_errors.py",
    "memtrigd/watch.py",
    "memtrigd/watched/folders.py",
    "memtrigd/watched/registry.py",
}
"""Who may log."""
LOGGED = {
    "request",
    "outcome",
    "whose",
    "seconds",
    "code",
    "id",
    "kind",
    "classification",
    "why",
    "job",
    "seq",
    "mac",
    "where",
    "count",
    "pruned",
    "sessions",
    "answers",
    "head",
    "pid",
}
"""What a log entry may hold: ids, codes, figures."""


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def _daemon_sources() -> tuple[tuple[str, ast.Module], ...]:
    daemon = [path for path in SOURCES if path.is_relative_to(ROOT / "memtrigd")]
    return tuple((_name(path), ast.parse(path.read_text(encoding="utf-8"))) for path in daemon)


def _compares_levels(node: ast.AST) -> bool:
    """Tell whether a node orders two things of which one is called like a level."""
    if not isinstance(node, ast.Compare) or not any(
        isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops
    ):
        return False
    names = {getattr(side, "attr", getattr(side, "id", None)) for side in (node.left, *node.comparators)}
    return bool(names & LEVELS)


def _can_log(tree: ast.Module) -> bool:
    """Tell whether a module imports a logging library."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name.name for node in imports for name in node.names} | {getattr(node, "module", "") for node in imports}
    return bool(names & {"logging", "structlog"})


def _log_calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(getattr(node.func, "value", None), "id", "") in ("log", "logging"):
            yield node


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_module_is_short(path: Path) -> None:
    """One idea a module; 300 lines are enough for one."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_only_gate_and_domain_compare_levels() -> None:
    """Who decides who may is in one place; the few others are known by name and reason."""
    found = {name for name, tree in _daemon_sources() if any(map(_compares_levels, ast.walk(tree)))}
    elsewhere = {name for name in found if not name.startswith(("memtrigd/gate/", "memtrigd/domain/"))}
    assert elsewhere <= set(COMPARE_LEVELS)


@pytest.mark.parametrize("line", ["row.level < other", "ceiling >= x", "a < session.level < b"])
def test_a_comparison_of_levels_is_seen(line: str) -> None:
    """The test above can fail."""
    assert any(map(_compares_levels, ast.walk(ast.parse(line))))


def test_only_known_modules_log_and_only_ids_and_codes() -> None:
    """No content, key, tag, entity or query can get into the log: what is logged is on a list."""
    loggers = {name: tree for name, tree in _daemon_sources() if _can_log(tree)}
    assert set(loggers) <= LOGGERS
    for name, tree in loggers.items():
        for call in _log_calls(tree):
            event, *more = call.args
            assert isinstance(event, ast.Constant | ast.Name) and not more, f"{name}:{call.lineno}"
            assert {keyword.arg for keyword in call.keywords} <= LOGGED, f"{name}:{call.lineno}"


def test_nobody_in_the_daemon_prints() -> None:
    """Output goes through the log, but for the ready message."""
    for name, tree in _daemon_sources():
        printed = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", None) == "print"]
        assert not printed, name


def test_the_map_of_rooms_lists_exactly_the_modules_there_are() -> None:
    """docs/architecture.md has one line for each module, and no line for one that is gone."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w/]+\.py)` \|", page, re.MULTILINE)
    assert sorted(listed) == [_name(path) for path in SOURCES if path.name != "__init__.py"]


def test_what_the_project_asks_for_is_pinned() -> None:
    """A fresh checkout installs the lock alone, so each dependency stands in it, those of the tests too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["semantic"]
    asked = [*project["project"]["dependencies"], *extra, *project["dependency-groups"]["dev"]]
    pinned = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    assert {re.split(r"[^\w.-]", each)[0] for each in asked} <= set(pinned)
