"""What is worth bringing up now: a warm channel of what is near, and a treasure channel of what lies long untouched."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from memtrigd.domain.forgetting import effective_importance
from memtrigd.domain.memory import Kind, Memory
from memtrigd.domain.moments import DAY, Micros

QUIET: Final = DAY
"""Nothing comes up within this of its last recall: who repeats himself is a bore."""
COLD_AFTER: Final = 90 * DAY
"""Untouched this long a memory is an old treasure, unless it is core (second seed, version 2.9)."""
SOON: Final = 3 * DAY
STRONG_FEELING: Final = 0.5
FEELING: Final = 0.25
NEVER_RECALLED: Final = 0.15
EXPIRES_SOON: Final = 0.20
SURE: Final = 0.25
"""Weights of the old-treasure channel, as the second seed measured them out: feelings weigh most."""
_STRONG: Final = frozenset({Kind.EMOTION, Kind.RELATIONSHIP, Kind.MILESTONE})


class Suggestion(Struct, frozen=True):
    """A memory to bring up, with its channel (``warm`` or ``treasure``) and why, in a few words."""

    memory: Memory
    channel: str
    score: float
    reason: str


def suggest(memories: Iterable[Memory], now: Micros, limit: int) -> list[Suggestion]:
    """Choose up to ``limit`` memories, the best of both channels in turn, so that neither crowds out the other."""
    channels: dict[str, list[Suggestion]] = {"warm": [], "treasure": []}
    for memory in memories:
        if memory.served(now) and not memory.deny_count and now - (memory.last_recalled or 0) >= QUIET:
            suggestion = _treasure(memory, now) if _is_cold(memory, now) else _warm(memory, now)
            channels[suggestion.channel].append(suggestion)
    ordered = [sorted(found, key=lambda s: (-s.score, -s.memory.updated, s.memory.id)) for found in channels.values()]
    return _in_turn(ordered)[:limit]


def _is_cold(memory: Memory, now: Micros) -> bool:
    return not memory.core and now - (memory.last_recalled or memory.updated) >= COLD_AFTER


def _warm(memory: Memory, now: Micros) -> Suggestion:
    score = effective_importance(memory, now) + _feeling(memory)
    reason = "defines who you are to each other" if memory.core else "on your mind of late"
    return Suggestion(memory, "warm", score, _with_feeling(reason, memory))


def _treasure(memory: Memory, now: Micros) -> Suggestion:
    score = _feeling(memory) + SURE * (1.0 if memory.confidence is None else memory.confidence)
    reason = f"untouched for {(now - (memory.last_recalled or memory.updated)) // DAY} days"
    if memory.last_recalled is None:
        score += NEVER_RECALLED
        reason = "never brought up since it was said"
    if memory.expires_at is not None and memory.expires_at - now <= SOON:
        score += EXPIRES_SOON
        reason = "about to expire"
    return Suggestion(memory, "treasure", score, _with_feeling(reason, memory))


def _feeling(memory: Memory) -> float:
    if memory.kind in _STRONG and memory.emotion_tags:
        return STRONG_FEELING
    return FEELING if memory.kind in _STRONG or memory.emotion_tags else 0.0


def _with_feeling(reason: str, memory: Memory) -> str:
    return f"{reason}; felt: {', '.join(memory.emotion_tags[:3])}" if memory.emotion_tags else reason


def _in_turn(channels: Sequence[Sequence[Suggestion]]) -> list[Suggestion]:
    """Take the best of each channel, then the second best of each, and so on."""
    longest = max(map(len, channels), default=0)
    return [channel[place] for place in range(longest) for channel in channels if place < len(channel)]
