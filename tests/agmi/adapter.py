"""memtrigd as agent-memory-integrity sees it: saves through the daemon, edits with SQLite, and ``audit verify``.

An entry is a memory with all that belongs to it: whoever takes one away or puts one in does so in every table.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import apsw
from agmi.adapters.base import MemoryAdapter, Record
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL
from tests.serve.harness import World

START = 1_790_000_000_000_000
OTHER = "other"
"""The second context: another space of the same level, and so of the same file."""
UNGUARDED = "DROP TRIGGER IF EXISTS audit_is_not_edited; DROP TRIGGER IF EXISTS audit_is_not_cut;"
TAKEN_OUT = (
    "UPDATE corpus SET documents = documents - 1, terms = terms - (SELECT terms FROM document WHERE number = :number)",
    "DELETE FROM vector WHERE number = :number",
    "DELETE FROM document WHERE number = :number",
    "DELETE FROM lexicon WHERE rowid = :number",
    "DELETE FROM tag WHERE number = :number",
    "DELETE FROM version WHERE memory_id = :id",
    "DELETE FROM audit WHERE memory_id = :id",
    "DELETE FROM memory WHERE number = :number",
)
PUT_IN = (
    "INSERT INTO document (number, terms, hashes, times)"
    " SELECT :number, terms, hashes, times FROM document ORDER BY number DESC LIMIT 1",
    "INSERT INTO lexicon (rowid, terms) VALUES (:number, 'entry forged')",
    "INSERT INTO version SELECT max(seq) + 1, :id, at, op, actor, session, reason, fields FROM version",
    "INSERT INTO audit SELECT max(seq) + 1, at, op, :id, actor, session, digest, version, mac FROM audit",
)


class Memtrigd(MemoryAdapter):
    """The store of one level. The owner keeps the journal's end elsewhere, as the documentation advises."""

    name = "memtrigd"
    detection_point = "audit"
    supports_replay = supports_metadata = supports_snapshot = True
    kept_elsewhere = True

    def setup(self) -> None:
        """A daemon in memory, on files of its own."""
        self._place = Path(tempfile.mkdtemp(prefix="mt-"))
        self._world = World(self._place / "state", START)
        self._heads: list[str] = []

    def teardown(self) -> None:
        """Take it away."""
        self._world.close()
        shutil.rmtree(self._place)

    def seed(self, n: int) -> None:
        """Save as an agent does."""
        self._save(None, *(f"entry {number}" for number in range(n)))

    def seed_other(self, n: int) -> None:
        """Save in the second context."""
        self._save(OTHER, *(f"other {number}" for number in range(n)))

    def append_genuine(self) -> None:
        """Save once more."""
        self._save(None, "entry of late")

    def read_all_raw(self) -> list[Record]:
        """The rows of the first context as they lie in the file."""
        return self._rows("default")

    def read_other_raw(self) -> list[Record]:
        """Those of the second."""
        return self._rows(OTHER)

    def write_raw(self, record: Record) -> None:
        """Put a row in the place of another, or a new one behind all."""
        fields = {"number": record.seq, **record.fields}
        names, values = ", ".join(fields), ", ".join(f":{name}" for name in fields)
        new = not self._raw("SELECT 1 FROM audit WHERE memory_id = :id", fields)
        self._raw(f"INSERT OR REPLACE INTO memory ({names}) VALUES ({values})", fields)
        for statement in PUT_IN if new else ():
            self._raw(statement, {"number": record.seq, "id": fields["id"]})

    def delete_raw(self, seq: int) -> None:
        """Take a row out with all that belongs to it, its rows in the journal among it."""
        ((memory_id,),) = self._raw("SELECT id FROM memory WHERE number = ?", (seq,))
        for statement in TAKEN_OUT:
            self._raw(statement, {"number": seq, "id": memory_id})

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        """What one memory says, with its salt, in the place of what another says."""
        said = donor.fields["content"], donor.fields["salt"], victim_seq
        self._raw("UPDATE memory SET content = ?, salt = ? WHERE number = ?", said)

    def read_meta(self, seq: int) -> dict[str, Any]:
        """Who said it, and how sure that is."""
        ((source, agent),) = self._raw("SELECT source, agent FROM memory WHERE number = ?", (seq,))
        return {"source": source, "agent": agent}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        """Let the user have said it."""
        self._raw("UPDATE memory SET source = 'user_explicit', agent = 'the user' WHERE number = ?", (seq,))

    def mutate_payload(self, record: Record) -> Record:
        """Let it say something else."""
        record.fields["content"] += ", or so"
        return record

    def forge_record(self, template: Record) -> Record:
        """A memory that nobody saved, behind all others."""
        forged = {**template.fields, "id": "mforged", "key": "forged", "content": "entry forged"}
        return Record(seq=template.seq + 1, fields=forged)

    def payload_of(self, record: Record) -> str:
        """What it says."""
        return str(record.fields["content"])

    def owner_of(self, record: Record) -> str:
        """The space that it is in."""
        return str(record.fields["space"])

    def snapshot_store(self) -> object:
        """Copy the whole state directory, keys and control.db included, while the daemon is stopped."""
        state, copy = self._place / "state", self._place / "copy"
        self._world.restart(lambda: shutil.copytree(state, copy))
        return copy

    def restore_store(self, token: Any) -> None:
        """Put the copy back while the daemon is stopped."""

        def put_back() -> None:
            shutil.rmtree(self._place / "state")
            shutil.copytree(token, self._place / "state")

        self._world.restart(put_back)

    def reload(self) -> None:
        """Stop the daemon and start it anew."""
        self._world.restart()

    def verify(self) -> bool:
        """Ask the owner's way."""
        heads = self._heads if self.kept_elsewhere else []
        audited = self._world.connect(CONTROL).ask(wire.AuditVerify(level="INTERNAL", heads=heads))
        self.verify_detail = next(iter(audited.audits[0].problems), None)
        return self.verify_detail is None

    def _save(self, space: str | None, *texts: str) -> None:
        line = self._world.agent(Level.INTERNAL, space)
        for text in texts:
            self._world.now += 1000
            assert isinstance(line.ask(wire.Save(key=text.replace(" ", "-"), content=text)), wire.Saved)
        audited = self._world.connect(CONTROL).ask(wire.AuditVerify(level="INTERNAL"))
        self._heads = [audited.audits[0].head]

    def _rows(self, space: str) -> list[Record]:
        names = [name for (name,) in self._raw("SELECT name FROM pragma_table_info('memory') WHERE name <> 'number'")]
        rows = self._raw(f"SELECT number, {', '.join(names)} FROM memory WHERE space = ? ORDER BY number", (space,))
        return [Record(seq=number, fields=dict(zip(names, row, strict=True))) for number, *row in rows]

    def _raw(self, statement: str, values: Any = ()) -> list[Any]:
        """Run a statement behind the daemon's back, the journal's guards off meanwhile."""
        connection = apsw.Connection(str(self._world.file(Level.INTERNAL)))
        names = "('audit_is_not_edited', 'audit_is_not_cut')"
        guards = [sql for (sql,) in connection.execute(f"SELECT sql FROM sqlite_schema WHERE name IN {names}")]
        connection.execute(UNGUARDED)
        found = connection.execute(statement, values).fetchall()
        connection.execute(";".join(guards))
        connection.close()
        return found


class MemtrigdAlone(Memtrigd):
    """The same where nobody keeps the journal's end elsewhere: only the files tell."""

    name = "memtrigd, no end kept elsewhere"
    kept_elsewhere = False
