"""Half a minute of fifty clients at once. Prints its figures; run with ``make test-soak``."""

import random
import threading
import time

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.crowd import settled
from tests.serve.soundness import unsound
from tests.talk import Line, agent, dial, figures

SECONDS = 30
LEVELS = ("public", "internal", "confidential", "restricted")
AGENTS = 46
OWNERS = 4
BATCH = 12


class Client:
    """One client with keys of its own, at its own level. ``held`` is what was acknowledged last for each key."""

    def __init__(self, daemon: Daemon, number: int) -> None:
        self.owner = number >= AGENTS
        self.level = LEVELS[number % 4]
        self.name = f"client-{number}"
        self.held: dict[str, str | None] = {}
        self.requests = 0
        self.faults: list[str] = []
        self._random = random.Random(number)
        self._line: Line = dial(daemon, "control") if self.owner else agent(daemon, self.level, agent=self.name)

    def work(self, until: float) -> None:
        """Send batches of mixed requests until the time is over, and check every answer against its request."""
        try:
            while time.monotonic() < until:
                self._batch()
        except Exception as error:
            self.faults.append(repr(error))
        finally:
            self._line.close()

    def _batch(self) -> None:
        expected = dict(self.held)
        requests = [self._request(expected) for _ in range(BATCH)]
        wants = [want for _, want in requests]
        numbers = self._line.send(*[self._as_sent(request) for request, _ in requests])
        answers = self._line.answers(BATCH)
        for number, want in zip(numbers, wants, strict=True):
            told = _told(answers[number])
            if want != told:
                self.faults.append(f"{self.name}: asked for {want}, got {told}")
        self.held = expected
        self.requests += BATCH

    def _request(self, held: dict[str, str | None]) -> tuple[wire.Data, object]:
        """Choose a request, and say what its answer must be; ``held`` is what each key holds when it is answered."""
        key = f"{self.name}-key-{self._random.randrange(20)}"
        match self._random.randrange(6):
            case 0 | 1:
                held[key] = f"{self.name} said {self._random.random()}"
                return wire.Save(key=key, content=held[key]), ("saved", key, self.level.upper())
            case 2 | 3:
                text = held.get(key)
                return wire.Get(key=key), "not_found" if text is None else ("got", key, text)
            case 4:
                return wire.Search(query=self.name, max_results=3), "found"
            case _:
                had = held.get(key)
                held[key] = None
                return wire.Delete(key=key), "not_found" if had is None else ("deleted", key, self.level.upper())

    def _as_sent(self, request: wire.Data) -> wire.Request:
        return wire.Act(request=request, level=self.level) if self.owner else request


def _told(answer: wire.Answer) -> object:
    """What an answer says, as far as it can be foreseen."""
    match answer.result:
        case wire.Saved(key=key, level=level):
            return "saved", key, level
        case wire.Got(memory=memory):
            return "got", memory.key, memory.content
        case wire.Deleted(key=key, level=level):
            return "deleted", key, level
        case wire.Found():
            return "found"
    return answer.error.code if isinstance(answer.error, wire.Error) else answer


@pytest.mark.soak
def test_fifty_clients_at_once(daemon: Daemon) -> None:
    """No error, no answer to another's request, and after kill -9 every acknowledged write is there."""
    for level in LEVELS:  # what is opened at its first use stays
        with agent(daemon, level) as line:
            line.ask(wire.Save(key="warm", content="warm"), wire.Saved)
            line.ask(wire.Search(query="warm"), wire.Found)
    time.sleep(1)
    before = figures(daemon.pid)
    clients = [Client(daemon, number) for number in range(AGENTS + OWNERS)]
    until = time.monotonic() + SECONDS
    threads = [threading.Thread(target=client.work, args=(until,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 30)
    total = sum(client.requests for client in clients)
    after = settled(daemon, before["descriptors"])
    print(f"{len(clients)} clients, {total} requests, {total / SECONDS:.0f}/s; before {before}, after {after}")
    assert [fault for client in clients for fault in client.faults] == []
    assert min(client.requests for client in clients) > 0
    assert (after["descriptors"], after["threads"]) == (before["descriptors"], before["threads"])
    daemon.kill()
    daemon.start()
    with dial(daemon, "control") as owner:
        for client in clients:
            for key, text in client.held.items():
                got = owner.exchange(wire.Act(request=wire.Get(key=key), level=client.level))
                assert _told(got) == ("not_found" if text is None else ("got", key, text))
    assert unsound(daemon) == []
