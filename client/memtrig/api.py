"""The memory of an agent, for code that waits for its answers. memtrig.aio is the same for asyncio.

>>> import memtrig
>>> with memtrig.connect(level="internal", agent="gardener") as memory:
...     saved = memory.save("tea", "She takes her tea without sugar.", kind="preference", tags=["kitchen"])
...     memory.get("tea").content
'She takes her tea without sugar.'
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias, Unpack

from memtrig import homes, requests, wire
from memtrig.attached import Attached
from memtrig.errors import NotFound
from memtrig.groups import Promises, Upkeep, Wellness
from memtrig.hits import Hits
from memtrig.link import LevelDoor, Link
from memtrig.notices import Notices
from memtrig.retry import Ticket
from memtrig.wire import Record

Records: TypeAlias = list[Record]


def connect(
    level: str = "internal",
    agent: str | None = None,
    conversation: str | None = None,
    space: str | None = None,
    home: str | None = None,
    *,
    timeout: float = 10.0,
    resume: str | None = None,
) -> Memory:
    """Open a session at ``level`` and return its memory.

    ``agent``, ``conversation`` and ``space`` are labels for provenance. ``home`` is the daemon's directory (default:
    MEMTRIG_HOME, else the user's own). ``timeout`` is how many seconds a call may take, repeats included. ``resume``
    is the token of a session to go on with (``Memory.resume``).

    Raises DaemonDown at once if there is no daemon, Refused ``session_unknown`` if the token is of no use,
    ValueError if there is no such level.

    >>> import memtrig
    >>> with memtrig.connect(agent="gardener") as memory:
    ...     memory.whoami().level
    'INTERNAL'
    """
    door = LevelDoor(homes.find(home).level_socket(level), requests.hello(agent, conversation, space))
    link = Link(door, Ticket(resume, renewable=True), timeout)
    link.open()
    return Memory(link)


class Memory(Attached):
    """What one session remembers. Use it as a context manager, or ``close()`` it.

    A lost connection is dialled again and re-attached to the session; the request is repeated, and a write carries a
    key by which the daemon does it once. Errors that may pass (``busy``, ``store_locked``) are waited out. All this
    within the time-out of the call; then the last error is raised.

    Threads may share it: they take turns. A forked child may use it: it gets a connection of its own.
    """

    @property
    def promises(self) -> Promises:
        """What was promised to the user: ``add``, ``done``, ``list``, ``check``."""
        return Promises(self._ask)

    @property
    def wellness(self) -> Wellness:
        """How the user is: ``add``, ``list``."""
        return Wellness(self._ask)

    @property
    def upkeep(self) -> Upkeep:
        """The state of the store: ``vacuum``, ``selfcheck``, ``recover``, ``init``."""
        return Upkeep(self._ask)

    def save(self, key: str | None, content: str, **fields: Unpack[requests.Fields]) -> wire.Saved:
        """Remember ``content`` under ``key``, or under a key that the daemon makes if it's None.

        ``fields`` are those of a memory: kind, tags, entity, source, confidence, expires_at (ISO 8601 or datetime) …
        The answer's ``outcome`` says what became of it: a weaker claim waits (pending, contested), the same text
        again is known. Raises TypeError for an unknown field, before anything is sent; Refused.

        >>> import memtrig
        >>> memory = memtrig.connect(agent="gardener")
        >>> memory.save("apples", "The Cox stands by the wall.").outcome
        'new'
        >>> memory.save("apples", "The Cox stands by the shed.", tags=["trees"]).outcome
        'updated'
        >>> memory.save("apples", "the Cox stands by the shed").outcome
        'known'
        >>> memory.save("apples", "Felled.", level="public")
        Traceback (most recent call last):
        TypeError: save() has no field level; it takes kind, source, ...
        >>> memory.close()
        """
        return self._ask(requests.save(key, content, fields), wire.Saved)

    def get(self, key: str | None = None, *, id: str | None = None) -> Record | None:
        """Return the copy of ``key`` that this session sees, or the memory of ``id``, or None.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     saved = memory.save("चहा", "तिला बिनसाखरेचा चहा आवडतो.")
        ...     memory.get("चहा").content, memory.get("nothing of the kind")
        ('तिला बिनसाखरेचा चहा आवडतो.', None)
        """
        try:
            return self._ask(wire.Get(key=key, id=id), wire.Got).memory
        except NotFound:
            return None

    def search(self, query: str, max_results: int = 10, **fields: Unpack[requests.Searching]) -> Hits:
        """Return the memories nearest to a question in plain words, the best first, each with its ``score``.

        ``fields`` narrow it down; of a long content the piece that was found is shown, and its ``id`` gets the whole.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     saved = memory.save("gate", "The garden gate squeaks when it rains.")
        ...     memory.search("what's wrong with the gate?", kind="general", max_tokens=500)[0].key
        'gate'
        """
        return Hits(self._ask(requests.search(query, max_results, fields), wire.Found))

    def iterate(self, tag: str | None = None, page: int = requests.PAGE) -> Iterator[Record]:
        """Go through all memories that this session sees, the newest first, fetching ``page`` of them at a time."""
        cursor: str | None = None
        missing: tuple[str, ...] = ()
        while True:
            listed = self._ask(wire.List(tag=tag, limit=page, cursor=cursor), wire.Listed)
            missing = self.incomplete = tuple(dict.fromkeys(missing + self.incomplete))
            yield from listed.memories
            cursor = listed.next_cursor
            if cursor is None:
                return

    def list(self, tag: str | None = None, limit: int | None = None) -> Records:
        """Return all memories that this session sees, the newest first; with a tag, or the first ``limit``, only.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     saved = memory.save("茶", "她喝茶不加糖。", tags=["饮食"])
        ...     [record.content for record in memory.list(tag="饮食")]
        ['她喝茶不加糖。']
        """
        return [*islice(self.iterate(tag, requests.page(limit)), limit)]

    def delete(self, key: str) -> wire.Deleted:
        """Retire the copy of ``key`` at exactly the session's level. Raises NotFound if there is none.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     saved = memory.save("pond", "The pond leaks.")
        ...     memory.delete("pond").level, memory.get("pond")
        ('INTERNAL', None)
        """
        return self._ask(requests.delete(key), wire.Deleted)

    def confirm(self, id: str, quote: str | None = None) -> wire.Settled:
        """Put a waiting memory into service: the user said yes, in the words of ``quote``. NotFound if none waits.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     guess = memory.save("fig", "She wants a fig tree.", source="self_inferred")
        ...     guess.status, memory.confirm(guess.id, quote="yes, a fig tree").status
        ('pending', 'active')
        """
        return self._ask(requests.confirm(id, quote), wire.Settled)

    def reject(self, id: str, quote: str | None = None, reason: str | None = None) -> wire.Settled:
        """Keep a waiting memory out of service for good. What this session proposed itself needs no ``quote``.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     guess = memory.save("lawn", "She wants a lawn.", source="self_inferred")
        ...     memory.reject(guess.id, reason="a slip of mine").status, memory.get("lawn")
        ('rejected', None)
        """
        return self._ask(requests.reject(id, quote, reason), wire.Settled)

    def deny(
        self, key: str | None = None, *, id: str | None = None, reason: str | None = None, quote: str | None = None
    ) -> wire.Settled:
        """Note that the user calls a memory wrong: it counts a tenth, and the second time it is served no longer.

        Name it by its key or its id. ``quote`` has the user's words. Raises NotFound if it isn't visible.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     saved = memory.save("moss", "She likes moss.")
        ...     memory.deny("moss").status, memory.deny("moss", reason="never").status, memory.get("moss")
        ('active', 'disputed', None)
        """
        return self._ask(requests.deny(key, id, reason, quote), wire.Settled)

    def forget(self, key: str | None = None, **fields: Unpack[requests.Forgetting]) -> wire.Forgotten:
        """Forget by exactly one of key, id, entity or tag, and don't learn it again unless the user says it.

        ``fields`` are id, entity, tag, kind, reason, quote, dry_run and confirm. Where more than 20 memories would be
        forgotten, Refused ``confirm_count`` names how many: ask the user, and say the count back in ``confirm``.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     saved = memory.save("wasps", "Wasps nest in the shed.", tags=["pests"])
        ...     memory.forget(tag="pests", dry_run=True).count, memory.forget(tag="pests").count, memory.get("wasps")
        (1, 1, None)
        """
        return self._ask(requests.forget(key, fields), wire.Forgotten)

    def history(self, key: str) -> wire.Told:
        """Return all that was ever said under a key, the oldest first, and what was done to it. Raises NotFound.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     saved = memory.save("hedge", "Box."), memory.save("hedge", "Yew.")
        ...     [each.content for each in memory.history("hedge").memories]
        ['Box.', 'Yew.']
        """
        return self._ask(wire.History(key=key), wire.Told)

    def why(self, key: str | None = None, *, id: str | None = None) -> wire.Told:
        """Return how a memory comes to be known: itself, what it replaced, and every step. By its key or its id."""
        return self._ask(wire.Why(key=key, id=id), wire.Told)

    def review(self, limit: int = 50) -> wire.Reviewed:
        """Return what waits for the user's answer: of this session's own proposals, and what expires or is disputed."""
        return self._ask(wire.Review(limit=limit), wire.Reviewed)

    def recall(self, limit: int = 3) -> wire.Recalled:
        """Return what is worth bringing up now, each idea with its reason. What was recalled within a day rests."""
        return self._ask(wire.Recall(limit=limit), wire.Recalled)

    def guidance(self, query: str | None = None, *, budget: int = 1500, state_only: bool = False) -> wire.Guidance:
        """Return what to put before a model: the owner's words, and what is remembered, in ``budget`` tokens."""
        request = wire.GuidanceGet(query=query, budget_tokens=budget, state_only=state_only)
        return self._ask(request, wire.Guidance)

    def stats(self) -> wire.Statistics:
        """Return the figures of the levels in sight, and the memories that are weakest or longest unmentioned."""
        return self._ask(wire.Stats(), wire.Statistics)

    def decay(self, dry_run: bool = False) -> wire.Dreamt:
        """Run a dream cycle at the session's level now: what has faded is written down, what has run out expires."""
        return self._ask(requests.decay(dry_run), wire.Dreamt)

    def suppressions(self) -> wire.Wishes:
        """Return what is not to be brought up or learnt again.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     forgotten = memory.forget(entity="the old shed")
        ...     [wish.entity for wish in memory.suppressions().suppressions]
        ['the old shed']
        """
        return self._ask(wire.Suppressions(), wire.Wishes)

    def expire(self, key: str | None = None, *, id: str | None = None, dry_run: bool = False) -> wire.Expired:
        """Sweep what has run out at the session's level, and tell what soon will; or end one memory now."""
        return self._ask(requests.expire(key, id, dry_run), wire.Expired)

    def names(self, what: str, prefix: str = "", limit: int = 50) -> wire.NameList:
        """Return the names of a sort (key, tag or entity) that begin so, for whoever completes what is typed."""
        return self._ask(wire.Names(what=what, prefix=prefix, limit=limit), wire.NameList)

    def aliases(self) -> wire.Aliases:
        """Return the other names of entities that the owner has told of."""
        return self._ask(wire.AliasList(), wire.Aliases)

    def notices(self, *events: str) -> Notices:
        """Return an iterator over what is to be known: promise_due, memory_expiring, proposal_waiting; none is all.

        It has a connection of its own and waits for the next one; it ends when it or this memory is closed.

        >>> import memtrig
        >>> with memtrig.connect(agent="gardener") as memory:
        ...     promise = memory.promises.add("Prune the roses.", "2001-03-01")
        ...     with memory.notices("promise_due") as notices:
        ...         next(notices).text
        'Prune the roses.'
        """
        return Notices(self._link, events)

    def whoami(self) -> wire.Me:
        """Return who the daemon takes this session for, and the level that holds now."""
        return self._ask(wire.Whoami(), wire.Me)

    def status(self) -> wire.StatusReport:
        """Return how the daemon is, as far as this session may see."""
        return self._ask(wire.GetStatus(), wire.StatusReport)
