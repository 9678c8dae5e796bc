"""Notifications in both eras. The older one writes them on the line; the newer one answers a request with a stream."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import mcp_types as types
import msgspec
from mcp.server.subscriptions import ListenHandler, PromptsListChanged, ResourcesListChanged, ResourceUpdated
from mcp.shared.subscriptions import ServerEvent

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import resources
from memtrigd.serve.mcp.bus import LISTENERS, WATCHED, Bus, Event, News, events
from memtrigd.serve.mcp.line import Line

_LISTS: Final[dict[str, ServerEvent]] = {
    "resources/list_changed": ResourcesListChanged(),
    "prompts/list_changed": PromptsListChanged(),
}


class _Tap:
    """A line's bus as the library wants one, for one stream."""

    def __init__(self, bus: Bus, watched: Sequence[str]) -> None:
        self._bus = bus
        self._watched = watched
        self.end: Callable[[], None] = lambda: None

    async def publish(self, event: ServerEvent) -> None:
        """Nobody publishes here: the news come from the bus."""

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Pass the bus's news on, as the library's events."""

        def tell(news: News) -> bool:
            for event in events(news, self._watched):
                listener(_of(event))
            return True

        return self._bus.attach(tell, self._end)

    def _end(self) -> None:
        self.end()


async def listen(context: Any, params: types.SubscriptionsListenRequestParams) -> types.SubscriptionsListenResult:
    """Serve one stream of news until the client or the line ends it."""
    line: Line = context.lifespan_context
    watched = list(dict.fromkeys(params.notifications.resource_subscriptions or ()))
    _check(watched)
    if len(line.bus) >= LISTENERS:
        raise Refusal("too_large", f"A connection may listen {LISTENERS} times at once.", "End another one first.")
    tap = _Tap(line.bus, watched)
    handler = ListenHandler(tap, max_subscriptions=1)
    tap.end = handler.close
    with line.incoming.patiently():
        return await handler(context, params)


async def subscribe(context: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
    """Watch a resource."""
    line: Line = context.lifespan_context
    uri = str(params.uri)
    _check([*line.bus.watched, uri])
    line.bus.watched[uri] = None
    return types.EmptyResult()


async def unsubscribe(context: Any, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    """Watch a resource no longer."""
    line: Line = context.lifespan_context
    line.bus.watched.pop(str(params.uri), None)
    return types.EmptyResult()


async def initialized(context: Any, params: Any) -> None:
    """A client of an older revision is ready: from now on it is told on the line."""
    line: Line = context.lifespan_context
    if not len(line.bus):  # once, however often it says so
        line.bus.attach(lambda news: _write(line, news))


def _write(line: Line, news: News) -> bool:
    if line.outgoing.clogged:  # it does not read: told later, once for all that happens until then
        return False
    for event in events(news, line.bus.watched):
        params = {} if event.uri is None else {"params": {"uri": event.uri}}
        line.write_line(msgspec.json.encode({"jsonrpc": "2.0", "method": f"notifications/{event.what}", **params}))
    return True


def _of(event: Event) -> ServerEvent:
    return ResourceUpdated(event.uri) if event.uri is not None else _LISTS[event.what]


def _check(watched: Sequence[str]) -> None:
    for uri in watched:
        resources.key_of(uri)
    if len(set(watched)) > WATCHED:
        raise Refusal("too_large", f"{WATCHED} resources can be watched at once.", "Watch memory://recent instead.")
