from __future__ import annotations

import datetime as dt
import time

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import reelhouse as rh

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string()), ("b", pa.large_binary())])


@pytest.fixture
def table(connection):
    table = connection.create_table("t", schema=SCHEMA)
    table.add([{"id": i, "name": f"n{i % 3}", "b": bytes([i]) * i} for i in range(6)])
    table.add([{"id": i, "name": None, "b": None} for i in range(6, 9)])
    return table


def ids(query):
    return [row["id"] for row in query.select("id").to_list()]


def test_results_come_as_arrow_pandas_lists_and_streams(table):
    assert table.scan().select(["id"]).to_arrow().schema == pa.schema([("id", pa.int64())])
    assert isinstance(table.scan().select(["id", "name"]).to_pandas(), pd.DataFrame)
    with table.scan().select(["id"]).to_arrow_batch_reader() as reader:
        assert sum(batch.num_rows for batch in reader) == 9
    assert pl.DataFrame(table.scan().select(["id"])).height == 9
    assert pa.table(table.scan().select(["id"])).num_rows == 9


def test_filters_are_anded_and_blank_ones_ignored(table):
    assert ids(table.scan().where("id > 1").where(None).where("  ").where("name = 'n2'")) == [2, 5]


def test_select_keeps_order_and_repeats(table):
    found = table.scan().select(["name", "id", "name"]).limit(1).to_arrow()
    assert found.column_names == ["name", "id", "name"]
    assert table.scan().select("id").select("name").to_arrow().column_names == ["name"]


def test_unknown_columns_are_refused_with_the_nearest_name(table):
    with pytest.raises(ValueError, match="'nam'.*Did you mean 'name'"):
        table.scan().select(["nam"])
    with pytest.raises(ValueError, match="nam"):
        table.scan().where("nam = 'x'")


def test_a_selection_without_columns_has_no_rows_but_row_ids_if_asked(table):
    assert table.scan().select([]).to_arrow().num_rows == 0
    found = table.scan().select([]).with_row_id().to_arrow()
    assert found.schema == pa.schema([pa.field("_ROW_ID", pa.int64(), nullable=False)])
    assert found["_ROW_ID"].to_pylist() == list(range(9))


def test_row_ids_can_be_selected_filtered_and_taken(table):
    assert table.scan().select(["_ROW_ID", "id"]).where("_ROW_ID IN (2, 7)").to_list() == [
        {"_ROW_ID": 2, "id": 2},
        {"_ROW_ID": 7, "id": 7},
    ]
    assert ids(table.take_row_ids([7, 2, 2, -1, 99, pa.scalar(3)])) == [2, 3, 7]
    assert ids(table.take_row_ids([])) == []
    assert ids(table.take_row_ids(range(9)).where("id > 5").limit(2)) == [6, 7]
    assert table.take_row_ids([1, 2, 99]).count() == 2
    for wrong in (None, "12", b"12", 7):
        with pytest.raises(ValueError, match="row_ids must be an iterable of row id integers."):
            table.take_row_ids(wrong)


@pytest.mark.parametrize(("limit", "rows"), [(None, 9), (4, 4), (100, 9), (0, 0), (-1, 0)])
def test_limit_and_count_agree(table, limit, rows):
    assert len(ids(table.scan().limit(limit))) == rows
    assert table.scan().limit(limit).count() == rows


def test_count_with_and_without_filter(table):
    assert table.scan().count() == 9
    assert table.scan().where("name IS NULL").count() == 3
    assert table.scan().where("id > 100").count() == 0


def test_every_terminal_call_plans_anew(table):
    query = table.scan()
    before = query.count()
    table.add([{"id": 100}])
    assert (before, query.count()) == (9, 10)


def test_snapshots_tags_and_times_are_read_as_they_were(table):
    table.create_tag("first", snapshot_id=1)
    table.raw_table.create_tag("both")
    time.sleep(0.01)
    between = dt.datetime.now(dt.timezone.utc)
    time.sleep(0.01)
    table.add([{"id": 100}])
    assert table.scan(snapshot_id=1).count() == 6
    assert table.scan(snapshot_id="2").count() == 9
    assert table.scan(tag_name="first").count() == 6
    assert table.scan(timestamp=between).count() == 9
    assert table.scan(timestamp=int(between.timestamp() * 1000)).count() == 9
    assert table.scan(timestamp=between.replace(tzinfo=None)).count() == 9
    assert table.list_tags() == ["both", "first"]
    assert table.raw_table.tag_manager().get("first").id == 1
    table.delete_tag("both")
    assert table.list_tags() == ["first"]


def test_versions_that_are_not_there_are_named(table):
    with pytest.raises(ValueError, match="Snapshot id '99' doesn't exist."):
        table.scan(snapshot_id=99).to_arrow()
    with pytest.raises(ValueError, match="Tag 'zz' doesn't exist."):
        table.scan(tag_name="zz").to_arrow()
    with pytest.raises(ValueError, match="cannot be set at the same time"):
        table.scan(snapshot_id=1, tag_name="x")
    with pytest.raises(ValueError):
        table.scan(timestamp=0).count()
    table.create_tag("v1")
    with pytest.raises(ValueError, match="Tag 'v1' already exists."):
        table.create_tag("v1")
    with pytest.raises(ValueError, match="Snapshot with id 77 doesn't exist."):
        table.create_tag("v2", snapshot_id=77)


def test_blob_cells_are_descriptors_and_read_blobs_gives_content(table):
    cell = table.scan().where("id = 3").to_list()[0]["b"]
    assert rh.BlobDescriptor.is_blob_descriptor(cell)
    scalars, blobs = table.scan().read_blobs()
    assert scalars.column_names == ["id", "name"]
    assert blobs["b"] == [bytes([i]) * i for i in range(6)] + [None] * 3
    scalars, blobs = table.scan().select(["id", "b"]).where("name = 'n1'").with_row_id().read_blobs("b", parallelism=0)
    assert scalars.column_names == ["id", "_ROW_ID"]
    assert blobs["b"] == [b"\1", bytes([4]) * 4]
    with pytest.raises(ValueError, match="Column 'name' is not a BLOB column."):
        table.scan().read_blobs("name")
    with pytest.raises(ValueError, match="No BLOB column to read; pass columns=."):
        table.scan().select(["id"]).read_blobs()
    with pytest.raises(TypeError):
        table.scan().read_blobs(parallelism="many")


def test_stream_blobs_gives_the_same_in_parts(table):
    parts = list(table.scan().stream_blobs("b"))
    assert [cell for _, blobs in parts for cell in blobs["b"]] == table.scan().read_blobs("b")[1]["b"]
    with pytest.raises(ValueError):
        table.scan().stream_blobs("name")


def test_blobs_are_content_where_the_table_says_so(connection):
    table = connection.create_table("content", schema=SCHEMA, options={"blob-as-descriptor": False})
    table.add([{"id": 1, "b": b"abc"}, {"id": 2, "b": b""}, {"id": 3, "b": None}])
    assert [row["b"] for row in table.scan().to_list()] == [b"abc", b"", None]


def test_explain_tells_what_is_pruned(connection):
    table = connection.create_table("p", schema=pa.schema([("day", pa.string()), ("id", pa.int64())]), partitioned="day")
    table.add([{"day": day, "id": i} for i, day in enumerate("aabbcc")])
    text = table.scan().where("day = 'b'").explain()
    assert "partition" in text.lower()
    assert table.scan().where("day = 'b'").to_list() == [{"day": "b", "id": 2}, {"day": "b", "id": 3}]
    assert table.raw_table.partition_keys == ["day"]


def test_an_empty_table_has_its_columns_and_no_rows(connection):
    table = connection.create_table("empty", schema=SCHEMA)
    assert table.scan().to_arrow().schema.names == SCHEMA.names
    assert table.scan().count() == 0
    assert table.scan().read_blobs("b")[1] == {"b": []}
    assert table.raw_table.snapshot_manager().get_latest_snapshot() is None


def test_verify_finds_what_is_missing(table, warehouse):
    assert table.verify().ok
    victim = next(warehouse.rglob("*.blob"))
    content = victim.read_bytes()
    victim.write_bytes(content[:-1])
    report = table.verify()
    assert not report
    assert victim.name in report.problems[0]["path"]
    assert str(len(content)) in str(report)
    victim.unlink()
    assert "missing" in str(table.verify())


def test_a_torn_file_is_named_when_it_is_read(table, warehouse):
    victim = next(warehouse.rglob("*.parquet"))
    victim.write_bytes(b"PAR1")
    with pytest.raises(OSError, match=victim.name):
        table.scan().to_arrow()
