"""What the package shows, and what importing it costs."""

import inspect
import subprocess
import sys

import memtrig
import pytest
from memtrig import aio, api, requests, wire


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


def test_both_clients_offer_the_same_calls() -> None:
    """The twins take the same arguments; ``async with`` takes the place of ``with``."""
    for name, call in vars(api.Memory).items():
        if not name.startswith("_") and inspect.isfunction(call):
            assert inspect.signature(call).parameters == inspect.signature(getattr(aio.Memory, name)).parameters


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_time_out_must_leave_time(timeout: float) -> None:
    """Nothing can be done in no time."""
    with pytest.raises(ValueError, match="timeout"):
        memtrig.connect(timeout=timeout)


def test_a_level_that_does_not_exist_is_told() -> None:
    """The four are listed."""
    with pytest.raises(ValueError, match="public, internal, confidential, restricted"):
        memtrig.connect(level="secret")
