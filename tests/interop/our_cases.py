"""Warehouses written by us: the vector cases that are made by appends and tags alone, and a few of our own."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import reelhouse as rh

from .makers import OurCase, makers

Writer = Callable[[str], None]


def _partitioned(out: str) -> None:
    schema = pa.schema([("id", pa.int64()), ("day", pa.date32()), ("site", pa.string()), ("v", pa.float64())])
    case = OurCase(out, "partitioned", "the appends of the vector", schema, partitioned=["day", "site"])
    first, second = dt.date(2024, 1, 2), dt.date(1969, 12, 30)
    case.t.add(
        [
            {"id": 1, "day": first, "site": "lab", "v": 1.5},
            {"id": 2, "day": first, "site": "a/b=c %", "v": 2.5},
            {"id": 3, "day": second, "site": "a-long-partition-value", "v": 3.5},
            {"id": 4, "day": None, "site": None, "v": 4.5},
            {"id": 5, "day": first, "site": "lab", "v": 5.5},
        ]
    )
    case.t.add([{"id": 6, "day": first, "site": "lab", "v": 6.5}])
    case.finish()


def _video_two(out: str) -> None:
    case = OurCase(out, "video_two", "the vector, with objects", makers.FRAMES, {"video-frame-field": "video"})
    first, second = case.mp4("a.mp4", 9, seed=1), case.mp4("b.mp4", 5, gop=2, seed=40)
    case.t.add_videos([(first, makers.frame_rows(0, 9)), (second, makers.frame_rows(1, 5))])
    empty = [{"episode": 2, "idx": i, "video": None} for i in range(2)]
    frames = [
        {"episode": 2, "idx": 2 + i, "video": rh.VideoFrameDescriptor(first, 0, -1, 3 + i, -1, 0)} for i in range(4)
    ]
    case.t.add(empty + frames + empty)
    case.finish()


def _two_cameras(out: str) -> None:
    schema = pa.schema(
        [("episode", pa.int64()), ("idx", pa.int32()), ("front", pa.large_binary()), ("wrist", pa.large_binary())]
    )
    case = OurCase(out, "two_cameras", "the vector, with objects", schema, {"video-frame-field": "front,wrist"})

    def frames(path: str, count: int, first: int = 0) -> list[rh.VideoFrameDescriptor]:
        return [rh.VideoFrameDescriptor(path, 0, -1, first + i, -1, 0) for i in range(count)]

    front, left, right = case.mp4("f.mp4", 6, seed=3), case.mp4("w1.mp4", 3, seed=30), case.mp4("w2.mp4", 3, seed=60)
    wrist = frames(left, 3) + frames(right, 3)
    case.t.add({"episode": [0] * 6, "idx": list(range(6)), "front": frames(front, 6), "wrist": wrist})
    case.t.add({"episode": [1] * 2, "idx": [0, 1], "front": frames(front, 2, 2), "wrist": [None, None]})
    case.finish()


def _tagged(out: str) -> None:
    case = OurCase(out, "tagged", "the vector; both tags stay", pa.schema([("id", pa.int64()), ("v", pa.string())]))
    case.t.add([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    case.t.create_tag("first", snapshot_id=1)
    case.t.add([{"id": 3, "v": "c"}])
    case.t.create_tag("kept")
    case.finish()


def _write_cols_optimized(out: str) -> None:
    options = {"data-evolution.write-cols-optimization.enabled": "true"}
    case = OurCase(out, "write_cols_optimized", "the append of the vector", makers.BLOBS, options)
    case.t.add(makers.blob_rows(0, 4))
    case.finish()


def _first_frame(out: str) -> None:
    case = OurCase(out, "first_frame", "rows from the middle of a video", makers.FRAMES, {"video-frame-field": "video"})
    case.t.add_video(case.mp4("a.mp4", 9), makers.frame_rows(0, 4), first_frame=5)
    case.t.add_videos([(case.mp4("b.mp4", 6, seed=5), makers.frame_rows(1, 2), 1)])
    case.finish()


def _several_files(out: str) -> None:
    """Three appends that roll the Parquet file; groups of different sizes."""
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
    case = OurCase(out, "several_files", "rolled Parquet files", schema, {"target-file-size": "16 kb"})
    for first, count in ((0, 6_000), (6_000, 1), (6_001, 2_999)):
        ids = range(first, first + count)
        case.t.add(pa.table({"id": pa.array(ids, pa.int64()), "text": [f"{k * 2654435761 % 2**32:x}" for k in ids]}))
    case.finish()


def _rolled_blobs(out: str) -> None:
    options = {"blob.target-file-size": "1 kb"}
    case = OurCase(out, "rolled_blobs", "one Parquet file over several .blob files", makers.BLOBS, options)
    case.t.add(makers.blob_rows(0, 40))
    case.finish()


def _extreme_values(out: str) -> None:
    """Smallest, greatest, special and empty values of each type, so that statistics are tried as well."""
    types = {
        "i8": pa.int8(),
        "i64": pa.int64(),
        "f32": pa.float32(),
        "f64": pa.float64(),
        "name": pa.string(),
        "raw": pa.binary(),
        "day": pa.date32(),
        "clock": pa.time32("ms"),
        "ts_s": pa.timestamp("s"),
        "ts_us": pa.timestamp("us"),
        "ltz_ms": pa.timestamp("ms", tz="UTC"),
        "dec18": pa.decimal128(18, 3),
        "dec38": pa.decimal128(38, 10),
        "gone": pa.int32(),
    }
    utc = dt.timezone.utc
    low = {
        "i8": -128,
        "i64": -(2**63),
        "f32": float("-inf"),
        "f64": -0.0,
        "name": "",
        "raw": b"",
        "day": dt.date(1, 1, 1),
        "clock": dt.time(0, 0),
        "ts_s": dt.datetime(1, 1, 1),
        "ts_us": dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
        "ltz_ms": dt.datetime(1900, 1, 1, 0, 0, 0, 1000, utc),
        "dec18": decimal.Decimal("-999999999999999.999"),
        "dec38": decimal.Decimal("-9999999999999999999999999999.9999999999"),
        "gone": None,
    }
    high = {
        "i8": 127,
        "i64": 2**63 - 1,
        "f32": float("inf"),
        "f64": 1.7976931348623157e308,
        "name": "\U0001f916 \u00e9\u65e5 'quoted' \\ \" end",
        "raw": bytes(range(256)),
        "day": dt.date(9999, 12, 31),
        "clock": dt.time(23, 59, 59, 999_000),
        "ts_s": dt.datetime(9999, 12, 31, 23, 59, 59),
        "ts_us": dt.datetime(2250, 12, 31, 23, 59, 59, 999_999),  # the checker counts in floats
        "ltz_ms": dt.datetime(2038, 1, 19, 3, 14, 8, 0, utc),
        "dec18": decimal.Decimal("999999999999999.999"),
        "dec38": decimal.Decimal("9999999999999999999999999999.9999999999"),
        "gone": None,
    }
    nothing: dict[str, Any] = dict.fromkeys(types)
    case = OurCase(out, "extreme_values", "the ends of each type", pa.schema(list(types.items())))
    case.t.add([low, high, nothing, nothing | {"f32": float("nan"), "f64": float("nan"), "name": "seven77"}])
    case.finish()


def _depth(out: str) -> None:
    """Numbers of 16 bits as FFV1 in MOV, with other pictures than key frames, and of 12 bits as HEVC."""
    schema = pa.schema([("id", pa.int64()), ("deep", pa.large_binary()), ("shallow", pa.large_binary())])
    case = OurCase(out, "depth", "depth", schema, {"video-frame-field": "deep,shallow"})

    def pictures(most: int) -> list[np.ndarray]:
        numbers = np.arange(48 * 64, dtype=np.uint64) * 40503
        return [((numbers + 977 * k) % (most + 1)).astype(np.uint16).reshape(48, 64) for k in range(9)]

    case.t.add_images_as_video(
        {"deep": pictures(65535), "shallow": pictures(4095)},
        [{"id": k} for k in range(9)],
        fps=30,
        gop_size=4,
        codec={"shallow": "libx265"},
        codec_options={"shallow": {"preset": "ultrafast", "x265-params": "lossless=1"}},
    )
    case.finish()


def _many_commits(out: str) -> None:
    """More commits than `manifest.merge-min-count`, from which on a base list may be merged."""
    case = OurCase(out, "many_commits", "35 appends", pa.schema([("id", pa.int64()), ("v", pa.string())]))
    for k in range(35):
        case.t.add([{"id": k, "v": f"v{k}"}])
    case.finish()


# Cases whose vector functions run unchanged with our API, and those with a writer here. `SNAPSHOT` is the snapshot of
# the vector up to which only appends were made; None: the newest.
_SHARED = ("plain_append", "plain_stats", "video_rolled", "images_as_video", "blob", "blob_nested")
_SHARED += ("blob_descriptor_field", "vector_column", "no_keyframe_index", "partition_types")
_OWN_INPUTS: dict[str, Writer] = {
    "partitioned": _partitioned,
    "video_two": _video_two,
    "two_cameras": _two_cameras,
    "tagged": _tagged,
    "write_cols_optimized": _write_cols_optimized,
}
SNAPSHOT: dict[str, int | None] = {name: None for name in (*_SHARED, *_OWN_INPUTS)}
SNAPSHOT |= {"partitioned": 2, "write_cols_optimized": 1}

VECTOR_CASES: dict[str, Writer] = {name: getattr(makers, name) for name in _SHARED} | _OWN_INPUTS
MORE_CASES: dict[str, Writer] = {
    "first_frame": _first_frame,
    "several_files": _several_files,
    "rolled_blobs": _rolled_blobs,
    "extreme_values": _extreme_values,
    "many_commits": _many_commits,
    "depth": _depth,
}
CASES = VECTOR_CASES | MORE_CASES


def write_case(out: Path, name: str) -> Path:
    """Writes one case and returns its folder."""
    CASES[name](str(out))
    return out / name
