"""The rows that all comparisons store and read: six columns, one row for each frame of a video."""

from __future__ import annotations

import importlib

import numpy as np
import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("episode_id", pa.int64()),
        ("frame_index", pa.int32()),
        ("task", pa.string()),
        ("speed", pa.float64()),
        ("reward", pa.float64()),
        ("video", pa.large_binary()),
    ]
)
TABLE_OPTIONS = {"file.format": "parquet", "video-frame-field": "video"}
DATABASE, TABLE = "robots", "frames"
MODULES = {"reelhouse": "reelhouse", "pypaimon": "pypaimon.multimodal"}


def rows_of_episode(episode: int, frames: int) -> pa.Table:
    """All columns but the video. `speed` repeats nowhere in an episode, `reward` has 100 values."""
    index = np.arange(frames)
    return pa.table(
        {
            "episode_id": np.full(frames, episode, np.int64),
            "frame_index": index.astype(np.int32),
            "task": pa.array([f"task {episode % 20}"] * frames, pa.string()),
            "speed": np.sin(index / 50.0 + episode),
            "reward": (index % 100) / 100.0,
        }
    )


def connect(engine: str, warehouse, options: dict | None = None):
    return importlib.import_module(MODULES[engine]).connect(
        database=DATABASE, options={"warehouse": str(warehouse), **(options or {})}
    )


def create_table(engine: str, warehouse, options: dict | None = None):
    return connect(engine, warehouse, options).create_table(TABLE, schema=SCHEMA, options=TABLE_OPTIONS)


def open_table(engine: str, warehouse, options: dict | None = None):
    return connect(engine, warehouse, options).get_table(TABLE)
