"""Old credentials at the command line: `doctor --secrets`."""

import json
from typing import Any

from memtrig import wire

FOUND = wire.OldSecret(level="INTERNAL", id="m1", holder="memory", field="content", kind="GitHub token", start=20)
FORCED = wire.OldSecret(level="PUBLIC", id="m2", holder="memory", field="tags", kind="password", start=0, forced=True)


def scrubbed(*found: wire.OldSecret, **more: Any) -> wire.SecretsScrubbed:
    """Make an answer."""
    told = {"count": len(found), "scrubbed": 0, "dry_run": False} | more
    return wire.SecretsScrubbed(found=list(found), **told)


def test_a_dry_run_shows_where_they_are_and_fails(control: Any, ctl: Any) -> None:
    """Exit code 1 where something is to be taken out; what was forced alone is no failure."""
    daemon = control(scrubbed(FOUND, FORCED, dry_run=True), scrubbed(FORCED, dry_run=True), scrubbed(dry_run=True))
    done = ctl("doctor", "--secrets", "--dry-run", "--level", "internal")
    assert done.returncode == 1
    assert "memory content" in done.stdout and "GitHub token" in done.stdout and "password (forced)" in done.stdout
    assert "2 credentials found" in done.stdout
    assert ctl("doctor", "--secrets", "--dry-run").returncode == 0
    assert "No credentials are kept." in ctl("doctor", "--secrets", "--dry-run").stdout
    assert daemon.heard[0] == wire.SecretsScrub(level="INTERNAL", dry_run=True)


def test_what_was_done_is_said_and_which_backups_have_it(control: Any, ctl: Any) -> None:
    """How many were taken out, what stays and why, and what could not be looked through."""
    done = scrubbed(FOUND, FORCED, scrubbed=1, more=3, backups=["2026-11-30T102622Z"], skipped=["RESTRICTED"])
    daemon = control(done, done, scrubbed(FOUND, scrubbed=1))
    told = ctl("doctor", "--secrets")
    assert told.returncode == 1
    for part in ("1 of 2 credentials", "--forced takes", "2026-11-30T102622Z", "RESTRICTED can't be", "3 more"):
        assert part in told.stdout
    document = json.loads(ctl("doctor", "--secrets", "--json").stdout)
    assert document["skipped"] == ["RESTRICTED"] and document["found"][0]["forced"] is False
    assert ctl("doctor", "--secrets", "--forced").returncode == 0
    assert daemon.heard[2] == wire.SecretsScrub(forced=True)


def test_nothing_hidden_reaches_the_terminal(control: Any, ctl: Any) -> None:
    """Whatever an id or a field holds is shown harmless, on one line."""
    bad = wire.OldSecret(level="PUBLIC", id="m\x1b[31m\n", holder="entry", field="no\x07te", kind="token", start=1)
    control(scrubbed(bad, dry_run=True))
    shown = ctl("doctor", "--secrets").stdout
    assert "\x1b" not in shown and "\x07" not in shown


def test_options_of_one_thing_do_not_go_with_the_other(control: Any, ctl: Any) -> None:
    """--dry-run says nothing to an examination, and repairing is another thing."""
    control()
    assert ctl("doctor", "--dry-run").returncode == 2
    assert ctl("doctor", "--secrets", "--repair").returncode == 2
