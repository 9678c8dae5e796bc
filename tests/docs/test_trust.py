"""docs/trust.md is held against the rules: its tables are decided and computed again, and its transcript is played."""

import re
from pathlib import Path

import pytest

from memtrigd.domain.claim import Claim
from memtrigd.domain.forgetting import faded
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Source
from memtrigd.domain.moments import DAY
from memtrigd.domain.trust import Slot, Speaker, admit, rank
from memtrigd.gate.ears import Ears
from tests.conftest import Daemon
from tests.docs import transcripts

PAGE = (Path(__file__).parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE))
SOURCES = {
    "inferred": Source.SELF_INFERRED,
    "noticed": Source.AUTO_DETECT,
    "imported": Source.FILE_IMPORT,
    "relayed": Source.USER_EXPLICIT,
    "your own": Source.STATED,
}
CLAIMS = {word: Claim(content="Asha likes tea", source=source, confidence=0.9) for word, source in SOURCES.items()}
CLAIMS["guess"] = Claim(content="Asha likes tea", source=Source.SELF_INFERRED)


def rows(section: str) -> list[list[str]]:
    """The cells of a section's table, its head included."""
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]


def standing(word: str) -> Memory | None:
    """What stands in the slot, by the head of its column."""
    if word == "nothing":
        return None
    return Memory(
        id="m",
        key="tea",
        level=Level.PUBLIC,
        space="default",
        content="Asha likes coffee",
        created=0,
        updated=0,
        importance_at=0,
        source=SOURCES[word],
    )


@pytest.mark.parametrize("row", rows("Whose word it is")[1:], ids=lambda row: row[1])
def test_a_source_has_the_rank_on_the_page(row: list[str]) -> None:
    """The table of ranks is the order that admit compares by."""
    source = Source(row[1].split("`")[1])
    assert rank(source, attested=row[1].endswith("attested")) == int(row[0])


@pytest.mark.parametrize("row", rows("What a write becomes")[1:], ids=lambda row: row[0])
def test_a_write_becomes_what_the_page_says(row: list[str]) -> None:
    """Each cell is decided again by the rule itself."""
    columns = rows("What a write becomes")[0][1:]
    speaker = Speaker(owner=row[0] == "your own")
    decided = [admit(CLAIMS[row[0]], Slot(standing(word)), speaker, 0).outcome.value for word in columns]
    assert decided == row[1:]


def test_the_curve_is_the_one_on_the_page() -> None:
    """What is left after so many days, to three decimals."""
    table = rows("The curve of forgetting")[1:]
    assert [f"{faded(1.0, 0, int(days) * DAY):.3f}" for days, _ in table] == [left for _, left in table]


def test_a_quote_is_compared_without_case_and_punctuation_and_in_one_utterance() -> None:
    """As the page says of what the daemon hears."""
    ears = Ears()
    ears.hear("s", Level.INTERNAL, "No sugar, please!")
    ears.hear("s", Level.INTERNAL, "And a biscuit")
    assert ears.attests("s", "no sugar please")
    assert not ears.attests("s", "please and a biscuit")


def test_the_transcripts_come_out_as_printed(daemon: Daemon) -> None:
    """One life, from the first word to the last: the page's blocks in their order, on one daemon."""
    transcripts.play(daemon, "".join(transcripts.of(PAGE, "console")))
