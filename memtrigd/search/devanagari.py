"""Devanagari (Hindi, Marathi, …): one spelling, the endings off, and trigrams for what endings leave."""

import re
from typing import Final

MARK: Final = "\ue000"
"""Begins a trigram, so that it never meets a word: a private-use character, which no token contains."""

_SPELLINGS: Final = str.maketrans({"\u0901": "\u0902", "ॲ": "अॅ"})
# A nasal before a consonant of its own row is written as anusvara or in full: हिन्दी, हिंदी.
_NASAL: Final = re.compile("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])")

_ENDINGS: Final = """
मध्ये साठी पासून पर्यंत कडे कडून कडील वर वरून वरील खाली बरोबर सोबत सारखा सारखी सारखे मुळे विषयी बद्दल पेक्षा शिवाय
प्रमाणे द्वारे जवळ समोर नंतर पूर्वी आधी मधील मधून तील तून हून सह विरुद्ध दरम्यान
च्या चा ची चे चं ला ना ने नी शी त स
सुद्धा देखील ही च
"""
"""Marathi postpositions, cases and emphasis: they are written as one with the noun."""
_ENDING: Final = re.compile(f"(?<=..)(?:{'|'.join(sorted(_ENDINGS.split(), key=len, reverse=True))})$")
_VIRAMA: Final = "\u094d"


def normalise(word: str) -> str:
    """Return a word without nukta in one spelling: anusvara for candrabindu and for nasals before their own row."""
    return _NASAL.sub("\u0902", word.translate(_SPELLINGS))


def strip_case(word: str) -> str:
    """Take Marathi case endings and postpositions off, at most two deep (घराच्यामुळे, घराच्या, घरा)."""
    for _ in range(2):
        shorter = _ENDING.sub("", word)
        if shorter.endswith(_VIRAMA):  # cut through a conjunct: that was no ending
            break
        word = shorter
    return word


def trigrams(word: str) -> list[str]:
    """Return the marked character trigrams of a word, its borders counted as characters: beginnings tell the most."""
    bordered = MARK + word + MARK
    return [MARK + bordered[i : i + 3] for i in range(len(word))]
