"""Breakages of what MCP tells unasked and of what it asks the user, and the tests that are to notice."""

from typing import Final

from tests.mutants.catalogue import SESSIONS, Edit, Mutant

BUS: Final = "memtrigd/serve/mcp/bus.py"
CONFIRMING: Final = "memtrigd/serve/mcp/confirming.py"
SEALING: Final = "memtrigd/serve/mcp/sdk_confirming.py"
ABOVE: Final = "tests/serve/mcp/test_notifications.py::test_nothing_is_told_of_what_is_done_above"
ASKED: Final = "tests/serve/mcp/test_elicitation.py"

UNASKED: Final = (
    Mutant(
        "one bus for all sessions",
        (
            Edit(
                BUS,
                "        bus = Bus(session, agent)\n",
                "        bus = self._buses[0] if self._buses else Bus(session, agent)\n",
            ),
        ),
        (ABOVE,),
    ),
    Mutant(
        "news of every level for everybody",
        (Edit(SESSIONS, "entry is not None and can_flow_to(level, entry.row.level)", "entry is not None"),),
        (ABOVE,),
    ),
    Mutant(
        "a sealed question is good for anybody",
        (
            Edit(
                SEALING,
                "return repr((desk.session, desk.greeted.agent, desk.greeted.conversation))",
                'return ""',
            ),
        ),
        (f"{ASKED}::test_a_sealed_question_is_good_for_nobody_and_nothing_else",),
    ),
    Mutant(
        "the user's yes is carried out each time it comes",
        (Edit(CONFIRMING, 'quote="Keep: yes", idempotency_key=once)', 'quote="Keep: yes")'),),
        (f"{ASKED}::test_a_question_survives_a_restart_and_is_answered_once",),
    ),
    Mutant(
        "a question goes with the session to another level",
        (Edit(CONFIRMING, " or question.level != me.level or spent", " or spent"),),
        (f"{ASKED}::test_a_question_ends_where_the_session_is_raised",),
    ),
)
"""Lines are told of acts in their sight alone, and the user's answer is for one question, once."""
