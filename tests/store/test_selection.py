"""Which rows a slot, a key, a filter and a walk find, and that none of them reads all there is."""

from collections.abc import Callable
from itertools import count, islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Status
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Scope, Subject, Suppression, same_entity
from memtrigd.store.interface import Change
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.writer import Hands, Transactions

Save = Callable[..., Memory]

serial = count()
entities = st.sampled_from([None, "Asha", "ASHA ", "आशा", "Asha Rao"])
rows = st.fixed_dictionaries(
    {
        "status": st.sampled_from(Status),
        "entity": entities,
        "kind": st.sampled_from([Kind.EVENT, Kind.HABIT]),
        "tags": st.sampled_from([(), ("rain",), ("rain", "snow"), ("rainy",)]),
        "session": st.sampled_from([None, "s-1", "s-2"]),
        "expires_at": st.sampled_from([None, 5, 6]),
        "updated": st.integers(1, 5),
    }
)
filters = st.fixed_dictionaries(
    {},
    optional={
        "entities": st.lists(entities.filter(bool), min_size=1, max_size=2),
        "kind": st.sampled_from(["event", "habit"]),
        "tag": st.sampled_from(["rain", "snow"]),
        "session": st.just("s-1"),
        "expires_before": st.sampled_from([5, 6, 7]),
        "updated_since": st.integers(1, 6),
    },
)


def _fits(row: Memory, *, entities=(), kind=None, tag=None, session=None, expires_before=None, updated_since=0) -> bool:
    return (
        (not entities or (row.entity is not None and any(same_entity(row.entity, name) for name in entities)))
        and kind in (None, row.kind)
        and (tag is None or tag in row.tags)
        and session in (None, row.session)
        and row.updated >= updated_since
        and (expires_before is None or (row.expires_at is not None and row.expires_at < expires_before))
    )


@given(
    shapes=st.lists(rows, max_size=12),
    wanted=filters,
    statuses=st.lists(st.sampled_from(Status), unique=True, max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_selection_is_what_fits_all_that_is_given(
    transactions: Transactions,
    reader: SqliteLevelReader,
    memory: Callable[..., Memory],
    change: Callable[[], Change],
    shapes: list[dict[str, object]],
    wanted: dict[str, object],
    statuses: list[Status],
) -> None:
    """Rows of the spaces and statuses asked for, each once, the newest first, whichever index finds them."""
    here, there = f"here-{next(serial)}", f"there-{next(serial)}"
    made = [memory(space=(here, there)[n % 5 == 4], **shape) for n, shape in enumerate(shapes)]

    def fill(hands: Hands) -> None:
        for row in made:
            hands.writer.add(row, ["x"], change())

    transactions.run_now(Level.INTERNAL, fill)
    for spaces in ([here], [here, there]):
        expected = [m for m in made if m.space in spaces and m.status in statuses and _fits(m, **wanted)]
        expected.sort(key=lambda m: (m.updated, m.id), reverse=True)
        assert list(reader.select(spaces, [status.value for status in statuses], **wanted)) == expected


def test_before_a_moment_is_not_at_it(save: Save, reader: SqliteLevelReader) -> None:
    """A row that expires at the moment asked for does not expire before it; nor does one that never expires."""
    row = save(expires_at=5)
    save()
    assert list(reader.select(["default"], ["active"], expires_before=5)) == []
    assert list(reader.select(["default"], ["active"], expires_before=6)) == [row]


def test_an_entity_is_found_under_its_new_name(
    save: Save, amend: Callable[..., None], reader: SqliteLevelReader
) -> None:
    """The name that entities are looked up by follows the row, in selections and facets."""
    row = save(entity="Asha", kind=Kind.HABIT)
    renamed = replace(row, entity="ＲＡＯ")
    amend(renamed)
    assert list(reader.select(["default"], ["active"], entities=["asha"])) == []
    assert list(reader.select(["default"], ["active"], entities=["rao"])) == [renamed]
    assert reader.facet(["Rao"], "habit", ["default"], 9) == [renamed] and renamed.entity == "ＲＡＯ"


def test_what_was_refused_is_not_what_was_deleted(
    save: Save, amend: Callable[..., None], reader: SqliteLevelReader
) -> None:
    """Rejected, disputed and forgotten rows of the slot, the newest first; delete refuses nothing."""
    refused = [Status.REJECTED, Status.DISPUTED, Status.FORGOTTEN]
    made = [save(key="k", status=status, updated=9 - n) for n, status in enumerate(refused)]
    save(key="k", space="elsewhere", status=Status.REJECTED)
    for status in (Status.ACTIVE, Status.PENDING, Status.SUPERSEDED, Status.EXPIRED):
        save(key="k", status=status)
    save(key="k", status=Status.FORGOTTEN, reason="deleted")
    rejected_as_deleted = save(key="k", status=Status.REJECTED, reason="deleted", updated=1)
    assert reader.refused("k", "default") == [*made, rejected_as_deleted]
    assert reader.refused("else", "default") == []


def test_a_key_tells_all_it_ever_had(save: Save, reader: SqliteLevelReader) -> None:
    """Rows of every status in the given spaces, the oldest first."""
    made = [save(key="k", status=status) for status in Status]
    made.append(save(key="k", space="project"))
    save(key="k", space="elsewhere")
    save(key="other")
    assert reader.told("k", ["project", "default"]) == made
    assert reader.told("k", ["project"]) == made[-1:]


def test_what_replaced_another_is_told_after_it(save: Save, reader: SqliteLevelReader) -> None:
    """An update begins when what it replaced began; whatever their ids are, it is the later one."""
    made = [save(id=id, key="k", status=Status.SUPERSEDED, created=1, updated=n) for n, id in enumerate("zya")]
    assert reader.told("k", ["default"]) == made


@pytest.fixture
def many(transactions: Transactions, memory: Callable[..., Memory], change: Callable[[], Change]) -> list[Memory]:
    """1500 rows: 600 active, 600 superseded, 300 pending; few are of Asha, have a tag or expire."""
    statuses = [Status.ACTIVE] * 600 + [Status.SUPERSEDED] * 600 + [Status.PENDING] * 300
    made = [
        memory(
            key="often" if status is Status.SUPERSEDED else f"k-{n}",
            status=status,
            entity="user" if n % 300 else "Asha",
            tags=("rare",) if n % 200 == 0 else (),
            expires_at=n if n % 300 == 0 else None,
        )
        for n, status in enumerate(statuses)
    ]

    def fill(hands: Hands) -> None:
        for row in made:
            hands.writer.add(row, ["x"], change())
            hands.writer.note(change(), row.id)

    transactions.run_now(Level.INTERNAL, fill)
    return made


def test_a_walk_meets_each_living_row_once(many: list[Memory], reader: SqliteLevelReader) -> None:
    """Slices of active and pending rows in the order of their numbers, until an empty one."""
    met, number = [], 0
    while part := reader.after(number, 250):
        assert len(part) == 250 or len(met) == 750
        met += [row for _, row in part]
        number = part[-1][0]
        assert reader.document(number) == part[-1][1]
    assert met == [row for row in many if row.status in (Status.ACTIVE, Status.PENDING)]


QUESTIONS = {
    "newest": lambda reader: list(islice(reader.select(["default"], ["active", "superseded", "pending"]), 3)),
    "entity": lambda reader: list(reader.select(["default"], ["active", "pending"], entities=["Asha"])),
    "tag": lambda reader: list(reader.select(["default"], ["active"], tag="rare")),
    "expiring": lambda reader: list(reader.select(["default"], ["superseded"], expires_before=901)),
    "refused": lambda reader: [reader.refused("often", "default"), 0],
    "told": lambda reader: reader.told("k-1", ["default"]),
    "walk": lambda reader: reader.after(0, 3),
    "walk over retired rows": lambda reader: reader.after(600, 3),
    "proposals": lambda reader: [reader.pending("often", "default"), 0],
    "since": lambda reader: list(reader.select(["default"], ["active", "pending"], updated_since=1499)),
    "facet": lambda reader: reader.facet(["Asha", "आशा"], "general", ["default"], 9),
    "events since": lambda reader: list(islice(reader.events_since(0), 3)),
    "steps since": lambda reader: list(islice(reader.versions_since(0), 3)),
    "wishes": lambda reader: reader.wishes(Subject("k-7", "default", ("e-8",), b"d-9", b"kd-10")),
    "wishes about": lambda reader: reader.wishes_about("m-7"),
    "any wish": lambda reader: [reader.has_wishes()],
    "open entries": lambda reader: reader.entries(Sort.WELLNESS),
    "named entries": lambda reader: reader.entries(Sort.PROMISE, name="n-7", closed=True),
    "entries of a session": lambda reader: reader.session_entries("s-7"),
    "an entry": lambda reader: [reader.entry("e-7")],
    "archived, by key": lambda reader: reader.told("old-7", ["default"]),
    "archived, by id": lambda reader: [reader.by_id("old-7")],
    "masks": lambda reader: reader.masks("k-7", ["default"]),
    "masks on a memory": lambda reader: reader.masks_on("low-7"),
}


@pytest.fixture
def beside(many: list[Memory], transactions: Transactions, memory: Callable[..., Memory]) -> None:
    """As many wishes of each scope, closed entries, masks and archived rows as there are rows of one status."""

    def fill(hands: Hands) -> None:
        store, step = hands.writer, Change(op="x", actor="owner", session=None, at=1)
        for n in range(600):
            fact = Suppression(f"w-{n}", Scope.MEMORY, "default", n, f"k-{n}", digest=b"d-%d" % n, memory_id=f"m-{n}")
            person = Suppression(f"p-{n}", Scope.ENTITY, "default", n, entity=f"e-{n}")
            erased = Suppression(f"x-{n}", Scope.ERASED, "default", n, digest=b"x-%d" % n, key_digest=b"kd-%d" % n)
            for wish in (fact, person, erased):
                store.suppress(wish, step)
            entry = Entry(id=f"e-{n}", sort=Sort.PROMISE, level=Level.INTERNAL, space="default", created=n, updated=n)
            store.keep(replace(entry, name=f"n-{n}", session=f"s-{n}", closed=n), step)
            store.keep(replace(entry, id=f"f-{n}", sort=Sort.WELLNESS, closed=None if n == 7 else n), step)
            store.mask(f"k-{n}", Mask(f"low-{n}", 1, Level.INTERNAL, "default"))
            old = memory(id=f"old-{n}", key=f"old-{n}", status=Status.SUPERSEDED, updated=0)
            store.add(old, [], step)
        assert store.archive(1) == 600

    transactions.run_now(Level.INTERNAL, fill)


@pytest.mark.usefixtures("beside")
def test_an_answer_costs_its_rows_and_not_all(reader: SqliteLevelReader, subtests: pytest.Subtests) -> None:
    """A few rows take SQLite less than 1500 steps; reading all of one status takes it several thousand."""
    for name, question in QUESTIONS.items():
        with subtests.test(name):
            ticks = count()
            reader.connection.set_progress_handler(lambda ticks=ticks: bool(next(ticks) and False), 100)
            assert 0 < len(question(reader)) <= 4
            assert next(ticks) < 15
