"""What a search found, as a list that knows what it leaves out."""

from __future__ import annotations

from memtrig import wire


class Hits(list[wire.Record]):
    """The memories that a search found, the best first, each with its ``score`` and ``why``.

    ``left_out`` counts those that ``max_tokens`` had no room for. ``how`` is "lexical" for by words, or "hybrid" for by
    words and meaning; ``warming`` that it will be hybrid when the model is ready.
    """

    def __init__(self, found: wire.Found) -> None:
        super().__init__(found.results)
        self.left_out = found.left_out
        self.how = found.how
        self.warming = found.warming
