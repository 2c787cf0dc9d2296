"""Queries: which rows and columns of a table are wanted, and how they come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from . import _reelhouse

__all__ = ["ScanQuery"]

_CHANNELS = {"rgb24": 3, "gray8": 1, "gray16": 1}


class ScanQuery:
    """A query over one table. Builder methods change this object and return it; nothing is read before a terminal
    call, and each terminal call plans anew. Rows come in row-id order, partition by partition in a partitioned table."""

    def __init__(self, native: _reelhouse.Query) -> None:
        self._native = native

    # what is wanted

    def where(self, text: str | None) -> ScanQuery:
        """Keeps rows for which the filter is true; repeated calls are ANDed; None or blank is no filter.

        Raises:
            ValueError: The text is no filter; the error gives the position and what was expected.
        """
        if text is not None and not isinstance(text, str):
            raise ValueError("where() expects a SQL-like string.")
        self._native.where(text or "")
        return self

    def select(self, columns: str | Iterable[str]) -> ScanQuery:
        """Columns of the result, in this order; the last call wins. ``_ROW_ID`` and ``_SEQUENCE_NUMBER`` may be named.

        Raises:
            ValueError: A column is not in the table.
        """
        self._native.select([columns] if isinstance(columns, str) else list(columns))
        return self

    def with_row_id(self) -> ScanQuery:
        """Adds ``_ROW_ID`` (int64, not null) at the end unless it is selected."""
        self._native.with_row_id()
        return self

    def limit(self, rows: int | None) -> ScanQuery:
        """At most this many rows; None is no limit, 0 or a negative number no rows."""
        if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int)):
            raise TypeError(f"limit must be an int or None, got {type(rows)}.")
        self._native.limit(rows)
        return self

    # rows

    def to_arrow(self) -> pa.Table:
        """All rows. BLOB cells are serialized descriptors unless the table says ``blob-as-descriptor=false``."""
        return pa.table(_StreamCapsule(self._native.to_table()))

    def to_arrow_batch_reader(self, *, blob_parallelism: int | None = None) -> pa.RecordBatchReader:
        """Rows as a stream, planned now; memory stays flat. Use it in ``with`` or close it to release files early."""
        return pa.RecordBatchReader.from_stream(_StreamCapsule(self._native.to_reader()))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._native.to_reader()

    def to_pandas(self) -> Any:
        """All rows as a pandas DataFrame."""
        return self.to_arrow().to_pandas()

    def to_list(self) -> list[dict[str, Any]]:
        """All rows as dicts; MAP cells are lists of pairs."""
        return self.to_arrow().to_pylist()

    def count(self) -> int:
        """Number of rows; without a filter from metadata alone."""
        return self._native.count()

    def explain(self) -> str:
        """The plan in words: snapshot, files and rows kept and pruned, and why."""
        return self._native.explain()

    # content of blob columns

    def read_blobs(
        self, columns: str | Iterable[str] | None = None, *, parallelism: int = 64
    ) -> tuple[pa.Table, dict[str, list]]:
        """Rows without their BLOB columns, and the content of BLOB columns as lists beside them.

        Args:
            columns: BLOB, ARRAY<BLOB> or MAP<_, BLOB> columns; None: all of the selection.
            parallelism: Most ranges that are read at once.

        Returns:
            ``(rows, {column: cells})``; a cell is bytes, a list, a list of (key, bytes), or None. A video column gives
            the whole encoded video once per row.

        Raises:
            ValueError: A column is no BLOB column, or there is none.
        """
        return _rows_with_blobs(self._native.read_blobs(_names(columns), _parallelism(parallelism)))

    def stream_blobs(
        self, columns: str | Iterable[str] | None = None, *, parallelism: int = 64
    ) -> Iterator[tuple[pa.Table, dict[str, list]]]:
        """The pairs of `read_blobs`, one for each batch of rows."""
        batches = self._native.stream_blobs(_names(columns), _parallelism(parallelism))
        return map(_rows_with_blobs, iter(batches.next, None))

    # frames of video columns

    def read_frames(
        self,
        column: str | Iterable[str] | None = None,
        *,
        format: str = "rgb24",
        size: tuple[int, int] | None = None,
        layout: str = "HWC",
        scaler: str = "bilinear",
        on_error: str = "raise",
        stack: bool = False,
        out: np.ndarray | None = None,
        threads: int | None = None,
    ) -> Any:
        """Decoded frames of a video column in scan order, exact whatever the order and number of rows.

        Args:
            column: May be left out where the table has one video column. A list of columns gives a dict.
            format: ``rgb24``: uint8 (H, W, 3); ``gray8``: uint8 (H, W), luma at full range; ``gray16``: uint16 (H, W),
                values as stored.
            size: (height, width) to scale to.
            layout: ``HWC`` or ``CHW``.
            scaler: ``nearest``, ``bilinear``, ``bicubic`` or ``area``.
            on_error: ``raise``, or ``null`` for None in place of a frame that cannot be had.
            stack: One array (N, ...) instead of a list; with ``on_error="null"`` a pair (array, valid).
            out: Array (N, ...) that takes the frames; implies `stack`.
            threads: Most threads that decode; None: as many as there are cores.

        Returns:
            A list of arrays, None for rows without a frame.

        Raises:
            VideoDecodeError: A frame cannot be had; the error names row, file and frame.
        """
        if column is not None and not isinstance(column, str):
            names = list(column)
            if out is not None:
                raise ValueError("out= takes the frames of one column.")
            return {
                name: self.read_frames(
                    name,
                    format=format,
                    size=size,
                    layout=layout,
                    scaler=scaler,
                    on_error=on_error,
                    stack=stack,
                    threads=threads,
                )
                for name in names
            }
        if on_error not in ("raise", "null"):
            raise ValueError(f"on_error must be 'raise' or 'null', got {on_error!r}.")
        frames = self._native.read_frames(
            column or "",
            format=format,
            layout=layout,
            scaler=scaler,
            size=None if size is None else (int(size[0]), int(size[1])),
            null_on_error=on_error == "null",
            threads=threads or 0,
        )
        if not stack and out is None:
            return frames
        return _stacked(frames, format, layout, size, on_error, out)


class _StreamCapsule:
    """A capsule as an object that pyarrow takes."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._capsule


def _names(columns: str | Iterable[str] | None) -> list[str]:
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else list(columns)


def _parallelism(parallelism: int) -> int:
    if isinstance(parallelism, bool) or not isinstance(parallelism, int):
        raise TypeError(f"parallelism must be an int, got {type(parallelism)}.")
    return max(parallelism, 1)


def _rows_with_blobs(native: tuple[int, Any, list[tuple[str, Any]]]) -> tuple[pa.Table, dict[str, list]]:
    _, rows, blobs = native
    return pa.table(_StreamCapsule(rows)), {
        name: pa.table(_StreamCapsule(capsule)).column(0).to_pylist() for name, capsule in blobs
    }


def _stacked(
    frames: list[np.ndarray | None],
    format: str,
    layout: str,
    size: tuple[int, int] | None,
    on_error: str,
    out: np.ndarray | None,
) -> Any:
    missing = [i for i, frame in enumerate(frames) if frame is None]
    if missing and on_error != "null":
        raise ValueError(f"row {missing[0]} of the result has no frame; stack needs on_error='null' for NULL rows.")
    present = [frame for frame in frames if frame is not None]
    shapes = {frame.shape for frame in present}
    if len(shapes) > 1:
        raise ValueError(f"frames have different sizes {sorted(shapes)}; pass size=(height, width) to stack them.")
    height, width = size or (0, 0)
    if shapes:
        shape = shapes.pop()
    elif format == "rgb24":
        shape = (3, height, width) if layout == "CHW" else (height, width, 3)
    else:
        shape = (height, width)
    dtype = np.uint16 if format == "gray16" else np.uint8
    if out is None:
        out = np.zeros((len(frames), *shape), dtype)
    elif out.shape != (len(frames), *shape) or out.dtype != dtype:
        raise ValueError(
            f"out must have shape {(len(frames), *shape)} and dtype {np.dtype(dtype)}, got {out.shape} and {out.dtype}."
        )
    for i, frame in enumerate(frames):
        out[i] = 0 if frame is None else frame
    if on_error == "null":
        valid = np.ones(len(frames), bool)
        valid[missing] = False
        return out, valid
    return out
