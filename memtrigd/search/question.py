"""What is asked: a question taken apart once, before any index is looked into."""

from collections.abc import Sequence
from itertools import chain

from msgspec import Struct

from memtrigd.domain.memory import canonical
from memtrigd.domain.moments import Micros
from memtrigd.embedder.messages import Model
from memtrigd.search.analyser import query_terms, whole_terms


class Filters(Struct, frozen=True):
    """What a memory must be to be found at all; what is empty or None asks for nothing."""

    kinds: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    """Canonical names, of which it must be about one."""
    tags: tuple[str, ...] = ()
    """Of which it must have every one."""
    since: Micros | None = None
    """It was last said at this moment or later, and before ``until``."""
    until: Micros | None = None


class Meant(Struct, frozen=True):
    """What a question means to a model."""

    vector: bytes
    """float32, little endian, of unit length."""
    model: Model


class Question(Struct, frozen=True):
    """A question as the indexes take it. All of it comes from the text and from what the caller sees."""

    text: str
    terms: tuple[str, ...]
    """Different terms, without stop words; those of other names of what it names are among them."""
    names: tuple[str, ...] = ()
    """Other names in sight of the entities that it names, canonical."""
    exact: str = ""
    """The canonical text."""
    whole: tuple[str, ...] = ()
    """The terms of the identifier that it is and nothing else, as `node.js`; none of any other question."""
    dates: tuple[tuple[Micros, Micros], ...] = ()
    """Ranges of instants that it asks about, the end not among them."""
    meaning: Meant | None = None
    """None where no model is ready: then it is answered by its words alone."""
    filters: Filters = Filters()


def question(text: str, meant: Sequence[str] = ()) -> Question:
    """Take a question apart. ``meant`` are names that it means besides: their terms count, and take none away."""
    terms = dict.fromkeys(chain.from_iterable(map(query_terms, (text, *meant))))
    names = tuple(map(canonical, meant))
    return Question(text, tuple(terms), names, canonical(text), whole_terms(text))
