"""The command line: real round trips through the program, its results read back by other programs."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases"))
from numbered_frame import X264, draw_frame, encode_frames, read_number  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def find_program() -> Path | None:
    if named := os.environ.get("REELHOUSE_CLI"):
        return Path(named)
    built = [ROOT / "build/release/cli/reelhouse", *sorted(ROOT.glob("build/*/cli/reelhouse"))]
    return next((path for path in built if path.exists()), None)


PROGRAM = find_program()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the command line is not built")

Run = Callable[..., SimpleNamespace]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run("ls", "--json", code=0)`: runs the program in a folder and warehouse of its own and checks its exit code."""
    environment = os.environ | {"REELHOUSE_WAREHOUSE": "warehouse", "LC_ALL": "C.UTF-8"}

    def call(*arguments: object, code: int = 0, **env: str) -> SimpleNamespace:
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)], cwd=tmp_path, capture_output=True, env=environment | env, check=False,
            timeout=120,
        )
        error = done.stderr.decode()
        assert done.returncode == code, f"{arguments}: exit code {done.returncode}: {error}{done.stdout.decode(errors='replace')}"
        result = SimpleNamespace(bytes=done.stdout, error=error)
        result.text = done.stdout.decode(errors="replace")
        result.json = json.loads(done.stdout) if "--json" in arguments and done.stdout else None
        return result

    return call


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Twelve numbered JPEG files whose names a shell sorts wrongly."""
    folder = tmp_path / "camera"
    folder.mkdir()
    for number in range(12):
        Image.fromarray(draw_frame(number)).save(folder / f"frame{number}.jpg", quality=95)
    return folder


@pytest.fixture
def table(run: Run, pictures: Path) -> str:
    """`drives` with the twelve pictures and one row each."""
    run("create", "drives", "--schema", "episode int, idx bigint, task string, score double", "--video-column", "video")
    run("add-images", "drives", pictures, "--fps", 30, "--value", "episode=7", "--value", "task=pick, up",
        "--index-column", "idx")  # fmt: skip
    return "drives"


def table_files(tmp_path: Path, table: str = "drives") -> list[str]:
    folder = tmp_path / "warehouse" / "default.db" / table
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# create, ls, describe, tag


def test_create_makes_a_table_of_the_given_types(run: Run, tmp_path: Path) -> None:
    spec = "id bigint not null, state vector<float, 7>, price decimal(10, 2), tags map<string, int>, note string"
    made = run("create", "lab.t", "--schema", spec, "--video-column", "front", "--video-column", "wrist",
               "--option", "blob.target-file-size=1 mb", "--comment", "two cameras", "--json").json  # fmt: skip
    assert made == {"table": "lab.t", "path": "warehouse/lab.db/t", "created": True}
    told = run("describe", "lab.t", "--json").json
    assert [(c["name"], c["type"]) for c in told["columns"]] == [
        ("id", "BIGINT NOT NULL"), ("state", "VECTOR<FLOAT, 7>"), ("price", "DECIMAL(10, 2)"),
        ("tags", "MAP<STRING NOT NULL, INT>"), ("note", "STRING"), ("front", "BLOB"), ("wrist", "BLOB"),
    ]  # fmt: skip
    assert told["video_columns"] == ["front", "wrist"]
    assert told["options"]["video-frame-field"] == "front,wrist"
    assert told["options"]["blob.target-file-size"] == "1 mb"
    assert told["comment"] == "two cameras" and told["rows"] == 0 and told["snapshots"] == []
    text = run("describe", "lab.t").text
    assert "two cameras" in text and "DECIMAL(10, 2)" in text and "no snapshots" in text


def test_create_takes_columns_from_files(run: Run, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([1], pa.int32()), "v": pa.array([[1.0, 2.0]], pa.list_(pa.float32(), 2))}),
                   tmp_path / "rows.parquet")  # fmt: skip
    run("create", "p", "--like", "rows.parquet", "--video-column", "cam")
    assert [c["type"] for c in run("describe", "p", "--json").json["columns"]] == ["INT", "VECTOR<FLOAT, 2>", "BLOB"]
    (tmp_path / "rows.csv").write_text("n,s\n1,x\n")
    run("create", "c", "--like", "rows.csv")
    assert [c["type"] for c in run("describe", "c", "--json").json["columns"]] == ["BIGINT", "STRING"]
    (tmp_path / "schema.json").write_text(json.dumps({"z": "bigint", "a": "array<string>", "day": "string"}))
    run("create", "j", "--schema-file", "schema.json", "--partition-by", "day")
    told = run("describe", "j", "--json").json
    assert [c["name"] for c in told["columns"]] == ["z", "a", "day"] and told["partition_keys"] == ["day"]
    # The schema file of a table makes the same table again.
    run("create", "copy", "--schema-file", "warehouse/default.db/j/schema/schema-0")
    assert run("describe", "copy", "--json").json["columns"] == told["columns"]


def test_create_refuses_what_is_wrong(run: Run, table: str) -> None:
    assert "already exists" in run("create", table, "--schema", "a int", code=2).error
    assert "already there" in run("create", table, "--schema", "a int", "--if-not-exists").text
    assert "column `b`" in run("create", "x", "--schema", "a int, b strnig", code=2).error
    assert "VARCHAR(10)" in run("create", "x", "--schema", "a varchar(10)", code=2).error
    assert "blob.target-file-size" in run(
        "create", "x", "--schema", "a int", "--option", "blob.target-file-size=big", code=2
    ).error
    assert "columns are missing" in run("create", "x", code=2).error
    run("create", "x", "--like", "none.parquet", code=3)
    assert run("ls", "--json").json["tables"][0]["table"] == "default.drives"


def test_tables_may_be_called_like_commands(run: Run) -> None:
    for name in ("frames", "scan", "ls", "tag", "create"):
        run("create", name, "--schema", "a int")
        assert run("scan", name, "--count").text == "0\n"


def test_ls_counts_rows_snapshots_and_bytes(run: Run, table: str) -> None:
    run("create", "lab.empty", "--schema", "a int")
    listed = run("ls", "--json").json
    assert listed["warehouse"] == "warehouse"
    first, second = listed["tables"]
    assert (first["table"], first["rows"], first["snapshots"], first["files"]) == ("default.drives", 12, 1, 2)
    assert first["bytes"] > 1000 and second == {
        "table": "lab.empty", "rows": 0, "snapshots": 0, "files": 0, "bytes": 0
    }  # fmt: skip
    assert run("ls", "lab").text.splitlines()[2].split()[:2] == ["lab.empty", "0"]
    assert "default.drives" in run("ls", "default.drives").text
    run("ls", "nowhere", code=3)
    run("ls", "default.none", code=3)


def test_a_table_can_be_named_by_its_folder(run: Run, table: str, tmp_path: Path) -> None:
    assert run("scan", tmp_path / "warehouse/default.db/drives", "--count", REELHOUSE_WAREHOUSE="").text == "12\n"


def test_tags_are_made_listed_read_and_deleted(run: Run, table: str, pictures: Path) -> None:
    assert run("tag", table, "--json").json == {"table": "default.drives", "tags": {}}
    assert run("tag", table, "v1", "--json").json["snapshot_id"] == 1
    run("add-images", table, pictures, "--fps", 30)
    run("tag", table, "v2")
    run("tag", table, "again", "--snapshot", 1)
    assert run("tag", table, "--json").json["tags"] == {"again": 1, "v1": 1, "v2": 2}
    assert run("scan", table, "--tag", "v1", "--count").text == "12\n"
    assert run("scan", table, "--snapshot", 2, "--count").text == "24\n"
    told = run("describe", table).text
    assert "again, v1" in told and "v2" in told
    run("tag", table, "v1", code=2)
    run("tag", table, "v1", "--delete")
    run("tag", table, "v1", "--delete", code=3)
    run("scan", table, "--tag", "v1", "--count", code=3)


# images and videos in


def test_images_are_added_in_natural_order(run: Run, table: str, tmp_path: Path) -> None:
    run("frames", table, "-o", "out")
    files = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in files] == [f"{i:08}.png" for i in range(12)]
    assert [read_number(np.asarray(Image.open(path))) for path in files] == list(range(12))


@pytest.mark.parametrize("how", ["quoted", "expanded", "listed"])
def test_images_come_from_patterns_and_lists(run: Run, pictures: Path, tmp_path: Path, how: str) -> None:
    run("create", "t", "--schema", "idx int, name string", "--video-column", "v")
    names = {
        "quoted": ["camera/frame*.jpg"],
        "expanded": sorted(str(path) for path in pictures.iterdir()),
        "listed": ["camera/frame11.jpg", "camera/frame7.jpg", "camera/frame3.jpg"],
    }[how]
    run("add-images", "t", *names, "--fps", "30000/1001", "--index-column", "idx", "--file-column", "name")
    numbers = [11, 7, 3] if how == "listed" else list(range(12))
    found = json.loads(run("scan", "t", "--select", "idx,name", "--format", "json").bytes)
    assert found == [{"idx": i, "name": f"frame{number}.jpg"} for i, number in enumerate(numbers)]


def test_a_write_tells_what_it_did(run: Run, pictures: Path) -> None:
    run("create", "t", "--schema", "idx int", "--video-column", "v")
    told = run("add-images", "t", pictures, "--fps", 30, "--json").json
    bytes_in = sum(path.stat().st_size for path in pictures.iterdir())
    assert told["table"] == "default.t" and told["snapshot_id"] == 1 and told["rows"] == 12
    assert told["first_row_id"] == 0 and told["files_in"] == 12 and told["bytes_in"] == bytes_in
    assert 0 < told["bytes_stored"] and told["ratio"] == pytest.approx(bytes_in / told["bytes_stored"])
    assert told["seconds"] >= 0
    line = run("add-images", "t", pictures, "--fps", 30).text
    assert line.startswith("12 rows, ") and line.endswith("snapshot 2\n") and "to 1" in line
    assert run("add-images", "t", pictures, "--fps", 30, "--quiet").text == ""


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl", "json", "arrow"])
def test_rows_of_every_format_go_with_the_images(run: Run, pictures: Path, tmp_path: Path, suffix: str) -> None:
    run("create", "t", "--schema", "k bigint, task string, at timestamp(3), state vector<float, 2>, ok boolean",
        "--video-column", "v")  # fmt: skip
    stamps = pa.array([1_700_000_000_000 + i for i in range(12)], pa.timestamp("ms"))
    columns = {"k": list(range(12)), "task": [None if i == 3 else f"a, \"b\"\n{i}" for i in range(12)], "at": stamps,
               "ok": [i % 2 == 0 for i in range(12)]}  # fmt: skip
    if suffix != "csv":
        columns["state"] = pa.array([[i, i + 0.5] for i in range(12)], pa.list_(pa.float32(), 2))
    rows = pa.table(columns)
    path = tmp_path / f"rows.{suffix}"
    plain = [row | {"at": str(row["at"])} for row in rows.to_pylist()]
    if suffix == "parquet":
        pq.write_table(rows, path)
    elif suffix == "arrow":
        with pa.ipc.new_file(path, rows.schema) as writer:
            writer.write_table(rows)
    elif suffix == "csv":
        with path.open("w", newline="") as out:
            writer = csv.DictWriter(out, rows.column_names)
            writer.writeheader()
            writer.writerows(plain)
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in plain))
    else:
        path.write_text(json.dumps(plain))
    if suffix == "csv":
        run("create", "c", "--schema", "k bigint, task string, at timestamp(3), ok boolean", "--video-column", "v")
    name = "c" if suffix == "csv" else "t"
    run("add-images", name, pictures, "--rows", path.name, "--fps", 30)
    run("scan", name, "--select", ",".join(rows.column_names), "-o", "back.parquet")
    assert pq.read_table(tmp_path / "back.parquet").to_pylist() == rows.to_pylist()


def test_wrong_images_and_rows_are_refused_and_leave_nothing(run: Run, table: str, pictures: Path, tmp_path: Path) -> None:
    before = table_files(tmp_path)
    (tmp_path / "few.csv").write_text("idx\n1\n2\n")
    assert "Image count 12 does not match frame row count 2." in run(
        "add-images", table, pictures, "--rows", "few.csv", "--fps", 30, code=2
    ).error
    Image.new("RGB", (64, 64)).save(pictures / "frame12.jpg")
    assert "All images must have the same dimensions." in run("add-images", table, pictures, "--fps", 30, code=2).error
    (pictures / "frame12.jpg").write_bytes(b"no picture")
    assert "frame12.jpg" in run("add-images", table, pictures, "--fps", 30, code=2).error
    (pictures / "frame12.jpg").unlink()
    assert "30000/1001" in run("add-images", table, pictures, "--fps", "29.97", code=2).error
    assert "libx264" in run("add-images", table, pictures, "--fps", 30, "--codec", "libx246", code=2).error
    assert "did you mean 'episode'?" in run(
        "add-images", table, pictures, "--fps", 30, "--value", "epsiode=1", code=2
    ).error
    (tmp_path / "unknown.csv").write_text("idxx\n" + "1\n" * 12)
    assert "'idx'" in run("add-images", table, pictures, "--rows", "unknown.csv", "--fps", 30, code=2).error
    run("add-images", table, "nothing*.jpg", "--fps", 30, code=3)
    run("add-images", table, pictures, "--rows", "none.csv", "--fps", 30, code=3)
    run("add-images", "nothere", pictures, "--fps", 30, code=3)
    assert table_files(tmp_path) == before


def test_encoder_options_reach_the_encoder(run: Run, pictures: Path) -> None:
    run("create", "t", "--schema", "idx int", "--video-column", "v")
    small = run("add-images", "t", pictures, "--fps", 30, "--codec-option", "crf=45", "--gop", 12, "--json").json
    large = run("add-images", "t", pictures, "--fps", 30, "--codec-option", "crf=1", "--gop", 1, "--json").json
    assert small["bytes_stored"] < large["bytes_stored"] / 2
    assert "crff" in run("add-images", "t", pictures, "--fps", 30, "--codec-option", "crff=1", code=2).error


def depth_pictures(folder: Path, count: int) -> list[np.ndarray]:
    folder.mkdir()
    numbers = [
        (np.arange(48 * 64, dtype=np.uint64) * 40503 + k).astype(np.uint16).reshape(48, 64) for k in range(count)
    ]
    for k, picture in enumerate(numbers):
        Image.fromarray(picture).save(folder / f"{k}.{'png' if k % 2 else 'tiff'}")
    return numbers


def test_a_folder_of_depth_comes_back_number_by_number(run: Run, tmp_path: Path) -> None:
    numbers = depth_pictures(tmp_path / "depth", 12)
    run("create", "t", "--schema", "idx int", "--video-column", "v")
    run("add-images", "t", "depth", "--fps", 30, "--index-column", "idx")
    run("frames", "t", "-o", "out", "--name-by", "{idx}")
    for k, wanted in enumerate(numbers):
        picture = Image.open(tmp_path / "out" / f"{k}.png")
        assert picture.mode.startswith("I;16")
        assert np.array_equal(np.asarray(picture), wanted)
    run("frames", "t", "-o", "small", "--row-ids", "3", "--size", "24x32")
    assert np.array_equal(np.asarray(Image.open(tmp_path / "small" / "00000003.png")), numbers[3][1::2, 1::2])
    run("frames", "t", "-o", "seen", "--row-ids", "3", "--pixels", "rgb24")
    assert Image.open(tmp_path / "seen" / "00000003.png").mode == "RGB"
    error = run("add-images", "t", "depth", "--fps", 30, "--codec", "libx265", code=2).error
    assert "holds at most 4095" in error and "ffv1" in error


def test_several_cameras_go_into_one_commit(run: Run, pictures: Path, tmp_path: Path) -> None:
    numbers = depth_pictures(tmp_path / "depth", 12)
    depth_pictures(tmp_path / "short", 11)
    run("create", "rig", "--schema", "idx int", "--video-column", "front", "--video-column", "depth")
    wrong = ("add-images", "rig", "--fps", 30, "--index-column", "idx", "--camera", "front=camera")
    error = run(*wrong, "--camera", "depth=short", code=2).error
    assert "same number of images" in error and "depth: 11" in error and "front: 12" in error
    assert "given twice" in run(*wrong, "--camera", "front=depth", code=2).error
    assert "--video-column" in run(*wrong, "--camera", "depth=depth", "--video-column", "front", code=2).error
    assert "give either" in run(*wrong, pictures, code=2).error
    assert "`dept`" in run(*wrong, "--camera", "dept=depth", code=2).error.replace("'", "`")
    assert run("scan", "rig", "--count").text == "0\n"
    told = run(*wrong, "--camera", "depth=depth", "--codec", "front=libx264", "--codec-option", "front:crf=8",
               "--gop", "depth=6", "--gop", "3", "--json").json  # fmt: skip
    assert told["rows"] == 12 and told["snapshot_id"] == 1 and told["files_in"] == 24
    run("frames", "rig", "-o", "out", "--column", "depth")
    run("frames", "rig", "-o", "out/front", "--column", "front", "--row-ids", "5")
    assert np.array_equal(np.asarray(Image.open(tmp_path / "out" / "00000007.png")), numbers[7])
    assert read_number(np.asarray(Image.open(tmp_path / "out" / "front" / "00000005.png"))) == 5


def test_videos_get_a_row_for_each_frame(run: Run, tmp_path: Path) -> None:
    for number in (1, 2, 10):
        encode_frames(tmp_path / f"clip{number}.mp4", range(number, number + 5), X264)
    run("create", "t", "--schema", "idx int, clip string, task string", "--video-column", "v")
    told = run("add-video", "t", "clip*.mp4", "--index-column", "idx", "--file-column", "clip", "--value", "task=a",
               "--json").json  # fmt: skip
    assert told["rows"] == 15 and told["snapshot_id"] == 1
    found = run("scan", "t", "--select", "clip,idx", "--json").json
    assert found == [{"clip": f"clip{n}.mp4", "idx": i} for n in (1, 2, 10) for i in range(5)]
    run("frames", "t", "-o", "out", "--name-by", "{clip}/{idx:03}")
    assert read_number(np.asarray(Image.open(tmp_path / "out/clip10.mp4/004.png"))) == 14


def test_a_video_may_begin_in_its_middle_and_bring_rows(run: Run, tmp_path: Path) -> None:
    encode_frames(tmp_path / "clip.mp4", range(20), X264)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"idx": i}) + "\n" for i in range(3)))
    run("create", "t", "--schema", "idx int", "--video-column", "v")
    run("add-video", "t", "clip.mp4", "--rows", "rows.jsonl", "--first-frame", 10)
    assert run("add-video", "t", "clip.mp4", "--first-frame", 15, "--json").json["rows"] == 5
    run("frames", "t", "-o", "out")
    numbers = [read_number(np.asarray(Image.open(path))) for path in sorted((tmp_path / "out").iterdir())]
    assert numbers == [10, 11, 12, 15, 16, 17, 18, 19]
    assert "20 frames" in run("add-video", "t", "clip.mp4", "--first-frame", 20, code=2).error
    run("add-video", "t", "clip.mp4", "--rows", "rows.jsonl", "--first-frame", 18, code=2)
    (tmp_path / "no.mp4").write_bytes(b"no video at all")
    assert "no.mp4" in run("add-video", "t", "no.mp4", code=2).error
    run("add-video", "t", "none.mp4", code=3)


def test_rows_without_videos_are_added_from_several_files(run: Run, tmp_path: Path) -> None:
    run("create", "t", "--schema", "k bigint, s string")
    (tmp_path / "a.csv").write_text('k,s\n1,\n2,""\n3,"x, ""y"""\n')
    pq.write_table(pa.table({"s": ["p"], "k": pa.array([4], pa.int32())}), tmp_path / "b.parquet")
    told = run("add", "t", "a.csv", "b.parquet", "--json").json
    assert told["rows"] == 4 and told["snapshot_id"] == 1
    assert run("scan", "t", "--json").json == [
        {"k": 1, "s": None}, {"k": 2, "s": ""}, {"k": 3, "s": 'x, "y"'}, {"k": 4, "s": "p"}
    ]  # fmt: skip
    (tmp_path / "bad.csv").write_text("k,s\nx,1\n")
    assert "bad.csv" in run("add", "t", "bad.csv", code=2).error
    (tmp_path / "torn.parquet").write_bytes((tmp_path / "b.parquet").read_bytes()[:-20])
    run("add", "t", "torn.parquet", code=2)
    run("add", "t", "none.csv", code=3)


# scan


def test_scan_prints_a_table_for_people(run: Run, table: str) -> None:
    lines = run("scan", table, "--limit", 2, "--row-id").text.splitlines()
    assert lines[0].split() == ["episode", "idx", "task", "score", "video", "_ROW_ID"]
    assert set(lines[1]) == {"-", " "}
    assert len(lines) == 4
    assert "pick, up" in lines[3] and "NULL" in lines[3] and lines[3].endswith("1")
    assert "video …" in lines[3] and ".video frame 1" in lines[3]


def test_scan_writes_every_format(run: Run, table: str, tmp_path: Path) -> None:
    select = ["--select", "idx,task,score,video"]
    expected = [{"idx": i, "task": "pick, up", "score": None} for i in range(12)]

    rows = list(csv.DictReader(io.StringIO(run("scan", table, *select, "--format", "csv").text)))
    assert [int(row["idx"]) for row in rows] == list(range(12))
    assert {row["task"] for row in rows} == {"pick, up"} and {row["score"] for row in rows} == {""}
    assert json.loads(rows[5]["video"])["frame_index"] == 5

    array = json.loads(run("scan", table, *select, "--format", "json").bytes)
    lines = [json.loads(line) for line in run("scan", table, *select, "--format", "jsonl").text.splitlines()]
    assert array == lines
    assert [{k: v for k, v in row.items() if k != "video"} for row in array] == expected
    assert [row["video"]["frame_index"] for row in array] == list(range(12))

    streamed = pa.ipc.open_stream(run("scan", table, *select, "--format", "arrow").bytes).read_all()
    parquet = pq.read_table(pa.BufferReader(run("scan", table, *select, "--format", "parquet").bytes))
    assert streamed.to_pylist() == parquet.to_pylist()
    assert streamed.drop_columns(["video"]).to_pylist() == expected
    assert streamed.schema.field("video").type == pa.large_binary()

    for name in ("o.csv", "o.json", "o.jsonl", "o.parquet", "o.arrow"):
        told = run("scan", table, *select, "-o", name, "--json").json
        assert told == {"file": name, "rows": 12, "bytes": (tmp_path / name).stat().st_size}
    assert pa.ipc.open_file(tmp_path / "o.arrow").read_all().to_pylist() == streamed.to_pylist()
    assert (tmp_path / "o.csv").read_bytes() == run("scan", table, *select, "--format", "csv").bytes
    assert not list(tmp_path.glob("*.part-*"))


def test_scan_spells_values_of_all_types(run: Run, tmp_path: Path) -> None:
    run("create", "t", "--schema", "d date, ts timestamp(6), z timestamp(3) with local time zone, dec decimal(6, 2), "
        "f float, x double, bin bytes, l array<int>, m map<string, int>, r row<a int, b string>, b blob")  # fmt: skip
    row = {
        "d": pa.array([19724], pa.date32()), "ts": pa.array([1704164645500000], pa.timestamp("us")),
        "z": pa.array([1704164645000], pa.timestamp("ms", "UTC")), "dec": pa.array([None], pa.decimal128(6, 2)),
        "f": pa.array([0.1], pa.float32()), "x": pa.array([float("nan")]), "bin": pa.array([b"abc"]),
        "l": pa.array([[1, None]], pa.list_(pa.int32())), "m": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
        "r": pa.array([{"a": 1, "b": "é"}], pa.struct([("a", pa.int32()), ("b", pa.string())])),
        "b": pa.array([b"blob content"], pa.large_binary()),
    }  # fmt: skip
    pq.write_table(pa.table(row), tmp_path / "row.parquet")
    run("add", "t", "row.parquet")
    (found,) = run("scan", "t", "--json").json
    assert found.pop("b")["length"] == 12
    assert found == {
        "d": "2024-01-02", "ts": "2024-01-02 03:04:05.5", "z": "2024-01-02 03:04:05Z", "dec": None, "f": 0.1,
        "x": None, "bin": "YWJj", "l": [1, None], "m": {"k": 1}, "r": {"a": 1, "b": "é"},
    }  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet", "arrow"])
def test_scanned_rows_can_be_added_again(run: Run, tmp_path: Path, suffix: str) -> None:
    spec = "d date, ts timestamp(6), ms timestamp(3), z timestamp(3) with local time zone, f float, x double, ok boolean, s string"
    row = {
        "d": pa.array([19724, None], pa.date32()), "ts": pa.array([1704164645500001, None], pa.timestamp("us")),
        "ms": pa.array([1704164645500, 0], pa.timestamp("ms")), "f": pa.array([0.1, None], pa.float32()),
        "z": pa.array([1704164645000, None], pa.timestamp("ms", "UTC")), "x": pa.array([1e-300, 2.0]),
        "ok": [True, False], "s": ["", None],
    }  # fmt: skip
    if suffix != "csv":
        spec += ", l array<int>, r row<a int, b string>, v vector<float, 2>"
        row["l"] = pa.array([[1, None], None], pa.list_(pa.int32()))
        row["r"] = pa.array([{"a": 1, "b": "é"}, None], pa.struct([("a", pa.int32()), ("b", pa.string())]))
        row["v"] = pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2))
    run("create", "t", "--schema", spec)
    run("create", "again", "--schema", spec)
    pq.write_table(pa.table(row), tmp_path / "row.parquet")
    run("add", "t", "row.parquet")
    run("scan", "t", "-o", f"out.{suffix}")
    run("add", "again", f"out.{suffix}")
    assert run("scan", "again", "--json").json == run("scan", "t", "--json").json


def test_scan_filters_counts_and_explains(run: Run, table: str) -> None:
    assert run("scan", table, "--where", "idx >= 4", "--where", "idx < 6", "--count").text == "2\n"
    assert run("scan", table, "--where", "idx = 4 OR idx = 6", "--count", "--json").json == {"count": 2}
    assert run("scan", table, "-w", "idx = 4", "--select", "idx", "--json").json == [{"idx": 4}]
    assert run("scan", table, "--where", "idx > 99", "--json").json == []
    assert run("scan", table, "--explain").text.strip()
    assert run("scan", table, "--explain", "--json").json["explain"]
    error = run("scan", table, "--where", "idxx = 4", code=2).error
    assert error.startswith("reelhouse: error: ") and "idxx" in error and "idx" in error
    assert "Did you mean 'score'?" in run("scan", table, "--select", "scorr", code=2).error


def test_scan_goes_back_in_time(run: Run, table: str, pictures: Path) -> None:
    created = run("describe", table, "--json").json["snapshots"][0]["time_millis"]
    time.sleep(0.01)
    run("add-images", table, pictures, "--fps", 30)
    assert run("scan", table, "--timestamp", created, "--count").text == "12\n"
    assert run("scan", table, "--timestamp", "2999-01-01", "--count").text == "24\n"
    run("scan", table, "--timestamp", "2001-01-01", "--count", code=2)
    assert "--timestamp" in run("scan", table, "--timestamp", "yesterday", code=2).error
    run("scan", table, "--snapshot", 1, "--tag", "x", code=2)
    run("scan", table, "--snapshot", 99, code=2)


def test_scan_to_a_file_keeps_the_old_one_if_it_fails(run: Run, table: str, tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("old")
    run("scan", table, "--where", "nope = 1", "-o", "o.csv", code=2)
    assert (tmp_path / "o.csv").read_text() == "old"
    assert "format" in run("scan", table, "-o", "o.xyz", code=2).error
    run("scan", table, "-o", "no/such/folder/o.csv", code=3)
    run("scan", table, "--format", "csv", "-o", "/dev/full", code=4)
    run("scan", table, "--format", "csv", "-o", "-")


def test_a_closed_pipe_is_quiet(run: Run, tmp_path: Path) -> None:
    run("create", "t", "--schema", "k bigint, s string")
    pq.write_table(pa.table({"k": range(100_000), "s": ["text"] * 100_000}), tmp_path / "rows.parquet")
    run("add", "t", "rows.parquet")
    program = subprocess.Popen(
        [PROGRAM, "--warehouse", "warehouse", "scan", "t", "--format", "jsonl"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert json.loads(program.stdout.readline()) == {"k": 0, "s": "text"}
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait(timeout=60) == 141


def test_a_terminal_gets_a_short_table_and_a_progress_bar(run: Run, table: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"idx": range(200)}), tmp_path / "rows.parquet")
    run("add", table, "rows.parquet")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "--warehouse", "warehouse", "scan", table], cwd=tmp_path, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert len(text.splitlines()) == 2 + 50 + 1 and b"first 50 rows" in text


# frames out


def test_frames_are_written_by_any_name_and_format(run: Run, table: str, tmp_path: Path) -> None:
    told = run("frames", table, "--row-ids", "1,3-4,11,99", "-o", "out", "--format", "jpeg", "--name-by",
               "{task}/{idx:03}", "--json").json  # fmt: skip
    assert told["folder"] == "out" and told["frames"] == 4 and told["rows_without_frame"] == 0
    files = sorted((tmp_path / "out" / "pick, up").iterdir())
    assert [path.name for path in files] == ["001.jpg", "003.jpg", "004.jpg", "011.jpg"]
    assert sum(path.stat().st_size for path in files) == told["bytes"]
    assert [read_number(np.asarray(Image.open(path))) for path in files] == [1, 3, 4, 11]
    run("frames", table, "--where", "idx = 2", "-o", "small", "--size", "48x48")
    assert Image.open(tmp_path / "small/00000002.png").size == (48, 36)
    run("frames", table, "--where", "idx = 2", "-o", "gray", "--pixels", "gray8")
    assert Image.open(tmp_path / "gray/00000002.png").mode == "L"


def test_frames_refuse_what_they_cannot_do(run: Run, table: str, tmp_path: Path) -> None:
    assert "two frames" in run("frames", table, "-o", "out", "--name-by", "{task}", code=2).error
    assert not any(path.is_file() for path in (tmp_path / "out").rglob("*"))
    assert "--sheet" in run("frames", table, code=2).error
    run("frames", table, "-o", "out", "--row-ids", "5-1", code=2)
    assert "video" in run("frames", table, "-o", "out", "--column", "task", code=2).error
    assert "idx" in run("frames", table, "-o", "out", "--name-by", "{idxx}", code=2).error
    assert run("frames", table, "-o", "out", "--where", "idx > 99", "--json", code=1).json == {"frames": 0}


def test_a_contact_sheet_shows_the_frames(run: Run, table: str, tmp_path: Path) -> None:
    told = run("frames", table, "--sheet", "sheet.png", "--columns", 5, "--size", "96x128", "--json").json
    assert told["frames"] == 12 and told["has_more"] is False
    sheet = Image.open(tmp_path / "sheet.png").convert("RGB")
    gap = 4
    assert sheet.size == (told["width"], told["height"]) == (5 * (128 + gap) + gap, 3 * (96 + gap) + gap)
    for number in range(12):
        left, top = number % 5 * (128 + gap) + gap, number // 5 * (96 + gap) + gap
        assert read_number(np.asarray(sheet.crop((left, top, left + 128, top + 96)))) == number
    told = run("frames", table, "--sheet", "few.jpg", "--limit", 2, "--json").json
    assert told["frames"] == 2 and told["has_more"] is True
    assert Image.open(tmp_path / "few.jpg").format == "JPEG"
    run("frames", table, "--sheet", "sheet.gif", code=2)


# verify, errors, signals


def test_verify_finds_what_is_broken(run: Run, table: str, tmp_path: Path) -> None:
    told = run("verify", table, "--deep", "--json").json
    assert told["ok"] is True and told["problems"] == [] and told["videos_checked"] == 1
    assert "all right" in run("verify", table).text
    (video,) = (tmp_path / "warehouse").rglob("*.video")
    video.write_bytes(video.read_bytes()[:-7])
    told = run("verify", table, "--json", code=1).json
    assert told["ok"] is False and any(video.name in problem["path"] for problem in told["problems"])
    assert video.name in run("verify", table, "--quiet", code=1).text


def test_errors_are_words_json_and_exit_codes(run: Run, table: str, tmp_path: Path) -> None:
    done = run("scan", "drivs", "--json", code=3)
    assert done.json["error"]["kind"] == "TableNotExist" and done.json["error"]["exit_code"] == 3
    assert "did you mean 'drives'?" in done.error
    assert run("scan", table, "--where", "idx =", "--json", code=2).json["error"]["kind"] == "Invalid"
    assert "REELHOUSE_WAREHOUSE" in run("ls", code=2, REELHOUSE_WAREHOUSE="").error
    assert run("--warehouse", "nowhere", "ls", "--json", code=3).json["error"]["path"] == "nowhere"
    assert "reelhouse scan --help" in run("scan", table, "--nope", code=2).error
    assert "command is missing" in run(code=2).error
    assert "nonsense" in run("nonsense", code=2).error
    (snapshot,) = (tmp_path / "warehouse").rglob("snapshot-1")
    snapshot.write_text("{ torn")
    assert run("scan", table, "--json", code=4).json["error"]["kind"] == "CorruptFile"


def test_help_shows_examples_and_exit_codes(run: Run) -> None:
    assert "add-images" in run("--help").text
    for command in ("create", "ls", "describe", "add", "add-images", "add-video", "scan", "frames", "verify", "tag"):
        text = run(command, "--help").text
        assert f"reelhouse {command}" in text and "Exit codes:" in text and "Examples:" in text


def test_version_names_what_is_inside(run: Run) -> None:
    text = run("--version").text
    assert text.startswith("reelhouse 0.") and "FFmpeg " in text and "Arrow " in text
    assert set(run("--version", "--json").json) == {"reelhouse", "ffmpeg", "arrow", "encoders"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_write_leaves_nothing(run: Run, table: str, tmp_path: Path, number: signal.Signals) -> None:
    before = table_files(tmp_path)
    slow = tmp_path / "slow"
    slow.mkdir()
    noise = np.random.default_rng(1).integers(0, 255, (480, 640, 3), np.uint8)
    Image.fromarray(noise).save(slow / "0.jpg", quality=90)
    for i in range(1, 500):
        os.link(slow / "0.jpg", slow / f"{i}.jpg")
    process = subprocess.Popen(
        [PROGRAM, "--warehouse", "warehouse", "add-images", table, "slow", "--fps", "30", "--codec-option", "crf=10"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while table_files(tmp_path) == before and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    output, error = process.communicate(timeout=60)
    assert process.returncode == 128 + number, error
    assert output == "" and error == "reelhouse: error: interrupted\n"
    assert table_files(tmp_path) == before
    assert run("scan", table, "--count").text == "12\n"
