"""Breakages of trust across levels and of what was promised to be gone, and the tests that are to notice."""

from typing import Final

from tests.mutants.catalogue import DISPATCH, LOOKING_UP, VIEW, Edit, Mutant

BUNDLES: Final = "memtrigd/serve/handlers/bundles.py"
DESTINATIONS: Final = "client/memtrig/ctl/destinations.py"
ERASING: Final = "memtrigd/serve/erasing.py"
IMPORTS: Final = "memtrigd/serve/handlers/imports.py"
PROMISES: Final = "memtrigd/serve/handlers/promises.py"
SPEECH: Final = "memtrigd/domain/speech.py"
SUBSCRIPTIONS: Final = "memtrigd/serve/subscriptions.py"
TRUST: Final = "memtrigd/domain/trust.py"
UPKEEP: Final = "memtrigd/store/upkeep.py"
ERASE: Final = "tests/serve/test_erase.py::test_no_byte_is_left_when_it_is_said"
STORED: Final = "tests/store/test_erasing.py"
SCRUBBED: Final = "tests/store/test_upkeep.py"

SUBSCRIBED: Final = (
    Edit(
        SUBSCRIPTIONS, "    topics: frozenset[str]\n    told:", "    topics: frozenset[str]\n    leave: Any\n    told:"
    ),
    Edit(
        SUBSCRIPTIONS,
        "        self._dispatcher.leave(caller, request)\n",
        "        leave = self._dispatcher.leave(caller, request)\n",
    ),
    Edit(SUBSCRIPTIONS, "Want(caller, topics)", "Want(caller, topics, leave)"),
    Edit(SUBSCRIPTIONS, "self._dispatcher.look(want.caller, ", "self._dispatcher.look(want.leave, "),
    Edit(DISPATCH, "leave = self.leave(caller, _UNASKED)", "leave: Any = caller"),
)
"""A subscription keeps the leave that its session had when it was made."""

ACROSS: Final = (
    Mutant(
        "a file that is heard",
        (Edit(IMPORTS, 'Actor("import", hearing=Hearing.FEED)', 'Actor("import")'),),
        ("tests/exchange/test_taking.py::test_a_file_lifts_no_wish_and_confirms_nothing",),
    ),
    Mutant(
        "a file that states",
        (Edit(IMPORTS, "source = as_imported(made.claim.source)", "source = made.claim.source"),),
        ("tests/exchange/test_taking.py::test_a_file_has_no_word_of_the_users",),
    ),
    Mutant(
        "a record that goes lower than its kind",
        (Edit(DESTINATIONS, "_highest(own, self._of.get(kind, own))", "own"),),
        ("tests/client/ctl/test_destinations.py::test_what_says_its_level_goes_there_or_higher",),
    ),
    Mutant(
        "a bundle trusted at any level",
        (Edit(BUNDLES, "if not (known or request.trust) and store.counts():", "if False:"),),
        ("tests/exchange/test_bundle.py::test_a_level_with_memories_takes_none_unless_the_owner_trusts_it",),
    ),
    Mutant(
        "a bundle that brings back what was erased",
        (Edit(BUNDLES, "if here is not None and here.erased:", "if False:"),),
        ("tests/exchange/test_bundle.py::test_two_memories_of_one_key_are_a_conflict",),
    ),
    Mutant(
        "a bundle's wishes with the digests of another key",
        (Edit(BUNDLES, "store.suppress(_with_digest(turn, row), ", "store.suppress(row, "),),
        ("tests/exchange/test_bundle.py::test_a_forgotten_text_stays_forgotten_elsewhere",),
    ),
    Mutant(
        "views that ask no wishes of the levels above",
        (
            Edit(
                VIEW,
                "asked = [reader for reader in self.above(memory) if self._has_wishes(reader)]",
                "asked: list[LevelReader] = []",
            ),
        ),
        ("tests/serve/test_forgotten_above.py",),
    ),
    Mutant(
        "aliases of the levels above",
        (
            *LOOKING_UP,
            Edit(
                VIEW,
                "for reader in self.readers for entry in reader.entries(Sort.ALIAS)",
                "for reader in self.all for entry in reader.entries(Sort.ALIAS)",
            ),
        ),
        ("tests/serve/test_aliases.py::test_an_alias_is_in_force_from_its_level_up",),
    ),
    Mutant(
        "promises counted at all levels",
        (
            *LOOKING_UP,
            Edit(
                PROMISES,
                "sum(rules.falls_due(promise, turn.now) for promise in every)",
                "sum(rules.falls_due(p, turn.now) for r in turn.view.all for p in r.entries(Sort.PROMISE))",
            ),
        ),
        ("tests/serve/test_promises.py::test_nothing_above_shows_below",),
    ),
    Mutant(
        "notices by the level at the time of subscribing",
        SUBSCRIBED,
        ("tests/serve/test_notices.py::test_the_level_is_that_of_the_moment_of_telling",),
    ),
)
"""What a level says is not heard above, or is heard below."""

SPOKEN: Final = (
    Mutant(
        "a quote that is cut out of its denial",
        (Edit(SPEECH, "and not _is_cut_from_its_denial(each, start, end)\n", "and True\n"),),
        ("tests/domain/test_speech.py::test_a_quote_is_not_cut_out_of_its_denial",),
    ),
    Mutant(
        "a question that states what it asks",
        (Edit(SPEECH, "stated and _is_no_statement(each, start, end)", "False"),),
        ("tests/domain/test_speech.py::test_a_question_or_a_supposition_states_nothing",),
    ),
    Mutant(
        "the user's word denied where no user is",
        (Edit(TRUST, "else speaker.hearing is Hearing.NONE\n\n\ndef may_wish", "else True\n\n\ndef may_wish"),),
        ("tests/serve/test_hearing.py::test_an_unattended_session_puts_no_word_of_the_user_away",),
    ),
)
"""The user's word is bent, or put away by somebody else."""

GONE: Final = (
    Mutant(
        "erased rows whose bytes stay",
        (Edit(ERASING, "writers.scrub(level, scrubbed)", "scrubbed(None)"),),
        (ERASE,),
    ),
    Mutant(
        "erased bytes that stay in the log",
        (Edit(UPKEEP, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint(PASSIVE)"),),
        (ERASE, STORED),
    ),
    Mutant(
        "erased bytes that come back out of the cache",
        (Edit(UPKEEP, "            self._connection.release_memory()\n", "            pass\n"),),
        (SCRUBBED,),
    ),
    Mutant(
        "a merge of the index that is over when FTS5 finds nothing to do",
        (
            Edit(
                UPKEEP,
                "            negative = not moved",
                "            owed, negative = (owed if moved else set()), False",
            ),
        ),
        (SCRUBBED,),
    ),
    Mutant(
        "a scrub for who came when it was half over",
        (
            Edit(
                "memtrigd/store/rounds.py",
                "        told = self._waiting.pop(level)\n",
                "        told = self._waiting[level]\n",
            ),
            Edit(
                "memtrigd/store/rounds.py",
                "            if level in self._waiting:\n                self._begin(level)\n",
                "            del self._waiting[level]\n",
            ),
        ),
        ("tests/store/test_rounds.py",),
    ),
    Mutant(
        "erased bytes that stay in the gaps of pages",
        (Edit(UPKEEP, "            at = self._clear(at)\n", "            at = None\n"),),
        (SCRUBBED,),
    ),
)
"""What was erased is on the disk."""

TRUSTED: Final = (*ACROSS, *SPOKEN, *GONE)
