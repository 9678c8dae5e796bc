"""Handles: a connection to one file for one thread, and what its errors mean to whoever holds it."""

from collections.abc import Iterator
from typing import Any, NoReturn, TypeAlias

import apsw

from memtrigd.store.faults import refusal_for

Row: TypeAlias = tuple[Any, ...]
Values: TypeAlias = tuple[Any, ...] | dict[str, Any]
"""What is bound, by place or by name."""


class ReadHandle:
    """Reads of the file ``name``. What SQLite can't read comes out as a Refusal that names the file.

    So only the reader is concerned, wherever it runs: on the loop, in a lane or in a job that writes another file.
    """

    def __init__(self, connection: apsw.Connection, name: str) -> None:
        self.connection = connection
        self._name = name
        self._idle: list[apsw.Cursor] = []
        """Cursors of reads that are over."""

    def _first(self, sql: str, values: Values = ()) -> Row | None:
        try:
            return self.connection.execute(sql, values).fetchone()
        except apsw.Error as error:
            self._tell(error)

    def _rows(self, sql: str, values: Values = ()) -> list[Row]:
        try:
            return self.connection.execute(sql, values).fetchall()
        except apsw.Error as error:
            self._tell(error)

    def _lazily(self, sql: str, values: Values) -> Iterator[Row]:
        """Rows as they are asked for. What is left half-read ends its statement, which would hold its snapshot.

        Cursors are used again: in apsw 3.54 one that is open while another of its connection goes is never freed.
        """
        cursor = self._idle.pop() if self._idle else self.connection.cursor()
        try:
            for row in cursor.execute(sql, values):  # noqa: UP028 - "yield from" would close the cursor
                yield row
        except GeneratorExit:
            cursor.execute("")
            raise
        except apsw.Error as error:
            self._tell(error)
        finally:
            self._idle.append(cursor)

    def _tell(self, error: apsw.Error) -> NoReturn:
        refusal = refusal_for(error, self._name)
        if refusal is None:
            raise error
        raise refusal from error


class WriteHandle(ReadHandle):
    """Reads through the handle that writes: their errors are the transaction's, which has more to judge by."""

    def _tell(self, error: apsw.Error) -> NoReturn:
        raise error
