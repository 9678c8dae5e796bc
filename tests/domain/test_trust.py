"""Whose word stands: a weaker claim never changes what is served, and a guess waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.claim import Claim
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Source, Status
from memtrigd.domain.trust import Outcome, Rank, admit, is_guess, rank, rank_of
from tests.domain.strategies import NOW, claims, memories

ACTIVE = Memory(
    id="m1",
    key="tea",
    level=Level.INTERNAL,
    space="default",
    content="Asha likes tea",
    created=NOW,
    updated=NOW,
    importance_at=NOW,
)


def test_the_ranks_stand_in_this_order() -> None:
    """stated > user_explicit > file_import > auto_detect > self_inferred; attested is one rank with stated."""
    order = [Source.SELF_INFERRED, Source.AUTO_DETECT, Source.FILE_IMPORT, Source.USER_EXPLICIT, Source.STATED]
    assert [rank(source, attested=False) for source in order] == sorted(Rank)
    assert rank(Source.USER_EXPLICIT, attested=True) is Rank.STATED
    assert rank(Source.AUTO_DETECT, attested=True) is Rank.AUTO_DETECT


served = st.builds(replace, memories(), status=st.just(Status.ACTIVE), expires_at=st.none())
stronger = served.filter(lambda memory: rank_of(memory) > Rank.SELF_INFERRED)
guesses = st.builds(
    replace, claims, source=st.just(Source.SELF_INFERRED), confidence=st.none() | st.floats(0, 0.8, exclude_max=True)
)


@st.composite
def weaker_claims(draw: st.DrawFn) -> tuple[Claim, Memory]:
    """A claim and a served row that weighs more."""
    active = draw(stronger)
    sources = [source for source in Source if rank(source, attested=False) < rank_of(active)]
    return replace(draw(claims), source=draw(st.sampled_from(sources))), active


@given(weaker_claims(), st.lists(memories(), max_size=3))
def test_a_lower_rank_never_changes_what_is_served(case: tuple[Claim, Memory], pending: list[Memory]) -> None:
    """Against a stronger row that is served a claim is at most counted, or waits beside it."""
    claim, active = case
    admission = admit(claim, active, pending, NOW)
    assert admission.outcome in (Outcome.KNOWN, Outcome.CONTESTED, Outcome.ECHO)
    assert admission.status is Status.PENDING or admission.outcome is Outcome.KNOWN
    if admission.outcome in (Outcome.KNOWN, Outcome.CONTESTED):
        assert admission.meets is active


@given(guesses, st.none() | served, st.lists(memories(), max_size=3))
def test_a_guess_is_never_served(claim: Claim, active: Memory | None, pending: list[Memory]) -> None:
    """An inference below 0.8 becomes active in no case."""
    assert is_guess(claim)
    admission = admit(claim, active, pending, NOW)
    assert admission.outcome in (Outcome.KNOWN, Outcome.PENDING, Outcome.CONTESTED, Outcome.ECHO)


@given(claims, memories())
def test_a_row_past_its_date_holds_no_slot(claim: Claim, memory: Memory) -> None:
    """What is not served any more contests nobody."""
    gone = replace(memory, expires_at=NOW)
    assert admit(claim, gone, [], NOW).outcome in (Outcome.UPDATED, Outcome.PENDING)


@given(claims.filter(lambda claim: claim.source is not Source.STATED), served)
def test_a_pinned_row_yields_to_the_owner_alone(claim: Claim, memory: Memory) -> None:
    """A pin freezes the row against everybody but the owner."""
    assert admit(claim, replace(memory, pinned=True), [], NOW).outcome is not Outcome.UPDATED


@pytest.mark.parametrize(("confidence", "guess"), [(None, True), (0.0, True), (0.79, True), (0.8, False), (1.0, False)])
def test_an_inference_waits_below_four_fifths(confidence: float | None, guess: bool) -> None:
    """Unsaid confidence counts as a half; only inferences wait at all."""
    assert is_guess(Claim(content="x", source=Source.SELF_INFERRED, confidence=confidence)) is guess
    assert not is_guess(Claim(content="x", source=Source.AUTO_DETECT, confidence=confidence))


def test_an_empty_slot_takes_a_claim() -> None:
    """Nothing there: new."""
    assert admit(Claim(content="x"), None, [], NOW).outcome is Outcome.NEW


def test_equal_rank_replaces() -> None:
    """The newest of equals wins."""
    admission = admit(Claim(content="Asha likes coffee"), ACTIVE, [], NOW)
    assert (admission.outcome, admission.status, admission.meets) == (Outcome.UPDATED, Status.ACTIVE, ACTIVE)


def test_the_same_again_is_known_and_a_stronger_same_is_an_update() -> None:
    """Repeating counts; a stronger voice saying it makes it stronger."""
    assert admit(Claim(content="asha likes TEA."), ACTIVE, [], NOW).outcome is Outcome.KNOWN
    stated = Claim(content="Asha likes tea", source=Source.USER_EXPLICIT)
    assert admit(stated, ACTIVE, [], NOW).outcome is Outcome.UPDATED


def test_the_same_text_with_a_new_facet_is_an_update() -> None:
    """New tags or a new entity are something said."""
    assert admit(Claim(content=ACTIVE.content, tags=("drinks",)), ACTIVE, [], NOW).outcome is Outcome.UPDATED
    assert admit(Claim(content=ACTIVE.content, entity="Asha"), ACTIVE, [], NOW).outcome is Outcome.UPDATED


def test_a_proposal_that_waits_already_is_an_echo() -> None:
    """Repeats do not pile up, and do not promote."""
    waiting = replace(ACTIVE, id="m2", status=Status.PENDING, source=Source.SELF_INFERRED)
    again = Claim(content="Asha likes tea.", source=Source.SELF_INFERRED, confidence=0.5)
    admission = admit(again, None, [waiting], NOW)
    assert (admission.outcome, admission.meets) == (Outcome.ECHO, waiting)
