"""The official conformance suite at the product's server object, over HTTP, which is all that the suite speaks."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.mcp import suites

REVISIONS: Final = ("2025-11-25", "2026-07-28")
EXPECTED: Final = Path(__file__).parent / "expected_failures"


@pytest.fixture
def front(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a fresh daemon's server, with fixtures or as the product has it."""
    options = ["--fixtures"] if request.param else []
    with subprocess.Popen(
        [sys.executable, "-m", "tests.mcp.front", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            port = process.stdout.readline().strip()
            assert port, process.stderr.read()
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


@pytest.mark.parametrize("front", [True], indirect=True, ids=["fixtures"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_scored_scenario_passes(official: None, front: str, revision: str, tmp_path: Path) -> None:
    """With what the suite expects a server to have; of what is not scored nothing is promised."""
    nothing = tmp_path / "nothing.yaml"
    nothing.write_text("server: []\n")
    _passes(front, revision, nothing)


@pytest.mark.parametrize("front", [False], indirect=True, ids=["product"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_product_fails_what_it_is_known_to_fail(official: None, front: str, revision: str) -> None:
    """And nothing else; what passes though it is listed is an error, too."""
    _passes(front, revision, EXPECTED / f"{revision}.yaml")


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_expected_failure_has_its_reason(revision: str) -> None:
    """Beside it: what is listed without one is only hidden."""
    entries = re.findall(r"^ +- (\S+)(.*)$", (EXPECTED / f"{revision}.yaml").read_text(), re.MULTILINE)
    assert len(entries) > 10
    assert [name for name, reason in entries if not re.fullmatch(r" +# \S.{10,}", reason)] == []


def _passes(url: str, revision: str, expected: Path) -> None:
    command = [*suites.suite("conformance"), "server", "--url", url, "--requirements", revision]
    done = subprocess.run(
        [*command, "--expected-failures", str(expected)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=suites.environment(),
    )
    _, _, summary = done.stdout.partition("=== SUMMARY ===")
    assert summary, done.stdout + done.stderr
    assert done.returncode == 0, summary
