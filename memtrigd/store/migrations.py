"""Bringing a file's schema up to date, and refusing files that no version of this program wrote."""

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.store.schema import Schema


def version_of(connection: apsw.Connection) -> int:
    """The schema version of an open file."""
    return int(connection.pragma("user_version"))


def refuse_unknown(connection: apsw.Connection, schema: Schema, name: str) -> None:
    """Raise Refusal ``level_unavailable`` if the file ``name`` has a version that is none of the known ones."""
    version = version_of(connection)
    if version < 1:
        raise Refusal(
            "level_unavailable",
            f"{name} says of itself that it has schema {version}, and no memtrigd leaves a file like that.",
            "It was left as it is. Move it away and restore the right file from a backup.",
        )
    if version > schema.version:
        raise Refusal(
            "level_unavailable",
            f"schema_newer: {name} has schema {version}; this memtrigd knows {schema.version}.",
            "Start the newer memtrigd that wrote it, or restore a backup made before the upgrade.",
        )


def migrate(connection: apsw.Connection, schema: Schema) -> None:
    """Take each missing step of ``schema``, one transaction per step, so that a crash leaves a whole version."""
    for number, step in enumerate(schema.steps[version_of(connection) :], start=version_of(connection) + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            connection.pragma("application_id", schema.application_id)
            connection.pragma("user_version", number)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
