"""JSON documents as files hold them: one a line, or several on one by mistake, read so that nothing of them is lost."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from memtrigd.domain.errors import Refusal


def documents(text: str) -> Iterator[tuple[dict[str, Any] | Refusal, str]]:
    """Each document of a line with its text, and for what can't be read the reason with the rest of the line."""
    at = 0
    while at < len(text):
        rest = text[at:]
        at += len(rest) - len(rest.lstrip(" \t,"))  # a comma between two: the line was an array's once
        if at >= len(text):
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield _refusal(error), text[at:]
            return
        whole = text[at:end]
        yield (value if isinstance(value, dict) else _no_object()), whole
        at = end


def value(raw: bytes) -> Any:
    """Read one JSON value, of any kind. Raises Refusal ``bad_value``."""
    try:
        text = raw.decode().strip()
    except UnicodeDecodeError as error:
        raise Refusal(
            "bad_value", f"It is not UTF-8 at its byte {error.start + 1:,}.", "Convert it to UTF-8."
        ) from None
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise _refusal(error) from None


def first(text: str) -> dict[str, Any] | None:
    """The first document of a text, None if it holds none there: for telling formats apart."""
    found = next(documents(text.lstrip()), None)
    return found[0] if found is not None and isinstance(found[0], dict) else None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"The field {twice[:40]!r} is there twice")
    return made


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, RecursionError):
        return Refusal("bad_value", "It is nested too deeply.", "Write it flat.")
    if isinstance(error, json.JSONDecodeError):
        return Refusal("bad_value", f"It is not JSON at character {error.pos + 1:,}: {error.msg}.", "Mend the line.")
    return Refusal("bad_value", f"It can't be read: {str(error)[:120]}.", "Mend the line.")


def _no_object() -> Refusal:
    return Refusal("bad_value", "It is JSON, but no object.", "A record is written in braces.")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)
