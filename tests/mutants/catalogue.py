"""The breakages: what is changed where, and the tests that are to notice."""

from typing import Final

from msgspec import Struct


class Edit(Struct, frozen=True):
    """Put ``new`` where ``old`` stands in ``file``, which must be at exactly one place."""

    file: str
    old: str
    new: str


class Mutant(Struct, frozen=True):
    """One breakage, and the ids of its guards: run together, at least one of those tests must fail."""

    name: str
    edits: tuple[Edit, ...]
    guards: tuple[str, ...]


PURGING: Final = "tests/serve/test_non_interference.py::test_what_happens_above_changes_no_byte_below"
APART: Final = "tests/serve/test_levels_apart.py"
PROCESSES: Final = "tests/serve/test_non_interference_of_processes.py"
ORDER: Final = "tests/serve/test_reading_order.py"
TAINT: Final = "tests/serve/test_taint.py"
HOSTS: Final = "tests/gate/test_host_sessions.py"
ABOUT: Final = "memtrigd/serve/handlers/about.py"
DISPATCH: Final = "memtrigd/serve/dispatch.py"
GREETING: Final = "memtrigd/serve/greeting.py"
IDS: Final = "memtrigd/ids.py"
LISTENERS: Final = "memtrigd/gate/listeners.py"
LISTING: Final = "memtrigd/serve/handlers/listing.py"
POLICY: Final = "memtrigd/gate/policy.py"
SAVE: Final = "memtrigd/serve/handlers/save.py"
ONCE: Final = "memtrigd/serve/once.py"
SEARCH: Final = "memtrigd/serve/handlers/search.py"
SESSIONS: Final = "memtrigd/gate/sessions.py"
VIEW: Final = "memtrigd/gate/view.py"
WRITER: Final = "memtrigd/store/writer.py"

LOOKING_UP: Final = (
    Edit(
        VIEW,
        "        self._writer = writer\n",
        "        self._writer = writer\n        self.all = [*handles.values()]\n",
    ),
    Edit(WRITER, "if lower < level}", "if lower != level}"),
)
"""A view and the writer keep what they must not even hold: handles of the levels above."""

READING_UP: Final = (
    Edit(POLICY, "session.level, session.level.and_below()", "session.level, Level.RESTRICTED.and_below()"),
)

SHARED: Final = (
    Mutant(
        "full-text statistics of all levels together",
        (*LOOKING_UP, Edit(SEARCH, "rank(view.readers, what,", "rank(view.all, what,")),
        (PURGING,),
    ),
    Mutant(
        "memory ids from one stream",
        (Edit(DISPATCH, "partial(self.ids.memory, leave.level)", "partial(self.ids.memory, Level.PUBLIC)"),),
        (PURGING,),
    ),
    Mutant(
        "session handles from one stream",
        (Edit(SESSIONS, "self._ids.session(level)", "self._ids.session(Level.PUBLIC)"),),
        (PURGING,),
    ),
    Mutant(
        "random ids that are a counter",
        (
            Edit(IDS, "def _letters(", "_given = iter(range(1 << 80))\n\n\ndef _letters("),
            Edit(IDS, "secrets.token_bytes(size)", 'next(_given).to_bytes(size, "big")'),
        ),
        ("tests/test_ids.py",),
    ),
    Mutant(
        "one bound of waiting work for all levels",
        (Edit(DISPATCH, "(count := waiting.get(level, 0)) >= QUEUED", "(count := sum(waiting.values())) >= QUEUED"),),
        (ORDER,),
    ),
    Mutant(
        "sessions counted in everybody's status",
        (Edit(ABOUT, "facts.sessions.get(level, 0) if owner else None", "facts.sessions.get(level, 0)"),),
        (APART,),
    ),
    Mutant(
        "masks of the levels above",
        (
            *LOOKING_UP,
            Edit(
                VIEW,
                "            for reader in self.readers\n            if reader.level > lowest",
                "            for reader in self.all\n            if reader.level > lowest",
            ),
        ),
        (PURGING,),
    ),
    Mutant(
        "idempotency keys of the levels above",
        (*LOOKING_UP, Edit(ONCE, "for reader in turn.view.readers:", "for reader in turn.view.all:")),
        (APART,),
    ),
    Mutant("reads above the session's level", READING_UP, (PURGING,)),
    Mutant("reads above the session's level, in a real daemon", READING_UP, (PROCESSES,)),
)
"""What belongs to one level is shared, or seen from below."""

CAPTURED: Final = (
    Edit(DISPATCH, "    session: str | None = None\n", "    session: str | None = None\n    taint: Any = None\n"),
    Edit(
        DISPATCH,
        "        return self.sessions.current(caller.session) if caller.session is not None else None\n",
        "        caller.taint = caller.taint or (caller.session and self.sessions.current(caller.session))\n"
        "        return caller.taint\n",
    ),
)
"""A connection keeps the session as it was at its first request."""

TAINTED: Final = (
    Mutant("taint captured at connect", CAPTURED, (TAINT,)),
    Mutant("taint captured at connect, in random histories", CAPTURED, (PURGING,)),
    Mutant("taint captured at connect, in a real daemon", CAPTURED, (HOSTS,)),
    Mutant(
        "a raise that is in memory only",
        (Edit(GREETING, "lambda hands: hands.control.set_level(row.id, level, now)", "lambda hands: level"),),
        (TAINT,),
    ),
    Mutant(
        "a raise told before it is on disk",
        (
            Edit(
                GREETING,
                "self._on_disk(None, lambda hands: hands.control.set_level(row.id, level, now), done, committed)",
                "self._on_disk(None, lambda h: h.control.set_level(row.id, level, now), done, id); committed(level)",
            ),
        ),
        (TAINT,),
    ),
    Mutant(
        "a raise that survives no restart",
        (Edit(GREETING, "lambda hands: hands.control.set_level(row.id, level, now)", "lambda hands: level"),),
        (HOSTS,),
    ),
    Mutant(
        "a token that resumes on any socket",
        (Edit(SESSIONS, "if row is None or row.origin != door.name:", "if row is None:"),),
        (PURGING,),
    ),
    Mutant(
        "a session that can be lowered",
        (Edit(SESSIONS, "    if level < row.level:\n", "    if level < row.start_level:\n"),),
        (HOSTS,),
    ),
)
"""The level of a session is not what was decided."""

ORDERED: Final = (
    Mutant(
        "search limits before it shadows",
        (
            Edit(
                SEARCH,
                "in settled(turn.indexes.rank(view.readers, what, view.sees, view.names_of), look):",
                "in islice(settled(turn.indexes.rank(view.readers, what, view.sees, view.names_of), look), 1):",
            ),
        ),
        (ORDER,),
    ),
    Mutant(
        "search filters by text before it shadows",
        (Edit(SEARCH, "winner = view.serves(memory, turn.now)", "winner = Winner(memory)"),),
        (ORDER,),
    ),
    Mutant(
        "list limits before it shadows",
        (
            Edit(LISTING, "import heapq\n", "import heapq\nimport itertools\n"),
            Edit(
                LISTING,
                "in _merged(turn, tag, _within(asked, _place(request.cursor))):",
                "in itertools.islice(_merged(turn, tag, _within(asked, _place(request.cursor))), request.limit):",
            ),
        ),
        (ORDER,),
    ),
    Mutant(
        "list filters by tag before it shadows",
        (
            Edit(
                LISTING,
                "from memtrigd.domain.moments",
                "from memtrigd.domain.shadowing import Winner\nfrom memtrigd.domain.moments",
            ),
            Edit(
                LISTING,
                "winner = turn.view.serves(memory, turn.now)",
                "winner = Winner(memory) if tag else turn.view.serves(memory, turn.now)",
            ),
        ),
        (ORDER,),
    ),
)
"""Shadow, filter, limit: in another order stale text comes back or pages fall short."""

GUARDED: Final = (
    Mutant(
        "the owner's belt open",
        (
            Edit(
                "memtrigd/serve/service.py", "DoorKind.CONTROL and self.seat_belt and", "DoorKind.CONTROL and False and"
            ),
        ),
        ("tests/gate/test_belt.py",),
    ),
    Mutant(
        "a live socket unlinked",
        (
            Edit(
                LISTENERS,
                "    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:\n",
                "    path.unlink()\n    return\n    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:\n",
            ),
        ),
        ("tests/gate/test_listeners.py",),
    ),
    Mutant(
        "commits that do not wait for the disk",
        (Edit("memtrigd/store/pragmas.py", '("synchronous", "full")', '("synchronous", "off")'),),
        ("tests/store/test_vault.py",),
    ),
    Mutant(
        "acknowledged without a commit",
        (
            Edit(
                WRITER,
                '        connection.execute("COMMIT")\n',
                '        connection.execute("ROLLBACK")\n',
            ),
        ),
        ("tests/store/test_writer.py",),
    ),
)
"""Other bolts: what keeps an agent from being the owner, a second daemon out, and a memory on the disk."""

LIVED: Final = (
    Mutant(
        "a second decay multiplication",
        (
            Edit(
                "memtrigd/domain/forgetting.py",
                "importance=effective_importance(memory, now), importance_at=now)",
                "importance=effective_importance(memory, now))",
            ),
        ),
        ("tests/clockwork/test_dream.py",),
    ),
    Mutant(
        "recalls stamped below",
        (Edit("memtrigd/serve/recalls.py", "self._writers.submit(level, ", "self._writers.submit(Level.PUBLIC, "),),
        (PURGING,),
    ),
    Mutant(
        "an echo that confirms",
        (
            Edit(
                "memtrigd/domain/trust.py",
                "if room and (users or (surer and standing is None)):",
                "if room:",
            ),
        ),
        ("tests/domain/test_trust.py",),
    ),
    Mutant(
        "a suppression that an inference lifts",
        (Edit(SAVE, "    if speaker.relays_the_user(claim.source):\n        store", "    if True:\n        store"),),
        ("tests/serve/test_seed_faults.py::test_an_inference_lifts_no_wish",),
    ),
    Mutant(
        "suppressions of the levels above",
        (
            *LOOKING_UP,
            Edit(
                SAVE,
                "for reader in turn.view.readers:\n        if not reader.has_wishes",
                "for reader in turn.view.all:\n        if not reader.has_wishes",
            ),
        ),
        (PURGING,),
    ),
    Mutant(
        "ledgers of the levels above",
        (
            *LOOKING_UP,
            Edit(
                VIEW,
                "for reader in self.readers if reader.level > memory.level)",
                "for reader in self.all if reader.level > memory.level)",
            ),
        ),
        (PURGING,),
    ),
)
"""The life of a memory: whose word stands, what fades, and what stays forgotten."""

MUTANTS: Final = (*SHARED, *TAINTED, *ORDERED, *GUARDED, *LIVED)
