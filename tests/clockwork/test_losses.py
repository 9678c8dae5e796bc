"""The log tells of a level that is not served, whenever it was lost."""

from structlog.testing import capture_logs

from memtrigd.clockwork.losses import Losses
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level


def test_a_level_that_is_lost_while_the_daemon_runs_is_told_of_once() -> None:
    """With its code and the way back, as one that was lost before the start is, and nothing of the file's text."""
    lost = {Level.PUBLIC: Refusal("level_unavailable", "public.db is torn.", "")}
    ways = {Level.PUBLIC: "memtrigctl restore B --level public"}
    losses = Losses(lost, ways.get)
    with capture_logs() as logged:
        losses.tick()
        lost[Level.RESTRICTED] = Refusal("level_unavailable", "restricted.db can't be read.", "")
        losses.tick()
        losses.tick()
    assert [(entry["event"], entry["classification"], entry["code"], entry["why"]) for entry in logged] == [
        ("level_unavailable", "PUBLIC", "level_unavailable", "memtrigctl restore B --level public"),
        ("level_unavailable", "RESTRICTED", "level_unavailable", None),
    ]
