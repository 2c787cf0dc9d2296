"""Tables whose manifests are merged: by us after our own and after pypaimon's commits, read and continued by others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from .comparison import assert_case_reads_as_expected
from .makers import OurCase, makers, open_table

SMALL = {"manifest.merge-min-count": "4"}
SITES = pa.schema([("id", pa.int64()), ("site", pa.string()), ("note", pa.string()), ("img", pa.large_binary())])


def new_table(folder: Path, schema: pa.Schema, options: dict[str, str], **more) -> tuple:
    case = OurCase(str(folder), "case", "merged by us", schema, options, **more)
    shutil.rmtree(case.tmp)
    return case.dir, case.t


def manifests_of(case: Path, snapshot: int | None = None) -> list[Path]:
    """Manifests that snapshots name, through the lists as fastavro reads them."""
    import fastavro

    table = case / "wh/robots.db/frames"
    snapshot = snapshot or int((table / "snapshot/LATEST").read_text())
    head = json.loads((table / f"snapshot/snapshot-{snapshot}").read_text())
    found = []
    for name in (head["baseManifestList"], head["deltaManifestList"]):
        with open(table / "manifest" / name, "rb") as file:
            found += [table / "manifest" / record["_FILE_NAME"] for record in fastavro.reader(file)]
    return found


def rows(first: int, count: int) -> list[dict]:
    return [{"id": i, "site": "abc"[i % 3], "note": None, "img": bytes([i % 256])} for i in range(first, first + count)]


def as_json(some: list[dict]) -> list[dict]:
    return [row | {"img": {"hex": row["img"].hex()}} for row in some]


def read(case: Path) -> dict[int, tuple]:
    found, blobs = open_table(case).scan().read_blobs("img")
    cells = zip(found.to_pylist(), blobs["img"], strict=True)
    return {row["id"]: (row["site"], row["note"], blob) for row, blob in cells}


def both_agree(pypaimon, case: Path) -> None:
    assert_case_reads_as_expected(case, pypaimon.ask("describe", case=str(case)))
    report = open_table(case).verify(deep=True)
    assert report.ok, str(report)


@pytest.mark.parametrize("partitioned", [[], ["site"]])
def test_pypaimon_reads_and_continues_what_we_merged(tmp_path, pypaimon, partitioned):
    case, table = new_table(tmp_path, SITES, SMALL, partitioned=partitioned)
    want = {}
    for i in range(13):
        table.add(rows(i * 3, 3))
        want |= {row["id"]: (row["site"], row["note"], row["img"]) for row in rows(i * 3, 3)}
    assert len(manifests_of(case)) < 6
    both_agree(pypaimon, case)
    pypaimon.ask(
        "change",
        case=str(case),
        steps=[
            ["add", as_json(rows(100, 3))],
            ["update", "id in (1, 20)", {"note": "new"}],
            ["delete", "id in (2, 30)"],
            ["update", "id = 37", {"img": {"hex": "ff"}}],
        ],
    )
    want |= {row["id"]: (row["site"], row["note"], row["img"]) for row in rows(100, 3)}
    want |= {i: (want[i][0], "new", want[i][2]) for i in (1, 20)} | {37: (want[37][0], None, b"\xff")}
    del want[2], want[30]
    assert read(case) == want
    for i in range(5):  # on top of pypaimon's commits, merging them
        open_table(case).add(rows(200 + i, 1))
        want |= {row["id"]: (row["site"], row["note"], row["img"]) for row in rows(200 + i, 1)}
    assert len(manifests_of(case)) < 9
    assert read(case) == want
    pypaimon.ask("change", case=str(case), steps=[["update", "id = 203", {"note": "late"}], ["delete", "id = 4"]])
    want[203] = (want[203][0], "late", want[203][2])
    del want[4]
    assert read(case) == want
    both_agree(pypaimon, case)


def test_merging_takes_away_what_pypaimon_overwrote(tmp_path, pypaimon):
    case, table = new_table(tmp_path, SITES, SMALL, partitioned=["site"])
    table.add(rows(0, 9))
    table.add(rows(9, 9))
    pypaimon.ask("change", case=str(case), steps=[["overwrite", as_json(rows(50, 1))], ["add", as_json(rows(60, 3))]])
    before = read(case)
    import fastavro

    for i in range(4):
        open_table(case).add(rows(70 + i, 1))
        before |= {row["id"]: (row["site"], row["note"], row["img"]) for row in rows(70 + i, 1)}
    kinds = [entry["_KIND"] for path in manifests_of(case) for entry in fastavro.reader(open(path, "rb"))]
    assert 1 not in kinds, "ADD and DELETE of one file vanish together"
    assert read(case) == before
    both_agree(pypaimon, case)


def test_videos_of_many_commits_of_both(tmp_path, pypaimon, pypaimon_rust):
    case, table = new_table(tmp_path, makers.FRAMES, SMALL | {"video-frame-field": "video"})
    video = tmp_path / "v.mp4"
    makers.write_mp4(str(video), 5)
    for episode in range(9):
        if episode % 2:
            frames = [{"episode": episode, "idx": i} for i in range(5)]
            pypaimon.ask("change", case=str(case), steps=[["add_video", str(video), frames]])
        else:
            open_table(case).add_video(str(video), makers.frame_rows(episode, 5))
    assert len(manifests_of(case)) < 7
    both_agree(pypaimon, case)
    found = open_table(case).scan().where("episode = 6").to_list()
    assert [row["idx"] for row in found] == [0, 1, 2, 3, 4]
    frames = pypaimon.ask("frames", case=str(case), column="video")
    assert len(frames) == 45 and all(frame["same"] for frame in frames)
    out = tmp_path / "result.arrow"
    sql = "select episode, count(*) n from p.robots.frames where episode >= 3 group by episode order by episode"
    pypaimon_rust.ask("query", case=str(case), sql=sql, out=str(out))
    with pa.OSFile(str(out), "rb") as file:
        assert pa.ipc.open_file(file).read_all().to_pydict() == {"episode": list(range(3, 9)), "n": [5] * 6}


def test_old_snapshots_of_a_merged_table_stay(tmp_path, pypaimon):
    case, table = new_table(tmp_path, SITES, SMALL)
    for i in range(10):
        table.add(rows(i, 1))
    for snapshot in range(1, 11):
        assert open_table(case).scan(snapshot_id=snapshot).count() == snapshot
        for path in manifests_of(case, snapshot):
            assert path.exists()
    both_agree(pypaimon, case)  # reads every snapshot there, too
