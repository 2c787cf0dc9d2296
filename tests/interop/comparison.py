"""Rows in the spelling of `expected.json` compared, with errors that name the cell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .makers import open_table, payloads_of, rows_of

Row = dict[str, Any]


def assert_same_rows(got: list[Row], want: list[Row], what: str) -> None:
    """The same row ids with the same cells; the order of rows is not part of the format."""
    got, want = by_row_id(got), by_row_id(want)
    assert [row["_ROW_ID"] for row in got] == [row["_ROW_ID"] for row in want], f"{what}: row ids"
    for found, expected in zip(got, want, strict=True):
        assert set(found) == set(expected), f"{what}: columns"
        for column, value in expected.items():
            # repr: NaN equals itself, and -0.0 is not 0.0
            assert repr(found[column]) == repr(value), f"{what}: row {expected['_ROW_ID']}, column {column}"


def by_row_id(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["_ROW_ID"])


def without_file_names(value: Any) -> Any:
    """The same value with `*` for the names of data files, which every writer draws by chance."""
    if isinstance(value, dict):
        return {key: without_file_names(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_file_names(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"^(\$WH/.*/)[^/]+(\.(blob|video))$", r"\1*\2", value)
    return value


def assert_case_reads_as_expected(case: Path, expected: dict[str, Any]) -> None:
    """Newest rows, every snapshot, every tag and the content of every blob column of a case, read by us."""
    table = open_table(case)
    correct = expected.get("rows_latest_correct")
    for rows in [expected.get("rows_latest", []), *expected.get("rows_by_snapshot", {}).values()]:
        for row in rows:
            if correct and row["_ROW_ID"] == correct["_ROW_ID"] and set(correct) <= set(row):
                row.update(correct)  # pypaimon's own answer is wrong there
    if "rows_latest" in expected:
        assert_same_rows(rows_of(table.scan(), case), expected["rows_latest"], "newest")
        assert table.scan().count() == len(expected["rows_latest"])
    else:
        ids = table.scan().select("id").to_arrow()["id"].to_pylist()
        assert (len(ids), sum(ids)) == (expected["count_latest"], expected["sum_latest"])
        assert table.scan().count() == expected["count_latest"]
    for snapshot, rows in expected.get("rows_by_snapshot", {}).items():
        assert_same_rows(rows_of(table.scan(snapshot_id=int(snapshot)), case), rows, f"snapshot {snapshot}")
    for tag, rows in expected.get("rows_by_tag", {}).items():
        assert_same_rows(rows_of(table.scan(tag_name=tag), case), rows, f"tag {tag}")
    if expected.get("payloads_latest"):
        order = [row["_ROW_ID"] for row in expected["rows_latest"]]
        found = payloads_of(table.scan(), list(expected["payloads_latest"]))
        for column, cells in expected["payloads_latest"].items():
            assert found[column] == dict(zip(order, cells, strict=True)), f"content of {column}"
