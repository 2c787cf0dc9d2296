"""Whatever the schema, the rows, the cuts between them and the filter: what was added comes back, and a filter keeps
the rows that plain Python keeps. pypaimon reads the same.

Few examples and always the same ones, unless REELHOUSE_PROPERTIES=long asks for many new ones, and for the smallest
one that fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from property_model import Given, filters, givens, handed_over, spelled

import reelhouse as rh

LONG = os.environ.get("REELHOUSE_PROPERTIES") == "long"


def examples(short: int, long: int) -> settings:
    return settings(
        max_examples=long if LONG else short,
        derandomize=not LONG,
        database=None,
        deadline=None,
        print_blob=True,
        phases=list(Phase) if LONG else [Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="reelhouse-properties-"))
    yield path
    shutil.rmtree(path)


def make_table(folder: Path, given_table: Given, data: st.DataObject) -> rh.MultimodalTable:
    """A new warehouse with the rows, handed over in several ways."""
    warehouse = folder / "wh"
    shutil.rmtree(warehouse, ignore_errors=True)
    connection = rh.connect(database="d", options={"warehouse": str(warehouse), "commit.fsync": "false"})
    table = connection.create_table(
        "t", schema=given_table.schema, options=given_table.options, partitioned=given_table.keys or None
    )
    for rows in given_table.additions:
        table.add(data.draw(handed_over(rows, given_table.schema), label="handed over"))
    return table


def rows_by_id(rows: list[dict]) -> dict[int, dict]:
    found = {row["id"]: {name: spelled(value) for name, value in row.items()} for row in rows}
    assert len(found) == len(rows), "a row came twice"
    return found


def read_back(table: rh.MultimodalTable, given_table: Given) -> dict[int, dict]:
    blobs = given_table.blob_columns
    if not blobs:
        return rows_by_id(table.scan().to_list())
    plain, cells = table.scan().read_blobs(blobs)
    return rows_by_id([row | {name: cells[name][i] for name in blobs} for i, row in enumerate(plain.to_pylist())])


@examples(110, 3000)
@given(givens(), st.data())
def test_rows_come_back_as_they_were_added(folder, given_table, data):
    table = make_table(folder, given_table, data)
    assert read_back(table, given_table) == rows_by_id(given_table.rows)
    assert table.scan().count() == len(given_table.rows)
    found = table.scan().to_arrow()
    found.validate(full=True)
    assert found.schema.names == given_table.schema.names
    assert table.verify(deep=True).ok


@examples(160, 5000)
@given(givens(with_nested=False), st.data())
def test_filters_keep_the_rows_that_plain_python_keeps(folder, given_table, data):
    table = make_table(folder, given_table, data)
    for _ in range(6):
        where = data.draw(filters(given_table), label="filter")
        note(where.text)
        expected = sorted(row["id"] for row in given_table.rows if where.truth(row) is True)
        assert sorted(table.scan().where(where.text).select("id").to_arrow()["id"].to_pylist()) == expected
        assert table.scan().where(where.text).count() == len(expected)


@examples(60, 2000)
@given(givens(), st.data())
def test_selections_limits_and_row_ids_are_parts_of_the_whole(folder, given_table, data):
    table = make_table(folder, given_table, data)
    where = data.draw(filters(given_table), label="filter").text
    columns = data.draw(st.lists(st.sampled_from([*given_table.schema.names, "_ROW_ID"]), min_size=1, max_size=4))
    whole = table.scan().where(where).with_row_id().to_arrow()
    row_ids = whole["_ROW_ID"].to_pylist()
    assert len(set(row_ids)) == len(row_ids)

    def same(found: pa.Table, expected: pa.Table) -> bool:
        return spelled(list(zip(*[c.to_pylist() for c in found.columns], strict=True))) == spelled(
            list(zip(*[c.to_pylist() for c in expected.columns], strict=True))
        )

    selected = table.scan().where(where).select(columns).to_arrow()
    assert selected.column_names == columns
    expected = pa.Table.from_arrays([whole[name] for name in columns], names=columns)
    assert same(selected, expected)

    limit = data.draw(st.integers(0, 40), label="limit")
    assert same(table.scan().where(where).select(columns).limit(limit).to_arrow(), expected.slice(0, limit))
    assert table.scan().where(where).limit(limit).count() == min(limit, whole.num_rows)

    wanted = data.draw(st.lists(st.integers(-1, 40), max_size=8), label="row ids")
    taken = table.take_row_ids(wanted).where(where).with_row_id().to_arrow()["_ROW_ID"].to_pylist()
    # The order of partitions may be another one where files are left out.
    assert sorted(taken) == sorted(row_id for row_id in row_ids if row_id in set(wanted))

    with table.scan().where(where).with_row_id().to_arrow_batch_reader() as reader:
        streamed = [row_id for batch in reader for row_id in batch.column("_ROW_ID").to_pylist()]
    assert streamed == row_ids


# pypaimon must not enter this process: it reads in one of its own.
PEER = """
import sys
import pyarrow as pa
import pypaimon.multimodal as pmm
print("ready", flush=True)
for line in sys.stdin:
    warehouse, out, *blobs = line.rstrip("\\n").split("\\t")
    query = pmm.connect(database="d", options={"warehouse": warehouse}).get_table("t").scan()
    if blobs:
        table, cells = query.read_blobs(blobs)
        for name in blobs:
            content = [None if cell is None else cell if isinstance(cell, (bytes, list)) else cell.to_data()
                       for cell in cells[name]]
            type_ = pa.list_(pa.large_binary()) if any(isinstance(c, list) for c in content) else pa.large_binary()
            table = table.append_column(name, pa.array(content, type_))
    else:
        table = query.to_arrow()
    with pa.OSFile(out, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    print("done", flush=True)
"""


@pytest.fixture(scope="module")
def pypaimon_rows(folder: Path) -> Iterator[Callable[[list[str]], list[dict]]]:
    peer = subprocess.Popen(
        [sys.executable, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert peer.stdout.readline() == "ready\n"
    out = folder / "peer.arrow"

    def read(blobs: list[str]) -> list[dict]:
        peer.stdin.write("\t".join([str(folder / "wh"), str(out), *blobs]) + "\n")
        peer.stdin.flush()
        assert peer.stdout.readline() == "done\n", peer.communicate()[1][-3000:]
        with pa.OSFile(str(out)) as source:
            return pa.ipc.open_file(source).read_all().to_pylist()

    yield read
    peer.communicate()


@examples(60, 1500)
@given(given_table=givens(), data=st.data())
def test_pypaimon_reads_what_was_added(folder, pypaimon_rows, given_table, data):
    make_table(folder, given_table, data)
    if not given_table.rows:
        return
    assert rows_by_id(pypaimon_rows(given_table.blob_columns)) == rows_by_id(given_table.rows)
