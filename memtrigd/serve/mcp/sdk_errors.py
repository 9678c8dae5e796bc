"""Errors as clients see them: JSON-RPC's number, a plain sentence, and as data our code and the way out.

Nothing of an exception's own text leaves, in either era: it may hold what the session must not see.
"""

import asyncio
import logging
from typing import Any, Final

import mcp_types as types
import structlog
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from memtrigd.domain.errors import Refusal
from memtrigd.serve import faults

_OURS: Final = frozenset(("busy", "disk_full", "store_locked", "level_unavailable", "stopping", "internal"))
"""Codes that tell of the daemon's state: all others tell of the request."""
_FORM: Final = ("bad_request", "The parameters do not have the right form.", "The protocol's schema shows it.")
_PLAIN: Final = {
    types.METHOD_NOT_FOUND: ("bad_request", "This method is not served here.", "Discovery tells what is."),
    types.INVALID_PARAMS: _FORM,
}

log = structlog.get_logger()


def as_error(refusal: Refusal, **more: Any) -> MCPError:
    """A refusal on the wire. ``more`` is what the protocol wants told beside it."""
    number = types.INTERNAL_ERROR if refusal.code in _OURS else types.INVALID_PARAMS
    data = {**more, "code": refusal.code, "hint": refusal.hint, "retryable": refusal.retryable}
    return MCPError(number, refusal.message, data)


async def guard(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Let every failure leave in one shape, whoever raised it. The library asks this before all else."""
    try:
        return await call_next(ctx)
    except Refusal as refusal:
        raise as_error(refusal) from None
    except ValidationError:
        raise _told(types.INVALID_PARAMS, *_FORM) from None
    except MCPError as error:
        raise _plain(error) from None
    except Exception as error:
        faults.record(error)
        fault = Refusal("internal", "The daemon has a fault; the request was not done.", "The log has its entry.")
        raise as_error(fault) from None
    except asyncio.CancelledError:
        if ctx.request_id is not None:  # a request that its client took back is answered by nobody
            ctx.lifespan_context.taken_back(ctx.request_id)
        raise


def hush() -> None:
    """Let the library's own log tell where something was, and nothing of what was said there."""
    library = logging.getLogger("mcp")
    library.propagate = False
    library.handlers = [_Discreet(logging.WARNING)]


class _Discreet(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        log.warning("mcp_library", where=f"{record.name}:{record.lineno}", kind=kind)


def _plain(error: MCPError) -> MCPError:
    """The library's own error in our shape; one that has it already, or that the protocol spells out, as it is."""
    inner = error.error
    if isinstance(inner.data, dict):
        if inner.data.get("reason") != "invalid_request_state":
            return error
        told = "This answers no question that is open: it is too old, or was asked of another session."
        return MCPError(inner.code, told, {**inner.data, "code": "not_yours", "hint": "Call the tool again."})
    return _told(inner.code, *_PLAIN[inner.code]) if inner.code in _PLAIN else error


def _told(number: int, code: str, message: str, hint: str) -> MCPError:
    return MCPError(number, message, {"code": code, "hint": hint, "retryable": False})
