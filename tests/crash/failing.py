"""memtrigd on a disk that fails on command: ``python -m tests.crash.failing --home DIR``.

While DIR/fault is there every write (``pwrite64``) or sync (``fdatasync``) of SQLite's fails as it says.
"""

import sys
from pathlib import Path
from typing import Any

import apsw

from memtrigd.__main__ import main

FAULT = Path(sys.argv[sys.argv.index("--home") + 1]) / "fault"
_IO = {"pwrite64": apsw.SQLITE_IOERR_WRITE, "fdatasync": apsw.SQLITE_IOERR_FSYNC}


def _fail(call: str) -> None:
    try:
        failing, fault = FAULT.read_text().split()
    except FileNotFoundError:
        return
    if failing != call:
        return
    error: Any = apsw.FullError(fault) if fault == "error=ENOSPC" else apsw.IOError(fault)
    error.extendedresult = apsw.SQLITE_FULL if fault == "error=ENOSPC" else _IO[call]
    raise error


class _File(apsw.VFSFile):
    def xWrite(self, data: Any, offset: int) -> None:
        _fail("pwrite64")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        _fail("fdatasync")
        super().xSync(flags)


class _Vfs(apsw.VFS):
    def __init__(self) -> None:
        self._base = apsw.vfs_names()[0]
        super().__init__("failing", self._base, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> _File:
        return _File(self._base, name, flags)


if __name__ == "__main__":
    vfs = _Vfs()
    main()
