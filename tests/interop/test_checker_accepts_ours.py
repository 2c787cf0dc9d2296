"""`tests/format/check_vectors.py`, a decoder that shares no code with us or with pypaimon, takes our files apart."""

from __future__ import annotations

import decimal
import importlib.util
import json
import struct
from pathlib import Path

import fastavro
import pyarrow.parquet as pq
import pytest

_SCRIPT = Path(__file__).resolve().parent.parent / "format" / "check_vectors.py"
_VECTORS = Path(__file__).resolve().parent.parent / "data" / "vectors"


def _load():
    spec = importlib.util.spec_from_file_location("check_vectors", _SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


checker = _load()


@pytest.fixture
def failures(capsys):
    """Runs a check and gives the lines that it complained with."""

    def run(check, *arguments):
        checker.passed = checker.failed = 0
        check(*arguments)
        assert checker.passed > 0
        return [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAIL")]

    return run


@pytest.fixture
def table(our_cases, our_case):
    return checker.Table(str(our_cases.path(our_case) / "wh"))


def test_the_checker_accepts_our_files(our_cases, our_case, failures):
    """Manifest counts and sizes, partition rows, record counts, blob and video files, merged rows: all of it."""
    if our_case == "extreme_values":
        pytest.skip("its NaN is no equal of itself in the checker; test_statistics_are_true covers its rows")
    if our_case == "many_commits":
        pytest.skip("it expects base lists that are never merged; see test_base_lists_hold_all_earlier_entries")
    our_cases.read_by_pypaimon(our_case)  # writes expected.json
    assert failures(checker.check_case, str(our_cases.path(our_case))) == []


def test_every_file_carries_the_snapshot_id_as_its_sequence(table):
    """Rolled sidecars too: pypaimon leaves writer-local numbers there, and then loses updates of those rows."""
    kinds = set()
    for number in range(1, table.latest + 1):
        for entry in table.entries(table.snapshot(number), ("delta",)):
            file = entry["_FILE"]
            kinds.add(checker.kind_of_file(entry))
            assert (file["_MIN_SEQUENCE_NUMBER"], file["_MAX_SEQUENCE_NUMBER"]) == (number, number), file["_FILE_NAME"]
    assert "normal" in kinds


def test_row_ids_are_dense_and_sidecars_cover_their_groups(table):
    live = table.live(table.snapshot(table.latest))
    groups = sorted(
        (entry["_FILE"]["_FIRST_ROW_ID"], entry["_FILE"]["_ROW_COUNT"])
        for entry in live
        if checker.kind_of_file(entry) == "normal"
    )
    end = 0
    for first, count in groups:
        assert first == end
        end = first + count
    assert end == table.snapshot(table.latest)["nextRowId"]
    for column in {c for e in live if checker.kind_of_file(e) != "normal" for c in e["_FILE"]["_WRITE_COLS"]}:
        covered = 0
        for entry in live:
            if checker.kind_of_file(entry) != "normal" and column in entry["_FILE"]["_WRITE_COLS"]:
                covered += entry["_FILE"]["_ROW_COUNT"]
        assert covered == end, column


def test_statistics_are_true(table, failures):
    """Bounds and null counts of every normal file with statistics, recomputed from its Parquet pages."""
    with decimal.localcontext(decimal.Context(prec=60)):  # DECIMAL(38) passes the 28 digits of the default context
        assert failures(_check_statistics, table) == []


def _check_statistics(table):
    for entry in table.live(table.snapshot(table.latest)):
        file = entry["_FILE"]
        stats = file["_VALUE_STATS"]
        if checker.kind_of_file(entry) != "normal":
            continue
        fields = table.schemas[file["_SCHEMA_ID"]]["fields"]
        written = file["_VALUE_STATS_COLS"] if file["_VALUE_STATS_COLS"] is not None else file["_WRITE_COLS"]
        if written is not None:
            by_name = {field["name"]: field for field in fields}
            fields = [by_name[name] for name in written]
        arity = struct.unpack(">i", stats["_MIN_VALUES"][:4])[0]
        checker.same((arity, len(stats["_NULL_COUNTS"])), (len(fields), len(fields)), "arity of the statistics")
        parquet = pq.ParquetFile(table.path_of(entry)).read()
        checker.same(parquet.num_rows, file["_ROW_COUNT"], "row count")
        types = [field["type"] if isinstance(field["type"], str) else "STRING" for field in fields]
        low = checker.row_decode(stats["_MIN_VALUES"], types)
        high = checker.row_decode(stats["_MAX_VALUES"], types)
        checker.same(checker.row_encode(low, types), stats["_MIN_VALUES"], "min row re-encodes")
        checker.same(checker.row_encode(high, types), stats["_MAX_VALUES"], "max row re-encodes")
        for i, field in enumerate(fields):
            values = [value for value in parquet[field["name"]].to_pylist() if value is not None]
            nulls = stats["_NULL_COUNTS"][i]
            if nulls is not None:
                checker.same(nulls, parquet.num_rows - len(values), field["name"] + " nulls")
            if not isinstance(field["type"], str) or field["type"].startswith("BLOB"):
                checker.same((low[i], high[i]), (None, None), field["name"] + " has no order")
                continue
            values = [value for value in values if value == value]  # NaN is outside of every bound
            want = (min(values), max(values)) if values else (None, None)
            checker.same((low[i], high[i]), want, field["name"] + " bounds")


def test_all_normal_files_have_statistics(our_cases):
    for case in ("plain_stats", "plain_append", "blob", "several_files", "extreme_values"):
        table = checker.Table(str(our_cases.path(case) / "wh"))
        for entry in table.live(table.snapshot(table.latest)):
            if checker.kind_of_file(entry) == "normal":
                assert len(entry["_FILE"]["_VALUE_STATS"]["_NULL_COUNTS"]) > 0, case


def test_partition_statistics_of_manifests_hold_their_entries(our_cases):
    for case in ("partitioned", "partition_types"):
        table = checker.Table(str(our_cases.path(case) / "wh"))
        types = table.part_types()
        snapshot = table.snapshot(table.latest)
        for which in ("base", "delta"):
            for meta in checker.avro(table.meta(snapshot[which + "ManifestList"])):
                entries = checker.avro(table.meta(meta["_FILE_NAME"]))
                values = [checker.row_decode(entry["_PARTITION"], types) for entry in entries]
                stats = meta["_PARTITION_STATS"]
                low = checker.row_decode(stats["_MIN_VALUES"], types)
                high = checker.row_decode(stats["_MAX_VALUES"], types)
                assert checker.row_encode(low, types) == stats["_MIN_VALUES"]
                assert checker.row_encode(high, types) == stats["_MAX_VALUES"]
                for i, column in enumerate(zip(*values, strict=True)):
                    there = [value for value in column if value is not None]
                    assert (low[i], high[i]) == ((min(there), max(there)) if there else (None, None))
                    assert stats["_NULL_COUNTS"][i] == len(column) - len(there)


def test_base_lists_hold_all_earlier_entries(our_cases):
    """Also where the base list was merged."""
    table = checker.Table(str(our_cases.path("many_commits") / "wh"))
    before: list[str] = []
    for number in range(1, table.latest + 1):
        snapshot = table.snapshot(number)
        names = sorted(entry["_FILE"]["_FILE_NAME"] for entry in table.entries(snapshot, ("base",)))
        assert names == before, f"snapshot {number}"
        before = sorted(names + [e["_FILE"]["_FILE_NAME"] for e in table.entries(snapshot, ("delta",))])


def _keys(value):
    return set(json.loads(Path(value).read_text()))


def test_json_and_avro_have_the_shape_of_pypaimon(our_cases):
    """Keys of snapshots and schemas, and the Avro schemas of manifests and lists, field by field."""
    for case in ("blob", "tagged", "partitioned", "video_two"):
        ours = our_cases.path(case) / "wh/robots.db/frames"
        its = _VECTORS / case / "wh/robots.db/frames"
        for name in ("snapshot/snapshot-1", "schema/schema-0"):
            assert _keys(ours / name) == _keys(its / name), f"{case}: {name}"
        for pattern in ("manifest/manifest-list-*", "manifest/manifest-[0-9a-f]*"):
            found = {_avro_shape(path) for path in ours.glob(pattern)}
            assert found == {_avro_shape(path) for path in its.glob(pattern)}, f"{case}: {pattern}"


def _avro_shape(path: Path) -> str:
    with open(path, "rb") as file:
        return json.dumps(_named(fastavro.reader(file).writer_schema))


def _named(schema):
    """The part of an Avro schema that decides how bytes are read: names, types, order."""
    if isinstance(schema, list):
        return [_named(part) for part in schema]
    if isinstance(schema, str):
        return schema
    kept = {key: schema[key] for key in ("type", "name", "logicalType") if key in schema}
    if isinstance(kept["type"], (dict, list)):
        kept["type"] = _named(kept["type"])
    if "fields" in schema:
        kept["fields"] = [{"name": field["name"], "type": _named(field["type"])} for field in schema["fields"]]
    if "items" in schema:
        kept["items"] = _named(schema["items"])
    return kept


def test_the_table_options_are_those_that_pypaimon_stores(our_cases):
    for case in ("plain_append", "blob", "video_two", "vector_column"):
        ours = json.loads((our_cases.path(case) / "wh/robots.db/frames/schema/schema-0").read_text())
        its = json.loads((_VECTORS / case / "wh/robots.db/frames/schema/schema-0").read_text())
        assert ours["options"] == its["options"], case
        assert ours["fields"] == its["fields"], case
        assert ours["partitionKeys"] == its["partitionKeys"], case


def test_video_files_have_the_bytes_of_pypaimon(our_cases, fresh_vectors):
    """Same payloads, same runs: the whole file is equal, index and footer included."""
    for case in ("video_two", "video_rolled", "two_cameras", "no_keyframe_index", "blob", "blob_nested"):
        suffixes = (".video", ".blob")
        ours = sorted(path.read_bytes() for path in our_cases.path(case).rglob("data-*") if path.suffix in suffixes)
        its = sorted(path.read_bytes() for path in (fresh_vectors / case).rglob("data-*") if path.suffix in suffixes)
        assert ours == its, case
        assert ours
