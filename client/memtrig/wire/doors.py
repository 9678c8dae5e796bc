"""Who may ask what: the requests that each door carries. A type that is not in a door's union does not exist there."""

from typing import TypeAlias

from memtrig.wire.audits import AuditShow, AuditVerify, Prove
from memtrig.wire.backups import Backup, BackupList, BackupNow, BackupVerify, Restore
from memtrig.wire.bundles import BundleTake
from memtrig.wire.days import (
    AliasAdd,
    AliasList,
    AliasRemove,
    PromiseAdd,
    PromiseCheck,
    PromiseDone,
    PromiseList,
    Subscribe,
    Week,
    WellnessAdd,
    WellnessList,
)
from memtrig.wire.doctor import Doctor
from memtrig.wire.exchange import Import, ImportBegin, ImportEnd
from memtrig.wire.folders import WatchAdd, WatchConfirm, WatchList, WatchRemove
from memtrig.wire.guidance import GuidanceCheck, GuidanceGet, GuidanceHistory, GuidanceShow
from memtrig.wire.life import (
    Confirm,
    Decay,
    Deny,
    Erase,
    Expire,
    Forget,
    History,
    Pin,
    Recall,
    Reject,
    Review,
    Stats,
    Suppressions,
    Undo,
    Unforget,
    Why,
    WhyNot,
)
from memtrig.wire.metrics import Metrics
from memtrig.wire.names import Names
from memtrig.wire.requests import Delete, Get, GetStatus, Hello, List, Ping, Request, Save, Search, Whoami
from memtrig.wire.secrets import SecretsScrub
from memtrig.wire.upkeep import Init, Recover, Selfcheck, Vacuum

Data: TypeAlias = (
    Save
    | Get
    | Search
    | List
    | Delete
    | Confirm
    | Reject
    | Deny
    | Forget
    | History
    | Why
    | Review
    | Recall
    | Stats
    | Decay
    | Suppressions
    | Expire
    | PromiseAdd
    | PromiseDone
    | PromiseList
    | PromiseCheck
    | WellnessAdd
    | WellnessList
    | AliasList
    | Vacuum
    | Selfcheck
    | Recover
    | Init
    | GuidanceGet
    | Names
    | Backup
)
"""What an agent may ask of memories, and the owner too."""
OwnerData: TypeAlias = (
    Data | Pin | Unforget | Undo | Erase | WhyNot | Week | AliasAdd | AliasRemove | Import | BundleTake
)
"""What only the owner may ask besides."""
AgentRequest: TypeAlias = Hello | Whoami | Ping | GetStatus | Subscribe | Data


class Act(Request, frozen=True, tag="act"):
    """The owner acts as if at ``level``: unsaid, reads see every level and writes go to INTERNAL."""

    request: OwnerData
    level: str | None = None
    all_levels: bool = False
    """Act at each level in turn: for forget and erase."""


class SessionOpen(Request, frozen=True, tag="session.open"):
    """A host opens a session for an agent; the answer carries a connected descriptor (SCM_RIGHTS).

    Without a ceiling the session stays at its level. With ``resume`` it is the old session, at its current level.
    """

    agent: str | None = None
    level: str = "INTERNAL"
    ceiling: str | None = None
    conversation: str | None = None
    space: str | None = None
    resume: str | None = None
    unattended: bool = False
    """A timer or trigger drives the agent: no user is there whom it could quote."""
    untrusted: bool = False
    """The agent reads what strangers wrote: see ``session.untrusted``. A resumed session stays as it is."""


class Heard(Request, frozen=True, tag="heard"):
    """A host's hook tells what the user just said. Kept in memory only, for checking what agents quote."""

    text: str


class HookOpen(Request, frozen=True, tag="hook.open"):
    """A host's hook comes in: which session it belongs to is for the gate to find. It has no level to ask for.

    ``conversation`` is the host's own name of what goes on: the label of its sessions that have none, until
    ``hook.end``.
    """

    conversation: str | None = None


class HookEnd(Request, frozen=True, tag="hook.end"):
    """The conversation is over: what was heard in it can't be quoted any more. The sessions of the host go on."""

    conversation: str | None = None


class SessionRaise(Request, frozen=True, tag="session.raise"):
    """Ratchet a session up to ``level``; never down, never over its ceiling."""

    session: str
    level: str
    reason: str


class SessionUntrusted(Request, frozen=True, tag="session.untrusted"):
    """The session read what strangers wrote: what it saves waits for the owner from now on, for good."""

    session: str


class SessionList(Request, frozen=True, tag="session.list"):
    """The sessions that are connected, or with ``all`` every one that is kept: the newest ``limit`` of them."""

    all: bool = False
    limit: int = 500


class SessionEnd(Request, frozen=True, tag="session.end"):
    """End a session: its connections close and its token is void."""

    session: str


ControlRequest: TypeAlias = (
    Act
    | SessionOpen
    | SessionRaise
    | SessionUntrusted
    | SessionList
    | SessionEnd
    | Whoami
    | Ping
    | GetStatus
    | Subscribe
    | GuidanceShow
    | GuidanceCheck
    | GuidanceHistory
    | BackupNow
    | BackupList
    | BackupVerify
    | Restore
    | ImportBegin
    | ImportEnd
    | WatchAdd
    | WatchList
    | WatchRemove
    | WatchConfirm
    | AuditVerify
    | AuditShow
    | Metrics
    | Prove
    | Doctor
    | SecretsScrub
)  # no Hello: the control socket knows its caller by uid
HookRequest: TypeAlias = Whoami | Ping | HookOpen | Heard | GuidanceGet | HookEnd
