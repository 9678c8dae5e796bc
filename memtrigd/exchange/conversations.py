"""Conversations in the exports of assistants: they are told of, and counted. What was said once is no memory yet."""

from collections.abc import Iterator
from typing import Final

from memtrigd.exchange.items import Noted

LONGEST_CONVERSATION: Final = 32 << 20
"""Bytes of one conversation."""


def is_talk(head: str, mark: str) -> bool:
    """Tell whether a file is a list of conversations, by the name of the field that has what was said."""
    return head.lstrip().startswith("[") and f'"{mark}"' in head


class Talk:
    """How many conversations there are, with how many messages."""

    def __init__(self) -> None:
        self._conversations = 0
        self._messages = 0

    def add(self, messages: int) -> None:
        """Count a conversation."""
        self._conversations += 1
        self._messages += messages

    def told(self) -> Iterator[Noted]:
        """Say it, once."""
        if self._conversations:
            count = "1 conversation" if self._conversations == 1 else f"{self._conversations:,} conversations"
            said = f"{count} with {self._messages:,} messages: what was said in them is no memory, and was not taken."
            yield Noted("conversations", said)
