"""Talk to memtrigd: ``memtrig.connect()`` for an agent, ``memtrig.host`` for the policy layer of a host.

Names are loaded at first use, so that ``memtrigctl`` and the MCP pump, which live in this package, pay for none.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import memtrig.aio as aio  # noqa: PLR0402
    import memtrig.host as host  # noqa: PLR0402
    from memtrig.api import Memory, connect
    from memtrig.errors import DaemonDown, IncompleteView, MemtrigError, NotFound, ProtocolError, Refused, Timeout
    from memtrig.wire import Record

__all__ = [
    "DaemonDown",
    "IncompleteView",
    "Memory",
    "MemtrigError",
    "NotFound",
    "ProtocolError",
    "Record",
    "Refused",
    "Timeout",
    "aio",
    "connect",
    "host",
]

_MODULES = {"aio": "aio", "host": "host", "Memory": "api", "connect": "api", "Record": "wire"}
"""The module of each public name; those not listed are errors."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'memtrig' has no attribute {name!r}")
    from importlib import import_module

    where = _MODULES.get(name, "errors")
    module = import_module("memtrig." + where)
    value = globals()[name] = module if name == where else getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
