"""Korean: a written word is a noun or verb with particles at its end."""

import re
from typing import Final

from memtrigd.search.grams import grams

_PARTICLE: Final = re.compile(
    "(?<=.)(?:"
    "으로부터|에서부터|에게서|으로서|으로써|이라고|에서는|에서도|에게는|까지|부터|에서|에게|한테|보다|처럼|마다|조차|밖에|하고|이랑|으로|라고|"
    "께서|이나|이다|은|는|이|가|을|를|의|에|로|와|과|도|만|께|야"
    ")$"
)


def terms(word: str) -> list[str]:
    """Return the word, the word without its particle, and the bigrams of both: compounds have no inner spaces."""
    bare = _PARTICLE.sub("", word)
    return list(dict.fromkeys([bare, word, *grams(word, 2)]))
