from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import reelhouse as rh
from conftest import files_in

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string()), ("score", pa.float64())])
EXPECTED = [{"id": 1, "name": "a", "score": 0.5}, {"id": 2, "name": None, "score": 1.5}]


@pytest.fixture
def table(connection):
    return connection.create_table("t", schema=SCHEMA)


def producers():
    arrow = pa.Table.from_pylist(EXPECTED, schema=SCHEMA)
    return {
        "table": arrow,
        "record batch": arrow.to_batches()[0],
        "reader": arrow.to_reader(),
        "list": EXPECTED,
        "tuple": tuple(EXPECTED),
        "generator": (row for row in EXPECTED),
        "dict of columns": {"id": [1, 2], "name": ["a", None], "score": [0.5, 1.5]},
        "dict of arrays": {"id": np.array([1, 2]), "name": ["a", None], "score": np.array([0.5, 1.5])},
        "pandas": pd.DataFrame({"id": [1, 2], "name": ["a", None], "score": [0.5, 1.5]}),
        "polars": pl.DataFrame({"id": [1, 2], "name": ["a", None], "score": [0.5, 1.5]}),
        "other order": arrow.select(["score", "id", "name"]),
        "large strings": arrow.set_column(1, "name", arrow["name"].cast(pa.large_string())),
        "string view": arrow.set_column(1, "name", arrow["name"].cast(pa.string_view())),
        "reader of string views": arrow.set_column(1, "name", arrow["name"].cast(pa.string_view())).to_reader(),
        "dictionary": arrow.set_column(1, "name", arrow["name"].dictionary_encode()),
        "smaller ints": arrow.set_column(0, "id", arrow["id"].cast(pa.int8())),
    }


@pytest.mark.parametrize("kind", producers())
def test_every_kind_of_data_gives_the_same_rows(table, kind):
    table.add(producers()[kind])
    assert table.scan().to_list() == EXPECTED


def test_a_table_and_a_query_are_data_too(table, connection):
    table.add(EXPECTED)
    other = connection.create_table("other", schema=SCHEMA)
    other.add(table)
    other.add(table.scan().where("id = 2"))
    assert other.scan().to_list() == [*EXPECTED, EXPECTED[1]]


@pytest.mark.parametrize("data", [None, 7, "text", b"bytes"])
def test_what_is_no_data_is_refused(table, data):
    with pytest.raises(ValueError, match="Unsupported multimodal data type"):
        table.add(data)


def test_unknown_columns_are_refused_with_the_nearest_name(table, warehouse):
    before = files_in(warehouse)
    for data in ([{"id": 1, "nmae": "x"}], pa.table({"id": [1], "nmae": ["x"]}), {"id": [1], "nmae": ["x"]}):
        with pytest.raises(ValueError, match="nmae.*Did you mean 'name'"):
            table.add(data)
    assert files_in(warehouse) == before


def test_unsafe_casts_are_refused_and_leave_nothing(table, warehouse):
    before = files_in(warehouse)
    with pytest.raises(ValueError):
        table.add(pa.table({"id": [1.5]}))
    assert files_in(warehouse) == before
    table.add(pa.table({"id": ["7"]}))
    assert table.scan().select("id").to_list() == [{"id": 7}]


def test_no_rows_make_no_snapshot(table, warehouse):
    before = files_in(warehouse)
    for data in ([], pa.table({"id": pa.array([], pa.int64())}), {"id": []}):
        table.add(data)
    table.add_batches([])
    assert table.raw_table.snapshot_manager().get_latest_snapshot() is None
    assert files_in(warehouse) == before


def test_batches_are_one_commit(table):
    table.add_batches(iter([EXPECTED, [], pa.Table.from_pylist(EXPECTED, schema=SCHEMA)]))
    snapshot = table.raw_table.snapshot_manager().get_latest_snapshot()
    assert (snapshot.id, snapshot.next_row_id) == (1, 4)
    assert table.scan().to_list() == EXPECTED * 2


def test_a_failing_iterator_ends_add_batches_with_its_own_exception_and_leaves_nothing(table, warehouse):
    before = files_in(warehouse)
    closed = []

    def batches():
        try:
            yield EXPECTED
            raise LookupError("the source broke")
        finally:
            closed.append(True)

    with pytest.raises(LookupError, match="the source broke"):
        table.add_batches(batches())
    assert closed == [True]
    assert files_in(warehouse) == before
    with pytest.raises(ValueError, match="batches must be an iterable of input batches."):
        table.add_batches(7)
    with pytest.raises(TypeError):
        table.add_batches([{"id": 1, "name": "a"}])


def test_properties_are_stored_in_the_snapshot(table):
    table.add(EXPECTED, properties={"robot": "arm-7"})
    assert table.raw_table.snapshot_manager().get_latest_snapshot().properties == {"robot": "arm-7"}


def test_not_null_columns_refuse_nulls(connection):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("name", pa.string())])
    table = connection.create_table("strict", schema=schema)
    with pytest.raises(ValueError, match="id"):
        table.add([{"id": None, "name": "x"}])
    with pytest.raises(ValueError, match="id"):
        table.add([{"name": "x"}])
    assert table.scan().count() == 0


def test_null_in_a_vector_column_is_refused_unless_the_table_allows_it(connection):
    schema = pa.schema([("id", pa.int64()), ("emb", pa.list_(pa.float32(), 2))])
    rows = [{"id": 1, "emb": [1.0, 2.0]}, {"id": 2, "emb": None}]
    with pytest.raises(ValueError, match="emb"):
        connection.create_table("refuses", schema=schema).add(rows)
    table = connection.create_table("takes", schema=schema, options={"reelhouse.null-vectors": "true"})
    table.add(rows)
    assert table.scan().to_list() == rows


def test_every_type_of_the_mapping_comes_back(connection):
    schema = pa.schema(
        [
            ("flag", pa.bool_()),
            ("i8", pa.int8()),
            ("i16", pa.int16()),
            ("i32", pa.int32()),
            ("i64", pa.int64()),
            ("f32", pa.float32()),
            ("f64", pa.float64()),
            ("text", pa.string()),
            ("raw", pa.binary()),
            ("fixed", pa.binary(3)),
            ("blob", pa.large_binary()),
            ("small", pa.decimal128(9, 2)),
            ("big", pa.decimal128(38, 10)),
            ("day", pa.date32()),
            ("clock", pa.time32("ms")),
            ("s", pa.timestamp("s")),
            ("ms", pa.timestamp("ms")),
            ("us", pa.timestamp("us")),
            ("ns", pa.timestamp("ns")),
            ("tz", pa.timestamp("us", "Europe/Berlin")),
            ("list", pa.list_(pa.int32())),
            ("vector", pa.list_(pa.float32(), 3)),
            ("map", pa.map_(pa.string(), pa.int64())),
            ("struct", pa.struct([("x", pa.float64()), ("y", pa.list_(pa.string()))])),
            ("blobs", pa.list_(pa.large_binary())),
            ("named", pa.map_(pa.string(), pa.large_binary())),
        ]
    )
    row = {
        "flag": True,
        "i8": -128,
        "i16": 32767,
        "i32": -5,
        "i64": 2**62,
        "f32": 1.5,
        "f64": -2.25,
        "text": "é日",
        "raw": b"\0\1",
        "fixed": b"abc",
        "blob": b"content",
        "small": Decimal("-12345.67"),
        "big": Decimal("1234567890123456789012345678.0123456789"),
        "day": dt.date(1969, 12, 31),
        "clock": dt.time(23, 59, 59, 999000),
        "s": dt.datetime(1960, 1, 1),
        "ms": dt.datetime(2024, 2, 29, 1, 2, 3, 4000),
        "us": dt.datetime(2024, 2, 29, 1, 2, 3, 4),
        "ns": pd.Timestamp("2024-02-29T01:02:03.000000004"),
        "tz": dt.datetime(2024, 7, 1, 12, tzinfo=dt.timezone.utc),
        "list": [1, None, 3],
        "vector": [1.0, 2.0, 3.0],
        "map": [("k", 1), ("l", None)],
        "struct": {"x": 1.0, "y": ["a", None]},
        "blobs": [b"a", None, b""],
        "named": [("left", b"L"), ("right", None)],
    }
    nulls = {name: None for name in schema.names if name != "vector"} | {"vector": [0.0, 0.0, 0.0]}
    data = pa.Table.from_pylist([row, nulls], schema=schema)
    table = connection.create_table("types", data, schema=schema)
    plain = [name for name in schema.names if name not in ("blob", "blobs", "named")]
    found = table.scan().select(plain).to_arrow()
    for name in plain:
        wanted = data[name].cast(pa.timestamp("us", "UTC")) if name == "tz" else data[name]
        assert found[name].to_pylist() == wanted.to_pylist(), name
    _, blobs = table.scan().read_blobs()
    assert blobs == {
        "blob": [b"content", None],
        "blobs": [[b"a", None, b""], None],
        "named": [[("left", b"L"), ("right", None)], None],
    }


def test_references_among_cells_are_copied(connection, tmp_path):
    source = tmp_path / "outside.bin"
    source.write_bytes(b"0123456789")
    table = connection.create_table("t", schema=pa.schema([("id", pa.int64()), ("b", pa.large_binary())]))
    reference = rh.BlobDescriptor(str(source), 2, 5)
    table.add([{"id": 0, "b": reference}, {"id": 1, "b": rh.Blob.from_local(source)}, {"id": 2, "b": b"plain"}])
    source.unlink()
    assert table.scan().read_blobs("b")[1]["b"] == [b"23456", b"0123456789", b"plain"]


def test_references_given_as_bytes_lead_only_into_the_warehouse(connection, tmp_path, warehouse):
    source = tmp_path / "secret"
    source.write_bytes(b"do not read")
    schema = pa.schema([("id", pa.int64()), ("b", pa.large_binary())])
    table = connection.create_table("t", schema=schema)
    stolen = rh.BlobDescriptor(str(source), 0, 4).serialize()
    before = files_in(warehouse)
    with pytest.raises(ValueError, match="Blob"):
        table.add([{"id": 0, "b": stolen}])
    assert files_in(warehouse) == before
    table.add([{"id": 0, "b": rh.Blob.from_data(stolen)}])  # content that looks like a reference
    assert table.scan().read_blobs("b")[1]["b"] == [stolen]

    table.add([{"id": 1, "b": b"first"}])
    other = connection.create_table("other", schema=schema)
    other.add(table.scan().where("id = 1").to_arrow())  # from table to table
    assert other.scan().read_blobs("b")[1]["b"] == [b"first"]


def test_a_reference_beyond_its_file_is_refused_with_both_numbers(connection, tmp_path, warehouse):
    source = tmp_path / "short.bin"
    source.write_bytes(b"0123456789")
    table = connection.create_table("t", schema=pa.schema([("id", pa.int64()), ("b", pa.large_binary())]))
    before = files_in(warehouse)
    with pytest.raises((ValueError, OSError), match="400.*10"):
        table.add([{"id": 0, "b": rh.BlobDescriptor(str(source), 0, 400)}])
    with pytest.raises(OSError, match="missing"):
        table.add([{"id": 0, "b": rh.BlobDescriptor(str(tmp_path / "missing"), 0, 4)}])
    assert files_in(warehouse) == before


def test_objects_far_down_a_long_list_are_the_callers_word_too(connection, tmp_path):
    source = tmp_path / "outside.bin"
    source.write_bytes(b"0123456789")
    looks_like_a_reference = rh.BlobDescriptor(str(source), 0, 4).serialize()
    table = connection.create_table("t", schema=pa.schema([("id", pa.int64()), ("b", pa.large_binary())]))
    special = {66_000: rh.Blob.from_local(source), 66_001: rh.Blob.from_data(looks_like_a_reference)}
    table.add({"id": i, "b": special.get(i)} for i in range(66_010))
    found = table.scan().where("b IS NOT NULL").read_blobs("b")[1]["b"]
    assert found == [b"0123456789", looks_like_a_reference]
