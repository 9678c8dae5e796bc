"""The tools of our own: few, and each told to a model in the words that make it use it well."""

from typing import Annotated, Any, Final

from memtrig import wire
from msgspec import Meta

from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool


class Get(Arguments, frozen=True):
    """What get takes."""

    key: Annotated[str, Meta(description="The key of the memory, as save, search or list named it.")]


async def get(desk: Desk, given: Get) -> Shown:
    """Give one memory by its key."""
    got = await desk.ask(wire.Get(key=given.key), wire.Got)
    return Shown(got.memory.content, {"key": got.memory.key, "content": got.memory.content})


class Save(Arguments, frozen=True):
    """What save takes."""

    content: Annotated[str, Meta(description="One fact in a sentence, in the user's language.")]
    source: Annotated[str, Meta(description="user_explicit if the user said it, self_inferred if you guess it.")]
    key: Annotated[str | None, Meta(description="A name for the fact, such as user-name; made up if left out.")] = None


async def save(desk: Desk, given: Save) -> Shown:
    """Keep one fact."""
    saved = await desk.ask(wire.Save(content=given.content, key=given.key, source=given.source), wire.Saved)
    data: dict[str, Any] = {"key": saved.key, "status": saved.status, "outcome": saved.outcome}
    return Shown(f"{saved.outcome}: {saved.key}", data)


TOOLS: Final = (
    Tool(name="save", title="Remember", description="Remember one fact.", arguments=Save, run=save, repeats=False),
    Tool(name="get", title="Get", description="Get one memory by its key.", arguments=Get, run=get, reads=True),
)
