"""Credentials that were kept before anybody looked for them: what the texts that hold them become."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from memtrigd.domain.claim import auto_key
from memtrigd.domain.memory import Memory
from memtrigd.domain.secrets import find, redacted

PLAIN: Final = 8
"""Characters of a credential that is taken out of other texts about the same, where nothing calls it one."""
_DIGEST: Final = 16
"""Characters at the end of a key that was made from a text: a digest of the text, by which it could be guessed."""
_TEXTS: Final = ("content", "entity", "sentiment", "context", "lang", "quote", "reason")
_LISTS: Final = ("tags", "emotion_tags")


class Cleaner:
    """Takes credentials out of the texts about one thing; what is found in one of them goes from all of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._known: dict[str, str] = {}
        self._done: dict[str, str] = {}
        for text in dict.fromkeys(texts):
            for each in find(text):
                self._known[text[each.start : each.end]] = each.kind
        self._bare = sorted((said for said in self._known if len(said) >= PLAIN), key=len, reverse=True)

    @property
    def finds(self) -> bool:
        """Whether there is anything to take out."""
        return bool(self._known)

    def clean(self, text: str) -> str:
        """The text with ``[redacted KIND]`` in place of each credential; the same as often as it is asked."""
        if text not in self._done:
            said = redacted(text)
            for secret in self._bare:
                said = said.replace(secret, f"[redacted {self._known[secret]}]")
            self._done[text] = said
        return self._done[text]


def cleaned(memory: Memory, cleaner: Cleaner, key: str) -> Memory:
    """A memory without its credentials, under ``key``."""
    texts = {name: cleaner.clean(text) for name in _TEXTS if (text := getattr(memory, name)) is not None}
    lists = {name: tuple(dict.fromkeys(map(cleaner.clean, getattr(memory, name)))) for name in _LISTS}
    return replace(memory, key=key, **texts, **lists)


def key_of(memory: Memory, cleaner: Cleaner) -> str:
    """The key that a memory should have: one that was made from its text is made anew, for it tells of the text."""
    content = cleaner.clean(memory.content)
    if content != memory.content and memory.key.endswith(auto_key(None, None, memory.content)[-_DIGEST:]):
        entity = None if memory.entity is None else cleaner.clean(memory.entity)
        return auto_key(memory.kind, entity, content)
    return cleaner.clean(memory.key)
