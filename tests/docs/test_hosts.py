"""The pages of the hosts say what memtrigctl does."""

import re
import shlex
from pathlib import Path

import pytest
from memtrig.ctl.catalogue import GLOBALS, load
from memtrig.ctl.parsing import parse
from memtrig.ctl.snippets import FILES
from memtrig.ctl.verbs.mcp_config import KNOWN

PAGES = Path(__file__).parents[2] / "docs" / "hosts"
COMMAND = re.compile(r"`(memtrigctl [^`]+)`|^\$ (memtrigctl .+)$", re.MULTILINE)


def test_each_host_has_its_page() -> None:
    """And the overview leads to it."""
    assert {page.stem for page in PAGES.glob("*.md")} == {*KNOWN, "README"}
    overview = (PAGES / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(([a-z-]+)\.md\)", overview)) == {*KNOWN}


@pytest.mark.parametrize("host", KNOWN)
def test_a_page_names_the_commands_and_the_files(host: str) -> None:
    """Every command on it is understood; both snippets are there, and where they belong."""
    page = " ".join((PAGES / f"{host}.md").read_text(encoding="utf-8").split(" "))
    commands = [(inline or block).split(" > ")[0].replace("\n", " ") for inline, block in COMMAND.findall(page)]
    for command in commands:
        parse(shlex.split(command)[1:], GLOBALS, load)
    assert {f"memtrigctl mcp-config {host}", f"memtrigctl mcp-config {host} --hooks"} <= set(commands)
    for place in FILES[host]:
        assert place.split(",")[0] in page or host == "claude-code"
