"""What is usual for a model: languages are taken off, and few of what is unrelated reaches the floor."""

import json
from pathlib import Path

import numpy as np

from memtrigd.embedder import calibration
from memtrigd.embedder.calibration import Calibration
from memtrigd.embedder.messages import Kind
from memtrigd.embedder.runtime import Numbers, unit

WIDTH = 64


def of_languages(text: str, kind: Kind) -> Numbers:
    """A model in which a language says more of a text than its matter does, and a little is chance."""
    language, matter = next(row[:2] for row in calibration.rows() if text in row)
    parts = [_axis("all") * 4, _axis(language) * 3, _axis(f"matter {matter}"), _axis(text + kind)]
    return unit(sum(parts))


def test_a_language_makes_texts_no_nearer() -> None:
    """Raw, an unrelated text in the same language is nearer than the answer in another; centred it is not."""
    known = calibration.calibrate(of_languages, lambda *_: None)
    rows = [row for row in calibration.rows() if row[0] in ("en", "mr")]
    other = {(row[0], row[1]): row for row in rows}
    raw, centred = [], []
    for language, matter, question, _ in rows[:20]:
        across = other["mr", matter][3]
        beside = next(row[3] for row in rows if row[0] == language and row[1] != matter)
        vectors = [of_languages(question, "query"), of_languages(across, "passage"), of_languages(beside, "passage")]
        asked, near, far = (np.frombuffer(known.centred(each), np.float32) for each in vectors)
        raw.append(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
        centred.append(asked @ near > asked @ far)
        assert np.isclose(asked @ asked, 1, atol=1e-5)
    assert sum(raw) <= 2 and sum(centred) >= 18


def test_hardly_an_unrelated_pair_reaches_the_floor_and_it_is_the_same_each_time() -> None:
    """Nor is it out of reach: it lies some standard deviations over what is usual."""
    known = calibration.calibrate(of_languages, lambda *_: None)
    assert known == calibration.calibrate(of_languages, lambda *_: None)
    rows = calibration.rows()
    asked, facts = (
        np.array([np.frombuffer(known.centred(of_languages(row[place], kind)), np.float32) for row in rows])
        for place, kind in ((2, "query"), (3, "passage"))
    )
    matters = np.array([row[1] for row in rows])
    unrelated = (asked @ facts.T)[matters[:, None] != matters]
    assert (unrelated > known.floor).mean() < 0.01
    assert 2 < (known.floor - known.mu) / known.sigma < 6


def test_one_that_is_not_as_it_was_written_is_none(tmp_path: Path) -> None:
    """A byte that flipped, what was cut off, what is of another form: it is made anew, and never half believed."""
    known, path = Calibration(b"\0\0\x80?" * 8, b"", 0.1, 0.2, 0.5), tmp_path / "calibration.json"
    assert calibration.load(path) is None
    whole = calibration.kept(known)
    path.write_bytes(whole)
    assert calibration.load(path) == known
    for bad in (whole.replace(b"0.2", b"0.0"), whole[:-9], b"", json.dumps({"mu": 0.1}).encode()):
        path.write_bytes(bad)
        assert calibration.load(path) is None


def _axis(name: str) -> Numbers:
    """A direction of its own for each name."""
    return unit(np.random.default_rng(list(name.encode())).normal(size=WIDTH))
