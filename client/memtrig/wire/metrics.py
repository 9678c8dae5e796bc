"""What is asked and answered about how the daemon works, in figures."""

from memtrig.wire.requests import Request
from memtrig.wire.results import Result


class Metrics(Request, frozen=True, tag="metrics"):
    """The daemon's figures: requests, writes, queues, sessions, memories, files, backups. Nothing of what is kept."""


class Exposition(Result, frozen=True, tag="exposition"):
    """The figures as text in Prometheus' exposition format, version 0.0.4."""

    text: str
