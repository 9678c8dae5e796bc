"""What an index knows of each document beside its words: a column for each attribute, a place for each document.

Imports numpy: only for the thread that searches.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memtrigd.domain.memory import canonical
from memtrigd.store.interface_index import Indexed

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

NOBODY: Final = 0
"""The number of the empty name: no session, no entity."""
NONE: Final = -1
"""No place."""
OCCASION: Final = 3600 * 1_000_000
"""Microseconds between what was said on one occasion, at most."""

_COLUMNS: Final[dict[str, type]] = {
    "number": np.int64,
    "key_hash": np.int64,
    "id_hash": np.int64,
    "space": np.int32,
    "talk": np.int32,
    "entity": np.int32,
    "kind": np.int16,
    "source": np.int16,
    "created": np.int64,
    "updated": np.int64,
    "valid_from": np.int64,
    "valid_to": np.int64,
    "length": np.int32,
    "before": np.int32,
    "behind": np.int32,
    "alive": np.bool_,
}


class Names:
    """Names and their numbers in the order in which they came; 0 is nobody's."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {None: NOBODY}

    def __len__(self) -> int:
        return len(self._numbers)

    def take(self, names: Iterable[object]) -> list[int]:
        """The number of each name, a new one if it is new."""
        known = self._numbers
        return [known.setdefault(name, len(known)) for name in names]

    def known(self, name: object) -> int | None:
        """The number of a name, None if no document ever had it."""
        return self._numbers.get(name)

    def that(self, fits: Callable[[str], bool]) -> Mask:
        """For each number whether its name fits; nobody's does not."""
        return np.array([name is not None and fits(str(name)) for name in self._numbers], bool)


class Attributes:
    """Columns that grow. A document that goes leaves its place dead; whoever holds places asks ``alive``.

    ``talk`` is a session in a space. ``before`` and ``behind`` are the neighbours in it: what was said on the same
    occasion, by ``valid_from`` and number. What was not said at a moment is no part of a conversation. Times are 0
    where there is none.
    """

    number: Ints
    key_hash: Ints
    id_hash: Ints
    space: NDArray[np.int32]
    talk: NDArray[np.int32]
    entity: NDArray[np.int32]
    kind: NDArray[np.int16]
    source: NDArray[np.int16]
    created: Ints
    updated: Ints
    valid_from: Ints
    valid_to: Ints
    length: NDArray[np.int32]
    before: NDArray[np.int32]
    behind: NDArray[np.int32]
    alive: Mask

    def __init__(self) -> None:
        self.size = 0
        self.dead = 0
        self.changes = 0
        """How often documents came, went or moved: whoever keeps what hangs on places asks this."""
        self.spaces, self.talks, self.entities, self.kinds, self.sources = (Names() for _ in range(5))
        self._held: dict[str, NDArray[Any]] = {name: np.zeros(0, kind) for name, kind in _COLUMNS.items()}
        self._place_of = np.full(0, NONE, np.int32)
        self._show()

    def add(self, rows: Sequence[Indexed]) -> None:
        """Give places to documents, in their order. Their neighbours are not known before ``relink``."""
        (numbers, ids, keys, spaces, sessions, entities, kinds, sources, created, updated, begins, ends, lengths) = zip(
            *(row[:13] for row in rows), strict=True
        )
        fresh = {
            "number": numbers,
            "key_hash": [exact_hash(key) for key in keys],
            "id_hash": list(map(hash, ids)),
            "space": self.spaces.take(spaces),
            "talk": self.talks.take(map(_talk, sessions, spaces, begins)),
            "entity": self.entities.take(entities),
            "kind": self.kinds.take(kinds),
            "source": self.sources.take(sources),
            "created": created,
            "updated": updated,
            "valid_from": [begin or 0 for begin in begins],
            "valid_to": [end or 0 for end in ends],
            "length": lengths,
            "before": NONE,
            "behind": NONE,
            "alive": True,
        }
        end = self.size + len(rows)
        for name, values in fresh.items():
            self._held[name] = held = _room(self._held[name], end, 0)
            held[self.size : end] = values
        self._place_of = _room(self._place_of, max(numbers) + 1, NONE)
        self._place_of[np.array(numbers, np.int64)] = np.arange(self.size, end)
        self.size = end
        self.changes += 1
        self._show()

    def drop(self, places: Ints) -> None:
        """Let documents go."""
        self.alive[places] = False
        self.dead += len(places)
        self.changes += 1
        own = self._place_of[self.number[places]] == places  # a number may have gone to another document meanwhile
        self._place_of[self.number[places[own]]] = NONE

    def keep(self, places: Ints) -> None:
        """Let only these documents stay, which are all that are alive; they get new places in the same order."""
        for name, column in self._held.items():
            self._held[name] = column[places]
        self.size, self.dead, self.changes = len(places), 0, self.changes + 1
        self._show()
        self._place_of[self.number] = np.arange(self.size)

    def places(self, numbers: Ints) -> Ints:
        """The places of documents by their numbers; NONE for those that are not here."""
        known = (numbers >= 0) & (numbers < len(self._place_of))
        found = np.full(len(numbers), NONE, np.int64)
        found[known] = self._place_of[numbers[known]]
        return found

    def relink(self, talks: Ints | None = None) -> None:
        """Find the neighbours in some talks anew, or in all of them."""
        spoken = self.alive & (self.talk != NOBODY)
        spoken &= True if talks is None else np.isin(self.talk, talks)
        found = np.flatnonzero(spoken)
        found = found[np.lexsort((self.number[found], self.valid_from[found], self.talk[found]))]
        self.before[found] = self.behind[found] = NONE
        first, second = found[:-1], found[1:]
        near = (self.talk[first] == self.talk[second]) & (self.valid_from[second] - self.valid_from[first] <= OCCASION)
        self.behind[first[near]], self.before[second[near]] = second[near], first[near]

    def _show(self) -> None:
        for name, column in self._held.items():
            setattr(self, name, column[: self.size])


def exact_hash(text: str) -> int:
    """What two texts have in common that are canonically the same."""
    return hash(canonical(text))


def _talk(session: str | None, space: str, begin: int | None) -> tuple[str, str] | None:
    return None if session is None or begin is None else (session, space)


def _room(column: NDArray[Any], size: int, filling: int) -> NDArray[Any]:
    """A column with room for ``size`` values, and some to spare."""
    if len(column) >= size:
        return column
    grown = np.full(max(size, len(column) + len(column) // 4), filling, column.dtype)
    grown[: len(column)] = column
    return grown
