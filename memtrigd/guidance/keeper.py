"""Guidance in force: ``config/SPINE.md`` for all agents, and after it ``config/agents/AGENT/SPINE.md`` for one.

A file that can't be guidance replaces nothing: its last good version stays in force, in memory and for the next start.
"""

import os
import threading
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import structlog
from memtrig import wire
from memtrig.homes import Home
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.guidance import spine
from memtrigd.guidance.awareness import awareness
from memtrigd.guidance.shelf import Edition, Shelf, write_whole

POLL: Final = 1.0
"""Seconds between looks at the files where no watch tells of a change: what a link leads to may lie anywhere."""
SETTLED: Final = 0.1
"""Seconds for which a file must have been left alone: one that is just being written may be half of itself."""
PATIENCE: Final = 0.5
"""Seconds that are waited for that."""
MAX_AGENTS: Final = 256
"""Agents with a file of their own; those beyond, by name, have none."""

log = structlog.get_logger()


class Page(Struct, frozen=True):
    """A file as it was looked at last: the edition of it in force, and what is wrong with the file itself."""

    edition: Edition | None
    problem: str | None = None
    stamp: tuple[int, ...] | None = None


class Keeper:
    """Keeps what is in force. ``look`` may run on any thread; the questions read one state that is replaced whole."""

    def __init__(self, home: Home, locale: str | None, clock: Callable[[], Micros]) -> None:
        self.listeners: list[Callable[[str | None], None]] = []
        """Told on the loop's thread of each change: the agent whose file it was, None if it is for all."""
        self._config = Path(home.config)
        self._shelves = Path(home.state) / "guidance"
        self._clock = clock
        text = awareness(locale)
        self._built_in = Edition(text, spine.version_of(text), clock())
        """What is in force where nothing for all was ever good."""
        self._looking = threading.Lock()
        self._pages: Mapping[str | None, Page] = {}

    def begin(self) -> None:
        """Make the first file, in the user's language, unless there ever was one; then take up what there is."""
        path = self.path(None)
        if not path.is_symlink() and not path.exists() and self._shelf(None).newest() is None:
            try:
                self._config.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_whole(path, self._built_in.text, replace=False)
            except OSError as error:  # read-only or full: the built-in text serves as well
                log.warning("guidance_not_made", kind=type(error).__name__)
        self.look(settled=0)

    def look(self, *, settled: float = SETTLED) -> list[str | None]:
        """Read the files that changed. Returns whose guidance is another now: agents, and None for that of all."""
        with self._looking:
            self._await_writers(settled)
            before = self._pages
            self._pages = {agent: self._page(agent, before.get(agent)) for agent in (None, *self._agents())}
            seen = {agent: page for agent, page in before.items() if page.edition is not None}
            now = {agent: page for agent, page in self._pages.items() if page.edition is not None}
            return [agent for agent in seen | now if _text(seen.get(agent)) != _text(now.get(agent))]

    def places(self) -> Iterable[Path]:
        """The directories in which a change may be one of guidance: those of the files, and of what these link to."""
        yield self._config
        yield self._config / "agents"
        for agent in (None, *self._agents()):
            yield self.path(agent).parent
            yield Path(os.path.realpath(self.path(agent))).parent  # of links in a ring, too, which resolve() refuses

    def path(self, agent: str | None) -> Path:
        """The file for all agents, or for one. Raises Refusal ``bad_value`` for a name that no file can have."""
        if agent is None:
            return self._config / spine.NAME
        if not spine.may_name_a_file(agent):
            raise Refusal(
                "bad_value",
                "No file can have that agent's name.",
                f"A name of up to {spine.MAX_NAME} bytes can, with no slash in it and no dot or space before it.",
            )
        return self._config / "agents" / agent / spine.NAME

    def shown(self, agent: str | None) -> wire.GuidanceShown:
        """What is in force for an agent, or with none for those that have no file of their own."""
        pages = self._pages
        common, own = pages.get(None), pages.get(agent) if agent is not None else None
        found = [(common.edition, spine.NAME)] if common and common.edition else [(self._built_in, "built in")]
        if own is not None and own.edition is not None:
            found.append((own.edition, f"agents/{agent}/{spine.NAME}"))
        text = "\n".join(edition.text for edition, _ in found)
        return wire.GuidanceShown(
            text=text,
            version=spine.version_of(text),
            at=to_iso(max(edition.at for edition, _ in found)),
            source=" + ".join(source for _, source in found),
            files=self._files({None: common, **({agent: own} if agent is not None else {})}),
        )

    def files(self) -> list[wire.GuidanceFile]:
        """Every file there is, and that for all agents in any case."""
        return self._files({None: None, **self._pages})

    def problems(self, text: str | None, agent: str | None) -> list[str]:
        """What keeps a text, or without one the file as it is, from being guidance. Raises Refusal ``bad_value``."""
        path = self.path(agent)
        try:
            if text is None:
                spine.read(path)
            else:
                spine.decoded(text.encode())
        except spine.Unfit as unfit:
            return [f"{path if text is None else 'The text'} {unfit}."]
        return []

    def versions(self, agent: str | None) -> list[wire.GuidanceVersion]:
        """The versions of a file, the newest first. Raises Refusal ``bad_value``."""
        self.path(agent)
        kept = self._shelf(agent).editions()
        return [wire.GuidanceVersion(version=each.version, at=to_iso(each.at), text=each.text) for each in kept]

    def _await_writers(self, settled: float) -> None:
        """Wait for who is just writing, within reason."""
        end = time.monotonic() + PATIENCE
        while settled and any(map(self._is_fresh, (None, *self._agents()))) and time.monotonic() < end:
            time.sleep(settled / 4)

    def _is_fresh(self, agent: str | None) -> bool:
        """Tell whether a file changed a moment ago, and is not yet taken up."""
        stamp, page = spine.stamp(self.path(agent)), self._pages.get(agent)
        if stamp is None or (page is not None and page.stamp == stamp):
            return False
        return 0 <= time.time() - stamp[2] / 1e9 < SETTLED

    def _page(self, agent: str | None, before: Page | None) -> Page:
        path = self.path(agent)
        stamp = spine.stamp(path)
        if before is not None and stamp is not None and stamp == before.stamp:
            return before
        last = before.edition if before is not None else self._shelf(agent).newest()
        try:
            text = spine.read(path)
        except spine.Unfit as unfit:
            if before is None or before.problem != str(unfit):
                log.error("guidance_kept", why=f"{path} {unfit}")
            return Page(last, str(unfit), stamp)
        if last is not None and text == last.text:
            return Page(last, None, stamp)
        return Page(self._taken_up(agent, text), None, stamp)

    def _taken_up(self, agent: str | None, text: str) -> Edition:
        now = self._clock()
        log.info("guidance_taken_up", count=len(text))
        try:
            return self._shelf(agent).put(text, now)
        except OSError as error:  # in force all the same; only the next start would not have it
            log.error("guidance_not_kept", kind=type(error).__name__)
            return Edition(text, spine.version_of(text), now)

    def _agents(self) -> list[str]:
        """The agents that have a file of their own, or a link that should lead to one."""
        try:
            names = sorted(each.name for each in (self._config / "agents").iterdir())
        except OSError:
            return []
        plain = [name for name in names if unicodedata.is_normalized("NFC", name) and spine.may_name_a_file(name)]
        paths = [(name, self.path(name)) for name in plain[:MAX_AGENTS]]
        return [name for name, path in paths if path.is_symlink() or path.exists()]

    def _shelf(self, agent: str | None) -> Shelf:
        return Shelf(self._shelves / "all" if agent is None else self._shelves / "agents" / agent)

    def _files(self, pages: Mapping[str | None, Page | None]) -> list[wire.GuidanceFile]:
        return [self._file(agent, page or Page(None)) for agent, page in pages.items() if self._can_have(agent)]

    def _file(self, agent: str | None, page: Page) -> wire.GuidanceFile:
        edition = page.edition
        return wire.GuidanceFile(
            path=str(self.path(agent)),
            agent=agent,
            version=edition.version if edition else None,
            at=to_iso(edition.at) if edition else None,
            problem=page.problem,
        )

    def _can_have(self, agent: str | None) -> bool:
        return agent is None or spine.may_name_a_file(agent)


def _text(page: Page | None) -> str | None:
    return page.edition.text if page is not None and page.edition is not None else None
