"""One warehouse for both: types, spelling of URIs, and videos that go from table to table."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest

import reelhouse as rh

from .comparison import assert_case_reads_as_expected
from .makers import connect, makers, open_table, payloads_of

TYPES = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "large_string": pa.large_string(),
    "binary": pa.binary(),
    "fixed": pa.binary(7),
    "blob": pa.large_binary(),
    "date": pa.date32(),
    "time": pa.time32("ms"),
    "ts_s": pa.timestamp("s"),
    "ts_ms": pa.timestamp("ms"),
    "ts_us": pa.timestamp("us"),
    "ts_ns": pa.timestamp("ns"),
    "ltz_ms": pa.timestamp("ms", tz="UTC"),
    "ltz_us": pa.timestamp("us", tz="UTC"),
    "decimal": pa.decimal128(12, 3),
    "list": pa.list_(pa.int32()),
    "list_of_lists": pa.list_(pa.list_(pa.string())),
    "vector": pa.list_(pa.float32(), 3),
    "map": pa.map_(pa.string(), pa.list_(pa.int64())),
    "struct": pa.struct([("x", pa.float64()), ("inner", pa.struct([("y", pa.string())]))]),
    "list_of_structs": pa.list_(pa.struct([("x", pa.float64())])),
    "list_of_blobs": pa.list_(pa.large_binary()),
    "map_of_blobs": pa.map_(pa.string(), pa.large_binary()),
}


def test_types_are_stored_as_pypaimon_stores_them(tmp_path, pypaimon):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), *TYPES.items()])
    ours = connect(tmp_path / "ours").create_table("frames", schema=schema, partitioned=["string"])
    its = pypaimon.ask(
        "stored_fields",
        warehouse=str(tmp_path / "its"),
        schema=schema.serialize().to_pybytes().hex(),
        partitioned=["string"],
    )
    for found, expected in zip(ours.raw_table.fields, its, strict=True):
        assert found == expected, expected["name"]


@pytest.mark.parametrize("spelling", ["{wh}", "wh", "./wh", "../{case}//wh", "file://{wh}", "file:{wh}", "{wh}/"])
@pytest.mark.parametrize(("case", "column"), [("video_two", "video"), ("blob", "img")])
def test_descriptors_spell_the_warehouse_as_pypaimon_does(our_cases, pypaimon, monkeypatch, case, column, spelling):
    folder = our_cases.path(case)
    warehouse = spelling.format(wh=folder / "wh", case=case)
    its = pypaimon.ask("uris", folder=str(folder), warehouse=warehouse, column=column)
    monkeypatch.chdir(folder)
    table = rh.connect(database="robots", options={"warehouse": warehouse}).get_table("frames")
    cells = [row[column] for row in table.scan().to_list() if row[column] is not None]
    assert sorted({rh.BlobDescriptor.deserialize(cell).uri for cell in cells}) == its
    assert all(rh.Blob.from_descriptor_bytes(cell).to_data() is not None for cell in cells)


def test_videos_go_from_table_to_table_with_their_index(our_cases, fresh_vectors, tmp_path, pypaimon):
    """By descriptor, both ways: the payload and its keyframe index arrive unchanged."""
    source = fresh_vectors / "video_two"
    cell = open_table(source).take_row_ids([9]).to_list()[0]["video"]
    descriptor = rh.VideoFrameDescriptor.deserialize(cell)
    case = tmp_path / "case"
    options = {"video-frame-field": "video"}
    table = connect(case / "wh").create_table("frames", schema=makers.FRAMES, options=options)
    table.add_video(descriptor, makers.frame_rows(0, 5))
    rows = [{"episode": 1, "idx": i} for i in range(5)]
    pypaimon.ask("copy_video", case=str(case), source=str(our_cases.path("video_two")), row_id=9, rows=rows)
    assert_case_reads_as_expected(case, pypaimon.ask("describe", case=str(case)))

    def index_of(value: bytes) -> bytes:
        found = rh.VideoFrameDescriptor.deserialize(value).keyframe_index_descriptor
        return rh.Blob.from_descriptor(None, found).to_data()

    ours, its = (table.take_row_ids([row_id]).to_list()[0]["video"] for row_id in (0, 5))
    assert index_of(ours) == index_of(its) == index_of(cell)
    payloads = payloads_of(table.scan(), ["video"])["video"]
    assert len({payload["sha256"] for payload in payloads.values()}) == 1
    frames = pypaimon.ask("frames", case=str(case), column="video")
    assert [frame["frame_index"] for frame in frames] == [0, 1, 2, 3, 4] * 2
    assert all(frame["same"] and frame["indexed"] for frame in frames)


def test_tables_made_by_either_are_seen_by_both(fresh_vectors, tmp_path):
    warehouse = fresh_vectors / "blob/wh"
    assert connect(warehouse).list_databases() == sorted({"robots", *_databases(warehouse)})
    assert connect(warehouse).list_tables() == ["frames"]
    stored = json.loads((warehouse / "robots.db/frames/schema/schema-0").read_text())
    assert connect(warehouse).get_table("frames").raw_table.options == stored["options"]


def _databases(warehouse: Path) -> set[str]:
    return {name.removesuffix(".db") for name in os.listdir(warehouse) if name.endswith(".db")}
