"""Dual-source trust: whose word stands. The user's beats the agent's, and a guess waits for a yes."""

from collections.abc import Sequence
from enum import IntEnum, StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.claim import Claim
from memtrigd.domain.forgetting import DISPUTED_AT, denied
from memtrigd.domain.memory import Memory, Source, Status, canonical
from memtrigd.domain.moments import Micros

CONFIDENT: Final = 0.8
"""An inference below this waits for the user (second seed, section 0)."""
UNSAID_CONFIDENCE: Final = 0.5
"""What an inference without a confidence counts as: nobody who is sure forgets to say so."""


class Rank(IntEnum):
    """How much a claim weighs. A write replaces only what weighs no more than it."""

    SELF_INFERRED = 0
    AUTO_DETECT = 1
    FILE_IMPORT = 2
    USER_EXPLICIT = 3
    STATED = 4


_BY_SOURCE: Final = {
    Source.SELF_INFERRED: Rank.SELF_INFERRED,
    Source.AUTO_DETECT: Rank.AUTO_DETECT,
    Source.FILE_IMPORT: Rank.FILE_IMPORT,
    Source.USER_EXPLICIT: Rank.USER_EXPLICIT,
    Source.STATED: Rank.STATED,
}


def rank(source: Source, *, attested: bool) -> Rank:
    """Weigh a source. An attested user_explicit is the user's own word: one rank with the owner's."""
    return Rank.STATED if attested and source is Source.USER_EXPLICIT else _BY_SOURCE[source]


def rank_of(memory: Memory) -> Rank:
    """Weigh a memory by its source."""
    return rank(memory.source, attested=memory.attested)


class Hearing(StrEnum):
    """What the daemon knows of the user's own speech in a session."""

    NONE = "none"
    """Nobody feeds it: what the agent relays as the user's must be taken for that."""
    FEED = "feed"
    """A hook of the host feeds the user's words: a relayed word counts when it was heard."""
    UNATTENDED = "unattended"
    """No user is there: nothing can be relayed."""


class Speaker(Struct, frozen=True):
    """Who makes a claim, as far as trust goes.

    ``attested``: the words it quotes were heard from the user as a statement, ``heard``: as a statement or not.
    """

    agent: str | None = None
    hearing: Hearing = Hearing.NONE
    attested: bool = False
    owner: bool = False
    heard: bool = False
    untrusted: bool = False
    """The session read what strangers wrote: nothing of it is the user's word, or goes into service by itself."""
    session: str | None = None
    """The session, where what is its own makes a difference."""

    def relays_the_user(self, source: Source) -> bool:
        """Tell whether a claim of ``source`` counts as a word of the user's or the owner's."""
        if self.owner or source is Source.STATED:
            return True
        if self.untrusted:
            return False
        return source is Source.USER_EXPLICIT and (self.attested or self.hearing is Hearing.NONE)


def is_users_word(memory: Memory) -> bool:
    """Tell whether a memory weighs as the user's word, their own or relayed."""
    return rank_of(memory) >= Rank.USER_EXPLICIT


def may_deny(speaker: Speaker, memory: Memory) -> bool:
    """Tell whether a speaker may deny or forget a memory. What the owner pinned no agent may that was not told by them.

    What an agent found out by itself any agent may doubt. The user's word is retired on the user's word: where they can
    be heard they must have been, in whatever mood ("could you forget that?" states nothing, and is a wish all the
    same), and where nobody is there it can't be. Without a feed an agent is taken for the user's voice, as it is when
    it saves. A session that read what strangers wrote retires nothing but what it said itself: a no that can't wait
    would be theirs over what all other agents found.
    """
    if speaker.untrusted:
        return _takes_back(speaker, memory)
    if speaker.owner or not (memory.pinned or is_users_word(memory)):
        return True
    return speaker.heard if memory.pinned or speaker.hearing is Hearing.FEED else speaker.hearing is Hearing.NONE


def may_wish(speaker: Speaker) -> bool:
    """Tell whether a speaker may keep a wish to forget, which is in force at once for all agents of a level."""
    return not speaker.untrusted


def _takes_back(speaker: Speaker, memory: Memory) -> bool:
    own = memory.session is not None and memory.session == speaker.session
    return own and not memory.pinned and not is_users_word(memory)


def may_delete(speaker: Speaker, memory: Memory) -> bool:
    """Tell whether a speaker may delete a memory: a delete can be undone and suppresses nothing, so it takes less."""
    if speaker.untrusted:
        return _takes_back(speaker, memory)
    if memory.pinned:
        return speaker.owner
    return not is_users_word(memory) or speaker.owner or speaker.hearing is not Hearing.UNATTENDED


def outweighs(speaker: Speaker, memory: Memory) -> bool:
    """Tell whether a memory weighs more than a no of the speaker's, which weighs as much as their relayed claim."""
    said = Rank.STATED if speaker.owner or speaker.heard else Rank.USER_EXPLICIT
    return rank_of(memory) > said


def after_denial(memory: Memory, speaker: Speaker, now: Micros) -> Memory:
    """Return a memory after a denial: a tenth of its importance; the second time it is disputed.

    But what the user stated themselves no agent's mere say takes out of service, however often it says so: that would
    be a guess over the user's word, and a session is cheap. Its first denial demotes, further ones are counted, and
    the owner is asked. The user can still say so through any agent, where they are heard; or once, at memtrigctl.
    """
    lesser = denied(memory, now)
    if lesser.deny_count < DISPUTED_AT:
        return lesser
    if outweighs(speaker, memory):
        return replace(memory, deny_count=lesser.deny_count)
    return replace(lesser, status=Status.DISPUTED, contested=False)


class Outcome(StrEnum):
    """What became of a write."""

    NEW = "new"
    UPDATED = "updated"
    KNOWN = "known"
    PENDING = "pending"
    CONTESTED = "contested"
    CONFIRMED = "confirmed"
    ECHO = "echo"


class Slot(Struct, frozen=True):
    """What a key has at the writer's level: the row it serves, the waiting proposals, and the rows that were refused.

    ``refused`` are rejected, disputed and forgotten rows. A row that was only deleted is not among them: delete retires
    a text and refuses nothing.
    """

    active: Memory | None = None
    pending: Sequence[Memory] = ()
    refused: Sequence[Memory] = ()


class Admission(Struct, frozen=True):
    """The decision on a claim: its outcome, the status of the row to write, and the row it meets (if any).

    Where it is ``confirmed``, ``meets`` is the pending row that becomes active, and ``ousts`` what it replaces.
    """

    outcome: Outcome
    status: Status = Status.ACTIVE
    meets: Memory | None = None
    ousts: Memory | None = None


def is_guess(claim: Claim) -> bool:
    """Tell whether a claim is an inference that waits for the user."""
    sure = UNSAID_CONFIDENCE if claim.confidence is None else claim.confidence
    return claim.source is Source.SELF_INFERRED and sure < CONFIDENT


def admit(claim: Claim, slot: Slot, speaker: Speaker, now: Micros) -> Admission:
    """Decide what a claim does to its slot. A row past its date holds no slot against anybody.

    Asked in this order: is it what stands already; is it what waits or was refused already; may it stand?
    """
    standing = slot.active if slot.active is not None and slot.active.served(now) else None
    weight = rank(claim.source, attested=speaker.attested)
    if standing is not None and weight <= rank_of(standing) and says_the_same(claim, standing):
        return Admission(Outcome.KNOWN, meets=standing)
    current = [row for row in slot.pending if row.expires_at is None or row.expires_at > now]
    repeated = _repeats(claim, replace(slot, pending=current), speaker, standing, weight)
    if repeated is not None:
        return repeated
    outranked = standing is not None and weight < rank_of(standing)
    frozen = standing is not None and standing.pinned and not speaker.owner
    if is_guess(claim) or outranked or frozen or speaker.untrusted:
        outcome = Outcome.CONTESTED if standing is not None else Outcome.PENDING
        return Admission(outcome, Status.PENDING, standing)
    return Admission(Outcome.UPDATED if slot.active is not None else Outcome.NEW, meets=slot.active)


def _repeats(claim: Claim, slot: Slot, speaker: Speaker, standing: Memory | None, weight: Rank) -> Admission | None:
    """Decide on a claim that says again what waits or was refused: an echo, unless it is the user who says it.

    How often it is said counts for nothing: an agent that repeats its own guess must not make it a fact.
    """
    said = canonical(claim.content)
    users = speaker.relays_the_user(claim.source)
    waiting = next((row for row in slot.pending if canonical(row.content) == said), None)
    if waiting is not None:
        room = standing is None or (weight >= rank_of(standing) and (speaker.owner or not standing.pinned))
        surer = claim.source is Source.SELF_INFERRED and not is_guess(claim) and not speaker.untrusted
        surer = surer and _only_unsure(waiting)
        if room and (users or (surer and standing is None)):
            return Admission(Outcome.CONFIRMED, Status.ACTIVE, waiting, slot.active)
        return Admission(Outcome.ECHO, Status.PENDING, waiting)
    refused = next((row for row in slot.refused if canonical(row.content) == said), None)
    return None if refused is None or users else Admission(Outcome.ECHO, refused.status, refused)


def _only_unsure(waiting: Memory) -> bool:
    """Tell whether a row waits for nothing but confidence: a sure one that waits does so for another reason."""
    sure = UNSAID_CONFIDENCE if waiting.confidence is None else waiting.confidence
    unsure = waiting.source is Source.SELF_INFERRED and sure < CONFIDENT
    return unsure and waiting.contests is None and waiting.deny_count == 0


def says_the_same(claim: Claim, memory: Memory) -> bool:
    """Tell whether a claim says nothing that the memory does not: the same text, and no facet given anew."""
    given = {
        "key": claim.key,
        "kind": claim.kind,
        "confidence": claim.confidence,
        "lang": claim.lang,
        "quote": claim.quote,
        "tags": claim.tags,
        "emotion_tags": claim.emotion_tags,
        "entity": claim.entity,
        "context": claim.context,
        "sentiment": claim.sentiment,
        "core": claim.core,
        "expires_at": claim.expires_at,
        "valid_from": claim.valid_from,
        "valid_to": claim.valid_to,
        "reason": claim.reason,
        "pinned": claim.pinned,
    }
    return canonical(claim.content) == canonical(memory.content) and all(
        value in (None, ()) or value == getattr(memory, field) for field, value in given.items()
    )
