"""What sessions heard: bounded at each level by itself, and forgotten when it should be."""

from memtrigd.domain.levels import Level
from memtrigd.gate.ears import SESSIONS, Ears


def test_a_crowd_above_takes_no_word_from_a_low_session() -> None:
    """A thousand sessions at a high level hear and are told; the low one's heard word and told memory stay."""
    ears = Ears()
    ears.hear("low", Level.PUBLIC, "我不吃香菜。")
    ears.tell("low", "m1")
    for number in range(SESSIONS + 1):
        ears.hear(f"high-{number}", Level.RESTRICTED, "the door code is three")
        ears.tell(f"high-{number}", "m2")
    assert ears.attests("low", "我不吃香菜")
    assert ears.was_told("low", "m1")
    assert not ears.attests("high-0", "the door code is three")


def test_what_was_heard_before_a_raise_is_still_heard() -> None:
    """A session that rose has two ears; the end of its conversation empties both."""
    ears = Ears()
    ears.hear("s", Level.PUBLIC, "She plays the sitar.")
    ears.hear("s", Level.CONFIDENTIAL, "She is ill.")
    assert ears.attests("s", "she plays the sitar") and ears.holds("s", "she is ill")
    ears.over("s")
    assert not ears.holds("s", "she plays the sitar") and not ears.holds("s", "she is ill")
