"""The asyncio twin of ``memtrig.connect``: the same calls, awaited, many of them in flight on one connection.

>>> import asyncio, memtrig.aio
>>> async def tea() -> str:
...     async with memtrig.aio.connect(agent="gardener") as memory:
...         await asyncio.gather(memory.save("oolong", "in the tin"), memory.save("sencha", "in the jar"))
...         return (await memory.get("sencha")).content
>>> asyncio.run(tea())
'in the jar'
"""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self, TypeAlias, Unpack

from memtrig import homes, requests, wire
from memtrig.aiogroups import Promises, Upkeep, Wellness
from memtrig.aiolink import Link
from memtrig.aionotices import Notices
from memtrig.errors import IncompleteView, NotFound
from memtrig.frames import R
from memtrig.hits import Hits
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
    """Return the memory of a session that ``async with`` opens; the arguments are those of ``memtrig.connect``."""
    path = homes.find(home).level_socket(level)
    return Memory(Link(path, requests.hello(agent, conversation, space), resume, timeout))


class Memory:
    """What one session remembers: ``memtrig.Memory`` with awaitable calls, on one event loop.

    The promises are the same. While a connection holds, requests take effect in the order of the calls. A call that is
    cancelled or timed out may still be carried out; its answer reaches nobody.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self.incomplete: tuple[str, ...] = ()
        """The levels that the last answer lacks: they are locked or damaged. There is an IncompleteView warning too."""

    @property
    def session(self) -> str | None:
        """The session's handle, by which a host or the owner names it."""
        return self._link.ticket.session

    @property
    def resume(self) -> str | None:
        """The token that goes on with this session in another connection. Keep it secret: it is the session."""
        return self._link.ticket.resume

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

    async def save(self, key: str | None, content: str, **fields: Unpack[requests.Fields]) -> wire.Saved:
        """Remember ``content`` under ``key``, or under a key that the daemon makes if it's None."""
        return await self._ask(requests.save(key, content, fields), wire.Saved)

    async def get(self, key: str | None = None, *, id: str | None = None) -> Record | None:
        """Return the copy of ``key`` that this session sees, or the memory of ``id``, or None."""
        try:
            return (await self._ask(wire.Get(key=key, id=id), wire.Got)).memory
        except NotFound:
            return None

    async def search(self, query: str, max_results: int = 10, **fields: Unpack[requests.Searching]) -> Hits:
        """Return the memories nearest to a question in plain words, the best first, each with its ``score``."""
        return Hits(await self._ask(requests.search(query, max_results, fields), wire.Found))

    async def iterate(self, tag: str | None = None, page: int = requests.PAGE) -> AsyncIterator[Record]:
        """Go through all memories that this session sees, the newest first, fetching ``page`` of them at a time.

        >>> import asyncio, memtrig.aio
        >>> async def keys(tag: str) -> list[str]:
        ...     async with memtrig.aio.connect(agent="gardener") as memory:
        ...         await memory.save("mint", "It spreads.", tags=["herbs"])
        ...         return [record.key async for record in memory.iterate(tag)]
        >>> asyncio.run(keys("herbs"))
        ['mint']
        """
        cursor: str | None = None
        missing: tuple[str, ...] = ()
        while True:
            listed = await self._ask(wire.List(tag=tag, limit=page, cursor=cursor), wire.Listed)
            missing = self.incomplete = tuple(dict.fromkeys(missing + self.incomplete))
            for record in listed.memories:
                yield record
            cursor = listed.next_cursor
            if cursor is None:
                return

    async def list(self, tag: str | None = None, limit: int | None = None) -> Records:
        """Return all memories that this session sees, the newest first; with a tag, or the first ``limit``, only."""
        records: Records = []
        if limit == 0:
            return records
        async for record in self.iterate(tag, requests.page(limit)):
            records.append(record)
            if len(records) == limit:
                break
        return records

    async def delete(self, key: str) -> wire.Deleted:
        """Retire the copy of ``key`` at exactly the session's level. Raises NotFound if there is none."""
        return await self._ask(requests.delete(key), wire.Deleted)

    async def confirm(self, id: str, quote: str | None = None) -> wire.Settled:
        """Put a waiting memory into service: the user said yes, in the words of ``quote``. NotFound if none waits."""
        return await self._ask(requests.confirm(id, quote), wire.Settled)

    async def reject(self, id: str, quote: str | None = None, reason: str | None = None) -> wire.Settled:
        """Keep a waiting memory out of service for good. What this session proposed itself needs no ``quote``."""
        return await self._ask(requests.reject(id, quote, reason), wire.Settled)

    async def deny(
        self, key: str | None = None, *, id: str | None = None, reason: str | None = None, quote: str | None = None
    ) -> wire.Settled:
        """Note that the user calls a memory wrong: it counts a tenth, and the second time it is served no longer.

        Name it by its key or its id. ``quote`` has the user's words. Raises NotFound if it isn't visible.
        """
        return await self._ask(requests.deny(key, id, reason, quote), wire.Settled)

    async def forget(self, key: str | None = None, **fields: Unpack[requests.Forgetting]) -> wire.Forgotten:
        """Forget by exactly one of key, id, entity or tag, and don't learn it again unless the user says it.

        ``fields`` are id, entity, tag, kind, reason, quote, dry_run and confirm. Where more than 20 memories would be
        forgotten, Refused ``confirm_count`` names how many: ask the user, and say the count back in ``confirm``.
        """
        return await self._ask(requests.forget(key, fields), wire.Forgotten)

    async def history(self, key: str) -> wire.Told:
        """Return all that was ever said under a key, the oldest first, and what was done to it. Raises NotFound."""
        return await self._ask(wire.History(key=key), wire.Told)

    async def why(self, key: str | None = None, *, id: str | None = None) -> wire.Told:
        """Return how a memory comes to be known: itself, what it replaced, and every step. By its key or its id."""
        return await self._ask(wire.Why(key=key, id=id), wire.Told)

    async def review(self, limit: int = 50) -> wire.Reviewed:
        """Return what waits for the user's answer: of this session's own proposals, and what expires or is disputed."""
        return await self._ask(wire.Review(limit=limit), wire.Reviewed)

    async def recall(self, limit: int = 3) -> wire.Recalled:
        """Return what is worth bringing up now, each idea with its reason. What was recalled within a day rests."""
        return await self._ask(wire.Recall(limit=limit), wire.Recalled)

    async def guidance(
        self, query: str | None = None, *, budget: int = 1500, state_only: bool = False
    ) -> wire.Guidance:
        """Return what to put before a model: the owner's words, and what is remembered, in ``budget`` tokens."""
        request = wire.GuidanceGet(query=query, budget_tokens=budget, state_only=state_only)
        return await self._ask(request, wire.Guidance)

    async def stats(self) -> wire.Statistics:
        """Return the figures of the levels in sight, and the memories that are weakest or longest unmentioned."""
        return await self._ask(wire.Stats(), wire.Statistics)

    async def decay(self, dry_run: bool = False) -> wire.Dreamt:
        """Run a dream cycle at the session's level now: what has faded is written down, what has run out expires."""
        return await self._ask(requests.decay(dry_run), wire.Dreamt)

    async def suppressions(self) -> wire.Wishes:
        """Return what is not to be brought up or learnt again."""
        return await self._ask(wire.Suppressions(), wire.Wishes)

    async def expire(self, key: str | None = None, *, id: str | None = None, dry_run: bool = False) -> wire.Expired:
        """Sweep what has run out at the session's level, and tell what soon will; or end one memory now."""
        return await self._ask(requests.expire(key, id, dry_run), wire.Expired)

    async def names(self, what: str, prefix: str = "", limit: int = 50) -> wire.NameList:
        """Return the names of a sort (key, tag or entity) that begin so, for whoever completes what is typed."""
        return await self._ask(wire.Names(what=what, prefix=prefix, limit=limit), wire.NameList)

    async def aliases(self) -> wire.Aliases:
        """Return the other names of entities that the owner has told of."""
        return await self._ask(wire.AliasList(), wire.Aliases)

    def notices(self, *events: str) -> Notices:
        """Return an iterator over what is to be known: promise_due, memory_expiring, proposal_waiting; none is all.

        It has a connection of its own and waits for the next one; it ends when it or this memory is closed.

        >>> import asyncio, memtrig.aio
        >>> async def due() -> str:
        ...     async with memtrig.aio.connect(agent="gardener", level="public") as memory:
        ...         await memory.promises.add("Feed the carp.", "2001-03-01")
        ...         async for notice in memory.notices("promise_due"):
        ...             if "carp" in notice.text:
        ...                 return notice.text
        >>> asyncio.run(due())
        'Feed the carp.'
        """
        return Notices(self._link, events)

    async def whoami(self) -> wire.Me:
        """Return who the daemon takes this session for, and the level that holds now."""
        return await self._ask(wire.Whoami(), wire.Me)

    async def status(self) -> wire.StatusReport:
        """Return how the daemon is, as far as this session may see."""
        return await self._ask(wire.GetStatus(), wire.StatusReport)

    async def close(self) -> None:
        """Close the connections, those of notices too. The session itself stays, for who has its token."""
        self._link.close()

    async def __aenter__(self) -> Self:
        await self._link.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def _ask(self, request: wire.Request, kind: type[R]) -> R:
        result, missing = await self._link.call(request, kind)
        self.incomplete = tuple(missing)
        if missing:
            warnings.warn(f"the answer lacks {', '.join(missing)}", IncompleteView, stacklevel=3)
        return result
