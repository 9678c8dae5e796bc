"""The port behind which the MCP library stands: loaded late and beside the loop, and replaceable.

Importing it takes a second and 45 MB, so it is loaded on a thread of its own once somebody speaks MCP. What connections
say meanwhile is held.
"""

import asyncio
import gc
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

import structlog

from memtrigd.domain.errors import Refusal

if TYPE_CHECKING:
    from memtrigd.serve.mcp.line import Line

LIBRARY: Final = "memtrigd.serve.mcp.server"
"""The one module that imports the library; it offers a ``Library``."""

log = structlog.get_logger()


class Library(Protocol):
    """What is needed of an MCP library."""

    def read(self, line: bytes) -> tuple[Any, Any]:
        """A message made of a line, and the id if it is a request, else None. Raises ValueError."""

    def spell(self, message: Any) -> tuple[bytes, Any]:
        """The line of a message, without its end, and the id if it answers a request, else None."""

    async def serve(self, line: "Line") -> None:
        """Serve a connection until its input ends."""


class Engine:
    """The library once it is loaded, and whoever waits for it."""

    def __init__(self, load: Callable[[], Library] | None = None, *, key: bytes | None = None) -> None:
        """``key`` seals what clients carry for us: with one that is kept it survives a restart."""
        self._load = load or partial(_load, key)
        self._library: Library | None = None
        self._settled = asyncio.Event()
        self._thread: threading.Thread | None = None

    @property
    def ready(self) -> bool:
        """Whether messages can be read now."""
        return self._library is not None

    def start(self) -> None:
        """Begin to load, if that has not begun. Returns at once."""
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._load_beside, args=(loop,), name="memtrigd-mcp", daemon=True)
            self._thread.start()

    async def prepared(self) -> None:
        """Wait until the library is there. Raises Refusal ``internal`` if it can't be loaded."""
        self.start()
        await self._settled.wait()
        if self._library is None:
            raise Refusal("internal", "MCP can't be served: its library could not be loaded.", "The log tells why.")

    def read(self, line: bytes) -> tuple[Any, Any]:
        """See ``Library.read``."""
        return self._ready().read(line)

    def spell(self, message: Any) -> tuple[bytes, Any]:
        """See ``Library.spell``."""
        return self._ready().spell(message)

    async def serve(self, line: "Line") -> None:
        """See ``Library.serve``."""
        await self._ready().serve(line)

    def _ready(self) -> Library:
        assert self._library is not None
        return self._library

    def _load_beside(self, loop: asyncio.AbstractEventLoop) -> None:
        library: Library | None = None
        gc.disable()  # a collection in the middle of it would walk all that has just been made, again and again
        try:
            library = self._load()
        except BaseException as error:
            log.error("mcp_not_loaded", kind=type(error).__name__)
        finally:
            gc.freeze()  # else what is due since would walk it all now, for longer than anybody may wait
            gc.enable()
        loop.call_soon_threadsafe(self._loaded, library)

    def _loaded(self, library: Library | None) -> None:
        self._library = library
        self._settled.set()


def _load(key: bytes | None) -> Library:
    library: Library = import_module(LIBRARY).SdkLibrary(key)
    return library
