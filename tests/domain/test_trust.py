"""Whose word stands: a weaker claim never changes what is served, and a guess waits."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.claim import Claim
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Source, Status
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Admission, Hearing, Outcome, Rank, Slot, Speaker, admit, is_guess, rank, rank_of
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
AN_AGENT = Speaker()
"""Of whom nothing is known."""


def decide(
    claim: Claim,
    active: Memory | None,
    pending: Sequence[Memory],
    now: Micros,
    *,
    refused: Sequence[Memory] = (),
    speaker: Speaker = AN_AGENT,
) -> Admission:
    """Put a claim to a slot."""
    return admit(claim, Slot(active, pending, refused), speaker, now)


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
    admission = decide(claim, active, pending, NOW)
    assert admission.outcome in (Outcome.KNOWN, Outcome.CONTESTED, Outcome.ECHO)
    assert admission.status is Status.PENDING or admission.outcome is Outcome.KNOWN
    if admission.outcome in (Outcome.KNOWN, Outcome.CONTESTED):
        assert admission.meets is active


@given(guesses, st.none() | served, st.lists(memories(), max_size=3))
def test_a_guess_is_never_served(claim: Claim, active: Memory | None, pending: list[Memory]) -> None:
    """An inference below 0.8 becomes active in no case."""
    assert is_guess(claim)
    admission = decide(claim, active, pending, NOW)
    assert admission.outcome in (Outcome.KNOWN, Outcome.PENDING, Outcome.CONTESTED, Outcome.ECHO)


@given(claims, memories())
def test_a_row_past_its_date_holds_no_slot(claim: Claim, memory: Memory) -> None:
    """What is not served any more contests nobody."""
    gone = replace(memory, expires_at=NOW)
    assert decide(claim, gone, [], NOW).outcome in (Outcome.UPDATED, Outcome.PENDING)


@given(claims.filter(lambda claim: claim.source is not Source.STATED), served)
def test_a_pinned_row_yields_to_the_owner_alone(claim: Claim, memory: Memory) -> None:
    """A pin freezes the row against everybody but the owner."""
    assert decide(claim, replace(memory, pinned=True), [], NOW).outcome is not Outcome.UPDATED


@pytest.mark.parametrize(("confidence", "guess"), [(None, True), (0.0, True), (0.79, True), (0.8, False), (1.0, False)])
def test_an_inference_waits_below_four_fifths(confidence: float | None, guess: bool) -> None:
    """Unsaid confidence counts as a half; only inferences wait at all."""
    assert is_guess(Claim(content="x", source=Source.SELF_INFERRED, confidence=confidence)) is guess
    assert not is_guess(Claim(content="x", source=Source.AUTO_DETECT, confidence=confidence))


def test_an_empty_slot_takes_a_claim() -> None:
    """Nothing there: new."""
    assert decide(Claim(content="x"), None, [], NOW).outcome is Outcome.NEW


def test_equal_rank_replaces() -> None:
    """The newest of equals wins."""
    admission = decide(Claim(content="Asha likes coffee"), ACTIVE, [], NOW)
    assert (admission.outcome, admission.status, admission.meets) == (Outcome.UPDATED, Status.ACTIVE, ACTIVE)


def test_the_same_again_is_known_and_a_stronger_same_is_an_update() -> None:
    """Repeating counts; a stronger voice saying it makes it stronger."""
    assert decide(Claim(content="asha likes TEA."), ACTIVE, [], NOW).outcome is Outcome.KNOWN
    stated = Claim(content="Asha likes tea", source=Source.USER_EXPLICIT)
    assert decide(stated, ACTIVE, [], NOW).outcome is Outcome.UPDATED


def test_the_same_text_with_a_new_facet_is_an_update() -> None:
    """New tags or a new entity are something said."""
    assert decide(Claim(content=ACTIVE.content, tags=("drinks",)), ACTIVE, [], NOW).outcome is Outcome.UPDATED
    assert decide(Claim(content=ACTIVE.content, entity="Asha"), ACTIVE, [], NOW).outcome is Outcome.UPDATED


def test_a_proposal_that_waits_already_is_an_echo() -> None:
    """Repeats do not pile up, and do not promote."""
    waiting = replace(ACTIVE, id="m2", status=Status.PENDING, source=Source.SELF_INFERRED)
    again = Claim(content="Asha likes tea.", source=Source.SELF_INFERRED, confidence=0.5)
    admission = decide(again, None, [waiting], NOW)
    assert (admission.outcome, admission.meets) == (Outcome.ECHO, waiting)


WAITING = replace(ACTIVE, id="m2", content="Asha may like mango", status=Status.PENDING, source=Source.SELF_INFERRED)
SAME = Claim(content="asha may like mango.", key="tea", source=Source.SELF_INFERRED, confidence=0.9)


def test_a_guess_repeated_is_an_echo() -> None:
    """BR-059: a guess at 0.5 stays pending for ever, however often it is repeated, by whichever agent."""
    for confidence in (None, 0.1, 0.5, 0.79):
        claim = replace(SAME, confidence=confidence)
        assert decide(claim, None, [WAITING], NOW).outcome is Outcome.ECHO


def test_surer_grounds_bring_a_guess_into_service_at_its_own_rank() -> None:
    """A new claim at 0.8 or above activates what waited for nothing but confidence."""
    admission = decide(SAME, None, [WAITING], NOW)
    assert (admission.outcome, admission.meets) == (Outcome.CONFIRMED, WAITING)


@pytest.mark.parametrize(
    "waiting",
    [replace(WAITING, contests="m1"), replace(WAITING, deny_count=1), replace(WAITING, source=Source.AUTO_DETECT)],
)
def test_surer_grounds_are_not_enough_for_what_waits_for_more(waiting: Memory) -> None:
    """What was contested or denied waits for the user, not for a bolder agent."""
    assert decide(SAME, None, [waiting], NOW).outcome is Outcome.ECHO


def test_the_users_word_confirms() -> None:
    """Promotion of a waiting row, which the second seed's code did not have."""
    claim = replace(SAME, source=Source.USER_EXPLICIT, confidence=None)
    assert decide(claim, None, [WAITING], NOW).outcome is Outcome.CONFIRMED
    assert decide(claim, ACTIVE, [WAITING], NOW).ousts is ACTIVE


def test_a_word_that_was_not_heard_confirms_nothing() -> None:
    """Where the user can be heard, what an agent relays counts only if it was; where no user is, it never does."""
    claim = replace(SAME, source=Source.USER_EXPLICIT, confidence=None)
    for hearing in (Hearing.FEED, Hearing.UNATTENDED):
        assert decide(claim, None, [WAITING], NOW, speaker=Speaker(hearing=hearing)).outcome is Outcome.ECHO
    heard = Speaker(hearing=Hearing.FEED, attested=True)
    assert decide(claim, None, [WAITING], NOW, speaker=heard).outcome is Outcome.CONFIRMED


def test_a_relayed_yes_does_not_outweigh_the_owners_word() -> None:
    """A proposal that contests a statement waits for a statement."""
    stated = replace(ACTIVE, source=Source.STATED)
    claim = replace(SAME, source=Source.USER_EXPLICIT, confidence=None)
    assert decide(claim, stated, [WAITING], NOW).outcome is Outcome.ECHO
    assert decide(claim, stated, [WAITING], NOW, speaker=Speaker(attested=True)).outcome is Outcome.CONFIRMED


@pytest.mark.parametrize("status", [Status.REJECTED, Status.DISPUTED, Status.FORGOTTEN])
def test_what_was_refused_comes_back_by_the_user_alone(status: Status) -> None:
    """The agents' repeats are echoes, sure or not; the user's word begins it anew."""
    refused = replace(WAITING, status=status)
    for source in (Source.SELF_INFERRED, Source.AUTO_DETECT, Source.FILE_IMPORT):
        assert decide(replace(SAME, source=source), None, [], NOW, refused=[refused]).outcome is Outcome.ECHO
    claim = replace(SAME, source=Source.USER_EXPLICIT, confidence=None)
    assert decide(claim, None, [], NOW, refused=[refused]).outcome is Outcome.NEW
