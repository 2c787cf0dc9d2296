"""Reelhouse: a native engine for Apache Paimon multimodal tables with video columns.

>>> import reelhouse as rh
>>> connection = rh.connect(options={"warehouse": "/data/warehouse"})
"""

from __future__ import annotations

import pyarrow as _pyarrow  # noqa: F401, loads the Arrow libraries that the native part shares

from . import _reelhouse
from .blob import Blob, BlobDescriptor, VideoFrameDescriptor
from .connection import MultimodalConnection, connect
from .errors import (
    CatalogException,
    CommitConflictError,
    CommitUnknownError,
    CorruptFileError,
    DatabaseAlreadyExistException,
    DatabaseNotEmptyException,
    DatabaseNotExistException,
    ReelhouseError,
    TableAlreadyExistException,
    TableNotExistException,
    TagAlreadyExistException,
    TagNotExistException,
    VideoDecodeError,
)
from .query import ScanQuery
from .table import MultimodalTable, VerifyReport

__version__: str = _reelhouse.__version__

__all__ = [
    "Blob",
    "BlobDescriptor",
    "CatalogException",
    "CommitConflictError",
    "CommitUnknownError",
    "CorruptFileError",
    "DatabaseAlreadyExistException",
    "DatabaseNotEmptyException",
    "DatabaseNotExistException",
    "MultimodalConnection",
    "MultimodalTable",
    "ReelhouseError",
    "ScanQuery",
    "TableAlreadyExistException",
    "TableNotExistException",
    "TagAlreadyExistException",
    "TagNotExistException",
    "VerifyReport",
    "VideoDecodeError",
    "VideoFrameDescriptor",
    "build_info",
    "connect",
]


def build_info() -> dict[str, object]:
    """Versions of this package and of what it was built with, and the tested video encoders that are there."""
    return {
        "reelhouse": __version__,
        "arrow": _reelhouse.arrow_version(),
        "ffmpeg": _reelhouse.ffmpeg_version(),
        "encoders": _reelhouse.tested_encoders(),
    }
