"""No credential is kept: a write that holds one is refused whole, with a way out, before a byte of it is on disk."""

from pathlib import Path
from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL, LEVEL_DOORS
from tests.domain.credentials import NAMED, forms
from tests.serve.harness import Line, World

SECRET = next(secret for kind, secret in forms() if kind == "GitHub token")
TEXT = f"The deploy token is {SECRET}, says Asha."


def code(answer: Any) -> str:
    """The code of what must be a refusal, which tells nothing of the credential."""
    assert isinstance(answer, wire.Error), answer
    assert SECRET not in answer.message + answer.hint
    return answer.code


def on_disk(world: World) -> bytes:
    """Every byte of the store: databases, logs, journals."""
    return b"".join(file.read_bytes() for file in Path(world.state).rglob("*") if file.is_file())


def owners(line: Line, request: wire.OwnerData, level: str = "INTERNAL") -> Any:
    """Let the owner act."""
    return line.ask(wire.Act(request=request, level=level))


def test_a_credential_is_refused_by_kind_and_place(world: World) -> None:
    """The refusal names the kind and where it begins, offers redact, and leaves nothing anywhere on the disk."""
    agent = world.agent(Level.INTERNAL)
    refused = agent.ask(wire.Save(content=TEXT, key="deploy", idempotency_key="k1"))
    assert code(refused) == "secret"
    assert refused.message == f"The content holds a GitHub token at character {TEXT.index(SECRET)}; nothing was kept."
    assert "redact=true" in refused.hint and not refused.retryable
    assert SECRET.encode() not in on_disk(world)
    assert code(agent.ask(wire.Get(key="deploy"))) == "not_found"
    saved = agent.ask(wire.Save(content="Asha has the deploy token.", key="deploy", idempotency_key="k1"))
    assert isinstance(saved, wire.Saved)  # the refused one took no idempotency key


@pytest.mark.parametrize(
    "request_",
    [
        wire.Save(content="x", key=SECRET),
        wire.Save(content="x", entity=SECRET),
        wire.Save(content="x", tags=["ok", SECRET]),
        wire.Save(content="x", emotion_tags=[SECRET]),
        wire.Save(content="x", context=TEXT),
        wire.Save(content="x", quote=TEXT),
        wire.Save(content="x", reason=TEXT),
        wire.Save(content="x", sentiment=SECRET),
        wire.Save(content="x", lang=SECRET),
        wire.Save(content="x", idempotency_key=SECRET),
        wire.Save(content="x" * 5000 + " " + TEXT),
        wire.PromiseAdd(text=TEXT),
        wire.PromiseAdd(text="x", entity=SECRET),
        wire.WellnessAdd(mood="well", note=TEXT),
        wire.WellnessAdd(mood=SECRET),
        wire.Deny(key="tea", reason=TEXT),
        wire.Forget(key="tea", reason=TEXT),
        wire.Forget(key="tea", quote=TEXT),
        wire.Confirm(id="m", quote=TEXT),
        wire.Reject(id="m", reason=TEXT),
    ],
    ids=lambda request: f"{request.__struct_config__.tag}-{len(str(request))}",
)
def test_no_text_of_any_write_may_hold_one(world: World, request_: wire.Write) -> None:
    """Each field that would be kept is looked through, the long ones on their own thread too."""
    agent = world.agent(Level.INTERNAL)
    agent.ask(wire.Save(content="Likes tea", key="tea"))
    assert code(agent.ask(request_)) == "secret"
    assert SECRET.encode() not in on_disk(world)


def test_nor_may_what_a_session_is_called(world: World) -> None:
    """Labels and the reason of a raise are kept as well."""
    line = world.connect(LEVEL_DOORS[Level.INTERNAL])
    assert code(line.ask(wire.Hello(protocol=wire.PROTOCOL, agent=SECRET))) == "secret"
    control = world.connect(CONTROL)
    assert code(control.ask(wire.SessionOpen(agent="a", conversation=SECRET))) == "secret"
    opened = control.ask(wire.SessionOpen(agent="a", level="PUBLIC", ceiling="INTERNAL"))
    refused = control.ask(wire.SessionRaise(session=opened.session, level="INTERNAL", reason=TEXT))
    assert code(refused) == "secret"
    assert code(owners(control, wire.AliasAdd(alias=SECRET, entity="Asha"))) == "secret"
    assert code(control.ask(wire.Act(request=wire.Forget(key="a", reason=TEXT), all_levels=True))) == "secret"
    assert SECRET.encode() not in on_disk(world)


@pytest.mark.parametrize("padding", ["", "word " * 1000])
def test_redact_keeps_the_rest(world: World, padding: str) -> None:
    """What is kept has ``[redacted KIND]`` in its place; a retry is the same request."""
    agent = world.agent(Level.INTERNAL)
    wish = wire.Save(content=padding + TEXT, key="deploy", tags=[SECRET], redact=True, idempotency_key="k1")
    saved = agent.ask(wish)
    assert saved.outcome == "new" and agent.ask(wish) == saved
    memory = agent.ask(wire.Get(key="deploy")).memory
    assert memory.content == padding + TEXT.replace(SECRET, "[redacted GitHub token]")
    assert memory.tags == ["[redacted GitHub token]"]
    assert SECRET.encode() not in on_disk(world)


def test_only_the_owner_keeps_one(world: World) -> None:
    """An agent can't force it; the owner is told how, and can."""
    agent, control = world.agent(Level.INTERNAL), world.connect(CONTROL)
    assert code(agent.ask(wire.Save(content=TEXT, key="deploy", force=True))) == "not_yours"
    refused = owners(control, wire.Save(content=TEXT, key="deploy"))
    assert code(refused) == "secret" and "force=true" in refused.hint
    assert owners(control, wire.Save(content=TEXT, key="deploy", force=True)).outcome == "new"
    assert agent.ask(wire.Get(key="deploy")).memory.content == TEXT


def test_one_that_is_kept_can_be_put_away(world: World) -> None:
    """A key that is a credential can be looked up, deleted and erased: naming what is there keeps nothing."""
    control = world.connect(CONTROL)
    assert owners(control, wire.Save(content="x", key=SECRET, force=True)).key == SECRET
    assert owners(control, wire.Get(key=SECRET)).memory.content == "x"
    assert owners(control, wire.Delete(key=SECRET)).key == SECRET
    assert owners(control, wire.Erase(key=SECRET, confirm=1)).count == 1
    assert SECRET.encode() not in on_disk(world)


@pytest.mark.parametrize(("sentence", "secret"), NAMED[::4])
def test_passwords_in_clear_are_refused(world: World, sentence: str, secret: str) -> None:
    """What a sentence calls a password is one, in whatever language."""
    agent = world.agent(Level.PUBLIC)
    refused = agent.ask(wire.Save(content=sentence.format(secret)))
    assert isinstance(refused, wire.Error) and refused.code == "secret"
    assert secret not in refused.message + refused.hint
