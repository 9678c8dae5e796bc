"""memtrigctl against a real daemon: as the owner and as an agent, in three languages."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from tests.conftest import Daemon

Ask = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def ask(ctl: Callable[..., subprocess.CompletedProcess[str]], shared_daemon: Daemon) -> Ask:
    """Ask the daemon for a document; returns the exit code with it."""
    run = partial(ctl, "--json", "--home", str(shared_daemon.home))

    def document(*words: str) -> tuple[int, dict[str, Any]]:
        done = run(*words)
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)

    return document


@pytest.mark.parametrize(
    ("key", "content", "question"),
    [
        ("user.tea", "Anna likes masala tea in the morning", "what tea does Anna like?"),
        ("安娜.咖啡", "安娜每天早上喝咖啡，不加糖。", "早上喝咖啡"),
        ("आवड.वाचन", "अण्णाला मराठी पुस्तकं वाचायला आवडतात।", "मराठी पुस्तकं"),
    ],
)
def test_a_memory_goes_there_and_back(ask: Ask, key: str, content: str, question: str) -> None:
    """Saved, read, found, listed, deleted and gone."""
    code, saved = ask("save", key, content, "--tag", key, "--kind", "habit", "--entity", "Anna")
    assert (code, saved["key"], saved["level"], saved["status"]) == (0, key, "INTERNAL", "active")
    code, got = ask("get", key)
    assert (code, got["id"], got["content"], got["tags"], got["kind"]) == (0, saved["id"], content, [key], "habit")
    code, found = ask("search", question, "-n", "3")
    assert key in [hit["key"] for hit in found["results"]]
    assert all(isinstance(hit["score"], float) for hit in found["results"])
    assert ask("list", "--tag", key) == (0, {"memories": [got], "next_cursor": None})
    code, deleted = ask("delete", key)
    assert (code, deleted["deleted"], deleted["key"], deleted["level"]) == (0, True, key, "INTERNAL")
    code, error = ask("get", key)
    assert (code, error["error"]["code"], error["error"]["retryable"]) == (1, "not_found", False)


def test_every_field_of_a_save_arrives(ask: Ask) -> None:
    """Each option fills its field."""
    options = "--tag a --tag b --kind rule --entity E --context calm --emotion-tag joy --core --source user_explicit"
    ask("save", "full", "text", *options.split(), "--confidence", "0.5", "--expires", "2999-01-01T00:00+00:00")
    _, got = ask("get", "full")
    sent = {"tags": ["a", "b"], "kind": "rule", "entity": "E", "context": "calm", "emotion_tags": ["joy"], "core": True}
    assert got | sent | {"source": "user_explicit", "confidence": 0.5} == got
    assert got["expires_at"].startswith("2999-01-01")


def test_a_memory_is_replaced_by_its_id(ask: Ask) -> None:
    """``--replaces`` names another slot than the key."""
    _, old = ask("save", "city.old", "Lives in Pune")
    code, new = ask("save", "city.new", "Lives in Mumbai", "--replaces", old["id"])
    assert (code, new.get("supersedes")) == (0, old["id"])


def test_an_owner_acts_at_a_level_and_agents_stay_below(ask: Ask) -> None:
    """``--level`` is where the owner writes; an agent's socket decides for the agent."""
    assert ask("save", "plan", "secret", "--level", "confidential")[1]["level"] == "CONFIDENTIAL"
    assert ask("save", "plan", "open", "--as", "public:bot")[1]["level"] == "PUBLIC"
    assert ask("get", "plan", "--as", "public")[1]["content"] == "open"
    assert ask("get", "plan", "--as", "confidential")[1]["content"] == "secret"
    assert ask("get", "plan", "--level", "internal")[1]["content"] == "open"
    assert ask("whoami", "--as", "public:bot")[1]["agent"] == "bot"


def test_pages_follow_each_other(ask: Ask) -> None:
    """The cursor of a page is where the next one begins."""
    for number in range(3):
        ask("save", f"page.{number}", f"number {number}", "--tag", "paged")
    _, first = ask("list", "--tag", "paged", "--limit", "2")
    _, last = ask("list", "--tag", "paged", "--limit", "2", "--cursor", first["next_cursor"])
    keys = [memory["key"] for memory in first["memories"] + last["memories"]]
    assert keys == ["page.2", "page.1", "page.0"]
    assert last["next_cursor"] is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("save", " ", "text"), "bad_value"),
        (("save", "k", ""), "bad_value"),
        (("save", "k", "t", "--kind", "hobby"), "bad_kind"),
        (("save", "k", "t", "--expires", "soon"), "bad_time"),
        (("save", "k", "t", "--confidence", "nan"), "bad_value"),
        (("list", "--cursor", "nonsense"), "bad_cursor"),
        (("delete", "never"), "not_found"),
    ],
)
def test_the_daemon_refuses_with_a_code(ask: Ask, words: tuple[str, ...], code: str) -> None:
    """Its refusals come through as they are, with exit code 1."""
    status, error = ask(*words)
    assert (status, error["error"]["code"]) == (1, code)
    assert error["error"]["hint"]


@pytest.mark.parametrize(
    ("entity", "content", "quote"),
    [
        ("Anna", "Likes masala tea", "I like masala tea"),
        ("安娜", "她早上喝咖啡", "我早上喝咖啡"),
        ("अण्णा", "त्याला पुस्तकं आवडतात", "मला पुस्तकं आवडतात"),
    ],
)
def test_a_guess_lives_until_it_is_forgotten_and_comes_back(ask: Ask, entity: str, content: str, quote: str) -> None:
    """Written by an agent, listed, confirmed, explained, denied, forgotten, brought back and undone."""
    written = ("write", entity, "habit", content, "--key", entity, "--tag", entity, "--quote", quote)
    code, saved = ask(*written, "--source", "self_inferred", "--as", "confidential:bot")
    assert (code, saved["status"]) == (0, "pending")
    waiting = {item["memory"]["id"]: item for item in ask("review")[1]["items"]}
    assert (waiting[saved["id"]]["about"], waiting[saved["id"]]["against"]) == ("pending", None)
    assert ask("confirm", saved["id"])[1]["status"] == "active"
    code, told = ask("why", entity)
    assert (code, told["memories"][-1]["quote"], told["memories"][-1]["source"]) == (0, quote, "stated")
    assert [step["op"] for step in ask("history", entity)[1]["steps"]] == ["save", "confirm"]
    assert ask("deny", "--id", saved["id"], "--reason", "no")[1]["deny_count"] == 1
    assert ask("forget", "--tag", entity, "--dry-run", "--level", "confidential")[1]["count"] == 1
    code, forgotten = ask("forget", "--id", saved["id"], "--reason", "enough")
    assert (code, forgotten["levels"], forgotten["elsewhere"]) == (0, ["CONFIDENTIAL"], [])
    assert ask("get", entity)[0] == 1
    assert entity in [wish.get("key") for wish in ask("suppressions")[1]["suppressions"]]
    again = ask(*written, "--source", "self_inferred", "--as", "confidential:bot")
    assert (again[0], again[1]["error"]["code"]) == (1, "forgotten")
    assert ask("unforget", saved["id"])[1]["status"] == "active"
    assert ask("undo", saved["id"])[1]["memories"][0]["status"] == "forgotten"


def test_a_no_is_kept(ask: Ask) -> None:
    """What was rejected waits no longer."""
    _, saved = ask("save", "guess", "She is left-handed", "--source", "self_inferred", "--as", "internal:bot")
    assert ask("reject", saved["id"], "--reason", "no idea")[1]["status"] == "rejected"
    assert saved["id"] not in [item["memory"]["id"] for item in ask("review")[1]["items"]]
    assert ask("confirm", saved["id"])[1]["error"]["code"] == "not_found"


def test_the_mind_is_looked_into(ask: Ask) -> None:
    """Ideas have reasons, figures are there for each level, and a cycle that is only tried changes nothing."""
    ask("save", "mind", "Grew up by the sea", "--kind", "identity", "--level", "restricted")
    ideas = ask("recall", "-n", "10")[1]["ideas"]
    assert all(idea["channel"] in ("warm", "treasure") and idea["reason"] for idea in ideas)
    assert "mind" in [idea["memory"]["key"] for idea in ideas]
    figures = {level["level"]: level for level in ask("stats")[1]["levels"]}
    assert figures["RESTRICTED"]["kinds"]["identity"] >= 1
    code, dreamt = ask("decay", "--dry-run", "--level", "restricted")
    assert (code, dreamt["level"], dreamt["dry_run"], dreamt["stopped"]) == (0, "RESTRICTED", True, False)
    assert ask("recall", "-n", "11")[1]["error"]["code"] == "bad_value"


@pytest.mark.parametrize("text", ["Send Asha the photos", "给安娜寄生日卡", "आजीला रविवारी फोन करायचा"])
def test_a_promise_is_kept_or_due(ask: Ask, text: str) -> None:
    """Added with a deadline that has passed, due, done, and open again; an agent below sees none of it."""
    code, made = ask(
        "promise", "add", text, "--by", "2020-01-01T09:00+00:00", "--about", "Asha", "--level", "confidential"
    )
    assert (code, made["text"], made["level"], made["entity"]) == (0, text, "CONFIDENTIAL", "Asha")
    due = {promise["id"]: promise["status"] for promise in ask("promise", "check")[1]["promises"]}
    assert due[made["id"]] == "due"
    assert ask("promise", "check", "--as", "internal:bot") == (0, {"promises": [], "more": 0, "unfulfilled": 0})
    assert ask("promise", "done", made["id"])[1]["status"] == "done"
    assert made["id"] not in [promise["id"] for promise in ask("promise", "list")[1]["promises"]]
    assert made["id"] in [promise["id"] for promise in ask("promise", "list", "--all")[1]["promises"]]
    assert ask("promise", "done", made["id"], "--undo")[1]["status"] == "due"
    assert ask("promise", "done", made["id"])[0] == 0


def test_days_are_noted_and_names_are_known(ask: Ask) -> None:
    """A note is listed with its mean; a name is added, listed and removed; hours that no night has are refused."""
    code, noted = ask("wellness", "थोडी थकलेली", "--sleep", "6.5", "--quality", "light", "--level", "restricted")
    assert (code, noted["mood"], noted["sleep_hours"], noted["level"]) == (0, "थोडी थकलेली", 6.5, "RESTRICTED")
    listed = ask("wellness", "list", "--days", "2")[1]
    assert (listed["notes"][0]["id"], listed["mean_sleep"]) == (noted["id"], 6.5)
    assert ask("wellness", "calm", "--sleep", "25")[1]["error"]["code"] == "bad_value"
    assert ask("alias", "add", "奶奶", "आजी")[1]["aliases"][0]["entity"] == "आजी"
    assert "奶奶" in [each["alias"] for each in ask("alias", "list", "--as", "internal:bot")[1]["aliases"]]
    assert ask("alias", "remove", "奶奶")[0] == 0
    assert ask("alias", "list") == (0, {"aliases": []})


def test_the_week_tells_what_agents_did(ask: Ask) -> None:
    """What one saved and another had forgotten, and who; the owner's own doing is not in it."""
    kept = ask("save", "week.kept", "Waters the roses on Sundays", "--as", "internal:gardener")[1]
    gone = ask("save", "week.gone", "The shed is locked", "--as", "internal:gardener")[1]
    ask("save", "week.own", "The owner's own")
    ask("forget", "week.gone", "--as", "internal:cook")
    code, week = ask("week", "-n", "500")
    about = {item["memory"]["id"]: (item["about"], item["note"].split(",")[0]) for item in week["items"]}
    assert code == 0
    assert about[kept["id"]] == ("learned", "gardener")
    assert about[gone["id"]] == ("forgot", "forgotten by cook")
    assert "week.own" not in [item["memory"]["key"] for item in week["items"]]
    assert week["counts"]["learned"] >= 1


def test_why_not_explains_what_a_session_does_not_get(ask: Ask) -> None:
    """A level above hides it, and below it the session gets its own copy."""
    high = ask("save", "hidden.plan", "secret", "--level", "confidential")[1]
    low = ask("save", "hidden.plan", "open", "--level", "public")[1]
    code, hidden = ask("why-not", "hidden.plan", "--as", "internal:bot")
    assert (code, hidden["level"], hidden["served"]["id"]) == (0, "INTERNAL", low["id"])
    assert ("level", high["id"]) in [(rule["rule"], rule["memory"]["id"]) for rule in hidden["rules"]]
    assert all(rule["says"] for rule in hidden["rules"])


def test_what_runs_out_is_ended(ask: Ask) -> None:
    """What ends soon is told, and one memory is ended at once."""
    soon = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    ask("save", "ends.soon", "Guests tomorrow", "--expires", soon)
    assert "ends.soon" in [memory["key"] for memory in ask("expire", "--dry-run")[1]["remind"]]
    assert ask("expire", "ends.soon", "--dry-run")[1]["count"] == 1
    code, ended = ask("expire", "ends.soon")
    assert (code, [memory["status"] for memory in ended["memories"]]) == (0, ["expired"])
    assert ask("get", "ends.soon")[0] == 1


@pytest.mark.parametrize("text", ["Hid the spare key under the pot", "备用钥匙在花盆下面", "सुटी किल्ली कुंडीखाली आहे"])
def test_what_is_erased_is_gone(ask: Ask, text: str) -> None:
    """A dry run counts, the count erases, and then nobody knows anything of it but that it was."""
    ask("save", text, text, "--level", "public")
    saved = ask("save", text, text)[1]
    code, tried = ask("erase", text, "--dry-run")
    assert (code, tried["count"], tried["elsewhere"], tried["dry_run"]) == (0, 1, ["PUBLIC"], True)
    assert ask("erase", text)[1]["error"]["code"] == "confirm_count"
    assert ask("get", text)[1]["id"] == saved["id"]
    code, erased = ask("erase", text, "--all-levels", "--confirm", "2")
    assert (code, erased["count"], erased["elsewhere"]) == (0, 2, [])
    assert ask("get", text)[0] == 1
    assert ask("history", text)[0] == 1
    assert ask("unforget", saved["id"])[0] == 1


def test_the_store_is_looked_after(ask: Ask) -> None:
    """Nothing is old enough to archive, nothing is bent, nothing was interrupted, and all is ready."""
    assert ask("vacuum") == (0, {"archived": 0, "level": "INTERNAL", "dry_run": False})
    code, checked = ask("selfcheck")
    assert (code, checked["problems"], checked["more"]) == (0, [], 0)
    assert ask("recover") == (0, {"left": []})
    assert ask("init")[1]["ready"] is True


def test_a_listener_hears_of_a_proposal(environment: dict[str, str], ask: Ask, shared_daemon: Daemon) -> None:
    """A line comes without being asked for, as soon as an agent guesses."""
    command = [sys.executable, "-S", "-m", "memtrig.ctl", "listen", "proposal_waiting", "--json"]
    listener = subprocess.Popen(
        command, stdout=subprocess.PIPE, encoding="utf-8", env=environment | {"MEMTRIG_HOME": str(shared_daemon.home)}
    )
    try:
        ask("save", "heard.first", "Maybe", "--source", "self_inferred", "--as", "internal:bot")
        assert listener.stdout is not None
        notice = json.loads(listener.stdout.readline())
        assert (notice["about"], notice["level"]) == ("proposal_waiting", "INTERNAL")
    finally:
        listener.kill()
        listener.communicate()


def test_status_and_sessions_are_shown(ask: Ask) -> None:
    """Every level is there, and the owner's questions open no session."""
    assert {level["level"] for level in ask("status")[1]["levels"]} == {
        "PUBLIC",
        "INTERNAL",
        "CONFIDENTIAL",
        "RESTRICTED",
    }
    assert ask("sessions") == (0, {"sessions": [], "more": 0})
