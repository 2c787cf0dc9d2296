from __future__ import annotations

import threading

import pyarrow as pa
import pytest

import reelhouse as rh
from conftest import files_in

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string())])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "options is required."),
        ({"options": {}}, "options is required."),
        ({"options": {"database": "x"}}, "Paimon 'warehouse' path must be set"),
        ({"options": {"warehouse": "/x"}, "database": ""}, "database is required."),
        ({"options": {"warehouse": "s3://bucket/x"}}, "s3"),
        ({"options": {"warehouse": "/x", "commit.fsync": "perhaps"}}, "commit.fsync"),
    ],
)
def test_wrong_connections_are_refused_in_words(arguments, text):
    with pytest.raises((ValueError, NotImplementedError), match=text):
        rh.connect(**arguments)


def test_connecting_writes_nothing(connection, warehouse):
    assert not warehouse.exists()


def test_databases_and_tables_are_listed_made_and_dropped(connection):
    assert connection.list_databases() == []
    connection.create_table("b", schema=SCHEMA)
    connection.create_table("a", schema=SCHEMA)
    connection.create_table("other.c", schema=SCHEMA)
    connection.create_database("empty")
    assert connection.list_databases() == ["empty", "other", "robots"]
    assert connection.list_tables() == ["a", "b"]
    assert connection.list_tables("other") == ["c"]
    connection.rename_table("a", "z")
    connection.drop_table("b")
    assert connection.list_tables() == ["z"]
    connection.drop_database("empty")
    with pytest.raises(rh.DatabaseNotEmptyException):
        connection.drop_database("robots")
    with pytest.raises(rh.DatabaseNotExistException):
        connection.list_tables("nowhere")
    with pytest.raises(rh.DatabaseAlreadyExistException):
        connection.create_database("robots")


def test_missing_and_present_tables_have_exceptions_of_their_own(connection):
    with pytest.raises(rh.TableNotExistException, match="Table robots.nope does not exist"):
        connection.get_table("nope")
    with pytest.raises(rh.TableNotExistException, match="Table robots.nope does not exist"):
        connection.drop_table("nope")
    connection.drop_table("nope", ignore_if_not_exists=True)
    connection.create_table("t", schema=SCHEMA)
    with pytest.raises(rh.TableAlreadyExistException, match="Table robots.t already exists"):
        connection.create_table("t", schema=SCHEMA)


def test_an_existing_table_is_returned_as_it_is_when_asked(connection):
    connection.create_table("t", [{"id": 1, "name": "a"}])
    again = connection.create_table("t", [{"id": 2, "name": "b"}], ignore_if_exists=True)
    assert again.scan().count() == 1


def test_creation_with_bad_data_leaves_neither_table_nor_file(connection, warehouse):
    with pytest.raises(ValueError):
        connection.create_table("t", [{"id": "no number", "name": "a"}], schema=SCHEMA)
    assert files_in(warehouse) == set()
    assert connection.list_tables() == [] if warehouse.exists() and connection.list_databases() else True


def test_creation_with_data_is_one_snapshot(connection):
    table = connection.create_table("t", [{"id": 1, "name": "a"}, {"id": 2, "name": None}])
    assert table.raw_table.snapshot_manager().get_latest_snapshot().id == 1
    assert table.scan().to_list() == [{"id": 1, "name": "a"}, {"id": 2, "name": None}]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "schema or data is required."),
        ({"schema": "x"}, "schema must be a pyarrow.Schema."),
        ({"data": []}, "Cannot infer schema from empty data."),
        ({"schema": pa.schema([("a", pa.uint8())])}, "Unsupported pyarrow type: uint8"),
        ({"schema": SCHEMA, "partitioned": ["zz"]}, "zz"),
        ({"schema": SCHEMA, "options": {"data-evolution.enabled": "false"}}, "is not a data-evolution table"),
        ({"schema": SCHEMA, "options": {"video-frame-field": "name"}}, "must be scalar BLOB fields in schema"),
        ({"schema": SCHEMA, "options": {"target-file-size": "abc"}}, "target-file-size"),
    ],
)
def test_wrong_tables_are_refused_before_anything_is_written(connection, warehouse, arguments, text):
    with pytest.raises(ValueError, match=text):
        connection.create_table("t", **arguments)
    assert not warehouse.exists() or files_in(warehouse) == set()


def test_options_are_kept_as_given_beside_the_defaults(connection):
    table = connection.create_table("t", schema=SCHEMA, options={"my.note": "kept", "target-file-size": "8 mb"})
    options = table.raw_table.options
    assert options["my.note"] == "kept"
    assert options["target-file-size"] == "8 mb"
    assert options["row-tracking.enabled"] == "true"
    assert "metadata.stats-mode" not in options


def test_of_two_creators_one_wins_and_the_loser_is_told(connection):
    outcomes = []

    def create():
        try:
            connection.create_table("t", [{"id": 1, "name": "a"}], schema=SCHEMA)
            outcomes.append("made")
        except rh.TableAlreadyExistException:
            outcomes.append("refused")

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made"] + ["refused"] * 7
    assert connection.get_table("t").scan().count() == 1


def test_a_handle_kept_over_a_drop_cannot_write(connection, warehouse):
    table = connection.create_table("t", schema=SCHEMA)
    connection.drop_table("t")
    with pytest.raises(rh.TableNotExistException):
        table.add([{"id": 1, "name": "a"}])
    assert files_in(warehouse) == set()


@pytest.mark.parametrize("spelling", ["{}", "file:{}", "file://{}"])
def test_descriptors_spell_the_warehouse_as_it_was_given(tmp_path, spelling):
    path = str(tmp_path / "wh")
    connection = rh.connect(options={"warehouse": spelling.format(path)})
    table = connection.create_table("t", schema=pa.schema([("id", pa.int64()), ("b", pa.large_binary())]))
    table.add([{"id": 1, "b": b"x" * 100}])
    uri = rh.BlobDescriptor.deserialize(table.scan().to_list()[0]["b"]).uri
    assert uri.startswith(path if spelling == "{}" else "file:" + path + "/")
    assert table.scan().read_blobs("b")[1]["b"] == [b"x" * 100]


def test_relative_warehouses_give_relative_uris(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = rh.connect(options={"warehouse": "wh"}).create_table(
        "t", schema=pa.schema([("id", pa.int64()), ("b", pa.large_binary())])
    )
    table.add([{"id": 1, "b": b"abc"}])
    assert rh.BlobDescriptor.deserialize(table.scan().to_list()[0]["b"]).uri.startswith("wh/default.db/t/bucket-0/")
