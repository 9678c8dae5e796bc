"""What can be asked, at random: for each request of the wire how often it is made and of what.

The pools of keys, words and tags are small on purpose: levels and spaces must meet at the same keys, searches must
find, cursors and ids must come back from another level, or a leak would have nothing to show itself in.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind
from memtrigd.domain.moments import DAY, Micros, to_iso

START: Micros = 1_790_000_000_000_000
"""The moment at which every history begins, in September 2026."""

MARK, ID, CURSOR, SESSION, TOKEN = "{mark}", "{id}", "{cursor}", "{session}", "{token}"
"""Places in a request that are filled when it is made: with the speaker's mark, and with what was seen by then."""

Making: TypeAlias = st.SearchStrategy[Any]
Table: TypeAlias = Mapping[type[wire.Request], tuple[int, Making]]
"""For each request how much of a share it has among the others of its table, and how it is made."""

KEYS: Final = ["tea", "शहर"]
SPACES: Final = [None, None, "project", "default"]
TAGS: Final = ["home", "work", MARK]
NAMES: Final = ["Asha", "आशा", "user"]
ENTITIES: Final = [None, "Asha", *NAMES]
TEXTS: Final = [
    "Asha drinks green tea in the morning",
    "Asha drinks black coffee",
    "green tea, black tea, tea",
    "她喜欢早上喝绿茶",
    "आशा सकाळी हिरवा चहा पिते",
    f"tea {MARK}",
    f"a note of {MARK} on tea and coffee in the city",
]
QUERIES: Final = [
    "tea",
    "green tea in the morning?",
    "coffee city",
    "tea yesterday",
    "绿茶",
    "चहा",
    "Asha",
    "आशा",
    "what's the deal?",
    MARK,
    ' "NEAR(',
]

some_levels = st.sampled_from([level.name for level in Level])
_keys, _names = st.sampled_from(KEYS), st.sampled_from(NAMES)
_says = st.just(f"says {MARK}")
_once = st.sampled_from([None, None, None, "once"])
_id = st.just(ID)


def weighted(*choices: tuple[int, Making]) -> Making:
    """Draw from strategies as often as their weights say; ``one_of`` takes each as often as any other."""
    tickets = [strategy for weight, strategy in choices for _ in range(weight)]
    return st.integers(0, len(tickets) - 1).flatmap(tickets.__getitem__)


def any_of(table: Table) -> Making:
    """Draw from a table."""
    return weighted(*table.values())


def mostly(value: object, strategy: st.SearchStrategy[object]) -> Making:
    """Draw ``value`` four times out of five."""
    return weighted((4, st.just(value)), (1, strategy))


def rarely(value: object, strategy: st.SearchStrategy[object]) -> Making:
    """Draw ``value`` fourteen times out of fifteen: of several filters all seldom let anything through."""
    return weighted((14, st.just(value)), (1, strategy))


def _soon(hours: int) -> str:
    return to_iso(START + hours * DAY // 24)


def _saves(*, steady: bool) -> Making:
    """Claims of every source on few keys: new ones, repeats, replacements, proposals, retries."""
    return st.builds(
        wire.Save,
        content=st.sampled_from(TEXTS),
        key=st.sampled_from([*KEYS, None]),
        kind=mostly("general", st.sampled_from(Kind)),
        source=st.sampled_from(
            [None, None, "user_explicit", "user_explicit", "file_import", "self_inferred", "self_inferred"]
        ),
        entity=st.sampled_from(ENTITIES),
        tags=st.lists(st.sampled_from(TAGS), max_size=2),
        context=mostly(None, st.just(f"while in {MARK}")),
        reason=mostly(None, st.just(f"told by {MARK}")),
        confidence=st.sampled_from([None, 0.4, 0.9]),
        core=st.sampled_from([None, None, True]),
        expires_at=st.none() if steady else mostly(None, st.integers(1, 240).map(_soon)),
        replaces=mostly(None, _id),
        idempotency_key=_once,
    )


_brought = st.builds(
    wire.ImportRecord,
    content=st.sampled_from(TEXTS),
    key=st.sampled_from([*KEYS, None]),
    entity=st.sampled_from(ENTITIES),
    tags=st.lists(st.sampled_from(TAGS), max_size=1),
    created=mostly(None, st.just(to_iso(START - DAY))),
    status=mostly("active", st.sampled_from(["pending", "superseded", "forgotten"])),
    forget_reason=mostly(None, st.just(f"told by {MARK}")),
    level=mostly(None, some_levels),
)
"""What a file says, on the keys that others speak of."""
_beside = st.sampled_from(
    [
        wire.ImportAlias(alias="Asha", entity="आशा"),
        wire.ImportWish(entity="Asha", reason=f"says {MARK}"),
        wire.ImportPromise(text=f"call {MARK}", deadline=to_iso(START + DAY), done_at=to_iso(START)),
        wire.ImportPromise(text="write a song"),
        wire.ImportWellness(date="2026-09-20", mood="calm", note=f"of {MARK}"),
    ]
)
"""What comes beside it."""
_bundled = st.builds(
    wire.BundledMemory,
    id=st.sampled_from([f"b1{MARK}", f"b2{MARK}"]),
    key=_keys,
    space=st.just("default"),
    content=st.sampled_from(TEXTS),
    created=st.just(to_iso(START)),
    updated=st.just(to_iso(START)),
    importance_at=st.just(to_iso(START)),
    kind=st.just("general"),
    source=st.sampled_from(["stated", "self_inferred"]),
    status=st.sampled_from(["active", "superseded", "forgotten"]),
    history=st.just(
        [
            wire.BundledStep(
                op="save",
                at=to_iso(START),
                actor=f"agent of {MARK}",
                fields=dict.fromkeys(("created", "updated", "importance_at"), to_iso(START)),
            )
        ]
    ),
)
"""What a bundle says, on the same keys."""


def data(*, steady: bool) -> Table:
    """What is asked most. ``steady``: nothing hangs on the time, so that a real daemon can follow."""

    def bound(*hours: int) -> st.SearchStrategy[str | None]:
        return st.none() if steady else mostly(None, st.sampled_from([_soon(hour) for hour in hours]))

    return {
        wire.Save: (8, _saves(steady=steady)),
        wire.Get: (3, weighted((4, st.builds(wire.Get, key=_keys)), (1, st.builds(wire.Get, id=_id)))),
        wire.Search: (
            4,
            st.builds(
                wire.Search,
                query=st.sampled_from(QUERIES),
                max_results=st.sampled_from([1, 2, 10, 100]),
                since=bound(0),
                until=bound(1),
                kind=rarely(None, st.just("general")),
                tags=rarely([], st.lists(st.sampled_from(TAGS), max_size=2)),
                entity=rarely(None, st.sampled_from([each for each in ENTITIES if each])),
                source=rarely(None, st.just("user_explicit")),
                max_tokens=st.none() if steady else mostly(None, st.sampled_from([200, 400, 1000])),
                full=st.booleans(),
                lexical=mostly(False, st.just(True)),
            ),
        ),
        wire.List: (
            1,
            st.builds(
                wire.List,
                tag=mostly(None, st.sampled_from(TAGS)),
                limit=st.sampled_from([1, 2, 3, 50]),
                cursor=mostly(None, st.just(CURSOR)),
                since=bound(0, 1),
                until=bound(1, 24),
            ),
        ),
        wire.Delete: (3, st.builds(wire.Delete, key=_keys, idempotency_key=_once)),
    }


def life(*, steady: bool) -> Table:
    """The life of a memory. ``steady``: nothing that hangs on recall stamps, which come behind their answers."""
    return {
        wire.Confirm: (2, st.builds(wire.Confirm, id=_id, quote=st.sampled_from([None, "yes, that is so"]))),
        wire.Reject: (1, st.builds(wire.Reject, id=_id, quote=st.sampled_from([None, "no"]), reason=_says)),
        wire.Deny: (
            5,
            weighted((2, st.builds(wire.Deny, key=_keys, reason=_says)), (1, st.builds(wire.Deny, id=_id))),
        ),
        wire.Forget: (
            3,
            weighted(
                (2, st.builds(wire.Forget, key=_keys, reason=_says, dry_run=st.booleans())),
                (1, st.builds(wire.Forget, entity=_names, kind=st.sampled_from([None, "general"]))),
                (1, st.builds(wire.Forget, tag=st.sampled_from(TAGS))),
                (1, st.builds(wire.Forget, id=_id)),
            ),
        ),
        wire.Expire: (
            1,
            weighted(
                (2, st.builds(wire.Expire, dry_run=st.booleans())),
                (1, st.builds(wire.Expire, key=_keys)),
                (1, st.builds(wire.Expire, id=_id)),
            ),
        ),
        wire.History: (1, st.builds(wire.History, key=_keys)),
        wire.Why: (1, st.builds(wire.Why, key=_keys)),
        wire.Review: (2, st.builds(wire.Review, limit=st.sampled_from([1, 50]))),
        wire.Recall: (0 if steady else 1, st.just(wire.Recall())),
        wire.Stats: (0 if steady else 1, st.just(wire.Stats())),
        wire.Suppressions: (1, st.just(wire.Suppressions())),
        wire.GuidanceGet: (
            0 if steady else 2,
            st.builds(
                wire.GuidanceGet,
                budget_tokens=st.sampled_from([100, 300, 1500]),
                query=st.sampled_from([None, *QUERIES]),
                state_only=mostly(True, st.just(False)),
            ),
        ),
        wire.Names: (1, st.builds(wire.Names, what=st.sampled_from(["key", "tag", "entity"]))),
        wire.Decay: (1, st.builds(wire.Decay, dry_run=st.booleans())),
    }


def days(*, steady: bool) -> Table:
    """A person's days, and the upkeep of what is kept of them."""
    deadlines = st.sampled_from([None, "2001-01-01" if steady else _soon(1), None if steady else _soon(60)])
    promise = st.builds(
        wire.PromiseAdd,
        text=st.just(f"will bring tea from {MARK}"),
        deadline=deadlines,
        entity=st.sampled_from(ENTITIES),
        idempotency_key=_once,
    )
    return {
        wire.PromiseAdd: (3, promise),
        wire.PromiseDone: (3, st.builds(wire.PromiseDone, id=_id, undone=mostly(False, st.just(True)))),
        wire.PromiseList: (
            3,
            st.builds(wire.PromiseList, all=st.booleans(), limit=st.sampled_from([1, 100])),
        ),
        wire.PromiseCheck: (1, st.builds(wire.PromiseCheck, within_hours=st.sampled_from([0.0, 48.0]))),
        wire.WellnessAdd: (
            1,
            st.builds(
                wire.WellnessAdd,
                mood=st.just(f"calm in {MARK}"),
                sleep_hours=st.sampled_from([None, 6.5, 8.0]),
                note=mostly(None, _says),
            ),
        ),
        wire.WellnessList: (1, st.builds(wire.WellnessList, days=st.sampled_from([1, 30]))),
        wire.AliasList: (1, st.just(wire.AliasList())),
        wire.Backup: (1, st.just(wire.Backup())),
        wire.Vacuum: (1, st.builds(wire.Vacuum, dry_run=st.booleans())),
        wire.Selfcheck: (1, st.just(wire.Selfcheck())),
        wire.Recover: (1, st.just(wire.Recover())),
        wire.Init: (1, st.just(wire.Init())),
    }


OWNERS: Final[Table] = {
    wire.Pin: (1, st.builds(wire.Pin, key=_keys, off=mostly(False, st.just(True)))),
    wire.Unforget: (2, st.builds(wire.Unforget, id=_id)),
    wire.Undo: (
        5,
        st.builds(wire.Undo, id=_id, dry_run=mostly(False, st.just(True)))
        | st.builds(wire.Undo, session=st.just(SESSION), dry_run=mostly(False, st.just(True))),
    ),
    wire.Erase: (
        3,
        st.builds(wire.Erase, key=_keys, dry_run=mostly(False, st.just(True)), confirm=st.sampled_from([None, 1, 2, 3]))
        | st.builds(wire.Erase, id=_id, confirm=st.just(1)),
    ),
    wire.WhyNot: (
        2,
        st.builds(wire.WhyNot, key=_keys, space=st.sampled_from(SPACES)) | st.builds(wire.WhyNot, id=_id),
    ),
    wire.Week: (1, st.builds(wire.Week, days=st.sampled_from([1, 7, 366]), limit=st.sampled_from([1, 50]))),
    wire.Import: (
        2,
        st.builds(
            wire.Import,
            records=st.lists(_brought, max_size=3),
            entries=mostly([], st.lists(_beside, max_size=2)),
            space=mostly(None, st.just("project")),
        ),
    ),
    wire.BundleTake: (
        1,
        st.builds(wire.BundleTake, source=_names, rows=st.lists(_bundled, max_size=2), trust=st.booleans()),
    ),
    wire.AliasAdd: (3, st.builds(wire.AliasAdd, alias=_names, entity=_names)),
    wire.AliasRemove: (1, st.builds(wire.AliasRemove, alias=_names)),
}
"""What only the owner may ask."""

EVERYWHERE: Final = weighted(
    (2, st.builds(wire.Forget, key=_keys)),
    (1, st.builds(wire.Forget, entity=_names, reason=_says)),
    (1, st.builds(wire.Forget, tag=st.just("home"), dry_run=st.booleans())),
)
"""What the owner asks at all levels at once."""


def asides(*, steady: bool) -> Table:
    """What is asked about the daemon. ``steady``: nobody is told anything unasked."""
    notices = ["promise_due", "memory_expiring", "proposal_waiting"]
    return {
        wire.Whoami: (1, st.just(wire.Whoami())),
        wire.Ping: (1, st.just(wire.Ping())),
        wire.GetStatus: (2, st.just(wire.GetStatus())),
        wire.Subscribe: (
            0 if steady else 2,
            st.builds(wire.Subscribe, to=st.sampled_from([notices, notices, notices[:1], []])),
        ),
    }


HOSTS: Final[Table] = {
    wire.SessionRaise: (
        9,
        st.builds(
            wire.SessionRaise, session=st.just(SESSION), level=some_levels, reason=st.just(f"it read a file of {MARK}")
        ),
    ),
    wire.SessionOpen: (
        2,
        st.builds(
            wire.SessionOpen,
            agent=st.just(f"agent of {MARK}"),
            level=some_levels,
            ceiling=st.sampled_from([None, "CONFIDENTIAL", "RESTRICTED", "RESTRICTED"]),
            space=st.sampled_from(SPACES),
            unattended=mostly(False, st.just(True)),
            untrusted=mostly(False, st.just(True)),
        )
        | st.just(wire.SessionOpen(resume=TOKEN)),
    ),
    wire.SessionUntrusted: (1, st.builds(wire.SessionUntrusted, session=st.just(SESSION))),
    wire.SessionList: (1, st.builds(wire.SessionList, all=st.booleans())),
    wire.SessionEnd: (1, st.builds(wire.SessionEnd, session=st.just(SESSION))),
}
"""What a host asks of sessions."""

MACHINE: Final[Table] = {
    wire.GuidanceShow: (1, st.just(wire.GuidanceShow())),
    wire.GuidanceCheck: (1, st.just(wire.GuidanceCheck(text=f"Speak of {MARK}."))),
    wire.GuidanceHistory: (1, st.just(wire.GuidanceHistory())),
    wire.AuditVerify: (1, st.builds(wire.AuditVerify, level=st.none() | some_levels)),
    wire.AuditShow: (1, st.builds(wire.AuditShow, level=st.none() | some_levels, limit=st.sampled_from([1, 50]))),
    **dict.fromkeys(  # they copy files and swap them: tests of their own
        (wire.BackupNow, wire.BackupList, wire.BackupVerify, wire.Restore, wire.ImportBegin, wire.ImportEnd),
        (0, st.just(wire.BackupList())),
    ),
    wire.SecretsScrub: (1, st.builds(wire.SecretsScrub, level=st.none() | some_levels, dry_run=st.booleans())),
    wire.Metrics: (0, st.just(wire.Metrics())),  # the sizes of its files, and how long it took
    wire.WatchAdd: (1, st.builds(wire.WatchAdd, path=st.just(f"/{MARK}"), level=some_levels)),
    wire.WatchList: (1, st.just(wire.WatchList())),
    wire.WatchRemove: (1, st.just(wire.WatchRemove(folder=f"/{MARK}"))),
    wire.WatchConfirm: (1, st.just(wire.WatchConfirm(folder=f"/{MARK}", count=1))),
    wire.Doctor: (0, st.just(wire.Doctor())),  # it reads every file, and the disk they lie on
    wire.Prove: (0, st.just(wire.Prove(level="PUBLIC"))),  # it plays a history of its own, twice
}
"""What the owner asks of this machine's files: two daemons have each their own."""

ARRIVALS: Final[Table] = {
    wire.Hello: (
        1,
        st.builds(
            wire.Hello,
            protocol=st.just(wire.PROTOCOL),
            agent=st.just(f"agent of {MARK}"),
            space=st.sampled_from(SPACES),
            resume=st.sampled_from([None, TOKEN]),
        ),
    )
}
"""What is asked first."""
