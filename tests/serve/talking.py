"""Playing talks over MCP in a daemon in memory.

What is said is chosen while it is said, as ids and cursors come from what was answered before; what was really sent
can then be sent again in part.
"""

import asyncio
import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.gate.doors import CONTROL, LEVEL_DOORS
from memtrigd.serve.mcp.engine import Engine
from tests.serve.asking import CURSOR, ID, MARK, START
from tests.serve.harness import Line, World, mark
from tests.serve.talks import OWNER, Given, Move

MODERN: Final = "2026-07-28"
OLDER: Final = "2025-11-25"
CALLS_AT_REST: Final = 3
"""Looks at an event loop without work in a row after which nothing more will come of itself."""


class AtOnce(Engine):
    """An engine whose library is there from the first."""

    def start(self) -> None:
        """Load now."""
        if not self.ready:
            self._loaded(_library())


class McpWorld(World):
    """A daemon in memory that serves MCP."""

    engines = AtOnce


class Step(Struct, frozen=True):
    """What was really said on a line, by whom, when. An act of the owner has the level at which it runs."""

    number: int
    level: Level
    at: Micros
    line: int
    frame: bytes


class Heard(Struct, frozen=True):
    """What the daemon said on a line after a step."""

    line: int
    after: int
    said: bytes


class Stage:
    """Lets steps happen in a world, and keeps book of what each line was told, asked for or not."""

    def __init__(self, world: World) -> None:
        self.heard: list[Heard] = []
        self._world = world
        self._lines: dict[int, Line] = {}

    async def play(self, step: Step) -> bytes:
        """Let a step happen and all that comes of it; returns what its own line was told."""
        self._world.now = step.at
        if step.line == OWNER:
            own = self._lines.setdefault(OWNER, self._world.connect(CONTROL))
            own.send(step.frame)
        else:
            if step.line not in self._lines:
                self._lines[step.line] = self._world.connect(LEVEL_DOORS[step.level])
            self._lines[step.line].push(step.frame)
        await at_rest()
        answer = b""
        for number, line in self._lines.items():
            said = line.taken()
            if said and number != OWNER:
                self.heard.append(Heard(number, step.number, said))
            answer = said if number == step.line else answer
        return answer


class Author:
    """Makes steps of moves while they are played in full."""

    def __init__(self, stage: Stage, older: frozenset[int]) -> None:
        self.steps: list[Step] = []
        self._stage = stage
        self._older = older
        self._now = START
        self._seen: dict[str, list[str]] = {ID: [], CURSOR: []}

    async def begin(self) -> None:
        """Let an agent of each level greet, in the older era or the newer."""
        for level in Level:
            hello = {"protocol": 1, "agent": f"agent of {mark(level)}", "tools": "all"}
            await self._say(level, level.value, msgspec.json.encode({"memtrig": hello}))
            if level.value in self._older:
                client = {"name": "agent", "version": "1"}
                start = {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": client}
                await self._ask(level, "initialize", start)
                await self._say(level, level.value, b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
                for uri in ("memory://recent", "memory://guidance"):
                    await self._ask(level, "resources/subscribe", {"uri": uri})
            else:
                wanted = {"resourcesListChanged": True, "resourceSubscriptions": ["memory://recent"]}
                await self._ask(level, "subscriptions/listen", {"notifications": wanted})

    async def write(self, move: Move) -> None:
        """Make a step of a move and play it."""
        self._now += move.wait
        if isinstance(move.what, wire.Request):
            level = Level[move.level]
            fields = {name: self._filled(value, level, move.pick) for name, value in _fields(move.what).items()}
            act = wire.Act(request=msgspec.structs.replace(move.what, **fields), level=level.name)
            await self._say(level, OWNER, wire.call(len(self.steps), act))
            return
        level = Level(move.who)
        method, params = move.what
        await self._ask(level, method, self._filled(params, level, move.pick))

    async def _ask(self, level: Level, method: str, params: Given) -> None:
        if level.value not in self._older:
            about = {
                "protocolVersion": MODERN,
                "clientInfo": {"name": "agent", "version": "1"},
                "clientCapabilities": {},
            }
            params = {**params, "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}}
        asked = {"jsonrpc": "2.0", "id": len(self.steps), "method": method, "params": params}
        await self._say(level, level.value, msgspec.json.encode(asked))

    async def _say(self, level: Level, line: int, said: bytes) -> None:
        frame = said if line == OWNER else said + b"\n"
        step = Step(len(self.steps), level, self._now, line, frame)
        self.steps.append(step)
        answer = await self._stage.play(step)
        text = answer.decode(errors="replace")
        self._seen[ID] += re.findall(r"mzz[a-z]+zz\d+", text)
        self._seen[CURSOR] += re.findall(r'cursor"?:\s*\\?"([^"\\]+)', text)

    def _filled(self, value: Any, level: Level, pick: int) -> Any:
        match value:
            case dict():
                return {name: self._filled(each, level, pick) for name, each in value.items()}
            case list():
                return [self._filled(each, level, pick) for each in value]
            case str() if value in self._seen:
                seen = self._seen[value]
                return seen[pick % len(seen)] if seen else "nobody's"
            case str():
                return value.replace(MARK, mark(level))
        return value


async def play_in_full(world: World, moves: Iterable[Move], older: frozenset[int]) -> tuple[list[Step], list[Heard]]:
    """Play moves on a fresh world; returns what was said and what was heard."""
    stage = Stage(world)
    author = Author(stage, older)
    await author.begin()
    for move in moves:
        await author.write(move)
    return author.steps, stage.heard


async def play_again(world: World, steps: Iterable[Step]) -> list[Heard]:
    """Play steps on a fresh world as they were; returns what is heard now."""
    stage = Stage(world)
    for step in steps:
        await stage.play(step)
    return stage.heard


async def at_rest() -> None:
    """Wait until the loop has nothing left to do, now or at once."""
    loop = asyncio.get_running_loop()
    quiet = 0
    while quiet < CALLS_AT_REST:
        await asyncio.sleep(0)
        quiet = 0 if getattr(loop, "_ready") else quiet + 1  # noqa: B009  private to asyncio


def _fields(request: wire.Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__struct_fields__}


_loaded: list[Any] = []


def _library() -> Any:
    """The library, made once: its import takes a second."""
    if not _loaded:
        from memtrigd.serve.mcp.server import SdkLibrary

        _loaded.append(SdkLibrary())
    return _loaded[0]
