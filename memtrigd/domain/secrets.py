"""Credentials in a text: keys, tokens and passwords that have no place in a memory. Pure, and quick: every save asks.

A form is looked for only where its anchor is, and one that is found may still be a placeholder or a documented example.
Random letters alone are none: digests, UUIDs and identifiers are what memories of work are made of.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from memtrigd.domain import passwords
from memtrigd.domain.placeholders import is_placeholder

LONGEST_KEY: Final = 16 << 10
"""Characters of a private key within which its end is looked for."""


class Secret(Struct, frozen=True):
    """Where a credential is in a text, in characters, and what it is: never the text of it."""

    kind: str
    start: int
    end: int


class _Form(Struct, frozen=True):
    kind: str
    anchor: str
    pattern: re.Pattern[str]
    """Begins with the anchor; its last group, or without one the whole, is the credential."""
    inside: bool
    """The anchor may stand inside a word."""


def find(text: str) -> list[Secret]:
    """The credentials in a text, in order; of those that overlap the one that begins first, then the longest."""
    found = [*_private_keys(text), *_formed(text)]
    found += [
        Secret("password" if each.is_password else "token", each.start, each.end) for each in passwords.find(text)
    ]
    kept: list[Secret] = []
    for each in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def redacted(text: str) -> str:
    """The text with ``[redacted KIND]`` in place of each credential."""
    parts, done = [], 0
    for each in find(text):
        parts += [text[done : each.start], f"[redacted {each.kind}]"]
        done = each.end
    return "".join((*parts, text[done:]))


def _formed(text: str) -> Iterator[Secret]:
    for form in _FORMS:
        if form.anchor not in text:
            continue
        for place in passwords.places(text, form.anchor):
            if not form.inside and _WORD.match(text[place - 1 : place]):
                continue
            match = form.pattern.match(text, place)
            if match is not None and not is_placeholder(match[match.lastindex or 0]):
                yield Secret(form.kind, *match.span(match.lastindex or 0))


def _private_keys(text: str) -> Iterator[Secret]:
    """Blocks of private keys with a body: the mere line that begins one is what documentation shows."""
    for place in passwords.places(text, "-----BEGIN "):
        begin = _KEY_BEGINS.match(text, place)
        if begin is None:
            continue
        over = text.find("-----", begin.end(), begin.end() + LONGEST_KEY)
        body = _KEY_BODY.search(text, begin.end(), over if over >= 0 else begin.end() + LONGEST_KEY)
        if body is None or is_placeholder(body.group()):
            continue
        end = _KEY_ENDS.match(text, over) if over >= 0 else None
        yield Secret("private key", place, end.end() if end else over if over >= 0 else begin.end() + LONGEST_KEY)


def _form(kind: str, anchors: str, pattern: str, *, inside: bool = False) -> tuple[_Form, ...]:
    compiled = re.compile(rf"{pattern}(?![\w-])", re.ASCII)
    return tuple(_Form(kind, anchor, compiled, inside) for anchor in anchors.split())


_KEY_BEGINS: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY: Final = re.compile(r"[A-Za-z0-9+/]{32,}+")
_WORD: Final = re.compile(r"[\w-]", re.ASCII)
_FORMS: Final = (
    *_form("AWS key", "AKIA ASIA", r"(?:AKIA|ASIA)[A-Z2-7]{16}"),
    *_form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    *_form("GitHub token", "github_pat_", r"github_pat_\w{60,255}"),
    *_form("GitLab token", "glpat- gldt- glrt-", r"gl(?:pat|dt|rt)-[\w-]{20,64}"),
    *_form("Slack token", "xoxb- xoxp- xoxa- xoxe- xoxo- xoxr- xoxs-", r"xox[abeoprs]-[0-9A-Za-z-]{16,255}"),
    *_form("Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/services/T\w{8,}/B\w{8,}/(\w{20,})", inside=True),
    *_form("Discord webhook", "/api/webhooks/", r"/api/webhooks/\d{16,}/([\w-]{60,})", inside=True),
    *_form("Stripe key", "sk_live_ rk_live_", r"[sr]k_live_[0-9A-Za-z]{16,255}"),
    *_form("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,255}"),
    *_form("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{32,255}"),
    *_form("OpenAI key", "sk-proj- sk-svcacct- sk-admin-", r"sk-(?:proj|svcacct|admin)-[\w-]{32,255}"),
    *_form("OpenAI key", "sk-", r"sk-\w{20}T3BlbkFJ\w{20}"),
    *_form("OpenRouter key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}"),
    *_form("Google key", "AIza", r"AIza[\w-]{35}"),
    *_form("Google secret", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
    *_form("Google token", "ya29.", r"ya29\.[\w-]{32,}"),
    *_form("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    *_form("PyPI token", "pypi-AgE", r"pypi-AgE[\w-]{50,}"),
    *_form("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{34,40}"),
    *_form("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    *_form("SendGrid key", "SG.", r"SG\.[\w-]{22}\.[\w-]{43}"),
    *_form("Twilio key", "SK", r"SK[0-9a-f]{32}"),
    *_form("Telegram token", ":AA", r"(?<=\d{8}):(AA[\w-]{33})", inside=True),
    *_form("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    *_form("Databricks token", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
    *_form("Vault token", "hvs. hvb.", r"hv[sb]\.[\w-]{24,255}"),
    *_form("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    *_form("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{50,60}"),
    *_form("Tailscale key", "tskey-", r"tskey-[a-z]{2,12}-\w{8,32}-\w{16,64}"),
    *_form("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    *_form("Azure key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{80,}={0,2})"),
    *_form("JSON web token", "eyJ", r"eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+\.[\w-]{16,}+"),
    *_form("bearer token", "earer", r"earer[ ](?=[\w.~+/-]*\d)(?=[\w.~+/-]*[A-Za-z])([\w.~+/-]{24,}=*)", inside=True),
    *_form(
        "password in an address",
        "://",
        r"://(?!([^\s:/@]{1,64}):\1@)[^\s:/@]{0,64}:([^\s@/]{4,128})(?=@[\w\[])",
        inside=True,
    ),
)
