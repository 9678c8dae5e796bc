"""Passwords and tokens that a text names as such: ``password = "…"``, "my PIN is …", 密码是…, पासवर्ड … आहे.

No form tells a password from a word, so what stands behind the name is judged: what reads a variable, names a type,
stands for something or is an ordinary word is none.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from memtrigd.domain.placeholders import is_placeholder

FEWEST: Final = 4
"""Characters of a password."""
FEWEST_OF_A_TOKEN: Final = 12


class Named(Struct, frozen=True):
    """Where something that is called a password or a token is in a text."""

    start: int
    end: int
    is_password: bool


def find(text: str) -> Iterator[Named]:
    """What a text gives as a password or as a token, by assignment or in a sentence."""
    lower = _lower(text)
    for word in _ASSIGNED_WORDS:
        if word in lower:
            yield from _assigned(text, lower, word)
    for word, pattern in _SENTENCES:
        if word in lower:
            yield from _said(text, lower, word, pattern)


def places(text: str, anchor: str) -> Iterator[int]:
    """Where an anchor is in a text; where it is not, that is known in no time."""
    place = text.find(anchor)
    while place >= 0:
        yield place
        place = text.find(anchor, place + 1)


def _lower(text: str) -> str:
    """The text in small letters, each in its old place: a few letters of Turkish and Greek grow when they shrink."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _assigned(text: str, lower: str, word: str) -> Iterator[Named]:
    is_password = word.startswith("p")
    done = 0
    for place in places(lower, word):
        if place < done or (word == "key" and not _OF_KEYS.search(lower, max(0, place - 12), place)):
            continue
        match = _ASSIGNED.match(text, place)
        if match is None:
            continue
        done = match.end()
        group = "bare" if match["quoted"] is None else "quoted"
        start, end = match.span(group)
        end = start + len(text[start:end].rstrip(".,;:!?" if group == "bare" else ""))
        if _is_given(text[start:end], match, is_password):
            yield Named(start, end, is_password)


def _is_given(value: str, match: re.Match[str], is_password: bool) -> bool:
    """Tell whether what is assigned to a password or a token is one."""
    if len(value) < (FEWEST_OF_A_TOKEN if not is_password else FEWEST if match["quoted"] else 6):
        return False
    if match["quoted"]:
        given = " " not in value and (_is_mixed(value) or (is_password and not _PLAIN.fullmatch(value)))
    else:
        given = _is_mixed(value) and _is_literal(value, match)
    return given and not _is_no_secret(value)


def _said(text: str, lower: str, word: str, pattern: re.Pattern[str]) -> Iterator[Named]:
    done = 0
    for place in places(lower, word):
        if place < done or (text[place - 1 : place].isalpha() and word.isascii()):
            continue
        match = pattern.match(text, place)
        if match is None:
            continue
        start, end = _trimmed(text, match)
        if _is_said(text[start:end], match) or _is_theirs(text, lower, place, start, end):
            done = end
            yield Named(start, end, True)


def _is_literal(value: str, match: re.Match[str]) -> bool:
    """Tell whether a value without quotes is meant as it stands: no call, no name of a variable or a type."""
    if _CODE.search(value):
        return False
    if not value.isidentifier():
        return True
    as_in_a_shell = match["sign"] == "=" and match["word"].isupper()
    return as_in_a_shell or re.search(r"\d[A-Za-z]", _ALGORITHMS.sub("", value)) is not None


def _is_mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_no_secret(value: str) -> bool:
    return is_placeholder(value) or _UUID.fullmatch(value) is not None or _is_algorithm(value)


def _is_algorithm(value: str) -> bool:
    return _ALGORITHMS.search(value) is not None and not any(map(str.isdigit, _ALGORITHMS.sub("", value)))


def _trimmed(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Where the value of a sentence is, without the punctuation that ends the sentence or the quotation."""
    start, end = match.span("value")
    value = text[start:end].rstrip(".,;:?)]}\"'`*_")
    number = value.rstrip("!")
    return start, start + len(number if number.isdigit() else value)


def _is_said(value: str, match: re.Match[str]) -> bool:
    """Tell whether what a sentence calls a password is one: it is quoted, or no word of a language looks like it."""
    if len(value) < FEWEST:
        return False
    if "pin" in match.re.groupindex and match["pin"]:
        return value.isdigit() and len(value) <= 8
    if value.isdigit():
        return True
    if _is_no_secret(value) or _CODE.search(value) or _DATE.match(value):
        return False
    digits = sum(map(str.isdigit, value))
    if not any(map(str.isalpha, value)):
        return digits >= FEWEST
    signs = any(c in "!#$%^&*+=?@~" for c in value)
    quoted = match["quote"] != "" and len(value) >= 6 and not _PLAIN.fullmatch(value)
    return digits > 0 or signs or quoted


def _is_theirs(text: str, lower: str, place: int, start: int, end: int) -> bool:
    """Tell whether somebody's own password is said to be one long word of letters, and nothing more.

    Ordinary words stand there too, so it is none that ends as those do that are said of something. The rest passes.
    """
    word = text[start:end]
    return (
        bool(_LONG_WORD.fullmatch(word))
        and not _SAID_OF.search(word.lower())
        and not _PLAIN.fullmatch(word)
        and not is_placeholder(word)
        and _WHOSE.search(lower, max(0, place - 40), place) is not None
        and _OVER.match(text, end) is not None
    )


_WHOSE: Final = re.compile(r"(?:\b(?:my|our|your|his|her|their)|'s|’s|\bwi-?fi|\brouter)(?: [\w-]{1,16})?[ ]$")
_LONG_WORD: Final = re.compile(r"[A-Za-z]{10,40}|[A-Za-z]{4,20}(?:[-_.][A-Za-z]{4,20}){3,9}")
_SAID_OF: Final = re.compile(
    r"(?:able|ible|ed|ing|ic|al|ly|ous|ive|[ae]nt|ful|less|[st]ion|[ae]te|where|ment|ness|ity|th|ism|day|en|ary|ory"
    r"|stood|body|self|thing|words?|like|proof|cure|pler|nger|sier|same|case)$"
)
_OVER: Final = re.compile(r"[\"'”’`]?(?:\Z|[.!?,;)](?:\s|\Z)|\s*[\n，。])")
_ASSIGNED_WORDS: Final = ("passw", "passphrase", "pwd", "secret", "token", "key")
_OF_KEYS: Final = re.compile(r"(?:api|access|auth|private|service|account|encryption|signing)[_ -]?$")
_ASSIGNED: Final = re.compile(
    r"""(?P<word>passw(?:or)?d|passphrase|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|token|key)
        ["'\]]{0,2}[ \t]{0,3}(?P<sign>:=|=>|={1,3}|:(?!:))[ \t]{0,3}[bru@]?
        (?:(?P<q>["'`])(?P<quoted>[^"'`\n]{4,256})(?P=q)|(?P<bare>[^\s"'`,;]{4,128}))""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_CODE: Final = re.compile(
    r"""[(){}\[\]<>|\\] | ^[$%@&*./~-] | :// | ^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$
    | ^(?:os|sys|self|this|process|env|config|settings|secrets|args|params|request|req|res|data|user|vault|ctx|app|cls
      |obj|props|state|import)[.:]""",
    re.VERBOSE,
)
_ALGORITHMS: Final = re.compile(
    r"""(?:hmac[-_]?)?sha[-_]?\d{1,3}(?:[-_]\d{3})? | md5 | base(?:16|32|58|64)(?:url)? | aes[-_]?\d{0,3}
    | argon2(?:id|i|d)? | pbkdf2 | oauth2? | [hre]s(?:256|384|512) | ed25519 | x25519 | secp256[kr]1 | rsa[-_]?\d{0,4}
    | u?int\d{1,3} | float\d{2} | utf[-_]?8 | 2fa | varchar\d* | 1password | http/?2 | v\d | p256 | k8s | s3 | ec2""",
    re.VERBOSE | re.IGNORECASE,
)
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_DATE: Final = re.compile(r"\d{4}-\d\d(?!\d)|\d{1,2}[:/.]\d\d\b|\d{4}年")
_PLAIN: Final = re.compile(
    r"""(?:not[ ]|in)?(?:optional|required|expired|invalid|incorrect|correct|missing|hidden|secret|stored|encrypted
    |hashed|protected|unknown|default|needed|forgotten|string|number|weak|strong|text|true|false|none|null|undefined|current
    |object|bearer|basic) | [a-z]+ing | [a-z]*[_-]?(?:pass|pwd|password|passwd|passphrase|token|secret|key|field|value
    |input|name|type|label)""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words that are said of a password, or name one."""
_VALUE: Final = r"""(?P<quote>["'“”‘「『`«]?)(?P<value>[!-~]{4,128})"""
_EN: Final = re.compile(
    rf"""(?:(?P<pin>PIN)|password|passcode|passphrase|passwd|pwd|contraseña|mot\ de\ passe|passwort|kennwort
    |senha|пароль)
    (?:[ ](?:for|to|of|on|at|in|para|del?|pour|für|do|da|от)[ ][^\n.:=!?]{{1,40}}?)?
    (?:[ ](?:is|was|are|es|est|ist|é|is[ ]now|is[ ]still|has[ ]been[ ](?:set|changed)[ ]to|to)[ ]?:?|[ ]?[=:])[ ]{{0,2}}
    {_VALUE}""",
    re.VERBOSE | re.IGNORECASE,
)
_ZH: Final = re.compile(
    rf"""(?:密码|密碼|口令|暗号|暗號|パスワード|비밀번호)(?!的?长度|的?長度|强度|位数|策略|至少)[^\n，。,.;；!-~长長位]{{0,12}}?
    (?:是|为|為|：|:|=|改成了?|改为|设为|設為|は|는|가)\s{{0,2}}{_VALUE}(?!\s?(?:位|个|個|字|年|月|次|天|文字|자))""",
    re.VERBOSE,
)
_HI: Final = re.compile(
    r"""(?:(?P<pin>पिन(?![ ]?कोड))|पासवर्ड|पासकोड|संकेतशब्द|कूटशब्द)[^\n।!-~०-९]{0,30}?[\s:=-]{1,3}
    (?P<quote>["'“”‘`]?)(?P<value>[!-~]{4,128}|[०-९]{4,12})(?!\s?(?:अंक|अक्षर|वर्ण|कैरेक्टर))""",
    re.VERBOSE,
)
_WORDS: Final = (
    ("password passcode passphrase passwd pwd pin contraseña passwort kennwort senha пароль", _EN),
    ("密码 密碼 口令 暗号 暗號 パスワード 비밀번호", _ZH),
    ("पासवर्ड पिन पासकोड संकेतशब्द कूटशब्द", _HI),
)
_SENTENCES: Final = (
    *((word, pattern) for words, pattern in _WORDS for word in words.split()),
    ("mot de passe", _EN),
)
