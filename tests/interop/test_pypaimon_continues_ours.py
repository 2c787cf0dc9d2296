"""pypaimon goes on writing on top of our tables, then we do, and both read the same, which is what was asked for."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from .comparison import assert_case_reads_as_expected
from .makers import OurCase, connect, makers, open_table


@pytest.fixture
def inputs(tmp_path):
    folder = tmp_path / "inputs"
    folder.mkdir()
    return folder


def new_table(folder: Path, schema: pa.Schema, options: dict[str, str] | None = None, **more) -> tuple:
    """A case folder with an empty table in it."""
    case = OurCase(str(folder), "case", "continued by pypaimon", schema, options, **more)
    shutil.rmtree(case.tmp)
    return case.dir, case.t


def both_agree(pypaimon, case: Path) -> None:
    """Every snapshot and tag reads the same here and there, and nothing is broken."""
    assert_case_reads_as_expected(case, pypaimon.ask("describe", case=str(case)))
    report = open_table(case).verify(deep=True)
    assert report.ok, str(report)


def blob_states(case: Path) -> dict[int, tuple]:
    rows, blobs = open_table(case).scan().read_blobs("img")
    return {row["id"]: (blob, row["note"]) for row, blob in zip(rows.to_pylist(), blobs["img"], strict=True)}


def test_updates_deletes_and_appends_of_pypaimon_on_our_blob_table(tmp_path, pypaimon):
    case, table = new_table(tmp_path, makers.BLOBS)
    want = {}
    for first, count in ((0, 6), (6, 4)):
        rows = makers.blob_rows(first, count)
        table.add(rows)
        want |= {row["id"]: (row["img"], row["note"]) for row in rows.to_pylist()}
    new = {"hex": b"NEW".hex()}
    pypaimon.ask(
        "change",
        case=str(case),
        steps=[
            ["create_tag", "ours"],
            ["update", "id in (1, 7)", {"note": "changed"}],
            ["update", "id in (2, 4)", {"img": new}],
            ["update", "id = 4", {"img": None}],
            ["delete", "id in (3, 8)"],
            ["add", [{"id": 100, "img": {"hex": "00ff"}, "note": None}, {"id": 101, "img": None, "note": "z"}]],
            ["merge", "id", [{"id": 0, "img": new, "note": "m"}, {"id": 200, "img": None, "note": "new"}]],
        ],
    )
    before = dict(want)
    want |= {1: (want[1][0], "changed"), 7: (want[7][0], "changed"), 2: (b"NEW", want[2][1]), 4: (None, want[4][1])}
    want |= {100: (b"\x00\xff", None), 101: (None, "z"), 0: (b"NEW", "m"), 200: (None, "new")}
    del want[3], want[8]
    assert blob_states(case) == want
    open_table(case).add(makers.blob_rows(300, 2))
    want |= {row["id"]: (row["img"], row["note"]) for row in makers.blob_rows(300, 2).to_pylist()}
    pypaimon.ask("change", case=str(case), steps=[["update", "id in (5, 301)", {"note": "late"}], ["delete", "id = 0"]])
    want |= {5: (want[5][0], "late"), 301: (want[301][0], "late")}
    del want[0]
    assert blob_states(case) == want
    _, tagged = open_table(case).scan(tag_name="ours").read_blobs("img")
    assert tagged["img"] == [img for img, _ in before.values()]
    both_agree(pypaimon, case)


def test_replaced_videos_win_over_every_file_that_we_rolled(tmp_path, inputs, pypaimon):
    case, table = new_table(tmp_path, makers.FRAMES, {"video-frame-field": "video", "blob.target-file-size": "2 kb"})
    videos = [inputs / f"{i}.mp4" for i in range(5)]
    for i, video in enumerate(videos):
        makers.write_mp4(str(video), 3 + i, seed=i * 10)
    table.add_videos([(str(video), makers.frame_rows(i, 3 + i)) for i, video in enumerate(videos)])
    assert len(list(case.rglob("*.video"))) > 2, "the column must roll"
    new = inputs / "new.mp4"
    makers.write_mp4(str(new), 8, seed=90)
    extra = [{"episode": 9, "idx": i} for i in range(3)]
    pypaimon.ask(
        "change",
        case=str(case),
        steps=[
            ["replace_video", "episode = 4", str(new), 0],
            ["replace_video", "episode = 0 and idx >= 1", str(new), 6],
            ["delete", "episode = 2 and idx < 2"],
            ["update", "episode = 1", {"idx": 77}],
            ["add_video", str(videos[0]), extra],
        ],
    )
    want = [(0, 0, 0, 0), (0, 1, "new", 6), (0, 2, "new", 7)]
    want += [(1, 77, 1, i) for i in range(4)]
    want += [(2, i, 2, i) for i in range(2, 5)]
    want += [(3, i, 3, i) for i in range(6)]
    want += [(4, i, "new", i) for i in range(7)]
    want += [(9, i, 0, i) for i in range(3)]
    names = {hashlib.sha256(video.read_bytes()).hexdigest(): i for i, video in enumerate(videos)}
    names[hashlib.sha256(new.read_bytes()).hexdigest()] = "new"

    def found() -> list[tuple]:
        rows, blobs = open_table(case).scan().read_blobs("video")
        cells = open_table(case).scan().to_list()
        indexes = [makers.descriptor(cell["video"], str(case / "wh"))["frame_index"] for cell in cells]
        return [
            (row["episode"], row["idx"], names[hashlib.sha256(blob).hexdigest()], index)
            for row, blob, index in zip(rows.to_pylist(), blobs["video"], indexes, strict=True)
        ]

    assert found() == want
    open_table(case).add_video(str(new), makers.frame_rows(10, 2), first_frame=3)
    want += [(10, 0, "new", 3), (10, 1, "new", 4)]
    assert found() == want
    both_agree(pypaimon, case)
    frames = pypaimon.ask("frames", case=str(case), column="video")
    assert len(frames) == len(want) and all(frame["same"] and frame["indexed"] for frame in frames)
    assert len(open_table(case).scan().read_frames("video")) == len(want)


def test_partitions_overwritten_and_deleted_by_pypaimon(tmp_path, pypaimon):
    schema = pa.schema([("id", pa.int64()), ("site", pa.string()), ("img", pa.large_binary())])
    case, table = new_table(tmp_path, schema, partitioned=["site"])
    table.add([{"id": i, "site": "abc"[i % 3], "img": bytes([i])} for i in range(9)])
    pypaimon.ask(
        "change",
        case=str(case),
        steps=[
            ["delete", "id in (1, 2)"],
            ["delete", "site = 'a'"],
            ["overwrite", [{"id": 50, "site": "b", "img": {"hex": "aa"}}]],
        ],
    )
    open_table(case).add([{"id": 60, "site": "a", "img": b"60"}, {"id": 61, "site": "c", "img": None}])
    rows, blobs = open_table(case).scan().read_blobs("img")
    found = {row["id"]: (row["site"], blob) for row, blob in zip(rows.to_pylist(), blobs["img"], strict=True)}
    assert found == {50: ("b", b"\xaa"), 5: ("c", b"\5"), 8: ("c", b"\b"), 60: ("a", b"60"), 61: ("c", None)}
    both_agree(pypaimon, case)


def test_columns_changed_by_pypaimon_between_our_appends(tmp_path, pypaimon):
    case, table = new_table(tmp_path, pa.schema([("id", pa.int64()), ("name", pa.string()), ("n", pa.int32())]))
    table.add([{"id": 1, "name": "a", "n": 1}, {"id": 2, "name": "b", "n": 2}])
    steps = [["add_column", "score", "DOUBLE"], ["add_column", "img", "BLOB"], ["drop_column", "n"]]
    pypaimon.ask("change", case=str(case), steps=steps)
    connection = connect(case / "wh")
    connection.get_table("frames").add([{"id": 3, "name": "c", "score": 3.5, "img": b"three"}])
    pypaimon.ask("change", case=str(case), steps=[["update", "id in (1, 3)", {"score": 9.0}]])
    both_agree(pypaimon, case)
    pypaimon.ask("change", case=str(case), steps=[["rename_column", "name", "label"]])
    connection.get_table("frames").add([{"id": 4, "label": "d"}])
    rows, blobs = connection.get_table("frames").scan().read_blobs("img")
    assert rows.to_pylist() == [
        {"id": 1, "label": "a", "score": 9.0},
        {"id": 2, "label": "b", "score": None},
        {"id": 3, "label": "c", "score": 9.0},
        {"id": 4, "label": "d", "score": None},
    ]
    assert blobs["img"] == [None, None, b"three", None]
    # pypaimon gives NULL for row 3: it looks up the old name, which its file lists, in the newest schema.
    expected = pypaimon.ask("describe", case=str(case))
    assert {row["id"]: row["label"] for row in expected["rows_latest"]} == {1: "a", 2: "b", 3: None, 4: "d"}
    assert_case_reads_as_expected(case, expected | {"rows_latest_correct": {"_ROW_ID": 2, "label": "c"}})


def test_we_append_to_tables_that_pypaimon_made(fresh_vectors, tmp_path, pypaimon):
    for name, rows in {
        "blob": makers.blob_rows(50, 3),
        "after_update": makers.blob_rows(50, 3),
        "after_delete": makers.blob_rows(50, 3),
        "merged": makers.blob_rows(50, 3),
        "overwritten": makers.blob_rows(50, 3),
        "plain_append": makers.plain_rows(50, 6),
        "tagged": pa.table({"id": [9], "v": ["z"]}),
        "partition_delete": pa.table(
            {"id": [9, 10], "site": ["a", "z"], "img": pa.array([b"1", None], pa.large_binary())}
        ),
        "schema_evolution": pa.table({"id": [9], "label": ["z"]}),
        "write_cols_optimized": makers.blob_rows(50, 3),
    }.items():
        case = tmp_path / name
        shutil.copytree(fresh_vectors / name, case)
        before = open_table(case).scan().count()
        open_table(case).add(rows)
        expected = pypaimon.ask("describe", case=str(case))
        assert len(expected["rows_latest"]) == before + rows.num_rows, name
        if name == "schema_evolution":
            expected["rows_latest_correct"] = {"_ROW_ID": 2, "label": "c"}
        assert_case_reads_as_expected(case, expected)


def test_we_append_videos_to_tables_that_pypaimon_made(fresh_vectors, tmp_path, inputs, pypaimon):
    video = inputs / "v.mp4"
    makers.write_mp4(str(video), 6, seed=5)
    for name in ("video_two", "video_rolled", "after_replace_video", "rolled_then_replaced", "no_keyframe_index"):
        case = tmp_path / name
        shutil.copytree(fresh_vectors / name, case)
        open_table(case).add_video(str(video), makers.frame_rows(20, 5), first_frame=1)
        steps = [["replace_video", "episode = 20 and idx = 4", str(video), 0]]
        pypaimon.ask("change", case=str(case), steps=steps)
        both_agree(pypaimon, case)
        newest = open_table(case).scan().where("episode = 20").to_list()
        assert [makers.descriptor(r["video"], str(case / "wh"))["frame_index"] for r in newest] == [1, 2, 3, 4, 0]
        assert all(frame["same"] for frame in pypaimon.ask("frames", case=str(case), column="video"))
