"""Denial and its kin: the words that make a clause deny, suppose or ask what it says.

A quote is checked by these so that it can't be cut to say the contrary. They are the closed classes of nine languages,
as a grammar lists them, not a parser: where a word is ambiguous (French "si" is "if" and "yes") it counts: a quote
that is refused can be given at more length, and one that is bent can't be taken back.
"""

import re
from typing import Final

HARMLESS: Final = re.compile(
    "特别|特別|分别|分別|级别|級別|性别|性別|区别|區別|告别|告別|别的|別的|别人|別人|非常|未来|未來|不错|不錯|不过|不過|"
    "不但|不仅|不僅|不只|不管|无论|無論|没关系|沒關係|没问题|沒問題|差不多|莫名|"
    "少ない|危ない|つまらない|きたない"
)
"""Words with a syllable that denies, and no denial: a quote must not begin or end inside of one either."""


def _listed(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_NEGATING_WORDS: Final = _listed(
    # English, with contractions as they are typed in haste
    "not no non never none nobody nothing nowhere neither nor without hardly scarcely barely rarely seldom cannot",
    "ain't dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt havent hasnt hadnt",
    # German
    "nicht nichts nie niemals niemand nirgends weder ohne kaum kein keine keinen keinem keiner keines nein",
    # French
    "ne pas jamais rien aucun aucune sans ni non guère",
    # Spanish and Portuguese
    "nunca jamás nada nadie ningún ninguno ninguna sin tampoco apenas",
    "não nao ninguém nenhum nenhuma nem sem",
    # Hindi and Marathi, in their own script and as they are typed without it
    "नहीं नही न ना मत बिना बगैर नका विना क्वचित क्वचितच nahi nahin nako",
    # Russian
    "не нет ни никогда без нельзя",
)
_NEGATING_PARTS: Final = re.compile(
    r"(?<!\S)(?:non-|n')"  # French "n'aime", and the first half of "non-smoker"
    r"|n't(?!\S)"
    r"|(?<!\S)(?:नाही|नको|नव्ह|नसत|नसेल|नसाव|नसल)"  # Marathi verbs of denial, by their stems
    r"|(?<!\S)नये\s*$"  # Marathi "should not" at the end; before a noun it is Hindi "new"
    "|[不没沒别別无無未莫勿非]"  # Chinese: written into the clause without a space
    "|[很极極甚]少|谁说|誰說|才怪"  # Chinese: seldom, who says so, as if
    r"|(?<!\S)कोणी (?:म्हण|सांगितल)|(?<!\S)शायद ही(?!\S)"  # Marathi "who said", Hindi "hardly"
    "|ない|なかった|ません|않|못|없|아니|(?<!\\S)안 "  # Japanese and Korean: at the clause's end, or before the verb
)

_SUPPOSING: Final = _listed("if unless whether suppose supposing", "wenn falls ob si se", "अगर यदि जर если")
"""English, German, French and Spanish, Portuguese, Hindi, Marathi, Russian."""
_SUPPOSING_WITHIN: Final = _SUPPOSING - {"se"}
"""Inside a clause Portuguese "se" is a pronoun: only as its first word does it suppose."""
_SUPPOSING_HAN: Final = re.compile("如果|要是|假如|假设|假設|假若|倘若|除非|若是|もし|만약")
_WISHING: Final = re.compile(r"就好了|该多好|該多好|(?<!\S)अस[तल][ाीेो] तर(?!\S)")
"""Chinese and Marathi "if only", which stands behind."""

_ASKS: Final = re.compile(
    r"(?:do|does|did|am|is|are|was|were|can|could|should|would|will|have|has|had) (?:i|you|we|they|he|she|it|my|your)\b"
    r"|क्या(?!\S)|.*(?:[吗嗎]|\sका)$",
    re.DOTALL,
)
"""A question without its mark: English by its order, Hindi by its first word, Chinese and Marathi by their last."""


def negates(words: str) -> bool:
    """Tell whether folded words (single spaces) hold one that denies. Blank ``HARMLESS`` out before."""
    return _NEGATING_PARTS.search(words) is not None or not _NEGATING_WORDS.isdisjoint(words.split())


def supposes(words: str) -> bool:
    """Tell whether what follows these words in their clause is only supposed."""
    return not _SUPPOSING_WITHIN.isdisjoint(words.split()) or _SUPPOSING_HAN.search(words) is not None


def wishes(words: str) -> bool:
    """Tell whether what stands before these words in their clause is only wished for."""
    return _WISHING.search(words) is not None


def begins_to_suppose(sentence: str) -> bool:
    """Tell whether a sentence, or clause, supposes by its first word. "Si" alone is a yes."""
    first, _, rest = sentence.partition(" ")
    return (first in _SUPPOSING and rest != "") or _SUPPOSING_HAN.match(sentence) is not None


def asks(sentence: str) -> bool:
    """Tell whether a sentence without a question mark is a question all the same."""
    return _ASKS.match(sentence) is not None
