"""Warehouses: `connect` and `MultimodalConnection`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from . import _reelhouse
from ._rows import rows_from, schema_of
from .table import MultimodalTable

__all__ = ["MultimodalConnection", "connect"]


def connect(*, database: str = "default", options: Mapping[str, Any] | None = None) -> MultimodalConnection:
    """Opens a warehouse. Nothing is written before the first table is created.

    Args:
        database: Where table names without a dot are looked up.
        options: ``warehouse`` (required): a path, relative path or ``file:`` URI. ``commit.fsync`` (default true):
            a commit that returned survives power loss. ``reelhouse.external-roots``: comma list of paths outside the
            warehouse that references inside rows may point to.

    Raises:
        ValueError: An option is missing or wrong.
    """
    if not options:
        raise ValueError("options is required.")
    if not database:
        raise ValueError("database is required.")
    return MultimodalConnection(_reelhouse.connect(_as_text(options), database))


def _as_text(options: Mapping[str, Any] | None) -> dict[str, str]:
    """Options as they are stored: text. True and False in Paimon's spelling."""
    return {str(k): str(v).lower() if isinstance(v, bool) else str(v) for k, v in (options or {}).items()}


class MultimodalConnection:
    """A warehouse with a default database. Safe from several threads."""

    def __init__(self, native: _reelhouse.Connection) -> None:
        self._native = native

    @property
    def database(self) -> str:
        """Where table names without a dot are looked up."""
        return self._native.database

    @property
    def warehouse(self) -> str:
        """The warehouse as descriptors spell it."""
        return self._native.warehouse

    def create_table(
        self,
        name: str,
        data: Any = None,
        schema: pa.Schema | None = None,
        options: Mapping[str, Any] | None = None,
        partitioned: str | Iterable[str] | None = None,
        ignore_if_exists: bool = False,
        *,
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> MultimodalTable:
        """Creates a table, with its first rows if `data` is given: both appear at once, or nothing does.

        Args:
            name: ``table`` or ``database.table``; the database is made if it is not there.
            data: First rows, of any kind that `MultimodalTable.add` takes.
            schema: Columns. ``large_binary`` is BLOB, a fixed-size list is VECTOR. Inferred from `data` if left out.
            options: Table options, e.g. ``{"video-frame-field": "video"}``.
            partitioned: Names of the partition columns.
            ignore_if_exists: Return an existing table as it is; `data` is then not added.
            comment: Stored with the schema.
            properties: Stored in the snapshot of the first rows.

        Raises:
            ValueError: The schema, an option or a partition column is wrong.
            TableAlreadyExistException: There is such a table.
        """
        if ignore_if_exists:
            from .errors import TableNotExistException

            try:
                return self.get_table(name)
            except TableNotExistException:
                pass
        if schema is not None and not isinstance(schema, pa.Schema):
            raise ValueError("schema must be a pyarrow.Schema.")
        rows = None
        if schema is None:
            if data is None:
                raise ValueError("schema or data is required.")
            schema, rows = schema_of(data)
        elif data is not None:
            rows = rows_from(data, schema)
        partition_keys = [partitioned] if isinstance(partitioned, str) else list(partitioned or [])
        native = self._native.create_table(
            name,
            schema,
            options=_as_text(options),
            partition_keys=partition_keys,
            ignore_if_exists=ignore_if_exists,
            comment=comment,
            rows=rows,
            properties=dict(properties or {}),
        )
        return MultimodalTable(native)

    def get_table(self, name: str) -> MultimodalTable:
        """Opens a table.

        Raises:
            TableNotExistException: There is no such table.
            ValueError: It is not a multimodal table.
        """
        return MultimodalTable(self._native.get_table(name))

    def drop_table(self, name: str, ignore_if_not_exists: bool = False) -> None:
        """Removes a table and its files.

        Raises:
            TableNotExistException: There is no such table.
        """
        self._native.drop_table(name, ignore_if_not_exists)

    def rename_table(self, old: str, new: str) -> None:
        """Renames a table; the new name must be free."""
        self._native.rename_table(old, new)

    def list_tables(self, database: str | None = None) -> list[str]:
        """Names of the tables of a database, sorted.

        Raises:
            DatabaseNotExistException: There is no such database.
        """
        return self._native.list_tables(database)

    def list_databases(self) -> list[str]:
        """Names of all databases, sorted."""
        return self._native.list_databases()

    def create_database(self, name: str, *, ignore_if_exists: bool = False) -> None:
        """Makes a database.

        Raises:
            DatabaseAlreadyExistException: There is such a database.
        """
        self._native.create_database(name, ignore_if_exists)

    def drop_database(self, name: str, *, ignore_if_not_exists: bool = False) -> None:
        """Removes an empty database.

        Raises:
            DatabaseNotExistException: There is no such database.
            DatabaseNotEmptyException: It still has tables.
        """
        self._native.drop_database(name, ignore_if_not_exists)

    def __repr__(self) -> str:
        return f"MultimodalConnection(warehouse={self.warehouse!r}, database={self.database!r})"
