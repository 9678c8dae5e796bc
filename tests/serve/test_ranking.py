"""What comes first in a search: the answer, however old and faded it is."""

import pytest
from memtrig import wire

from memtrigd.domain.moments import DAY
from tests.serve.harness import World
from tests.serve.worlds import Cast, is_a


@pytest.mark.parametrize(
    ("answer", "others", "query"),
    [
        (
            "The spare key is under the blue flowerpot",
            "The key of project {} is kept in the safe",
            "spare key flowerpot",
        ),
        ("备用钥匙在蓝色花盆下面", "第{}号项目的钥匙在保险柜里", "备用钥匙在哪个花盆"),
        ("जास्तीची किल्ली निळ्या कुंडीखाली आहे", "प्रकल्प {} ची किल्ली तिजोरीत आहे", "कुंडीखालची जास्तीची किल्ली"),
    ],
)
def test_fresh_and_weighty_memories_do_not_bury_the_exact_answer(
    world: World, answer: str, others: str, query: str
) -> None:
    """BR-053: a guess of 200 days ago that was never recalled, against twelve core memories of today."""
    cast = Cast(world)
    cast.save("INTERNAL", "old", answer)
    world.now += 200 * DAY
    for number in range(12):
        cast.save("INTERNAL", f"new-{number}", others.format(number), source="user_explicit", core=True)
    found = is_a(wire.Found, cast.ask("INTERNAL", wire.Search(query=query))).results
    assert found[0].key == "old"
    assert found[0].effective_importance is not None and found[0].effective_importance < 0.5
    assert found[1].effective_importance == 1.0
