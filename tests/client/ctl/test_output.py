"""What memtrigctl prints: lines for people that nothing stored can break, and what it says of what went wrong."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.ctl import main
from memtrig.ctl.catalogue import every
from memtrig.ctl.grammar import DaemonVerb
from memtrig.ctl.render import Screen

Made = Callable[..., wire.Record]
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MOMENT = "2026-11-30T08:15:00+00:00"
NASTY = "x\x1b[2J\x9b1m\u202ey\x07\r\u2028\u2066\u200b\ufeff\xad\U000e0041\x7f\x00\x85"
RAW = {*NASTY} - {*"x[2J1my"}
"""What must not come out as it is: ANSI, other controls, what turns a line round, what nobody sees."""


MODEL = {f"model {verb}" for verb in ("show", "install", "use", "verify", "remove")}
"""What asks no daemon: their test is a neighbour of this."""


def daemon_verb(name: str) -> DaemonVerb:
    """Load a verb that asks the daemon."""
    verb = next(verb for verb in every() if verb.name == name)
    assert isinstance(verb, DaemonVerb)
    return verb


def received(result: wire.Result | wire.Notice) -> dict[str, Any]:
    """Take a result as it comes out of its frame: fields at their default are missing."""
    fields = msgspec.to_builtins(result)
    return {name: value for name, value in fields.items() if name != "type"}


def results(text: str, record: Made) -> dict[str, wire.Result]:
    """Make a result of each verb in which every text that somebody may choose is ``text``."""
    memory = record(key=text, content=text, entity=text, tags=[text], agent=text, context=text, emotion_tags=[text])
    full = msgspec.structs.replace(memory, supplement=memory, newer_lower=memory, expires_at=MOMENT, confidence=0.5)
    session = wire.Session(
        session=text, level=text, ceiling=text, origin=text, opened=MOMENT, connections=1, agent=text
    )
    similar = wire.Similar(id=text, key=text, level=text, content=text)
    return trust_results(text, full) | {
        "save": wire.Saved(id=text, key=text, level=text, status=text, outcome=text, similar=[similar]),
        "get": wire.Got(memory=full),
        "search": wire.Found(results=[full]),
        "list": wire.Listed(memories=[full], next_cursor=text),
        "delete": wire.Deleted(key=text, level=text, id=text, masks=[text]),
        "ping": wire.Pong(server=text, time=MOMENT),
        "whoami": wire.Me(kind=text, level=text, reads=[text], session=text, agent=text),
        "sessions list": wire.Sessions(sessions=[session]),
        "sessions untrusted": wire.Untrusted(session=text),
        "status": wire.StatusReport(
            server=text,
            protocol=1,
            schema=1,
            started=MOMENT,
            home=text,
            folders=[watched_folder(text)],
            levels=[wire.LevelStatus(level=text, available=True, memories={"active": 3, text: 1}, sessions=0)],
        ),
    }


def trust_results(text: str, memory: wire.Record) -> dict[str, wire.Result]:
    """Make the results of the verbs about the life of a memory."""
    memory = msgspec.structs.replace(memory, quote=text, reason=text, session=text, last_recalled=MOMENT)
    settled = wire.Settled(id=text, key=text, level=text, status=text, below=True)
    touched = [wire.Touched(id=text, key=text, level=text, status=text)]
    step = wire.Step(at=MOMENT, op=text, actor=text, id=text, session=text, reason=text, status=text)
    curve = wire.Curve(level=text, statuses={text: 1}, kinds={text: 1}, core=1, mean_importance=0.5)
    wish = wire.Wish(id=text, scope=text, level=text, at=MOMENT, entity=text, reason=text)
    told = wire.Told(memories=[memory, memory], steps=[step], places=[text])
    return {
        **dict.fromkeys(("confirm", "reject", "deny", "pin", "unforget"), settled),
        **dict.fromkeys(("history", "why"), told),
        "write": wire.Saved(id=text, key=text, level=text, status=text, outcome=text),
        "forget": wire.Forgotten(count=1, memories=touched, levels=[text], elsewhere=[text]),
        "undo": wire.Undone(memories=touched, kept=touched),
        "review": wire.Reviewed(items=[wire.Item(about=text, memory=memory, against=memory, note=text)]),
        "recall": wire.Recalled(ideas=[wire.Idea(memory=memory, channel=text, reason=text, score=1.0)]),
        "stats": wire.Statistics(levels=[curve], weakest=[memory], stalest=[memory]),
        "decay": wire.Dreamt(level=text, materialised=1, expired=1, asked_again=1, conflicts=[text]),
        "suppressions": wire.Wishes(suppressions=[wish]),
        "week": wire.Weekly(
            since=MOMENT, counts={text: 1}, items=[wire.Item(about=text, memory=memory, against=memory, note=text)]
        ),
        "erase": wire.Erased(count=1, memories=touched, level=text, elsewhere=[text], backups=[text]),
        "expire": wire.Expired(count=1, memories=touched, remind=[memory]),
        "context": wire.Guidance(text=text, version=text, at=MOMENT, source=text),
        "why-not": wire.Hidden(
            level=text, served=touched[0], rules=[wire.Rule(rule=text, memory=touched[0], says=text, hint=text)]
        ),
        **day_results(text),
    }


def day_results(text: str) -> dict[str, wire.Result]:
    """Make the results of the verbs about a person's days and the upkeep of their store."""
    promise = wire.Promise(id=text, text=text, level=text, status=text, created=MOMENT, deadline=MOMENT, entity=text)
    day = wire.Wellness(
        id=text, date=text, mood=text, level=text, recorded=MOMENT, sleep_hours=7.25, sleep_quality=text, note=text
    )
    aliases = wire.Aliases(aliases=[wire.Alias(alias=text, entity=text, level=text, at=MOMENT)])
    copy = wire.Copy(name=text, at=MOMENT, why=text, levels=[text], bytes=1, failed=[text])
    return {
        **dict.fromkeys(("promise add", "promise done"), wire.Promised(promise=promise)),
        **dict.fromkeys(("promise list", "promise check"), wire.Promises(promises=[promise], more=1, unfulfilled=1)),
        "wellness add": wire.WellnessNoted(noted=day),
        "wellness list": wire.WellnessTold(notes=[day], more=1, mean_sleep=7.25),
        **dict.fromkeys(("alias add", "alias remove", "alias list"), aliases),
        "vacuum": wire.Vacuumed(archived=1, level=text),
        "backup now": wire.BackedUp(backup=copy, not_copied=[text]),
        "backup list": wire.Backups(backups=[copy], more=1, unreadable=[text]),
        "backup verify": wire.BackupVerified(backup=copy, problems=[text]),
        "restore": wire.Restored(
            backup=copy, levels=[text], before={text: 1}, after={text: 2}, safety=text, restarting=True
        ),
        "selfcheck": wire.Checked(memories=1, problems=[wire.Problem(level=text, problem=text, id=text, hint=text)]),
        "recover": wire.Recovered(left=[wire.Left(what=text, level=text, at=MOMENT, became=text)]),
        "init": wire.Initialised(ready=True, level=text, facts={text: text}),
        "listen": wire.Subscribed(to=[text]),
        **guidance_results(text),
        **journal_results(text),
    }


def watched_folder(text: str) -> wire.WatchedFolder:
    """Make a folder in which all is wrong that can be."""
    more: dict[str, Any] = {"held": 7, "refused": {text: 1}, "troubles": [text], "more": 2}
    return wire.WatchedFolder(id=text, path=text, level=text, space=text, by=text, since=MOMENT, **more)


def journal_results(text: str) -> dict[str, wire.Result]:
    """Make the results of the verbs about the journals, and of the proof."""
    row = wire.AuditRow(level=text, seq=1, at=MOMENT, op=text, actor=text, seal=text, session=text, id=text)
    proof = wire.Proof(
        level=text,
        at=MOMENT,
        server=text,
        python=text,
        sqlite=text,
        schema=9,
        code=text,
        above={text: 1},
        sampled={text: 1},
        asked={text: 1},
        probes=1,
        differing=1,
        differing_kinds=[text],
        digest=text,
        covers=[text],
        leaves_out=[text],
    )
    return {
        "audit verify": wire.Audited(
            audits=[wire.Audit(level=text, head=f"{text}:7:{text}", problems=[text])], control=[text]
        ),
        **dict.fromkeys(("audit show", "audit export"), wire.AuditRows(rows=[row], next_cursor=text)),
        "prove": proof,
        "metrics": wire.Exposition(text=text),
        "import": wire.Imported(level=text, counts={text: 1}),
        **dict.fromkeys(
            ("watch add", "watch list", "watch remove", "watch confirm"), wire.Watched(folders=[watched_folder(text)])
        ),
        "doctor": wire.Diagnosis(
            findings=[wire.Finding(check=text, verdict="fail", says=text, todo=text, level=text)],
            server=text,
            protocol=1,
        ),
    }


def guidance_results(text: str) -> dict[str, wire.Result]:
    """Make the results of the verbs about guidance. ``edit`` shows nothing: it asks for a terminal."""
    file = wire.GuidanceFile(path=text, agent=text, version=text, at=MOMENT)
    versions = [wire.GuidanceVersion(version=text, at=MOMENT, text=each) for each in (text, f"{text}\n{text}")]
    return {
        "guidance show": wire.GuidanceShown(text=text, version=text, at=MOMENT, source=text, files=[file]),
        "guidance check": wire.GuidanceChecked(problems=[text], notes=[text], tokens=1),
        **dict.fromkeys(("guidance diff", "guidance history"), wire.GuidanceVersions(path=text, versions=versions)),
    }


def test_no_verb_lets_stored_text_reach_the_terminal_raw(record: Made) -> None:
    """Controls and overrides in any field come out as their numbers, on a terminal and in a pipe."""
    shown = results(NASTY, record)
    asking = {verb.name for verb in every() if isinstance(verb, DaemonVerb)}
    assert set(shown) | {"guidance edit", "export", *MODEL} == asking
    for name, result in shown.items():
        for screen in (Screen(now=NOW), Screen(80, now=NOW)):
            text = "\n".join(daemon_verb(name).show(received(result), screen))
            assert not RAW & set(text), name
            assert "\\x1b" in text, name


def test_a_notice_is_one_harmless_line() -> None:
    """Also on a terminal that it does not fit, and whatever it says."""
    notice = wire.Notice(about=NASTY, level=NASTY, at=MOMENT, id=NASTY, text=NASTY * 40, count=3)
    follow = daemon_verb("listen").follow
    assert follow is not None
    for screen in (Screen(now=NOW), Screen(80, now=NOW)):
        line = follow(received(notice), screen)
        assert not (RAW | {"\n"}) & set(line)
        assert screen.columns is None or len(line) <= screen.columns


@pytest.mark.parametrize("outcome", ["new", "updated", "known", "pending", "contested", "echo"])
def test_every_outcome_of_a_save_is_said(outcome: str) -> None:
    """The key and the level where it landed are always in the sentence."""
    saved = wire.Saved(id="m", key="user.{tea}", level="INTERNAL", status="active", outcome=outcome)
    show = daemon_verb("save").show
    (line,) = show(received(saved), Screen())
    assert "user.{tea}" in line
    assert "INTERNAL" in line


def test_a_memory_is_shown_in_full(record: Made) -> None:
    """The text keeps its lines, the facts stand below."""
    show = daemon_verb("get").show
    lines = show(received(wire.Got(memory=record(content="one\ntwo", core=True))), Screen(now=NOW, zone=UTC))
    assert lines == [
        "user.tea  INTERNAL  preference",
        "",
        "one\ntwo",
        "",
        "  about       Anna",
        "  tags        food",
        "  source      stated",
        "  importance  0.99, core, never fades",
        "  saved       today 08:15",
        "  id          m-1",
    ]


def test_status_says_which_level_is_not_available() -> None:
    """A level that can't be consulted is not shown as empty."""
    levels = [
        wire.LevelStatus(level="PUBLIC", available=True, memories={}, sessions=1),
        wire.LevelStatus(level="INTERNAL", available=False, memories={}, sessions=0),
    ]
    report = wire.StatusReport(server="0.1.0", protocol=1, schema=1, started=MOMENT, levels=levels, pid=7)
    show = daemon_verb("status").show
    lines = show(received(report), Screen(now=NOW))
    assert lines[0] == "memtrigd 0.1.0 (pid 7)"
    assert [line.split()[2:] for line in lines[-2:]] == [["none"], ["not", "available"]]


def test_status_tells_how_far_a_model_is_that_was_just_begun() -> None:
    """Nothing is done of it yet, which no frame says."""
    model = wire.ModelStatus(state="warming", why="calibrated, once", of=220)
    report = wire.StatusReport(server="0.1.0", protocol=1, schema=1, started=MOMENT, levels=[], model=model)
    lines = daemon_verb("status").show(received(report), Screen(now=NOW))
    assert any(line.endswith("warming, calibrated, once, 0 of 220") for line in lines)


@pytest.mark.parametrize(
    ("dream", "said"),
    [
        ({"at": "2026-11-30T09:00:00+00:00", "materialised": 41, "expired": 2}, "3 h ago: 41 faded, 2 expired"),
        ({"at": "2026-11-30T11:58:00+00:00", "progress": 0.43}, "under way, 43% done; began 2 min ago"),
        ({"at": "2026-11-27T12:00:00+00:00"}, "3 days ago: nothing to do"),
        ({"at": "2026-11-29T18:00:00+00:00", "failed": True}, "18 h ago: it failed, and is tried again"),
        ({"at": "2026-11-30T09:00:00+00:00", "stopped": True, "expired": 900}, "3 h ago: stopped before 900 expired"),
        (
            {"at": "2026-11-30T09:00:00+00:00", "expired": 2, "session": "dream-1"},
            "3 h ago: 2 expired; undo --session dream-1",
        ),
    ],
)
def test_status_tells_the_dream_cycle_in_words(dream: dict[str, Any], said: str) -> None:
    """Each level's own, below what it holds."""
    levels = [wire.LevelStatus(level="PUBLIC", available=True, memories={}, sessions=1, dream=wire.Dream(**dream))]
    report = wire.StatusReport(server="0.1.0", protocol=1, schema=1, started=MOMENT, levels=levels)
    line = daemon_verb("status").show(received(report), Screen(now=NOW))[-1]
    assert line.split(None, 1)[0] == "PUBLIC"
    assert line.split(None, 1)[1].startswith(said)


def test_problems_are_said_with_the_way_out_and_fail(
    control: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script can rely on the exit code, also with --json; a store in order succeeds."""
    found = wire.Checked(
        memories=9, problems=[wire.Problem(level="PUBLIC", problem="Bent.", id="m-1", hint="Straighten it.")]
    )
    control(found, found, wire.Checked(memories=9, problems=[]))
    home = ["--home", str(tmp_path)]
    assert main(["selfcheck", *home]) == 1
    assert capsys.readouterr().out == ("Looked at 9 memories: 1 problem.\n\nPUBLIC  m-1\n  Bent.\n  Straighten it.\n")
    assert main(["selfcheck", "--json", *home]) == 1
    assert json.loads(capsys.readouterr().out)["problems"][0]["id"] == "m-1"
    assert main(["selfcheck", *home]) == 0
    assert capsys.readouterr().out == "Looked at 9 memories: all is as it should be.\n"


def test_sessions_says_how_many_it_does_not_show() -> None:
    """What the daemon left out is not taken for all there is."""
    session = wire.Session(session="s", level="PUBLIC", ceiling="PUBLIC", origin="fd", opened=MOMENT, connections=1)
    show = daemon_verb("sessions list").show
    assert "Not shown: 1,234 older ones." in show(
        received(wire.Sessions(sessions=[session], more=1234)), Screen(now=NOW)
    )
    assert len(show(received(wire.Sessions(sessions=[session])), Screen(now=NOW))) == 2


def test_an_incomplete_answer_says_so(control: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Levels that could not be consulted are in the document, and on stderr for people."""
    answer = wire.Answer(id=1, result=wire.Found(results=[]), incomplete=["RESTRICTED"])
    control(answer, answer)
    home = ["--home", str(tmp_path)]
    assert main(["search", "q", "--json", *home]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["results"], told["incomplete"]) == ([], ["RESTRICTED"])
    assert main(["search", "q", *home]) == 0
    out, err = capsys.readouterr()
    assert out == "Nothing found.\n"
    assert "RESTRICTED could not be consulted" in err


def test_an_error_is_a_document_or_a_sentence(control: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is the same for both."""
    error = wire.Error(code="not_found", message="There is no\nmemory '\x1b[0m'.", hint="Search for it.")
    control(error, error)
    home = ["--home", str(tmp_path)]
    assert main(["get", "k", "--json", *home]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": msgspec.to_builtins(error)}
    assert err == ""
    assert main(["get", "k", *home]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "memtrigctl: There is no memory '\\x1b[0m'.\n  Search for it.\n")
