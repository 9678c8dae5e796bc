"""The tables: one file per level, and control.db, which names no content."""

from collections.abc import Callable
from typing import Final, TypeAlias

import apsw
from msgspec import Struct

from memtrigd.domain.levels import Level

Step: TypeAlias = Callable[[apsw.Connection], None]
"""What turns a schema of one version into the next; it runs inside a transaction of its own."""


class Schema(Struct, frozen=True):
    """A kind of file: ``application_id`` marks it (SQLite header, offset 68), step n makes version n of n - 1."""

    application_id: int
    steps: tuple[Step, ...]

    @property
    def version(self) -> int:
        """The newest version that this program knows."""
        return len(self.steps)


def _level_1(connection: apsw.Connection) -> None:
    connection.execute(_MEMORY)
    connection.execute(_INDEX)
    connection.execute(_HISTORY)
    connection.execute(_WISHES)
    connection.execute(_ANSWERS)


def _control_1(connection: apsw.Connection) -> None:
    connection.execute(_CONTROL)


_MEMORY: Final = """
-- One row per memory, whatever its status; columns are the fields of the domain's Memory, times microseconds UTC.
CREATE TABLE memory (
    number         INTEGER PRIMARY KEY,
    salt           BLOB,                 -- of the audit's digests; an erase destroys it
    entity_folded  TEXT,                 -- the entity's canonical name: by it entities are looked up
    id             TEXT NOT NULL UNIQUE,
    key            TEXT NOT NULL,
    space          TEXT NOT NULL,
    content        TEXT NOT NULL,
    created        INTEGER NOT NULL,
    updated        INTEGER NOT NULL,
    importance_at  INTEGER NOT NULL,
    kind           TEXT NOT NULL,
    source         TEXT NOT NULL,
    status         TEXT NOT NULL,
    entity         TEXT,
    agent          TEXT,
    session        TEXT,
    tags           TEXT NOT NULL,        -- JSON array, as emotion_tags
    emotion_tags   TEXT NOT NULL,
    sentiment      TEXT,
    context        TEXT,
    lang           TEXT,
    attested       INTEGER NOT NULL,
    quote          TEXT,
    confidence     REAL,
    reason         TEXT,
    core           INTEGER NOT NULL,
    pinned         INTEGER NOT NULL,
    importance     REAL NOT NULL,
    last_recalled  INTEGER,
    recall_count   INTEGER NOT NULL,
    seen_count     INTEGER NOT NULL,
    deny_count     INTEGER NOT NULL,
    expires_at     INTEGER,
    valid_from     INTEGER,
    valid_to       INTEGER,
    supersedes     TEXT,
    superseded_by  TEXT,
    contests       TEXT
) STRICT;
CREATE UNIQUE INDEX memory_slot ON memory (space, key) WHERE status = 'active';
CREATE INDEX memory_told ON memory (space, key, status) WHERE status <> 'active';
CREATE INDEX memory_status ON memory (status, updated DESC, id DESC);
CREATE INDEX memory_entity ON memory (entity_folded, status, updated DESC, id DESC) WHERE entity_folded IS NOT NULL;
CREATE INDEX memory_facet ON memory (entity_folded, kind, updated DESC, id DESC)
    WHERE status = 'active' AND entity_folded IS NOT NULL;
CREATE INDEX memory_expiring ON memory (status, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_waiting ON memory (number) WHERE status = 'pending';
"""

_INDEX: Final = """
-- What follows has rows for active memories only; number is memory.number.
CREATE TABLE document (
    number INTEGER PRIMARY KEY REFERENCES memory (number),
    terms  INTEGER NOT NULL
) STRICT;
CREATE TABLE corpus (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    documents INTEGER NOT NULL,
    terms     INTEGER NOT NULL
) STRICT;
INSERT INTO corpus VALUES (1, 0, 0);

CREATE TABLE tag (
    tag     TEXT NOT NULL,
    updated INTEGER NOT NULL,
    id      TEXT NOT NULL,
    number  INTEGER NOT NULL REFERENCES memory (number),
    PRIMARY KEY (tag, updated DESC, id DESC)
) STRICT, WITHOUT ROWID;

-- Terms come analysed and joined by spaces. This tokenizer leaves all beyond ASCII alone, and with every mark of
-- ASCII made a part of words it parts at spaces only; what it would still change is escaped, see lexicon.py.
CREATE VIRTUAL TABLE lexicon USING fts5 (
    terms, content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '!""#$%&''''()*+,-./:;<=>?@[\\]^_`{|}~'"
);
CREATE VIRTUAL TABLE posting USING fts5vocab (lexicon, instance);
"""

_HISTORY: Final = """
-- Append-only: the first row of a memory holds all its fields but those at their default, later ones what changed.
CREATE TABLE version (
    seq       INTEGER PRIMARY KEY,       -- that of its row in the journal, as in event
    memory_id TEXT NOT NULL,
    at        INTEGER NOT NULL,
    op        TEXT NOT NULL,
    actor     TEXT NOT NULL,
    session   TEXT,
    reason    TEXT,
    fields    TEXT NOT NULL              -- JSON object
) STRICT;
CREATE INDEX version_of ON version (memory_id, seq);
CREATE INDEX version_by ON version (session, seq) WHERE session IS NOT NULL;

-- What happened at this level to no memory of it, such as a raise to it: its reason is content, so not in control.db.
CREATE TABLE event (
    seq     INTEGER PRIMARY KEY,
    salt    BLOB,
    at      INTEGER NOT NULL,
    op      TEXT NOT NULL,
    actor   TEXT NOT NULL,
    session TEXT,
    reason  TEXT,
    about   TEXT                         -- the lower memory that it concerned, if one
) STRICT;

CREATE TABLE audit (
    seq       INTEGER PRIMARY KEY,
    at        INTEGER NOT NULL,
    op        TEXT NOT NULL,
    memory_id TEXT NOT NULL,             -- or a suppression's; '' for an event
    actor     TEXT NOT NULL,
    session   TEXT,
    digest    BLOB NOT NULL,             -- of what the memory became, or of the event
    version   BLOB,                      -- digest of the version that tells of it
    mac       BLOB NOT NULL
) STRICT;
CREATE INDEX audit_of ON audit (memory_id, seq);
CREATE TRIGGER audit_is_not_edited BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END;
CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END;
"""

_WISHES: Final = """
-- What deletes at this level hide of lower levels, for readers of a space.
CREATE TABLE mask (
    key        TEXT NOT NULL,
    space      TEXT NOT NULL,
    memory_id  TEXT NOT NULL,
    seen_count INTEGER NOT NULL,
    PRIMARY KEY (key, space, memory_id)
) STRICT, WITHOUT ROWID;

-- What is not to be learnt again; columns are the fields of the domain's Suppression.
CREATE TABLE suppression (
    number    INTEGER PRIMARY KEY,
    salt      BLOB NOT NULL,             -- of the audit's digests
    id        TEXT NOT NULL UNIQUE,
    scope     TEXT NOT NULL,
    space     TEXT NOT NULL,
    at        INTEGER NOT NULL,
    key       TEXT,
    entity    TEXT,
    digest    BLOB NOT NULL,             -- of the text, keyed
    memory_id TEXT,
    reason    TEXT,
    lifted_at INTEGER
) STRICT;
CREATE INDEX suppression_standing ON suppression (at DESC, id DESC) WHERE lifted_at IS NULL;

-- What this level keeps of memories of lower ones, as recall stamps: no versions, outside the audit.
CREATE TABLE ledger (
    memory_id     TEXT PRIMARY KEY,
    importance    REAL NOT NULL,
    importance_at INTEGER NOT NULL,
    last_recalled INTEGER,
    recall_count  INTEGER NOT NULL,
    deny_count    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

_ANSWERS: Final = """
-- Answers given, so that a retry gets the same one; session is '' for the owner, who has none.
CREATE TABLE request (
    session         TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    digest          BLOB NOT NULL,
    reply           BLOB NOT NULL,
    memory_id       TEXT,
    at              INTEGER NOT NULL,
    PRIMARY KEY (session, idempotency_key)
) STRICT;
CREATE INDEX request_at ON request (at);
"""

_CONTROL: Final = """
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    id           TEXT PRIMARY KEY,
    token_hash   BLOB NOT NULL UNIQUE,
    agent        TEXT,
    conversation TEXT,
    space        TEXT,
    origin       TEXT NOT NULL,
    start_level  INTEGER NOT NULL,
    level        INTEGER NOT NULL,
    ceiling      INTEGER NOT NULL,
    opened       INTEGER NOT NULL,
    seen         INTEGER NOT NULL,
    ended        INTEGER,
    hearing      TEXT NOT NULL DEFAULT 'none',
    CHECK (start_level <= level AND level <= ceiling)
) STRICT;
CREATE TRIGGER taint_never_falls BEFORE UPDATE OF level, ceiling ON session
WHEN new.level < old.level OR new.ceiling > old.ceiling BEGIN SELECT RAISE (ABORT, 'taint never falls'); END;

CREATE TABLE raised (
    session    TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    from_level INTEGER NOT NULL,
    to_level   INTEGER NOT NULL,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX raised_of ON raised (session, at);
"""

LEVELS: Final = {level: Schema(0x4D545230 + level, (_level_1,)) for level in Level}
"""Each level has a mark of its own ("MTR0" to "MTR3"), so that no file can be served as that of another level."""
VERSION: Final = LEVELS[Level.PUBLIC].version
"""The schema version of the levels' files."""
CONTROL: Final = Schema(0x4D545243, (_control_1,))  # "MTRC"
