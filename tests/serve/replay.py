"""From moves to steps: a history is played once in full; what was really sent can then be played again in part."""

from typing import Any

import msgspec
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import DEFAULT_LEVEL, Level
from memtrigd.domain.moments import Micros
from memtrigd.gate.doors import CONTROL, HANDED, LEVEL_DOORS, Door
from tests.serve.asking import CURSOR, ID, MARK, SESSION, START, TOKEN
from tests.serve.harness import Line, Nursery, World, mark
from tests.serve.histories import Agent, Clock, Move, Owner, Stranger

OWNERS_LINE = -1
CLOCKS_LINE = -2
"""No line: time passes, which is no act of any level."""


class Step(Struct, frozen=True):
    """What one move came to: an act at ``level``, the bytes sent on a line at a moment, and the bytes answered.

    A line has the number of the step that opened it. ``frame`` None hangs up. ``parts`` are the frames of an act at
    every level, from the lowest up: it is one act at each. ``told`` is whether the reply is to be compared.
    """

    number: int
    level: Level
    at: Micros
    line: int
    door: Door
    frame: bytes | None
    reply: bytes = b""
    parts: tuple[bytes, ...] = ()
    told: bool = True

    def answers(self) -> list[wire.Answer]:
        """The answers in the reply; what the line was told unasked is among them."""
        return answers(self.reply)


def answers(reply: bytes) -> list[wire.Answer]:
    """Take the frames of a reply apart."""
    found = []
    while reply:
        end = wire.PREFIX + int.from_bytes(reply[: wire.PREFIX])
        found.append(wire.decode_answer(reply[wire.PREFIX : end]))
        reply = reply[end:]
    return found


def _asked_for(reply: bytes) -> bytes:
    """A reply without notices: the owner's line is told of every level, whatever the level of an act."""
    return b"".join(wire.frame(each) for each in answers(reply) if not isinstance(each.notice, wire.Notice))


class Player:
    """Plays steps in a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lines: dict[int, Line] = {}

    def play(self, step: Step) -> bytes:
        """Do what the step says and return the bytes that come back."""
        self._world.now, self._world.handed = step.at, None
        if step.line == CLOCKS_LINE:
            self._world.tick()
            return b""
        line = self._lines.get(step.line)
        if line is None:
            if step.door == HANDED:
                return b""
            line = self._lines[step.line] = self._world.connect(step.door)
        if step.frame is None:
            line.hang_up()
            return b""
        said = line.send(step.frame)
        if self._world.handed is not None:
            self._lines[step.number] = self._world.handed
        return _asked_for(said) if step.door == CONTROL else said


class Author:
    """Turns moves into steps while they are played in full, and keeps book of who is at which level.

    It knows levels only from what was opened and raised, as the design has it, never from what the daemon says of one:
    an act has the level at which it runs; what a session does after a raise is an act at the new level.
    """

    def __init__(self, player: Player) -> None:
        self.steps: list[Step] = []
        self._player = player
        self._now = START
        self._lines: list[tuple[int, Door]] = []
        self._session_of: dict[int, str] = {}
        self._level: dict[str, Level] = {}
        self._session_by_token: dict[str, str] = {}
        self._ids: list[str] = []
        self._cursors: list[str] = []

    def write(self, move: Move) -> None:
        """Make a step of a move and play it."""
        number = len(self.steps)
        line, door = self._line(move, number)
        request, level = move.request, self._level_of(line, door)
        if isinstance(request, wire.Request):
            request = self._filled(request, level, move.pick)
            level = self._act(request, level)
        frame = wire.call(number, request) if isinstance(request, wire.Request) else request
        self._now += move.wait
        step = Step(number, level, self._now, line, door, frame, parts=_parts(number, request))
        step = msgspec.structs.replace(step, reply=self._player.play(step))
        step = msgspec.structs.replace(step, level=_where_it_ran(request, step))
        self.steps.append(step)
        if frame is None and line != CLOCKS_LINE and len(self._lines) > 1:
            self._lines.remove((line, door))
        if step.reply and isinstance(request, wire.Request):
            self._learn(step, request)

    def _line(self, move: Move, number: int) -> tuple[int, Door]:
        match move.speaker:
            case Agent(line):
                return self._lines[line % len(self._lines)]
            case Stranger(level):
                self._lines.append((number, LEVEL_DOORS[level]))
                return self._lines[-1]
            case Owner():
                return OWNERS_LINE, CONTROL
            case Clock():
                return CLOCKS_LINE, CONTROL

    def _level_of(self, line: int, door: Door) -> Level:
        """The level of whoever is on a line: the owner sees all, unless the act says otherwise."""
        if line == CLOCKS_LINE:
            return Level.PUBLIC
        session = self._session_of.get(line)
        if session is not None:
            return self._level[session]
        return Level.RESTRICTED if door.level is None else door.level

    def _act(self, request: wire.Request, level: Level) -> Level:
        """The level of an act: for a session verb the higher of where the session is and where it is to go."""
        match request:
            case wire.Act(all_levels=True) | wire.Act(request=wire.WhyNot()):
                return Level.RESTRICTED
            case wire.Act(level=None):
                named = next((at for at in Level if mark(at) in (getattr(request.request, "id", None) or "")), None)
                writes = isinstance(request.request, wire.Write)
                return (DEFAULT_LEVEL if named is None else named) if writes else Level.RESTRICTED
            case wire.Act():
                return Level[request.level]
            case wire.SessionOpen(resume=None):
                return Level[request.level]
            case wire.SessionOpen():
                return self._level[self._session_by_token[request.resume]]
            case wire.SessionRaise():
                return max(Level[request.level], self._level[request.session])
            case wire.SessionEnd() | wire.SessionUntrusted():
                return self._level[request.session]
        return level

    def _filled(self, request: wire.Request, level: Level, pick: int) -> wire.Request:
        """Fill the places of a request. What is not there yet is asked for by a name that nobody has."""
        match request:
            case wire.Act():
                own = Level.PUBLIC if request.all_levels else self._act(request, level)  # said at each, so below too
                return msgspec.structs.replace(request, request=self._filled(request.request, own, pick))
            case wire.SessionOpen() | wire.SessionRaise():
                level = Level[request.level]

        def chosen(among: list[str]) -> str:
            return among[pick % len(among)] if among else "nobody's"

        seen = {
            ID: chosen(self._ids),
            CURSOR: chosen(self._cursors),
            SESSION: chosen([*self._level]),
            TOKEN: chosen([*self._session_by_token]),
        }

        def fill(value: object) -> Any:
            if isinstance(value, msgspec.Struct):
                fields = msgspec.structs.asdict(value).items()
                return msgspec.structs.replace(value, **{field: fill(each) for field, each in fields})
            if isinstance(value, list):
                filled = list(map(fill, value))
                return list(dict.fromkeys(filled)) if all(isinstance(each, str) for each in filled) else filled
            return seen.get(value, value.replace(MARK, mark(level))) if isinstance(value, str) else value

        filled: wire.Request = fill(request)
        return filled

    def _learn(self, step: Step, request: wire.Request) -> None:
        """Keep what later moves may use, and the levels of sessions."""
        match step.answers()[-1].result:
            case wire.Welcome() as welcome:
                line = step.number if isinstance(request, wire.SessionOpen) else step.line
                if line != step.line:
                    self._lines.append((line, HANDED))
                self._session_of[line] = welcome.session
                self._session_by_token[welcome.resume] = welcome.session
                self._level.setdefault(welcome.session, step.level)
            case wire.Raised():
                self._level[request.session] = step.level
            case wire.Saved(id=new) | wire.Promised(promise=wire.Promise(id=new)):
                self._ids.append(new)
            case wire.Listed(next_cursor=str(cursor)):
                self._cursors.append(cursor)


def play_in_full(nursery: Nursery, moves: list[Move]) -> list[Step]:
    """Play a history on a fresh store, with the replies."""
    with nursery.world(START) as world:
        author = Author(Player(world))
        for move in moves:
            author.write(move)
        return author.steps


def play_again(nursery: Nursery, steps: list[Step]) -> list[bytes]:
    """Play steps on a fresh store as they were; return what is answered now."""
    with nursery.world(START) as world:
        player = Player(world)
        return [player.play(step) for step in steps]


def purged(steps: list[Step], level: Level) -> list[Step]:
    """The history as it is without all acts above a level. Of an act at every level those at the lower ones stay."""
    kept = []
    for step in steps:
        if step.parts:
            lower = zip(Level, step.parts, strict=True)
            kept += [
                msgspec.structs.replace(step, level=at, frame=part, parts=(), told=False)
                for at, part in lower
                if at <= level
            ]
        elif step.level <= level:
            kept.append(step)
    return kept


def _parts(number: int, request: object) -> tuple[bytes, ...]:
    """An act at every level, as an act at each."""
    if not isinstance(request, wire.Act) or not request.all_levels:
        return ()
    acts = (msgspec.structs.replace(request, level=level.name, all_levels=False) for level in Level)
    return tuple(wire.call(number, act) for act in acts)


def _where_it_ran(request: object, step: Step) -> Level:
    """The level of an act that looks itself for the level that it is to run at, and did so; else as it was said."""
    if not isinstance(request, wire.Act) or request.level is not None:
        return step.level
    match request.request, step.answers()[-1].result:
        case wire.Unforget(), wire.Settled(level=level):
            return Level[level]
        case wire.AliasRemove(), wire.Aliases(aliases=[removed, *_]):
            return Level[removed.level]
        case ((wire.Unforget() | wire.AliasRemove()), _):
            return Level.RESTRICTED
    return step.level
