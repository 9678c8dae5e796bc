"""What stands for a secret: the blanks, names and examples that code and documentation are full of."""

import re
from itertools import pairwise
from typing import Final


def is_placeholder(value: str) -> bool:
    """Tell whether a value stands for a secret, or is one that everybody's documentation has."""
    if _STANDS_FOR.search(value) or any(known in value for known in _DOCUMENTED):
        return True
    letters = [c for c in value.lower() if c.isalnum()]
    return len(set(letters)) <= min(2, len(letters) // 3) or _is_a_row(letters)


def _is_a_row(letters: list[str]) -> bool:
    """Tell whether some letters are but the alphabet or the digits in order, as in ``abcdefgh12345678``."""
    steps = sum(ord(b) - ord(a) == 1 for a, b in pairwise(letters))
    return len(letters) >= 10 and steps >= 0.75 * len(letters)


_STANDS_FOR: Final = re.compile(
    r"""your | example | placeholder | change[-_ ]?(?:me|it|this) | replace | redacted | dummy | sample | xxx | \*\*\*
    | \.\.\. | … | ••• | \#\#\# | ___ | insert | fill[-_]?in | todo | fixme | fake | ^<.*>?$ | ^[\[{$%]
    | ^(?:my|the|some|a|any|test|new|old|this)[-_ ]?(?:super[-_ ]?|api[-_ ]?|very[-_ ]?)?
      (?:secret|password|passwd|pass|pwd|token|key|value)s?[-_ ]?(?:here|key)?\d{0,3}$
    | ^(?:password|passwd|pass|secret|token|key|value|test|foo|bar|baz|user|root|admin|postgres|string|field|param|arg
      |guest|p|pw|pwd|abc)[-_]?\d{0,2}$ | ^s3cr3t$ | ^p[a@]ssw[o0]rd$""",
    re.VERBOSE | re.IGNORECASE,
)
_DOCUMENTED: Final = (
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",  # jwt.io
    "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",  # RFC 7519
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsu",  # the storage emulator of Azure
)
