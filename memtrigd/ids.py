"""Random ids: 80 bits for a memory or session, 256 for a token, so that none tells of another."""

import base64
import secrets

from memtrigd.domain.levels import Level


class RandomIds:
    """Ids from the system's random source. Independent draws keep the levels apart without a stream for each."""

    def memory(self, level: Level) -> str:
        """Mint a memory's id: ``m`` and 16 letters and digits."""
        return "m" + _letters(10)

    def session(self, level: Level) -> str:
        """Mint a session's handle: ``s`` and 16 letters and digits."""
        return "s" + _letters(10)

    def token(self, level: Level) -> str:
        """Mint a resume token."""
        return secrets.token_urlsafe(32)


def _letters(size: int) -> str:
    return base64.b32encode(secrets.token_bytes(size)).decode().lower()
