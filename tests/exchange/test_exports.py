"""Exports of assistants and memory servers: the shapes that they come in, and each with what may be wrong in it."""

import importlib
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import chatgpt_export, claude_export, mcp_memory_service, mem0, pam, portable_mem
from memtrigd.exchange.formats import FORMATS, chosen, named, told
from memtrigd.exchange.items import Beside, Item, Left, Noted, Reading, Taken
from tests.exchange.test_formats import READING, contents, items

SAMPLES = Path(__file__).with_name("samples")


@pytest.fixture(name="written")
def _written(tmp_path: Path) -> Callable[..., Path]:
    """Writes a document to a file."""

    def write(document: Any, name: str = "file.json") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return path

    return write


def records(found: list[Item]) -> list[wire.ImportRecord]:
    """What can be taken."""
    return [item.record for item in found if isinstance(item, Taken)]


def codes(found: list[Item]) -> list[str]:
    """Why the rest was left."""
    return [item.code for item in found if isinstance(item, Left)]


def notes(found: list[Item]) -> str:
    """What was noted."""
    return "\n".join(f"{item.place}: {item.message}" for item in found if isinstance(item, Noted))


# mcp-memory-service


def test_a_memory_services_tags_are_a_list_or_a_text(written: Callable[..., Path]) -> None:
    """Dates are seconds, the type is a kind where there is such a kind, metadata an object or the text of one."""
    one, other = records(items(SAMPLES / "mcp-memory-service.json"))
    assert (one.created, one.tags, one.agent) == (
        "2026-10-02T08:00:00.250000+00:00",
        ["ci", "schedule", "note"],
        "claude-code",
    )
    assert (other.kind, other.tags, other.updated) == ("preference", ["preference", "tooling"], None)
    memory = {"content": "x", "content_hash": "h", "tags": None, "metadata": '{"source": "cli", "mood": "calm"}'}
    found = items(written({"memories": [memory]}))
    assert records(found)[0].agent == "cli"
    assert "metadata.mood" in notes(found)


def test_a_memory_services_faults_cost_only_themselves(written: Callable[..., Path]) -> None:
    """No content, an infinite date, milliseconds that are right, metadata that is no JSON."""
    memories = [
        {"content": None, "content_hash": "a"},
        {"content": "b", "content_hash": "b", "created_at": 1e300},
        {"content": "c", "content_hash": "c", "created_at": 1790928000250},
        {"content": "d", "content_hash": "d", "metadata": "{torn"},
        "a text",
    ]
    found = items(written({"export_metadata": {}, "memories": memories}))
    assert contents(found) == ["c", "d"]
    assert codes(found) == ["bad_request", "bad_time", "bad_request"]
    assert records(found)[0].created == "2026-10-02T08:00:00.250000+00:00"


# mem0


def test_mem0_comes_as_all_its_versions_wrote_it(written: Callable[..., Path]) -> None:
    """A bare list, the older names of the text, pages; offsets are converted, and ids are keys."""
    memory = {"id": "i", "user_id": "u", "created_at": "2026-08-11T09:12:44-07:00", "run_id": "r", "agent_id": "bot"}
    for text in ("memory", "text", "data"):
        for document in ([{**memory, text: "चहा"}], {"count": 1, "next": None, "results": [{**memory, text: "चहा"}]}):
            path = written(document)
            assert told(path).name == "mem0"
            (record,) = records(items(path))
            assert (record.content, record.key, record.agent) == ("चहा", "mem0:i", "bot")
            assert (record.tags, record.created) == (["user:u", "run:r"], "2026-08-11T16:12:44+00:00")


def test_a_platforms_export_has_fields_of_its_own(written: Callable[..., Path]) -> None:
    """Each value is a memory with the path that leads to it; nothing of it is lost."""
    path = written(
        {
            "full_name": "Asha",
            "skills": ["Rust", "手冲咖啡"],
            "travel": {"seat": "window", "visas": [{"country": "JP", "until": 2028}], "flies": False},
            "nothing": None,
        }
    )
    found = list(named("mem0").read(path, READING))
    assert contents(found) == [
        "full_name: Asha",
        "skills: Rust",
        "skills: 手冲咖啡",
        "travel seat: window",
        "travel visas: country: JP; until: 2028",
        "travel flies: no",
    ]
    assert records(found)[3].tags == ["travel"]
    with pytest.raises(Refusal, match="no format"):
        told(path)


def test_mem0s_list_of_texts_is_a_list_of_memories(written: Callable[..., Path]) -> None:
    """And what is nested without an end is left."""
    deep: Any = "x"
    for _ in range(40):
        deep = {"a": deep}
    found = list(mem0.read(written({"memories": ["one", "two", deep]}), READING))
    assert (contents(found), codes(found)) == (["one", "two"], ["bad_value"])


# Claude


def test_claudes_memories_have_their_headings_and_projects(written: Callable[..., Path], tmp_path: Path) -> None:
    """A list or one object; a project by its name where the export has it."""
    memories = {
        "conversations_memory": "**Work**\n\n- Writes Python\n- उभे राहून काम करते\n\nOften.\n\n## Home\n\nPlays chess.",
        "project_memories": {"p-1": "Ships on Tuesdays.", "p-2": None},
        "account_uuid": "a",
        "new_field": "x",
    }
    for document in (memories, [memories]):
        found = items(written(document, "out/memories.json"))
        assert [(each.content, each.tags) for each in records(found)] == [
            ("Writes Python", ["Work"]),
            ("उभे राहून काम करते", ["Work"]),
            ("Often.", ["Work"]),
            ("Plays chess.", ["Home"]),
            ("Ships on Tuesdays.", ["project:p-1"]),
        ]
        assert codes(found) == ["bad_value"] and "new_field" in notes(found)
    written([{"uuid": "p-1", "name": "Harbour", "prompt_template": "Be brief."}], "out/projects.json")
    found = items(tmp_path / "out")
    assert ["project:Harbour"] in [each.tags for each in records(found)]
    assert "instructions" in notes(found)


def test_what_was_said_to_claude_is_counted_and_not_taken() -> None:
    """Also what somebody asked it to remember, as that is in its memories."""
    found = items(SAMPLES / "claude-export")
    assert "1 conversation with 2 messages" in notes(found)
    assert not any("Sundays" in text for text in contents(found))


# ChatGPT


def conversation(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A conversation whose nodes have these messages, on branches of their own."""
    nodes = {f"n{n}": {"id": f"n{n}", "parent": "root", "message": each} for n, each in enumerate(messages)}
    return {
        "title": "T",
        "create_time": 1781000000.5,
        "mapping": {"root": {"id": "root", "message": None}, **nodes},
        **fields,
    }


def bio(content: Any, time: float | None = None, recipient: str = "bio") -> dict[str, Any]:
    """A message of the assistant to a recipient."""
    return {
        "author": {"role": "assistant"},
        "recipient": recipient,
        "create_time": time,
        "content": content,
        "metadata": {},
    }


def test_calls_to_bio_are_chatgpts_memories(written: Callable[..., Path]) -> None:
    """On any branch, as text, code or updates, of their own time or that of the conversation."""
    odd = '{"updates": [{"content": "Likes tea."}, "Sails.", 5]}'
    document = [
        conversation(
            bio({"content_type": "code", "text": "Rides a bike."}, 1781000002.0),
            bio({"content_type": "text", "parts": ["家里有两只猫。", {"asset": "image"}]}),
            bio({"content_type": "code", "text": odd}),
            bio({"content_type": "text", "parts": ["The weather is fine."]}, recipient="all"),
            bio({"content_type": "code", "text": "import os"}, recipient="python"),
            bio(None),
        )
    ]
    path = written(document, "conversations.json")
    found = items(path)
    assert contents(found) == [
        "Rides a bike.",
        "家里有两只猫。",
        "Likes tea.",
        "Sails.",
        odd,
    ]
    assert [(each.created or "")[:19] for each in records(found)][:2] == ["2026-06-09T10:13:22", "2026-06-09T10:13:20"]
    assert "no text" in notes(found) and "1 conversation with 6 messages" in notes(found)


def test_chatgpts_conversations_may_be_several_files(written: Callable[..., Path], tmp_path: Path) -> None:
    """Numbered ones; a broken conversation costs only itself."""
    written([conversation(bio({"text": "one"}))], "out/conversations-000.json")
    written(json.dumps([conversation(bio({"text": "two"})), {"title": "no tree"}])[:-1], "out/conversations-001.json")
    written("<html></html>", "out/chat.html")
    found = items(tmp_path / "out")
    assert told(tmp_path / "out").name == "chatgpt"
    assert (contents(found), codes(found)) == (["one", "two"], ["bad_request", "bad_value"])
    assert "*.html" in notes(found)


# PAM and .mem


def test_a_bundles_states_and_guesses_are_kept(written: Callable[..., Path]) -> None:
    """What was inferred stays a guess, what was retracted is served to nobody, an instruction is a rule."""

    def memory(n: int, **fields: Any) -> dict[str, Any]:
        time = {"created_at": "2026-07-01T10:00:00Z", "valid_until": "2027-01-01T00:00:00Z"}
        return {"id": f"m{n}", "content": f"text {n}", "type": "fact", "temporal": time, "provenance": {}, **fields}

    document = {
        "schema": "portable-ai-memory",
        "schema_version": "1.0",
        "memories": [
            memory(1, provenance={"platform": "chatgpt", "extraction_method": "llm_inference"}),
            memory(2, status="retracted"),
            memory(3, type="instruction", provenance={"extraction_method": "explicit_user_input"}),
            memory(4, type="custom", custom_type="recipe", confidence={"initial": 0.9, "current": 0.4}),
            memory(5, status="gone"),
            {"id": "m6"},
        ],
        "relations": [{"from": "m1", "to": "m2", "type": "supports"}],
    }
    found = items(written(document))
    one, two, three, four = records(found)
    assert (one.source, one.agent, one.tags) == ("self_inferred", "chatgpt", ["fact"])
    assert (two.status, three.kind, three.source) == ("rejected", "rule", "user_explicit")
    assert (four.tags, four.confidence, (four.valid_to or "")[:4]) == (["recipe"], 0.4, "2027")
    assert codes(found) == ["bad_value", "bad_request"] and "relations" in notes(found)


def test_a_mem_bundles_kinds_are_memories(tmp_path: Path) -> None:
    """Facts, entities and relations with names, profile, settings and routines; a secret's reference is none."""
    folder = tmp_path / "x.mem" / "items"
    folder.mkdir(parents=True)
    (tmp_path / "x.mem" / "manifest.json").write_text("{}")
    lines = {
        "entity": {"id": "e1", "canonicalName": "आशा", "type": "person", "summary": "a nurse"},
        "edge": {"id": "d", "srcEntityID": "e1", "dstEntityID": "e9", "edgeType": "knows", "tValidFrom": "2026-01-01"},
        "fact": {"id": "f", "text": "Lives in Pune", "predicate": "lives", "subject": "आशा", "supersededBy": "f2"},
        "core": {"id": "human", "content": "Is a nurse.", "charBudget": 9},
        "preference": {"key": "units", "value": "metric"},
        "procedure": {"id": "p", "name": "Deploy", "triggerPattern": "deploy", "steps": ["test", "push"]},
        "episode": {
            "id": "x",
            "summary": "Short.",
            "details": "Long.",
            "deletedAt": "2026-05-05T00:00:00Z",
            "pinned": True,
        },
        "secretRef": {"id": "s", "preview": "sk-…"},
    }
    for kind, line in lines.items():
        (folder / f"{kind}.jsonl").write_text(json.dumps(line) + "\n{torn\n")
    found = items(tmp_path / "x.mem")
    made = {each.content: each for each in records(found)}
    assert set(made) == {
        "आशा: a nurse",
        "आशा knows e9",
        "Lives in Pune",
        "Is a nurse.",
        "units: metric",
        "Deploy (when: deploy)\n1. test\n2. push",
        "Short.\n\nLong.",
    }
    assert (made["Is a nurse."].core, made["units: metric"].kind) == (True, "preference")
    assert (made["Lives in Pune"].status, made["Short.\n\nLong."].status) == ("superseded", "forgotten")
    assert codes(found) == ["bad_value"] * 7 and "*.jsonl: 1 file" in notes(found)


def test_a_changed_mem_bundle_says_so(tmp_path: Path) -> None:
    """By its checksums, which also name what is missing; what is there is taken."""
    bundle = Path(shutil.copytree(SAMPLES / "portable.mem", tmp_path / "x.mem"))
    episodes = bundle / "items" / "episode.jsonl"
    episodes.write_text(episodes.read_text().replace("no emoji", "no emojis"))
    with (bundle / "CHECKSUMS").open("a") as sums:
        sums.write("0" * 64 + "  items/gone.jsonl\nno sum\n")
    found = items(bundle)
    assert len(contents(found)) == 3
    assert [item.place for item in found if isinstance(item, Noted)] == [
        "items/episode.jsonl",
        "CHECKSUMS",
        "CHECKSUMS",
        "fields",
    ]


def test_a_fact_says_who_said_it_and_an_entity_its_names(tmp_path: Path) -> None:
    """What the user said is theirs; a message of theirs may be a question, and is not. Names that are none are left."""
    folder = tmp_path / "x.mem" / "items"
    folder.mkdir(parents=True)
    (tmp_path / "x.mem" / "manifest.json").write_text("{}")
    fact = {"id": "f", "predicate": "likes", "subject": "आशा"}
    entity = {"id": "e", "type": "person"}
    lines = {
        "fact": [
            {**fact, "text": "Likes tea", "speaker": "user"},
            {**fact, "text": "Likes milk", "speaker": "assistant"},
        ],
        "episode": [{"id": "x", "summary": "Do I like tea?", "details": "Do I like tea?", "speaker": "user"}],
        "entity": [
            {**entity, "canonicalName": "आशा", "aliases": ["Asha", "asha ", " ", "आशा", "阿莎"]},
            {**entity, "canonicalName": "Mira", "aliases": "Mi"},
        ],
    }
    for kind, each in lines.items():
        (folder / f"{kind}.jsonl").write_text("\n".join(map(json.dumps, each)))
    found = items(tmp_path / "x.mem")
    sources = {each.content: each.source for each in records(found)}
    assert sources == {
        "Likes tea": "user_explicit",
        "Likes milk": None,
        "Do I like tea?": None,
        "आशा: person": None,
    }
    assert [item.entry for item in found if isinstance(item, Beside)] == [
        wire.ImportAlias(alias="Asha", entity="आशा"),
        wire.ImportAlias(alias="阿莎", entity="आशा"),
    ]
    assert codes(found) == ["bad_value"]


# All of them


def pieces(found: Iterator[Item]) -> int:
    """How much was found."""
    return sum(1 for _ in found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.binary(max_size=300) | st.text(st.sampled_from('[]{}",:\\\n- #%>`ab1'), max_size=120).map(str.encode))
def test_any_bytes_come_to_an_end_in_every_format(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """What can't be read is left, noted or refused with a sentence: no reader raises anything else."""
    for name in ("any.md", "any.json"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(data)
        for format in FORMATS:
            try:
                pieces(format.read(path, READING))
            except Refusal:
                continue


@pytest.mark.parametrize(
    "name",
    ["mcp-memory-service.json", "mem0-export.json", "pam-bundle/memory-store.json", "claude-export/memories.json"],
)
def test_a_cut_file_gives_what_stands_before_the_cut(tmp_path: Path, name: str) -> None:
    """Wherever it is cut: the same records as before, fewer of them, and that something is missing."""
    whole = SAMPLES / name
    all_of_it = contents(items(whole))
    format = told(whole)
    data = whole.read_bytes()
    for end in range(0, len(data) - 3, 37):
        path = tmp_path / whole.name
        path.write_bytes(data[:end])
        found = list(format.read(path, READING))
        texts = contents(found)
        assert texts == all_of_it[: len(texts)]
        assert any(isinstance(each, Left) for each in found) or not data[:end].strip()


@pytest.mark.parametrize(
    ("module", "text", "mended"),
    [
        (mcp_memory_service, '{"content": "x", "created_at": "soon"}', ("soon", "2026-01-01")),
        (mem0, '{"memory": "x", "created_at": "soon"}', ("soon", "2026-01-01")),
        (pam, '{"content": "x", "status": "gone"}', ("gone", "active")),
        (claude_export, '{"conversations_memory": 5}', ("5", '"x"')),
        (chatgpt_export, '{"mapping": 5}', ("5", json.dumps({"a": {"message": bio({"text": "x"})}}))),
        (portable_mem, '{"details": "x", "summary": ""', ('""', '""}')),
    ],
)
def test_what_was_left_is_read_again_when_it_is_mended(module: Any, text: str, mended: tuple[str, str]) -> None:
    """The text of it, as it is in the repair file."""
    (left,) = [each for each in module.again(text, "line 1", READING) if isinstance(each, Left)]
    assert left.raw == text
    assert contents(list(module.again(text.replace(*mended), "line 1", READING))) == ["x"]


def test_a_shell_completes_all_formats() -> None:
    """memtrigctl, which imports none of this, knows the names of the table, and our own bundle, which is none of it."""
    verb = importlib.import_module("memtrig.ctl.verbs.import")
    assert set(verb.FORMATS) == {each.name for each in FORMATS} | {"bundle"}


def test_a_format_can_be_named_for_what_does_not_look_like_it(written: Callable[..., Path]) -> None:
    """As users do where a file has been cut or renamed."""
    path = written([{"content": "x"}], "strange.bin")
    assert chosen("mem0", path).name == "mem0"
    assert contents(list(chosen("mem0", path).read(path, Reading(UTC, READING.now)))) == ["x"]
