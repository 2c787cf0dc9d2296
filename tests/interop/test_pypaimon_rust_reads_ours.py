"""pypaimon-rust, an engine in Rust that shares nothing with pypaimon, reads our tables through SQL."""

from __future__ import annotations

import pyarrow as pa
import pytest

from .comparison import assert_same_rows
from .makers import makers, open_table, rows_of
from .our_cases import CASES

# Its 0.4.0 cannot read the schema JSON of VECTOR columns, by pypaimon or by us.
READABLE = [case for case in CASES if case != "vector_column"]


@pytest.fixture
def select(pypaimon_rust, our_cases, tmp_path):
    def run(case: str, sql: str) -> pa.Table:
        out = tmp_path / "result.arrow"
        pypaimon_rust.ask("query", case=str(our_cases.path(case)), sql=sql, out=str(out))
        with pa.OSFile(str(out), "rb") as file:
            return pa.ipc.open_file(file).read_all()

    return run


def _rows(table: pa.Table, warehouse: str) -> list[dict]:
    return [{name: makers.plain(value, warehouse) for name, value in row.items()} for row in table.to_pylist()]


@pytest.mark.parametrize("case", READABLE)
def test_rust_reads_the_rows_that_we_read(our_cases, select, case):
    path = our_cases.path(case)
    table = open_table(path)
    columns = ", ".join(f'"{name}"' for name in [*table.schema.names, "_ROW_ID"])
    found = _rows(select(case, f"select {columns} from p.robots.frames"), str(path / "wh"))
    assert_same_rows(found, rows_of(table.scan(), path), case)


def test_rust_filters_with_our_statistics(select):
    found = select("several_files", "select id from p.robots.frames where id >= 5999 and id < 6002 order by id")
    assert found["id"].to_pylist() == [5_999, 6_000, 6_001]
    assert select("several_files", "select count(*) n from p.robots.frames")["n"].to_pylist() == [9_000]
    found = select("plain_stats", "select id from p.robots.frames where f64 <= -0.5 order by id")
    assert found["id"].to_pylist() == [5, 6, 7, 8]
    found = select("partitioned", "select id from p.robots.frames where site = 'lab' order by id")
    assert found["id"].to_pylist() == [1, 5, 6]


def test_rust_travels_in_time_on_our_snapshots_and_tags(select):
    for version, count in (("1", 2), ("2", 3), ("'first'", 2), ("'kept'", 3)):
        found = select("tagged", f"select id from p.robots.frames version as of {version}")
        assert found.num_rows == count, version
