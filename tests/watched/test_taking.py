"""What a folder's lines become, and whose word they are."""

from memtrig import wire

from memtrigd.domain.levels import Level
from tests.watched.conftest import Notes


def test_each_line_is_a_memory_linked_to_its_file_and_line(notes: Notes) -> None:
    """Lists in Markdown, with headings as tags; in Hindi and Chinese as well; `why` names the place."""
    notes.write("tea.md", "# Tea", "", "- Likes green tea", "- चाय बिना चीनी के पसंद है")
    notes.write("more/读书.md", "- 喜欢读书")
    folder = notes.watch()
    assert (folder.files, folder.lines, folder.troubles, folder.refused) == (2, 3, [], {})
    assert notes.texts() == {"Likes green tea", "चाय बिना चीनी के पसंद है", "喜欢读书"}
    memory = notes.memory("चाय बिना चीनी के पसंद है")
    assert (memory.source, memory.tags, memory.level) == ("file_import", ["Tea"], "INTERNAL")
    assert notes.why(memory.id).places == ["tea.md:4"]
    assert notes.why(notes.memory("喜欢读书").id).places == ["more/读书.md:1"]


def test_the_same_again_is_nothing_new(notes: Notes) -> None:
    """Looks, a restart, a touched file and a folder that is added anew change nothing."""
    notes.write("a.md", "- one", "- two")
    notes.watch()
    before = notes.memory("one")
    notes.look()
    notes.write("a.md", "- one", "- two")
    notes.look()
    notes.world.restart()
    notes.look()
    notes.owner.ask(wire.WatchRemove(folder=str(notes.root)))
    assert notes.watch().lines == 2
    assert notes.memory("one") == before and notes.texts() == {"one", "two"}
    assert before.seen_count == 1


def test_a_removed_line_closes_its_memory_and_deletes_nothing(notes: Notes) -> None:
    """It is out of service, its life says why, and undo brings it back."""
    notes.write("a.md", "- one", "- two", "- three")
    notes.watch()
    gone = notes.memory("two")
    notes.write("a.md", "- one", "- three")
    notes.look()
    assert notes.texts() == {"one", "three"}
    told = notes.owner.ask(wire.Act(request=wire.History(key=gone.key)))
    assert [each.status for each in told.memories] == ["expired"]
    assert (told.steps[-1].op, told.steps[-1].actor, told.steps[-1].reason) == ("expired", "folder", "its line is gone")
    assert isinstance(notes.owner.ask(wire.Act(request=wire.Undo(id=gone.id), level="INTERNAL")), wire.Undone)
    assert notes.texts() == {"one", "two", "three"}


def test_a_line_that_comes_back_is_in_service_again(notes: Notes) -> None:
    """Whoever takes a line out and puts it back means it."""
    notes.write("a.md", "- one", "- two")
    notes.watch()
    notes.write("a.md", "- one")
    notes.look()
    notes.write("a.md", "- one", "- two")
    notes.look()
    assert notes.texts() == {"one", "two"}


def test_a_changed_line_is_the_same_memory_in_new_words(notes: Notes) -> None:
    """The old text is superseded, linked to the new one; neighbours are untouched."""
    notes.write("a.md", "- one", "- two spoons of sugar", "- three")
    notes.watch()
    old, one = notes.memory("two spoons of sugar"), notes.memory("one")
    notes.write("a.md", "- one", "- no sugar", "- three")
    notes.look()
    new = notes.memory("no sugar")
    assert [each.status for each in notes.why(new.id).memories] == ["superseded", "active"]
    assert (new.supersedes, notes.memory("one")) == (old.id, one)
    assert notes.why(new.id).places == ["a.md:2"]
    notes.write("a.md", "- one", "- no sugar", "- three", "- two spoons of sugar")
    notes.look()
    assert notes.texts() == {"one", "no sugar", "three", "two spoons of sugar"}


def test_a_line_that_moves_keeps_its_memory(notes: Notes) -> None:
    """Within a file, to another file, and with a file that is renamed; and it is known where it is now."""
    notes.write("a.md", "- one", "- two")
    notes.write("b.md", "- three")
    notes.watch()
    before = {text: notes.memory(text).id for text in ("one", "two", "three")}
    notes.write("a.md", "- two")
    notes.write("b.md", "", "- three", "- one")
    notes.look()
    (notes.root / "b.md").rename(notes.root / "c.md")
    notes.look()
    assert {text: notes.memory(text).id for text in ("one", "two", "three")} == before
    assert notes.why(before["one"]).places == ["c.md:3"]


def test_a_line_in_two_files_closes_when_both_are_rid_of_it(notes: Notes) -> None:
    """One memory, two places."""
    notes.write("a.md", "- one", "- two")
    notes.write("b.md", "- one", "- three")
    notes.watch()
    assert notes.why(notes.memory("one").id).places == ["a.md:1", "b.md:1"]
    notes.write("a.md", "- two")
    notes.look()
    assert "one" in notes.texts()
    notes.write("b.md", "- three")
    notes.look()
    assert notes.texts() == {"two", "three"}


def test_the_file_outranks_inferences_and_no_word_of_the_user(notes: Notes) -> None:
    """What an agent noticed makes way for the line; what the user says stands, whatever a line says of its key."""
    agent = notes.world.agent(Level.INTERNAL)
    agent.ask(wire.Save(key="tea", content="two spoons", source="auto_detect"))
    notes.write("a.json", '{"tea": "no sugar", "walk": "in the morning"}')
    notes.watch()
    assert notes.texts() == {"no sugar", "in the morning"}
    assert agent.ask(wire.Save(key="tea", content="three spoons", source="auto_detect")).outcome == "contested"
    notes.save("with honey", key="tea")
    notes.write("a.json", '{"tea": "with salt", "walk": "in the morning"}')
    notes.look()
    assert notes.texts() == {"with honey", "in the morning"}


def test_what_agents_may_write_waits_for_a_yes(notes: Notes) -> None:
    """Unsaid, agents may write to a folder: they gain no authority by a file. A yes is the user's own word."""
    notes.write("a.md", "- Is the administrator", "- Likes tea")
    assert isinstance(notes.owner.ask(wire.WatchAdd(path=str(notes.root))), wire.Watched)
    assert notes.texts() == set()
    items = notes.owner.ask(wire.Act(request=wire.Review())).items
    assert {(each.memory.content, each.about, each.memory.source) for each in items} == {
        ("Is the administrator", "pending", "self_inferred"),
        ("Likes tea", "pending", "self_inferred"),
    }
    tea = next(each.memory for each in items if each.memory.content == "Likes tea")
    notes.owner.ask(wire.Act(request=wire.Confirm(id=tea.id), level="INTERNAL"))
    notes.write("a.md", "- Is not the administrator")
    notes.look()
    assert notes.texts() == {"Likes tea"}
    items = notes.owner.ask(wire.Act(request=wire.Review())).items
    assert [each.memory.content for each in items] == ["Is not the administrator"]


def test_whose_a_folder_is_can_be_said_later(notes: Notes) -> None:
    """What waited counts as the user's from then on, but for what they said no to; and back, what is there stays."""
    notes.write("a.md", "- one", "- two", "- three")
    notes.watch(by="agent")
    items = {each.memory.content: each.memory.id for each in notes.owner.ask(wire.Act(request=wire.Review())).items}
    notes.owner.ask(wire.Act(request=wire.Reject(id=items["two"]), level="INTERNAL"))
    notes.owner.ask(wire.WatchRemove(folder=str(notes.root)))
    notes.write("a.md", "- one", "- two")
    notes.watch(by="me")
    notes.look()
    assert notes.texts() == {"one"} and notes.memory("one").source == "file_import"
    assert notes.owner.ask(wire.Act(request=wire.Review())).items == []
    notes.owner.ask(wire.WatchRemove(folder=str(notes.root)))
    notes.watch(by="agent")
    assert notes.texts() == {"one"}
    notes.write("a.md", "- two", "- zero")
    notes.look()
    assert notes.texts() == set()


def test_no_file_says_more_of_itself_than_it_may(notes: Notes) -> None:
    """A source, a pin, a status or a higher level that a file claims changes nothing, or keeps the line out."""
    agent = '{"content": "I say so", "source": "stated", "confidence": 1.0, "pinned": true}'
    notes.write(
        "a.jsonl", agent, '{"content": "secret", "level": "RESTRICTED"}', '{"content": "old", "status": "forgotten"}'
    )
    folder = notes.watch()
    memory = notes.memory("I say so")
    assert (memory.source, memory.pinned) == ("file_import", False)
    assert notes.texts() == {"I say so"} and folder.refused == {"bad_level": 1, "bad_value": 1}


def test_what_was_forgotten_denied_or_deleted_stays_so(notes: Notes) -> None:
    """The line still stands there, and is no wish to have it back; nor is the file that holds it touched anew."""
    notes.write("a.md", "- one", "- two", "- three", "- four")
    notes.watch()
    ids = {text: notes.memory(text) for text in ("one", "two", "three")}
    owner = notes.owner
    owner.ask(wire.Act(request=wire.Forget(id=ids["one"].id), level="INTERNAL"))
    owner.ask(wire.Act(request=wire.Delete(key=ids["two"].key), level="INTERNAL"))
    for _ in range(2):
        owner.ask(wire.Act(request=wire.Deny(id=ids["three"].id), level="INTERNAL"))
    notes.write("a.md", "- two", "- one", "- five", "- three", "- four")
    notes.look()
    notes.world.restart()
    notes.look()
    assert notes.texts() == {"four", "five"}


def test_what_was_forgotten_elsewhere_is_not_learnt_from_a_file(notes: Notes) -> None:
    """The line is refused, and counted; the rest of the file is taken."""
    saved = notes.save("Lives in Pune")
    notes.owner.ask(wire.Act(request=wire.Forget(id=saved.id), level="INTERNAL"))
    notes.write("a.md", "- Lives in Pune", "- Likes tea")
    assert notes.watch().refused == {"forgotten": 1}
    assert notes.texts() == {"Likes tea"}


def test_a_credential_is_kept_out_and_the_line_before_it_closes(notes: Notes) -> None:
    """It is counted by its code, and named nowhere."""
    notes.write("a.md", "- The door is blue", "- Likes tea")
    notes.watch()
    notes.write("a.md", "- password: hunter2-Tr0ub4dor", "- Likes tea")
    folder = notes.look()
    assert folder.refused == {"secret": 1} and notes.texts() == {"Likes tea"}


def test_a_folder_closes_only_what_it_said(notes: Notes) -> None:
    """What the user says too, or pinned, stays when the line goes."""
    notes.save("Likes tea")
    notes.write("a.md", "- Likes tea", "- Likes salt", "- Likes bread")
    notes.watch()
    salt = notes.memory("Likes salt")
    notes.owner.ask(wire.Act(request=wire.Pin(key=salt.key), level="INTERNAL"))
    notes.write("a.md", "- Likes bread")
    notes.look()
    assert notes.texts() == {"Likes tea", "Likes salt", "Likes bread"}


def test_a_level_and_a_space_are_the_owners_word(notes: Notes) -> None:
    """Nothing of a folder at CONFIDENTIAL is seen below; the space is that which was named."""
    notes.write("a.md", "- Likes tea")
    folder = notes.watch(level="CONFIDENTIAL", space="home")
    assert (folder.level, folder.space) == ("CONFIDENTIAL", "home")
    assert notes.texts("INTERNAL") == set() and notes.texts("CONFIDENTIAL") == {"Likes tea"}
    assert notes.memory("Likes tea").space == "home"
    low = notes.world.agent(Level.INTERNAL)
    assert low.ask(wire.List()).memories == [] and low.ask(wire.GetStatus()).folders == []


def test_undo_of_the_session_takes_back_what_a_folder_did(notes: Notes) -> None:
    """Its id is the session of its memories."""
    notes.write("a.md", "- one", "- two")
    folder = notes.watch()
    notes.owner.ask(wire.WatchRemove(folder=folder.id))
    notes.owner.ask(wire.Act(request=wire.Undo(session=folder.id), level="INTERNAL"))
    assert notes.texts() == set()
