"""pypaimon as a peer: writes the vector cases, reads our warehouses, and goes on writing on top of them."""

from __future__ import annotations

import fcntl
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import av
import pyarrow as pa

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("format", "cases", "interop")]
import make_vectors  # noqa: E402
import pypaimon.multimodal as pmm  # noqa: E402
from answering import answer_questions  # noqa: E402
from numbered_frame import read_number  # noqa: E402
from pypaimon.multimodal.lerobot import dataset  # noqa: E402, its only frame decoder lives there
from pypaimon.multimodal.table import _target_schema  # noqa: E402
from pypaimon.read.table_read import TableRead  # noqa: E402
from pypaimon.schema.data_types import AtomicType  # noqa: E402
from pypaimon.schema.schema_change import SchemaChange  # noqa: E402
from pypaimon.table.row.blob import BlobDescriptor, VideoFrameDescriptor  # noqa: E402
from pypaimon.table.row.video_keyframe_index import VideoKeyframeIndex  # noqa: E402
from pypaimon.write.video_format_writer import _video_index_fallback_errors  # noqa: E402


def open_table(case: str) -> Any:
    return pmm.connect(database="robots", options={"warehouse": f"{case}/wh"}).get_table("frames")


def write_vectors(out: str) -> None:
    """All cases of `make_vectors.py`, afresh."""
    for case in make_vectors.CASES:
        case(out)


def describe(case: str) -> dict:
    """Writes `expected.json` for a warehouse that someone else made, and returns it."""
    wh, table = f"{case}/wh", open_table(case)
    body = {"about": "read by pypaimon", "rows_latest": make_vectors.rows_of(table.scan(), wh)}
    manager = table.raw_table.snapshot_manager()
    body["snapshots"] = [
        json.loads(Path(manager.get_snapshot_path(snapshot.id)).read_text()) for snapshot in manager.list_snapshots()
    ]
    body["rows_by_snapshot"] = {
        str(snapshot["id"]): make_vectors.rows_of(table.scan(snapshot_id=snapshot["id"]), wh)
        for snapshot in body["snapshots"][:-1]
    }
    tags = sorted(path.name.removeprefix("tag-") for path in Path(wh, "robots.db/frames/tag").glob("tag-*"))
    body["rows_by_tag"] = {tag: make_vectors.rows_of(table.scan(tag_name=tag), wh) for tag in tags}
    fields = table.raw_table.fields
    inline = table.raw_table.table_schema.options.get("blob-descriptor-field", "").split(",")
    blobs = [field.name for field in fields if "BLOB" in str(field.type) and field.name not in inline]
    if blobs:
        _, found = table.scan().select([field.name for field in fields]).read_blobs(blobs)
        body["payloads_latest"] = {
            column: [None if cell is None else make_vectors.plain_payload(cell) for cell in cells]
            for column, cells in found.items()
        }
    body["files"] = make_vectors.tree(wh)
    Path(case, "expected.json").write_text(json.dumps(body))
    return body


def filtered(case: str, wheres: list[str]) -> list[list[int]]:
    """Row ids for each filter."""
    table = open_table(case)
    return [[row["_ROW_ID"] for row in table.scan().where(w).with_row_id().to_list()] for w in wheres]


def read_natively(case: str) -> list[dict]:
    """Rows read through pypaimon-rust, as the table option `read.native.enabled` makes pypaimon do; no falling back."""
    table = open_table(case)

    def refuse(read: Any, reason: str, *_: object, **__: object) -> None:
        raise RuntimeError(f"pypaimon fell back to its Python reader: {reason}")

    table.raw_table = table.raw_table.copy({"read.native.enabled": "true", "scan.native-plan.enabled": "true"})
    with mock.patch.object(TableRead, "_native_fallback", refuse):
        return make_vectors.rows_of(table.scan(), f"{case}/wh")


def frames(case: str, column: str, seed: int = 0) -> list[dict]:
    """Every frame of a video column through pypaimon's collator and decoder, in a shuffled order.

    A payload with a keyframe index is read with it and with nothing else: where pypaimon would fall back, this fails.
    `same` says whether the picture is that of a plain decode from the start.
    """
    import random

    table = open_table(case)
    dataset._PyAVVideoDecoder._tensor = staticmethod(lambda frame: frame.to_ndarray(format="rgb24").copy())

    def open_decoder(stream: Any) -> Any:
        return dataset._PyAVVideoDecoder(stream, getattr(stream, "video_keyframe_index", None))

    def picture(decoder: Any, index: int, row: dict) -> Any:
        frame = decoder[index]
        return frame.to_ndarray(format="rgb24").copy() if hasattr(frame, "to_ndarray") else frame

    rows = [row for row in table.scan().with_row_id().to_list() if row[column] is not None]
    random.Random(seed).shuffle(rows)
    collator = pmm.VideoFrameCollator(
        table,
        video_column=column,
        decoder_factory=open_decoder,
        decode_fn=picture,
        collate_fn=lambda rows: rows,
        max_open_videos=4,
    )
    reference: dict[tuple, list] = {}
    answer = []
    for row in rows:
        descriptor = VideoFrameDescriptor.deserialize(row[column])
        key = (descriptor.uri, descriptor.offset, descriptor.length)
        if key not in reference:
            reference[key] = _decoded(*key)
        found = collator([row])[0]["frame"]
        answer.append(
            {
                "row_id": row["_ROW_ID"],
                "frame_index": descriptor.frame_index,
                "indexed": descriptor.keyframe_index_descriptor is not None,
                "number": read_number(found),
                "same": bool((found == reference[key][descriptor.frame_index]).all()),
            }
        )
    collator.close()
    return sorted(answer, key=lambda entry: entry["row_id"])


def _decoded(uri: str, offset: int, length: int) -> list:
    with open(uri, "rb") as file:
        file.seek(offset)
        payload = file.read(length)
    with av.open(io.BytesIO(payload)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(container.streams.video[0])]


def keyframe_indexes(paths: list[str]) -> list[str]:
    """The keyframe index that pypaimon stores for each video, in hex; empty where it stores none."""
    found = []
    for path in paths:
        with open(path, "rb") as file:
            try:
                index = VideoKeyframeIndex.inspect(file, os.path.getsize(path)).serialize()
            except _video_index_fallback_errors():
                index = b""
        found.append(index.hex())
    return found


def change(case: str, steps: list[list]) -> None:
    """Writing calls, one after the other: [name, arguments...]."""
    conn = pmm.connect(database="robots", options={"warehouse": f"{case}/wh"})
    for name, *arguments in steps:
        _STEPS[name](conn, conn.get_table("frames"), *arguments)


def _rows(table: Any, rows: list[dict]) -> pa.Table:
    schema = _target_schema(table.raw_table)
    return pa.Table.from_pylist([{k: _value(v) for k, v in row.items()} for row in rows], schema=schema)


def _frame_rows(table: Any, rows: list[dict], column: str = "video") -> pa.Table:
    fields = [field for field in _target_schema(table.raw_table) if field.name != column]
    return pa.Table.from_pylist(rows, schema=pa.schema(fields))


def _value(value: Any) -> Any:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


_STEPS: dict[str, Callable[..., Any]] = {
    "add": lambda conn, table, rows: table.add(_rows(table, rows)),
    "add_video": lambda conn, table, path, rows: table.add_video(path, _frame_rows(table, rows)),
    "update": lambda conn, table, where, values: table.update(where, {k: _value(v) for k, v in values.items()}),
    "delete": lambda conn, table, where: table.delete(where),
    "replace_video": lambda conn, table, where, path, first: table.replace_video(where, path, first_frame=first),
    "overwrite": lambda conn, table, rows: table.overwrite(_rows(table, rows)),
    "create_tag": lambda conn, table, name: table.raw_table.create_tag(name),
    "merge": lambda conn, table, on, rows: (
        table.merge(on).when_matched_update().when_not_matched_insert().execute(_rows(table, rows))
    ),
    "add_column": lambda conn, table, name, type_: conn.catalog.alter_table(
        "robots.frames", [SchemaChange.add_column(name, AtomicType(type_))], False
    ),
    "drop_column": lambda conn, table, name: conn.catalog.alter_table(
        "robots.frames", [SchemaChange.drop_column(name)], False
    ),
    "rename_column": lambda conn, table, old, new: conn.catalog.alter_table(
        "robots.frames", [SchemaChange.rename_column(old, new)], False
    ),
}


def stored_fields(warehouse: str, schema: str, partitioned: list[str]) -> list[dict]:
    """Fields of the schema file that pypaimon writes for an Arrow schema, given as its IPC message in hex."""
    conn = pmm.connect(database="types", options={"warehouse": warehouse})
    conn.create_table("t", schema=pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(schema))), partitioned=partitioned)
    fields = json.loads(Path(warehouse, "types.db/t/schema/schema-0").read_text())["fields"]
    conn.drop_table("t")
    return fields


def uris(folder: str, warehouse: str, column: str) -> list[str]:
    """URIs of the descriptors of a column, with the warehouse spelled in a certain way, seen from a folder."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        table = pmm.connect(database="robots", options={"warehouse": warehouse}).get_table("frames")
        cells = [row[column] for row in table.scan().to_list() if row[column] is not None]
        return sorted({BlobDescriptor.deserialize(cell).uri for cell in cells})
    finally:
        os.chdir(before)


def copy_video(case: str, source: str, row_id: int, rows: list[dict]) -> None:
    """Adds the video of a row of another table by its descriptor: payload and keyframe index are copied."""
    cell = open_table(source).take_row_ids([row_id]).to_list()[0]["video"]
    table = open_table(case)
    table.add_video(VideoFrameDescriptor.deserialize(cell), _frame_rows(table, rows))


def append_in_turn(case: str, writer: int, commits: int, lock: str) -> None:
    """Appends while others do. pypaimon may replace a snapshot that another process has just made, so it takes turns:
    the others share the lock, and it holds it alone."""
    with open(lock) as turn:
        table = open_table(case)
        for number in range(commits):
            fcntl.flock(turn, fcntl.LOCK_EX)
            table.add(_rows(table, [{"writer": writer, "number": number, "part": part} for part in range(3)]))
            fcntl.flock(turn, fcntl.LOCK_UN)


if __name__ == "__main__":
    answer_questions(
        {
            function.__name__: function
            for function in (
                write_vectors,
                describe,
                filtered,
                read_natively,
                frames,
                keyframe_indexes,
                change,
                stored_fields,
                uris,
                copy_video,
                append_in_turn,
            )
        }
    )
