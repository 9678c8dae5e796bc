"""A model at work: texts to vectors, one text at a time.

What is put into one run with another text has another vector, by a little, as int8 is scaled over the whole run. So
nothing is: the vector of a text depends on that text alone, whoever asks for others at the same time.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from memtrigd.embedder.messages import Kind

QUERY: Final = 64
"""Tokens of a query, its ends and its prefix among them; what is beyond them is not looked at."""
PASSAGE: Final = 256
"""Tokens of a passage, likewise. The model can take 512, but a query waits for the one that is under way."""
OVERLAP: Final = 32
"""Tokens that a passage has in common with the next."""
BLOCK: Final = 4096
"""Characters that are taken apart at a time, so that a text of 1 MiB takes no more memory than a short one."""

ALONE: Final = {
    "HF_HUB_OFFLINE": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "ORT_TELEMETRY_DISABLED": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""The environment of the libraries. onnxruntime from 1.27 on tells its makers of every start, unless it is told not to;
pyproject.toml asks for one before."""

Numbers = NDArray[np.float32]


class Prefixes(NamedTuple):
    """What a text is told apart by: what the model was trained to see before a question, and before what answers it."""

    query: str = "query: "
    passage: str = "passage: "


class Stop:
    """With which a run can be stopped from another thread, some milliseconds later."""

    def __init__(self) -> None:
        import onnxruntime

        self.options = onnxruntime.RunOptions()
        self.options.log_severity_level = 4

    def __call__(self) -> None:
        """Stop the run, now or when it begins."""
        self.options.terminate = True


class Runtime:
    """A model and its tokenizer, on one thread. Raises what onnxruntime and tokenizers raise."""

    def __init__(self, model: Path, tokenizer: Path, prefixes: Prefixes) -> None:
        os.environ.update(ALONE)
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._output = _output([each.name for each in self._session.get_outputs()])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        ends = self._tokenizer.encode("").ids
        self._first, self._last = ends[:1], ends[1:]
        self._prefixes = {kind: self._ids(prefix.strip()) for kind, prefix in prefixes._asdict().items()}

    def passages(self, text: str, kind: Kind) -> Iterator[list[int]]:
        """The ids of a text, in passages of which each can be taken at once. A query is one, and has an end."""
        room = (QUERY if kind == "query" else PASSAGE) - len(self._first) - len(self._prefixes[kind]) - len(self._last)
        held: list[int] = []
        given = False
        for block in blocks(text):
            held += self._ids(block)
            while len(held) > room:
                yield self._whole(held[:room], kind)
                if kind == "query":
                    return
                held, given = held[room - OVERLAP :], True
        if len(held) > OVERLAP or not given:
            yield self._whole(held, kind)

    @overload
    def raw(self, ids: list[int]) -> Numbers: ...
    @overload
    def raw(self, ids: list[int], stop: Stop) -> Numbers | None: ...
    def raw(self, ids: list[int], stop: Stop | None = None) -> Numbers | None:
        """The vector of a passage as the model has it, of unit length; None where it was stopped on the way."""
        tokens = np.array([ids], np.int64)
        given = {name: _input(name, tokens) for name in self._inputs}
        try:
            found = self._session.run([self._output], given, None if stop is None else stop.options)[0][0]
        except Exception:
            if stop is not None and stop.options.terminate:
                return None
            raise
        return unit(found if found.ndim == 1 else found.mean(axis=0))

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def _whole(self, ids: list[int], kind: Kind) -> list[int]:
        return [*self._first, *self._prefixes[kind], *ids, *self._last]


def blocks(text: str) -> Iterator[str]:
    """A text in pieces of at most BLOCK characters, cut at white space where there is any."""
    start = 0
    while len(text) - start > BLOCK:
        end = max(text.rfind(blank, start + BLOCK // 2, start + BLOCK) for blank in " \n")
        end = end if end > 0 else start + BLOCK
        yield text[start:end]
        start = end
    yield text[start:]


def unit(vector: Any) -> Numbers:
    """A vector at unit length; one of no length stays."""
    wide = vector.astype(np.float64)
    scaled: Numbers = (wide / (np.sqrt(wide @ wide) or 1.0)).astype(np.float32)
    return scaled


def _output(names: list[str]) -> str:
    return "sentence_embedding" if "sentence_embedding" in names else names[0]


def _input(name: str, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """What a model calls an input: all tokens count, and all are of the first text of a pair."""
    match name:
        case "input_ids":
            return tokens
        case "attention_mask":
            return np.ones_like(tokens)
        case "token_type_ids":
            return np.zeros_like(tokens)
        case _:
            raise ValueError(f"the model asks for {name!r}")
