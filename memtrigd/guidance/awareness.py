"""Memory awareness: when to remember, what never to, and how to speak of it, in the user's language."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("en", "zh", "hi", "mr")
"""The languages that there is a text in; the first is for all others."""


def awareness(lang: str | None) -> str:
    """Return the text for a locale tag: ``zh-TW``, ``mr_IN.UTF-8``, ``hi``. English for whom there is none."""
    return files(__package__).joinpath("awareness", language(lang) + ".md").read_text(encoding="utf-8")


def locale_of(environ: Mapping[str, str]) -> str | None:
    """The locale of an environment's messages: LC_ALL before LC_MESSAGES before LANG, an empty one is unset."""
    return next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), None)


def language(lang: str | None) -> str:
    """Choose one of LANGUAGES for a locale tag, in either spelling: BCP 47 or that of the environment."""
    primary = (lang or "").strip().replace("_", "-").split("-")[0].split(".")[0].split("@")[0].lower()
    return primary if primary in LANGUAGES else LANGUAGES[0]
