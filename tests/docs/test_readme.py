"""The README is played: its transcripts and its Python are run against a daemon, and must come out as printed."""

from pathlib import Path

import pytest

from tests.conftest import Daemon
from tests.docs import transcripts

PAGE = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("transcript", transcripts.of(PAGE, "console"), ids=["english", "chinese", "marathi"])
def test_a_transcript_comes_out_as_printed(daemon: Daemon, transcript: str) -> None:
    """Each command says what the page says that it says."""
    transcripts.play(daemon, transcript)


def test_the_programs_run(daemon: Daemon) -> None:
    """What a reader copies works as it stands."""
    printed = [transcripts.run(daemon, "-c", program) for program in transcripts.of(PAGE, "python")]
    said, _, score = printed[0].rpartition(" ")
    assert said == "The gate squeaks when it rains\ngarden.gate INTERNAL" and float(score) > 0
    assert printed[1:] == ["CONFIDENTIAL\n"]
