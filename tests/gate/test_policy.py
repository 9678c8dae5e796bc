"""The table of who may: every door against every request, and what each permit allows to see."""

from typing import Any, get_args

import msgspec
import pytest
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL, HANDED, HOOK, LEVEL_DOORS, Door
from memtrigd.gate.policy import permit, spaces_of
from memtrigd.serve import decode
from memtrigd.store.interface_control import SessionRow

SAVE = wire.Save(content="x")
REQUESTS: list[wire.Request] = [
    wire.Hello(protocol=1),
    SAVE,
    wire.Get(key="x"),
    wire.Search(query="x"),
    wire.List(),
    wire.Delete(key="x"),
    wire.Confirm(id="m", quote="yes"),
    wire.Reject(id="m"),
    wire.Deny(key="x"),
    wire.Forget(key="x"),
    wire.History(key="x"),
    wire.Why(key="x"),
    wire.Review(),
    wire.Recall(),
    wire.Stats(),
    wire.Decay(),
    wire.Suppressions(),
    wire.Expire(),
    wire.PromiseAdd(text="x"),
    wire.PromiseDone(id="p"),
    wire.PromiseList(),
    wire.PromiseCheck(),
    wire.WellnessAdd(mood="x"),
    wire.WellnessList(),
    wire.AliasList(),
    wire.Vacuum(),
    wire.Backup(),
    wire.Selfcheck(),
    wire.Recover(),
    wire.Init(),
    wire.Names(what="key"),
    wire.Subscribe(to=["promise"]),
    wire.Erase(id="m"),
    wire.WhyNot(key="x"),
    wire.Week(),
    wire.AliasAdd(alias="x", entity="y"),
    wire.AliasRemove(alias="x"),
    wire.Pin(key="x"),
    wire.Unforget(id="m"),
    wire.Undo(id="m"),
    wire.Erase(key="x"),
    wire.WhyNot(key="x"),
    wire.Expire(),
    wire.PromiseAdd(text="x"),
    wire.PromiseDone(id="m"),
    wire.PromiseList(),
    wire.PromiseCheck(),
    wire.WellnessAdd(mood="calm"),
    wire.WellnessList(),
    wire.AliasAdd(alias="x", entity="y"),
    wire.AliasRemove(alias="x"),
    wire.AliasList(),
    wire.Week(),
    wire.Vacuum(),
    wire.Backup(),
    wire.Selfcheck(),
    wire.Recover(),
    wire.Init(),
    wire.Subscribe(to=["waiting"]),
    wire.Heard(text="x"),
    wire.HookOpen(),
    wire.GuidanceGet(),
    wire.GuidanceShow(),
    wire.GuidanceCheck(),
    wire.GuidanceHistory(),
    wire.BackupNow(),
    wire.BackupList(),
    wire.BackupVerify(),
    wire.Restore(),
    wire.AuditVerify(),
    wire.AuditShow(),
    wire.Metrics(),
    wire.Prove(level="PUBLIC"),
    wire.Doctor(),
    wire.SecretsScrub(),
    wire.Import(records=[]),
    wire.BundleTake(source="x"),
    wire.ImportBegin(),
    wire.ImportEnd(id="x"),
    wire.WatchAdd(path="/x"),
    wire.WatchList(),
    wire.WatchRemove(folder="/x"),
    wire.WatchConfirm(folder="/x", count=1),
    wire.HookEnd(),
    wire.Whoami(),
    wire.Ping(),
    wire.GetStatus(),
    wire.Act(request=SAVE),
    wire.SessionOpen(),
    wire.SessionRaise(session="s", level="PUBLIC", reason="x"),
    wire.SessionUntrusted(session="s"),
    wire.SessionList(),
    wire.SessionEnd(session="s"),
]
DATA = {"save", "get", "search", "list", "delete", "confirm", "reject", "deny", "forget", "history", "why", "review"}
DATA |= {"recall", "stats", "decay", "suppressions", "expire", "vacuum", "selfcheck", "recover", "init", "alias.list"}
DATA |= {"promise.add", "promise.done", "promise.list", "promise.check", "wellness.add", "wellness.list"}
DATA |= {"names", "guidance.get", "backup"}
AGENTS = DATA | {"hello", "whoami", "ping", "status", "subscribe"}
ACTS = DATA | {
    "pin",
    "unforget",
    "undo",
    "erase",
    "why_not",
    "week",
    "alias.add",
    "alias.remove",
    "import",
    "bundle.take",
}
OWNERS = {
    "act",
    "session.open",
    "session.raise",
    "session.untrusted",
    "session.list",
    "session.end",
    "guidance.show",
    "guidance.check",
    "guidance.history",
    "backup.now",
    "backup.list",
    "backup.verify",
    "restore",
    "audit.verify",
    "audit.show",
    "metrics",
    "prove",
    "doctor",
    "secrets.scrub",
    "import.begin",
    "import.end",
    "watch.add",
    "watch.list",
    "watch.remove",
    "watch.confirm",
    "whoami",
    "ping",
    "status",
    "subscribe",
}
HOOKS = {"hook.open", "heard", "guidance.get", "hook.end", "whoami", "ping"}
CARRIES = [*[(door, AGENTS) for door in (*LEVEL_DOORS.values(), HANDED)], (CONTROL, OWNERS), (HOOK, HOOKS)]


def tag(request: wire.Request | type[Any]) -> str:
    """The name of a request on the wire."""
    return str(request.__struct_config__.tag)


def session(level: Level, space: str | None = None) -> SessionRow:
    """A session as it stands at this moment."""
    return SessionRow(
        id="s", token_hash=b"", origin="", start_level=level, level=level, ceiling=level, opened=0, seen=0, space=space
    )


def test_the_table_has_every_request() -> None:
    """A new request must be given its doors here."""
    doors = {*get_args(wire.AgentRequest), *get_args(wire.ControlRequest), *get_args(wire.HookRequest)}
    assert {type(request) for request in REQUESTS} == doors | {*get_args(wire.OwnerData)}


@pytest.mark.parametrize("request_", REQUESTS, ids=tag)
@pytest.mark.parametrize(("door", "carried"), CARRIES, ids=[door.name for door, _ in CARRIES])
def test_a_door_carries_its_own_requests_and_no_other(door: Door, carried: set[str], request_: wire.Request) -> None:
    """What belongs to another door is ``not_here``, with a hint where to go."""
    raw = msgspec.Raw(msgspec.msgpack.encode(request_))
    if tag(request_) in carried:
        assert decode.request(door.kind, raw) == request_
    else:
        with pytest.raises(Refusal) as refused:
            decode.request(door.kind, raw)
        assert refused.value.code == "not_here"
        assert refused.value.hint


@pytest.mark.parametrize("request_", REQUESTS, ids=tag)
def test_an_act_holds_what_the_owner_may_ask_of_memories_and_no_other(request_: wire.Request) -> None:
    """Nothing that decides on sessions, and no act in an act."""
    raw = msgspec.Raw(msgspec.msgpack.encode({"type": "act", "request": msgspec.to_builtins(request_)}))
    if tag(request_) in ACTS:
        assert decode.request(CONTROL.kind, raw) == wire.Act(request=request_)  # type: ignore[arg-type]
    else:
        with pytest.raises(Refusal):
            decode.request(CONTROL.kind, raw)


@pytest.mark.parametrize("request_", REQUESTS, ids=tag)
@pytest.mark.parametrize("field", ["level", "ceiling", "reads", "session", "all_levels"])
def test_no_request_of_an_agent_has_a_field_for_the_level(request_: wire.Request, field: str) -> None:
    """A level, a ceiling or another's session can't be slipped into any of them."""
    if tag(request_) not in AGENTS:
        return
    raw = msgspec.msgpack.encode(msgspec.to_builtins(request_) | {field: "RESTRICTED"})
    with pytest.raises(Refusal) as refused:
        decode.request(HANDED.kind, msgspec.Raw(raw))
    assert refused.value.code == "bad_request"


@pytest.mark.parametrize("level", Level)
def test_an_agent_reads_its_level_and_below_and_writes_at_its_own(level: Level) -> None:
    """Taken from the session as it is now, whatever the door's own level."""
    for door in (HANDED, LEVEL_DOORS[Level.PUBLIC]):
        leave = permit(door, session(level), wire.List())
        assert (leave.level, leave.reads) == (level, level.and_below())
        assert not leave.every_space
        assert not leave.actor.is_owner


def test_without_hello_an_agent_may_nothing() -> None:
    """Even what asks for nothing needs a session."""
    with pytest.raises(Refusal) as refused:
        permit(LEVEL_DOORS[Level.PUBLIC], None, wire.Ping())
    assert refused.value.code == "hello_first"


def test_the_owner_reads_all_and_writes_where_nobody_chose() -> None:
    """Unsaid, reads see every level and writes go to INTERNAL."""
    assert permit(CONTROL, None, wire.Act(request=wire.List())).reads == Level.RESTRICTED.and_below()
    for write in (SAVE, wire.Delete(key="x"), wire.Forget(key="x"), wire.Undo(session="s")):
        assert permit(CONTROL, None, wire.Act(request=write)).level is Level.INTERNAL
    assert permit(CONTROL, None, wire.GetStatus()).reads == Level.RESTRICTED.and_below()


@pytest.mark.parametrize("level", Level)
def test_the_owner_at_a_level_sees_what_is_seen_there(level: Level) -> None:
    """--level L is exactly the view of L, for reads and for writes."""
    for request in (SAVE, wire.List()):
        leave = permit(CONTROL, None, wire.Act(request=request, level=level.slug))
        assert (leave.level, leave.reads) == (level, level.and_below())
        assert leave.every_space
        assert leave.actor.is_owner


def test_an_act_at_no_level_is_refused() -> None:
    """A typing error is no default."""
    with pytest.raises(Refusal) as refused:
        permit(CONTROL, None, wire.Act(request=SAVE, level="secret"))
    assert refused.value.code == "bad_level"


@pytest.mark.parametrize("level", Level)
def test_why_not_sees_all_and_is_about_a_level(level: Level) -> None:
    """What hides a memory may lie above the session that is asked about; the act itself runs where all is in sight."""
    leave = permit(CONTROL, None, wire.Act(request=wire.WhyNot(key="x"), level=level.slug))
    assert (leave.about, leave.level, leave.reads) == (level, Level.RESTRICTED, Level.RESTRICTED.and_below())
    assert permit(CONTROL, None, wire.Act(request=wire.Why(key="x"), level=level.slug)).about is None


def test_why_not_about_no_level_is_refused() -> None:
    """Which rules hide something hangs on the level."""
    with pytest.raises(Refusal) as refused:
        permit(CONTROL, None, wire.Act(request=wire.WhyNot(key="x")))
    assert refused.value.code == "bad_level"


def test_a_hook_sees_nothing_but_guidance() -> None:
    """Its door leads to no level; guidance is that of the session that it stands for, else PUBLIC."""
    row = session(Level.CONFIDENTIAL, "garden")
    for request in (wire.Whoami(), wire.Heard(text="x"), wire.HookOpen(), wire.HookEnd()):
        assert permit(HOOK, row, request).reads == ()
    assert permit(HOOK, row, wire.GuidanceGet()) == permit(HANDED, row, wire.GuidanceGet())
    assert permit(HOOK, None, wire.GuidanceGet()).reads == (Level.PUBLIC,)


@pytest.mark.parametrize(
    ("own", "spaces"), [(None, ("default",)), ("default", ("default",)), ("garden", ("garden", "default"))]
)
def test_a_session_sees_its_own_space_and_the_shared_one(own: str | None, spaces: tuple[str, ...]) -> None:
    """Its own comes first: that is where it saves."""
    assert spaces_of(own) == spaces
    assert permit(HANDED, session(Level.PUBLIC, own), wire.List()).spaces == spaces
