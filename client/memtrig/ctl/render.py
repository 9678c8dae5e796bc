"""Text for a terminal: stored text made harmless, columns that align in every script, times as people say them.

Memories come from anywhere. Whatever one of them holds, nothing but these modules' own styles moves the cursor,
changes a colour or turns the direction of the line.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
LAST = 8
"""Columns that the last column of a table has at least, if it needs them."""
_BREAKS = (0x2028, 0x2029)
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_UNSEEN = (0xAD, 0x180E, 0x200B, *range(0x2060, 0x2065), *range(0x206A, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC))
"""What takes no room and shows nothing. Joiners are not among them: Hindi, Marathi and emoji are spelt with them."""
_SMUGGLED = tuple(range(0xE0000, 0xE0080))
"""Tags: an alphabet that models read and people don't see."""
DANGEROUS = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    for code in (*_CONTROLS, *_BIDI, *_BREAKS, *_UNSEEN, *_SMUGGLED)
}
"""C0 and C1 controls, marks, embeddings and overrides of direction, exotic line ends: each with its visible form."""
_IN_TEXT = {code: form for code, form in DANGEROUS.items() if chr(code) not in "\n\t"}


def safe(text: str) -> str:
    """Make a text harmless; its lines and tabs stay."""
    return text.replace("\r\n", "\n").translate(_IN_TEXT)


def one_line(text: str) -> str:
    """Make a text harmless and put it on one line, white space collapsed."""
    return " ".join(text.split()).translate(DANGEROUS)


def width(text: str) -> int:
    """Count the terminal columns of a harmless text: East Asian wide characters take two, combining marks none."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    """Count the columns of one character, as xterm, VTE and glibc do (spacing vowel signs, category Mc, take one)."""
    if char < "\u0300":
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff":  # medial and final jamo
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def clip(text: str, columns: int) -> str:
    """Shorten a text to so many columns, and show by an ellipsis that it was."""
    if width(text) <= columns:
        return text
    used, kept = 0, 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept += 1
    return text[:kept] + "…"


def paragraph(text: str, columns: int | None, lines: int) -> list[str]:
    """Make a text harmless and indent it; on a terminal of so many columns wrap it, and show its first lines only."""
    if columns is None:
        return [f"  {line}" for line in safe(text).split("\n")]
    wrapped = wrap(safe(text), columns - 2)
    first = [line for _, line in zip(range(lines), wrapped, strict=False)]
    if next(wrapped, None) is not None:
        first[-1] = clip(f"{first[-1]} …", columns - 2)
    return [f"  {line}" for line in first]


def wrap(text: str, columns: int) -> Iterator[str]:
    """Break a harmless text into lines of at most so many columns.

    A line ends between words or beside a wide character; inside a word only where it is longer than a line, and never
    within a syllable that combining signs and a virama tie together.
    """
    for given in text.split("\n"):
        yield from _wrapped(given.expandtabs(4), columns)


def _wrapped(text: str, columns: int) -> Iterator[str]:
    line, gap = "", 0
    for cluster in _clusters(text):
        room = width(cluster)
        if line and width(line) + room > columns and cluster != " ":
            end = gap if gap and room < 2 else len(line)
            yield line[:end].rstrip()
            line, gap = line[end:].lstrip(), 0
        line += cluster
        if cluster == " " or room == 2:
            gap = len(line)
    yield line.rstrip()


def _clusters(text: str) -> Iterator[str]:
    """Divide a text where a line may be broken if it must: before no combining sign, after no virama or joiner."""
    cluster = ""
    for char in text:
        joined = unicodedata.category(char) in ("Mn", "Mc", "Me", "Cf") or _ties(cluster[-1:])
        if cluster and not joined:
            yield cluster
            cluster = ""
        cluster += char
    if cluster:
        yield cluster


def _ties(char: str) -> bool:
    return char == "\u200d" or (char != "" and unicodedata.combining(char) == 9)


class Screen:
    """Where the lines go: ``columns`` wide (None for a file or a pipe: nothing is shortened), in colour or not.

    Times are told as seen from ``now`` in ``zone``; None is the system's.
    """

    __slots__ = ("colour", "columns", "now", "zone")

    def __init__(
        self,
        columns: int | None = None,
        colour: bool = False,
        now: datetime | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self.columns = columns
        self.colour = colour
        self.now = now or datetime.now(UTC)
        self.zone = zone

    def bold(self, text: str) -> str:
        """Set a harmless text in bold."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        """Set a harmless text in a fainter colour."""
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def when(self, iso: str) -> str:
        """Say a moment, ISO 8601, as people here and now do: ``3 min ago``, ``today 14:05``, ``2026-11-28 09:30+0530``.

        A day that has a date has the offset of here on that day, too.
        """
        moment = datetime.fromisoformat(iso)
        local, today = self._here(moment), self.now.astimezone(self.zone).date()
        seconds = (self.now - moment).total_seconds()
        if 0 <= seconds < 60:
            return "just now"
        if 0 <= seconds < 3600:
            return f"{seconds // 60:.0f} min ago"
        days = (today - local.date()).days
        name = {0: "today", 1: "yesterday", -1: "tomorrow"}.get(days)
        return f"{name} {local:%H:%M}" if name else f"{local:%Y-%m-%d %H:%M%z}"

    def ago(self, iso: str) -> str:
        """Say how long ago a moment was, ISO 8601: ``3 h ago``, ``2 days ago``; one of tomorrow as ``when`` does."""
        hours = (self.now - datetime.fromisoformat(iso)).total_seconds() / 3600
        if not hours >= 1:
            return self.when(iso)
        return f"{hours:.0f} h ago" if hours < 36 else f"{hours / 24:.0f} days ago"

    def clock(self, iso: str) -> str:
        """Say the full date and time of a moment, with the offset of the zone."""
        return f"{self._here(datetime.fromisoformat(iso)):%Y-%m-%d %H:%M:%S %z}"

    def _here(self, moment: datetime) -> datetime:
        """Bring a moment into the zone of here; the first and last days of the calendar stay as they are."""
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            return moment

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        """Align rows under a header. On a terminal the last column gets what is left, the others at most a third."""
        cells = [list(header), *([one_line(cell) for cell in row] for row in rows)]
        widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
        if self.columns is not None:
            widths = _fitted(widths, self.columns - 2 * (len(widths) - 1), self.columns // 3)
            cells = [[clip(cell, room) for cell, room in zip(row, widths, strict=True)] for row in cells]
        first, *others = ["  ".join(map(_pad, row[:-1], widths)) + "  " + row[-1] for row in cells]
        return [self.dim(first.rstrip()), *(line.rstrip() for line in others)]

    def facts(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Write named values below each other; those without a value are left out."""
        present = [(name, one_line(value)) for name, value in pairs if value]
        room = max((len(name) for name, _ in present), default=0)
        return [f"  {self.dim(name.ljust(room))}  {value}" for name, value in present]


def _fitted(widths: list[int], columns: int, most: int) -> list[int]:
    """Share so many columns: the last one gets the rest, the others what they need, but none over ``most``.

    Where that leaves the last one less than LAST, the widest of the others give way.
    """
    *others, last = [*(min(room, most) for room in widths[:-1]), widths[-1]]
    while others and max(others) > LAST and columns - sum(others) < min(last, LAST):
        others[others.index(max(others))] -= 1
    return [*others, max(LAST, columns - sum(others))]


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))
