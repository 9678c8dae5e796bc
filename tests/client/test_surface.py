"""What the package shows, and what importing it costs."""

import inspect
import subprocess
import sys
from typing import get_args

import memtrig
import pytest
from memtrig import aio, aiogroups, api, groups, requests, wire


def loaded(code: str) -> set[str]:
    """Run code in a fresh interpreter and return the modules that it loaded."""
    script = f"import sys; before = set(sys.modules)\n{code}\nprint(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_else() -> None:
    """memtrigctl and the pump live in this package and can't wait for msgspec."""
    assert loaded("import memtrig") == {"memtrig"}


def test_the_blocking_client_loads_no_asyncio() -> None:
    """Most callers wait for their answers, and asyncio costs them 20 ms."""
    modules = loaded("import memtrig; memtrig.connect, memtrig.host")
    assert "memtrig.api" in modules
    assert not modules & {"asyncio", "memtrigd"}


def test_every_public_name_is_there() -> None:
    """Loaded late is not forgotten."""
    for name in memtrig.__all__:
        assert getattr(memtrig, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        memtrig.conect  # noqa: B018


def test_save_takes_the_fields_of_the_wire() -> None:
    """A field that is added to the message can be said by a client."""
    named = {"key", "content"}
    assert set(requests.Fields.__annotations__) == set(wire.Save.__struct_fields__) - named


def test_forget_takes_the_fields_of_the_wire() -> None:
    """Likewise; the key by which a retry is known is the client's own."""
    named = {"key", "idempotency_key"}
    assert set(requests.Forgetting.__annotations__) == set(wire.Forget.__struct_fields__) - named


@pytest.mark.parametrize(
    ("blocking", "awaited"),
    [
        (api.Memory, aio.Memory),
        (groups.Promises, aiogroups.Promises),
        (groups.Wellness, aiogroups.Wellness),
        (groups.Upkeep, aiogroups.Upkeep),
    ],
)
def test_both_clients_offer_the_same_calls(blocking: type, awaited: type) -> None:
    """The twins take the same arguments and say the same of themselves; ``async with`` takes the place of ``with``."""
    calls = {name: call for name, call in inspect.getmembers(blocking) if not name.startswith("_")}
    assert calls.keys() == {name for name, _ in inspect.getmembers(awaited) if not name.startswith("_")}
    for name, call in calls.items():
        twin = getattr(awaited, name)
        assert inspect.getdoc(call).splitlines()[0] == inspect.getdoc(twin).splitlines()[0]  # type: ignore[union-attr]
        if inspect.isfunction(call):
            assert inspect.signature(call).parameters == inspect.signature(twin).parameters


def test_every_request_of_an_agent_can_be_made() -> None:
    """What a level socket carries the library can say, but for a sign of life, which connections use themselves."""
    carried = {request.__name__ for request in get_args(wire.AgentRequest)} - {"Hello", "Ping"}
    source = "".join(inspect.getsource(module) for module in (api, groups, requests))
    assert {name for name in carried if f"wire.{name}(" not in source} == set()


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_time_out_must_leave_time(timeout: float) -> None:
    """Nothing can be done in no time."""
    with pytest.raises(ValueError, match="timeout"):
        memtrig.connect(timeout=timeout)


def test_a_level_that_does_not_exist_is_told() -> None:
    """The four are listed."""
    with pytest.raises(ValueError, match="public, internal, confidential, restricted"):
        memtrig.connect(level="secret")
