"""Which model is chosen, written into the configuration: of all else there not a byte is another."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.embedder.choice import Choice
from memtrigd.embedder.choosing import edited, read, write
from memtrigd.embedder.shelf import Unusable

COMMENTED = """# mine
[owner]
seat_belt = true   # on

[semantic] # how things are found
on = false
  model = "/old"
# kept

[backup]
on = false
"""
LINES = ["", "# on = 1", "[owner]", "seat_belt = true", "[semantic]", "on = false", 'model = "/m"', "[log]", '["a]"]']


def test_other_lines_stay_as_they_are() -> None:
    """Comments, blanks, the order, and fields of the same names elsewhere."""
    fresh = edited(COMMENTED, Choice(on=True, directory='/a "b"\\é'))
    assert tomllib.loads(fresh)["semantic"] == {"on": True, "model": '/a "b"\\é'}
    ours = ("on = ", "  model", "model")
    others = [line for line in COMMENTED.splitlines() if not line.startswith(ours)]
    assert [line for line in fresh.splitlines() if not line.startswith(ours)] == others
    assert tomllib.loads(fresh)["backup"] == {"on": False}


@given(st.lists(st.sampled_from(LINES)), st.booleans(), st.none() | st.just("/new"))
def test_whatever_stands_there_a_choice_is_added_or_nothing_is_done(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], on: bool, directory: str | None
) -> None:
    """What can't be parsed, before or after, is left alone and told of."""
    config, text = tmp_path_factory.getbasetemp() / "memtrigd.toml", "\n".join(lines)
    config.write_text(text)
    try:
        write(config, Choice(on, directory))
    except Unusable as why:
        assert why.code == "bad_value" and config.read_text() == text
        return
    assert read(config) == Choice(on, directory)
    before, after = tomllib.loads(text), tomllib.loads(config.read_text())
    before.pop("semantic", None)
    after.pop("semantic")
    assert after == before


@pytest.mark.parametrize("said", ["model = 3", "on = 1", "on = 'no'"])
def test_what_is_no_choice_is_told_of(tmp_path: Path, said: str) -> None:
    """As the daemon tells of it in its log: which file, and where in it."""
    config = tmp_path / "memtrigd.toml"
    for text in (f"[semantic]\n{said}", "semantic = 3"):
        config.write_text(text)
        with pytest.raises(Unusable, match=r"memtrigd\.toml: under \[semantic\]") as caught:
            read(config)
        assert caught.value.code == "bad_value"


def test_a_link_stays_one(tmp_path: Path) -> None:
    """To where somebody keeps what is configured."""
    kept, config = tmp_path / "kept.toml", tmp_path / "memtrigd.toml"
    kept.write_text("# mine\n")
    config.symlink_to(kept)
    write(config, Choice(on=False))
    assert config.is_symlink() and read(kept) == Choice(on=False)
    assert sorted(tmp_path.iterdir()) == [kept, config]


def test_without_a_file_one_is_made(tmp_path: Path) -> None:
    """A new home has no configuration."""
    config = tmp_path / "config" / "memtrigd.toml"
    write(config, Choice(on=False))
    assert config.read_text() == "[semantic]\non = false\n"
    assert read(config) == Choice(on=False)


def test_what_else_a_table_holds_is_not_thrown_away(tmp_path: Path) -> None:
    """An inline table, or a field that is unknown here, is the owner's to edit."""
    config = tmp_path / "memtrigd.toml"
    for text in ("semantic = {on = true}\n", "[semantic]\nnew = 1\n"):
        config.write_text(text)
        with pytest.raises(Unusable):
            write(config, Choice(on=False))
        assert config.read_text() == text
