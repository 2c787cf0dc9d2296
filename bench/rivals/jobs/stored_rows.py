"""What a writing job left in its warehouse, seen without any of the engines."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq


def stored_rows(warehouse: Path) -> int:
    return sum(pq.read_metadata(path).num_rows for path in warehouse.rglob("*.parquet"))


def stored_video_bytes(warehouse: Path) -> int:
    return sum(path.stat().st_size for path in warehouse.rglob("*.video"))
