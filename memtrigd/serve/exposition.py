"""Prometheus' text exposition format, version 0.0.4: families of samples as text. Names and labels are ours alone."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from memtrigd.domain.histograms import Histogram

PREFIX: Final = "memtrigd_"

Labels: TypeAlias = Mapping[str, str]
Sample: TypeAlias = tuple[str, Labels, float]
"""What is put behind the family's name, the labels, and the value."""


class Family(Struct, frozen=True):
    """All samples of one name. ``kind`` is counter, gauge or histogram."""

    name: str
    kind: str
    about: str
    samples: list[Sample]


def gauge(name: str, about: str, *values: tuple[Labels, float]) -> Family:
    """A family of values that go up and down."""
    return Family(name, "gauge", about, [("", labels, value) for labels, value in values])


def counter(name: str, about: str, *values: tuple[Labels, float]) -> Family:
    """A family of counts that only grow. The name ends in ``_total``."""
    return Family(name, "counter", about, [("", labels, value) for labels, value in values])


def histogram(name: str, about: str, *values: tuple[Labels, Histogram]) -> Family:
    """A family of histograms."""
    samples: list[Sample] = []
    for labels, counted in values:
        buckets = counted.cumulative()
        for bound, count in buckets:
            samples.append(("_bucket", {**labels, "le": "+Inf" if bound is None else repr(bound)}, count))
        samples += [("_sum", labels, counted.total), ("_count", labels, buckets[-1][1])]
    return Family(name, "histogram", about, samples)


def text(families: Iterable[Family]) -> str:
    """Write families down; one without samples is left out."""
    lines: list[str] = []
    for family in families:
        if not family.samples:
            continue
        name = PREFIX + family.name
        lines += [f"# HELP {name} {family.about}", f"# TYPE {name} {family.kind}"]
        lines += [f"{name}{suffix}{_labels(labels)} {_number(value)}" for suffix, labels, value in family.samples]
    return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}" if labels else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
