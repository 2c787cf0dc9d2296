"""pypaimon reads what we write: rows, blobs, versions, tags, filters and frames."""

from __future__ import annotations

import json

import pytest

from .comparison import assert_case_reads_as_expected, assert_same_rows, by_row_id, without_file_names
from .makers import open_table, rows_of
from .our_cases import SNAPSHOT, VECTOR_CASES

# The payloads of images_as_video come from another encoder than PyAV's: only what is not their bytes can be equal.
OTHER_BYTES = {"images_as_video"}


@pytest.mark.parametrize("case", VECTOR_CASES)
def test_pypaimon_reads_the_same_rows_from_our_files_as_from_its_own(our_cases, fresh_vectors, case):
    ours = our_cases.read_by_pypaimon(case)
    its = json.loads((fresh_vectors / case / "expected.json").read_text())
    stop = SNAPSHOT[case]
    latest = its["rows_latest"] if stop is None else its["rows_by_snapshot"][str(stop)]
    states = {"newest": (ours["rows_latest"], latest)}
    for snapshot, rows in ours["rows_by_snapshot"].items():
        states[f"snapshot {snapshot}"] = (rows, its["rows_by_snapshot"][snapshot])
    for tag in its.get("rows_by_tag", {}):
        states[f"tag {tag}"] = (ours["rows_by_tag"][tag], its["rows_by_tag"][tag])
    for what, (got, want) in states.items():
        got, want = without_file_names(got), without_file_names(want)
        if case in OTHER_BYTES:
            got, want = _without_payloads(got), _without_payloads(want)
        assert_same_rows(got, want, what)
    if stop is None and case not in OTHER_BYTES:
        assert ours.get("payloads_latest") == its.get("payloads_latest")


def _without_payloads(rows):
    return [row | {"video": row["video"]["descriptor"]["frame_index"]} for row in rows]


def test_we_and_pypaimon_read_the_same_from_our_files(our_cases, our_case):
    assert_case_reads_as_expected(our_cases.path(our_case), our_cases.read_by_pypaimon(our_case))


def test_pypaimon_reads_what_went_in(our_cases):
    rows = by_row_id(our_cases.read_by_pypaimon("several_files")["rows_latest"])
    assert [row["id"] for row in rows] == list(range(9_000))
    assert [row["text"] for row in rows] == [f"{k * 2654435761 % 2**32:x}" for k in range(9_000)]
    frames = by_row_id(our_cases.read_by_pypaimon("first_frame")["rows_latest"])
    assert [row["video"]["descriptor"]["frame_index"] for row in frames] == [5, 6, 7, 8, 1, 2]
    assert [row["id"] for row in our_cases.read_by_pypaimon("many_commits")["rows_latest"]] == list(range(35))


FILTERS = {
    "plain_stats": ["id > 6", "i8 < -98", "name = 'short'", "name is null", "f64 <= -0.5", "flag = true", "id = 99"],
    "extreme_values": ["i8 = 127", "i64 < 0", "f64 > 1", "f32 < 0", "name = ''", "gone is null", "gone > 0"],
    "several_files": ["id = 5999", "id = 6000", "id >= 8990", "id < 3"],
    "partitioned": ["site = 'lab'", "site is null", "v > 3", "id = 6 and site = 'lab'"],
    "blob": ["id = 9", "note = 'n3'"],
}


@pytest.mark.parametrize("case", FILTERS)
def test_pypaimon_prunes_by_our_statistics_without_losing_rows(our_cases, pypaimon, case):
    path = our_cases.path(case)
    table = open_table(path)
    ours = [[row["_ROW_ID"] for row in table.scan().where(w).with_row_id().to_list()] for w in FILTERS[case]]
    its = pypaimon.ask("filtered", case=str(path), wheres=FILTERS[case])
    assert [sorted(ids) for ids in its] == [sorted(ids) for ids in ours]
    assert any(ours), "the filters must find rows"


def test_pypaimon_reads_our_files_through_its_native_reader(our_cases, pypaimon):
    for case in ("video_two", "blob", "plain_append", "rolled_blobs"):
        path = our_cases.path(case)
        assert_same_rows(pypaimon.ask("read_natively", case=str(path)), rows_of(open_table(path).scan(), path), case)


@pytest.mark.parametrize(
    ("case", "column"),
    [
        ("video_two", "video"),
        ("video_rolled", "video"),
        ("first_frame", "video"),
        ("images_as_video", "video"),
        ("two_cameras", "front"),
        ("two_cameras", "wrist"),
        ("depth", "deep"),
        ("depth", "shallow"),
    ],
)
def test_pypaimon_decodes_frames_through_our_keyframe_index(our_cases, pypaimon, case, column):
    found = pypaimon.ask("frames", case=str(our_cases.path(case)), column=column)
    assert found
    assert all(frame["indexed"] for frame in found)
    assert [frame["row_id"] for frame in found if not frame["same"]] == []


def test_pypaimon_decodes_a_video_without_an_index(our_cases, pypaimon):
    found = pypaimon.ask("frames", case=str(our_cases.path("no_keyframe_index")), column="video")
    assert [frame["indexed"] for frame in found] == [False] * 4
    assert all(frame["same"] for frame in found)
