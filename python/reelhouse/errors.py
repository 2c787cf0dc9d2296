"""Exceptions of this package. Each also has the base class that callers of Paimon's Python API catch."""

from __future__ import annotations

__all__ = [
    "CatalogException",
    "CommitConflictError",
    "CommitUnknownError",
    "CorruptFileError",
    "DatabaseAlreadyExistException",
    "DatabaseNotEmptyException",
    "DatabaseNotExistException",
    "ReelhouseError",
    "TableAlreadyExistException",
    "TableNotExistException",
    "TagAlreadyExistException",
    "TagNotExistException",
    "VideoDecodeError",
]


class ReelhouseError(Exception):
    """Root of the exceptions of this package."""


class CommitConflictError(ReelhouseError, RuntimeError):
    """Another commit was in the way, and trying again did not help.

    Attributes: ``base_snapshot_id``, ``other_snapshot_id``, ``columns``, ``row_ids`` (the first 100).
    """


class CommitUnknownError(ReelhouseError, RuntimeError):
    """It is not known whether the commit took place; nothing was cleaned up.

    Attributes: ``path`` of the snapshot file, ``commit_user``, ``commit_identifier``.
    """


class CorruptFileError(ReelhouseError, OSError):
    """A file breaks its format. Attributes: ``path``, ``offset`` in bytes."""


class VideoDecodeError(ReelhouseError, ValueError):
    """A frame cannot be had. Attributes: ``table``, ``row_id``, ``path``, ``frame_index``."""


class CatalogException(ReelhouseError):
    """Root of the exceptions about databases, tables and tags."""


class DatabaseNotExistException(CatalogException):
    """There is no such database."""


class DatabaseAlreadyExistException(CatalogException):
    """A database of that name exists."""


class DatabaseNotEmptyException(CatalogException):
    """The database still has tables."""


class TableNotExistException(CatalogException):
    """There is no such table."""


class TableAlreadyExistException(CatalogException):
    """A table of that name exists."""


class TagNotExistException(CatalogException, ValueError):
    """There is no such tag."""


class TagAlreadyExistException(CatalogException, ValueError):
    """A tag of that name exists."""
