"""The tables of one level's file, as each version of the schema makes them."""

from typing import Final

import apsw

from memtrigd.domain.memory import canonical
from memtrigd.store.lexicon import prints


def first(connection: apsw.Connection) -> None:
    """Memories, their index and history, wishes, answers."""
    connection.execute(_MEMORY)
    connection.execute(_INDEX)
    connection.execute(_HISTORY)
    connection.execute(_WISHES)
    connection.execute(_ANSWERS)


def second(connection: apsw.Connection) -> None:
    """Entries beside the memories, an archive, and wishes that are looked up instead of walked through."""
    connection.execute(_ENTRIES)
    connection.execute(_LOOKED_UP)
    named = connection.execute("SELECT number, entity FROM suppression WHERE entity IS NOT NULL").fetchall()
    for number, entity in named:
        folded = canonical(str(entity))
        connection.execute("UPDATE suppression SET entity_folded = ? WHERE number = ?", (folded, number))


def third(connection: apsw.Connection) -> None:
    """Events by their time: the week asks for those of seven days. What never fades by itself: guidance has it."""
    connection.execute("CREATE INDEX event_at ON event (at)")
    connection.execute(
        "CREATE INDEX memory_core ON memory (updated DESC, id DESC) WHERE status = 'active' AND core = 1"
    )


def fourth(connection: apsw.Connection) -> None:
    """Beside each document what an index in memory is made from, for those that are there out of the full text."""
    connection.execute(_PRINTS)
    spelt: dict[int, list[str]] = {}
    for term, number in connection.execute("SELECT term, doc FROM posting"):
        spelt.setdefault(int(str(number)), []).append(str(term))
    for number, found in spelt.items():
        made = prints(" ".join(found))
        connection.execute("UPDATE document SET hashes = ?, times = ? WHERE number = ?", (*made, number))


def fifth(connection: apsw.Connection) -> None:
    """The vectors of active memories, and which documents have none yet of a model."""
    connection.execute(_VECTORS)


_COLUMNS: Final = """
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
"""
"""Of a memory's row: the fields of the domain's Memory, times microseconds UTC."""

_MEMORY: Final = f"""
-- One row per memory, whatever its status.
CREATE TABLE memory ({_COLUMNS}) STRICT;
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

_ENTRIES: Final = f"""
-- Promises, notes of well-being, other names, wishes under way; columns are the fields of the domain's Entry.
CREATE TABLE entry (
    number  INTEGER PRIMARY KEY,
    salt    BLOB NOT NULL,               -- of the audit's digests
    id      TEXT NOT NULL UNIQUE,
    sort    TEXT NOT NULL,
    space   TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    agent   TEXT,
    session TEXT,
    name    TEXT,
    due     INTEGER,
    closed  INTEGER,
    body    TEXT NOT NULL                -- JSON object
) STRICT;
CREATE INDEX entry_open ON entry (sort, created, id) WHERE closed IS NULL;
CREATE INDEX entry_sort ON entry (sort, created, id);
CREATE INDEX entry_name ON entry (sort, name) WHERE name IS NOT NULL;
CREATE INDEX entry_by ON entry (session) WHERE session IS NOT NULL;

-- What was superseded long ago: rows of memory, out of the way of those that are asked for every day.
CREATE TABLE archive ({_COLUMNS}) STRICT;
CREATE INDEX archive_told ON archive (key, space);
"""

_LOOKED_UP: Final = """
ALTER TABLE suppression ADD COLUMN key_digest BLOB NOT NULL DEFAULT x'';
ALTER TABLE suppression ADD COLUMN entity_folded TEXT;
CREATE INDEX suppression_key ON suppression (key, space) WHERE lifted_at IS NULL AND key IS NOT NULL;
CREATE INDEX suppression_entity ON suppression (entity_folded) WHERE lifted_at IS NULL AND entity_folded IS NOT NULL;
CREATE INDEX suppression_digest ON suppression (digest) WHERE lifted_at IS NULL;
CREATE INDEX suppression_key_digest ON suppression (key_digest) WHERE lifted_at IS NULL AND key_digest <> x'';
CREATE INDEX suppression_memory ON suppression (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX mask_of ON mask (memory_id);
CREATE INDEX tag_of ON tag (number);     -- or whatever leaves for the archive has every tag looked at
CREATE INDEX ledger_denied ON ledger (memory_id) WHERE deny_count > 0;
CREATE INDEX version_at ON version (at);
CREATE INDEX event_by ON event (session, seq) WHERE session IS NOT NULL;
CREATE INDEX memory_superseded ON memory (updated) WHERE status = 'superseded';
"""

_PRINTS: Final = """
ALTER TABLE document ADD COLUMN hashes BLOB NOT NULL DEFAULT x'';  -- of its different terms, 8 bytes each
ALTER TABLE document ADD COLUMN times BLOB NOT NULL DEFAULT x'';   -- how often it has each, a byte
"""

_VECTORS: Final = """
-- What active memories mean: a vector for each passage of their text, all of one model, gone with the document.
CREATE TABLE vector (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,  -- an index in memory follows it, so that none may come twice
    number  INTEGER NOT NULL REFERENCES memory (number),
    passage INTEGER NOT NULL,
    model   BLOB NOT NULL,
    data    BLOB NOT NULL                -- float32 of a step, little endian, then int8 for each dimension
) STRICT;
CREATE UNIQUE INDEX vector_of ON vector (number, passage);
ALTER TABLE document ADD COLUMN model BLOB NOT NULL DEFAULT x'';  -- that of its vectors; x'' while it has none
CREATE INDEX document_model ON document (model);
"""
