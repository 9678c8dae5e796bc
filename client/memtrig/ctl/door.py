"""The door that a command line goes to, the owner's or an agent's, and what is asked there."""

from __future__ import annotations

from memtrig import homes
from memtrig.ctl import progress, talk
from memtrig.ctl.failure import Failure, usage
from memtrig.ctl.grammar import AGENT, CONTROL, DATA, OWNER, VIEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memtrig.ctl.grammar import DaemonVerb
    from memtrig.ctl.pipeline import Pipeline


class Door:
    """Where the questions of one command line are asked; those of an agent in one session.

    Raises Failure ``usage`` where the settings contradict the verb or each other.
    """

    __slots__ = ("_acts", "_caller", "_home", "_patience", "_watches", "_whose")

    def __init__(self, verb: DaemonVerb, settings: dict[str, Any]) -> None:
        agent, level = settings.get("as"), settings.get("level")
        self._acts = verb.door in (DATA, OWNER, VIEW)
        self._patience = verb.patience or talk.TIMEOUT
        self._watches = verb.progress and progress.is_wanted()
        self._whose: dict[str, str] = {}
        if agent and level:
            raise usage("--as and --level exclude each other.", "An agent has the level of its socket: drop --level.")
        if verb.door in (VIEW, AGENT) and not agent:
            raise usage(f"{verb.name} needs --as LEVEL[:AGENT].", f"For example: {verb.example}")
        if verb.door == VIEW and agent:
            (level, name), agent = agent, None
            self._whose = {"agent": name} if name is not None else {}
        if agent and verb.door in (CONTROL, OWNER):
            raise usage(f"{verb.name} is for the owner.", "Leave --as out.")
        if level and not self._acts:
            raise usage(f"--level says nothing to {verb.name}.", "Leave it out.")
        try:
            home = self._home = homes.find(settings.get("home"))
        except OSError as error:
            raise usage(f"There is no home: {error}.", "Name one with --home DIR.") from None
        self._caller: talk.Caller = talk.Agent(home, *agent) if agent else talk.Owner(home, level)

    @property
    def home(self) -> homes.Home:
        """The home whose daemon is asked."""
        return self._home

    @property
    def is_owners(self) -> bool:
        """Whether the owner asks."""
        return isinstance(self._caller, talk.Owner)

    def ask_for(self, verb: DaemonVerb, given: dict[str, Any]) -> talk.Reply:
        """Ask what a verb asks. Raises Failure."""
        beside = {name: given[name] for name in verb.beside if name in given}
        if beside and not self.is_owners:
            raise usage(f"--{next(iter(beside)).replace('_', '-')} is for the owner.", "Leave it or --as out.")
        fields = {name: value for name, value in given.items() if name not in beside}
        done = verb.alone(self._home, given, False) if verb.alone is not None else None
        if done is not None:
            return talk.Reply(done, [])
        try:
            return self._ask_for(verb, fields, beside)
        except Failure as failure:
            done = verb.alone(self._home, given, True) if verb.alone and failure.code == "daemon_down" else None
            if done is None:
                raise
            return talk.Reply(done, [])

    def _ask_for(self, verb: DaemonVerb, fields: dict[str, Any], beside: dict[str, Any]) -> talk.Reply:
        """Ask, and at a terminal show how far the daemon is, where it can tell. Raises Failure."""
        if not self._watches:
            return self.ask(verb.request, fields | self._whose, **beside)
        try:
            return self.ask(verb.request, fields | {"progress": True}, **beside)
        finally:
            progress.clear()

    def ask(self, name: str, fields: dict[str, Any], level: str | None = None, **beside: Any) -> talk.Reply:
        """Ask one question; about memories the owner may ask it at a ``level`` of its own. Raises Failure."""
        request = talk.make_request(name, fields)
        if self._acts and isinstance(self._caller, talk.Owner):
            request = self._caller.act(request, level, **beside)
        return talk.ask(self._caller, request, self._patience, progress.show if self._watches else None)

    def pipeline(self) -> Pipeline:
        """Many questions on one connection, some under way at a time."""
        from memtrig.ctl.pipeline import Pipeline

        return Pipeline(self._caller, self._patience)

    def follow(self, name: str, fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Subscribe, and give the answer and then each notice as it comes, without end. Raises Failure."""
        return talk.follow(self._caller, talk.make_request(name, fields))
