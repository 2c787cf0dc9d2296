from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

import reelhouse as rh
from conftest import VIDEO_OPTIONS, VIDEO_SCHEMA, files_in, rows
from numbered_frame import read_number


def numbers(query, **options):
    return [None if frame is None else read_number(frame) for frame in query.read_frames(**options)]


def test_every_kind_of_video_argument_is_taken(video_table, make_video):
    path = make_video(12)
    stored = rh.Blob.from_local(path)
    for video in (str(path), path, path.read_bytes(), stored, rh.Blob.from_data(path.read_bytes()), stored.to_descriptor()):
        video_table.add_video(video, rows(12))
    assert numbers(video_table.scan()) == list(range(12)) * 6
    assert video_table.verify(deep=True).ok


def test_a_stored_video_can_be_added_again_by_its_descriptor(video_table, connection, make_video):
    video_table.add_video(make_video(12), rows(12))
    cell = video_table.scan().where("k = 4").to_list()[0]["video"]
    other = connection.create_table("other", schema=VIDEO_SCHEMA, options=VIDEO_OPTIONS)
    other.add_video(rh.VideoFrameDescriptor.deserialize(cell), rows(3))
    other.add(video_table.scan().where("k >= 10").to_arrow())
    assert numbers(other.scan()) == [4, 5, 6, 10, 11]
    first, last = (rh.VideoFrameDescriptor.deserialize(row["video"]) for row in other.scan().to_list()[::4])
    assert first.keyframe_index_descriptor is not None
    assert last.keyframe_index_descriptor is not None


def test_wrong_videos_are_refused_and_named(video_table, warehouse, tmp_path, make_video):
    before = files_in(warehouse)
    text = tmp_path / "text.mp4"
    text.write_text("no video")
    (tmp_path / "folder.mp4").mkdir()
    for video, match in ((text, "text.mp4"), (b"junk", "memory"), (tmp_path / "missing.mp4", "missing.mp4"), (tmp_path / "folder.mp4", "folder.mp4")):
        with pytest.raises((ValueError, OSError), match=match):
            video_table.add_video(video, rows(1))
    with pytest.raises(ValueError, match="video must be a path, bytes, Blob, or BlobDescriptor, got <class 'int'>."):
        video_table.add_video(7, rows(1))
    with pytest.raises(ValueError, match=r"12.*"):
        video_table.add_video(make_video(12), rows(13))
    with pytest.raises(ValueError):
        video_table.add_video(make_video(12), rows(12), first_frame=1)
    for first_frame in (-1, True, 1.0):
        with pytest.raises(ValueError, match="first_frame must be a non-negative int."):
            video_table.add_video(make_video(12), rows(1), first_frame=first_frame)
    with pytest.raises(ValueError, match="Each videos item must be"):
        video_table.add_videos([make_video(12)])
    with pytest.raises(ValueError, match="Video column 'note' is not configured by 'video-frame-field'."):
        video_table.add_video(make_video(12), rows(12), video_column="note")
    assert files_in(warehouse) == before


def test_validation_none_takes_any_bytes_and_container_any_count(connection, make_video):
    loose = connection.create_table(
        "loose", schema=VIDEO_SCHEMA, options=VIDEO_OPTIONS | {"reelhouse.video.validation": "none"}
    )
    loose.add_video(b"not a video", rows(2))
    assert loose.scan().count() == 2
    container = connection.create_table(
        "container", schema=VIDEO_SCHEMA, options=VIDEO_OPTIONS | {"reelhouse.video.validation": "container"}
    )
    container.add_video(make_video(12), rows(20))
    with pytest.raises(ValueError):
        container.add_video(b"not a video", rows(2))
    frames = container.scan().read_frames(on_error="null")
    assert [frame is None for frame in frames] == [False] * 12 + [True] * 8
    with pytest.raises(rh.VideoDecodeError) as caught:
        container.scan().read_frames()
    assert (caught.value.table, caught.value.row_id, caught.value.frame_index) == ("robots.container", 12, 12)


def test_several_videos_share_a_file_and_a_commit(video_table, warehouse, make_video):
    seen = []
    video_table.add_videos(
        ((make_video(6, first=10 * i), rows(6, first=10 * i)) for i in range(4)), progress=lambda *done: seen.append(done)
    )
    assert len(list(warehouse.rglob("*.video"))) == 1
    assert video_table.raw_table.snapshot_manager().get_latest_snapshot().id == 1
    assert numbers(video_table.scan()) == [10 * i + j for i in range(4) for j in range(6)]
    assert seen[-1][0] == 24


def test_small_targets_roll_at_video_borders_and_are_all_stamped(connection, warehouse, make_video):
    table = connection.create_table(
        "rolled", schema=VIDEO_SCHEMA, options=VIDEO_OPTIONS | {"blob.target-file-size": "2 kb"}
    )
    table.add_videos([(make_video(6, first=10 * i), rows(6, first=10 * i)) for i in range(4)])
    assert len(list(warehouse.rglob("*.video"))) == 4
    assert numbers(table.scan()) == [10 * i + j for i in range(4) for j in range(6)]
    assert table.scan().select("_SEQUENCE_NUMBER").to_arrow()["_SEQUENCE_NUMBER"].unique().to_pylist() == [1]


def test_an_exception_of_the_iterator_ends_the_call_as_it_is(video_table, warehouse, make_video):
    before = files_in(warehouse)

    def videos():
        yield make_video(6), rows(6)
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        video_table.add_videos(videos())
    assert files_in(warehouse) == before


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".ts", ".avi"])
def test_frames_are_exact_in_any_order_for_every_container(video_table, make_video, suffix):
    options = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "10", "-pix_fmt", "yuv420p", "-g", "12", "-bf", "2"]
    video_table.add_video(make_video(48, suffix=suffix, options=options), rows(48))
    in_order = video_table.scan().read_frames()
    assert [read_number(frame) for frame in in_order] == list(range(48))
    for k in random.Random(5).sample(range(48), 12):
        alone = video_table.scan().where(f"k = {k}").read_frames("video")
        assert np.array_equal(alone[0], in_order[k]), k


def test_read_frames_scales_orders_stacks_and_grays(video_table, make_video):
    video_table.add_video(make_video(6), rows(6))
    video_table.add([{"k": 6, "note": "no frame"}])
    with_frames = video_table.scan().where("k < 6")
    assert with_frames.read_frames()[0].shape == (96, 128, 3)
    assert with_frames.read_frames(layout="CHW")[0].shape == (3, 96, 128)
    assert np.array_equal(with_frames.read_frames(layout="CHW")[2].transpose(1, 2, 0), with_frames.read_frames()[2])
    assert with_frames.read_frames(format="gray8", size=(48, 64))[0].shape == (48, 64)
    stacked = with_frames.read_frames(stack=True)
    assert stacked.shape == (6, 96, 128, 3)
    out = np.empty((6, 96, 128, 3), np.uint8)
    assert with_frames.read_frames(out=out) is out
    assert np.array_equal(out, stacked)
    assert numbers(video_table.scan()) == [0, 1, 2, 3, 4, 5, None]
    frames, valid = video_table.scan().read_frames(stack=True, on_error="null")
    assert valid.tolist() == [True] * 6 + [False]
    assert not frames[6].any()
    with pytest.raises(ValueError):
        video_table.scan().read_frames(stack=True)
    assert list(video_table.scan().read_frames(["video"])) == ["video"]
    for wrong in ({"format": "bgr"}, {"layout": "NHWC"}, {"scaler": "best"}, {"on_error": "skip"}, {"size": (0, 4)}):
        with pytest.raises(ValueError):
            with_frames.read_frames(**wrong)
    with pytest.raises(ValueError, match="note"):
        with_frames.read_frames("note")


def test_two_video_columns_run_in_lockstep(connection, make_video):
    schema = pa.schema([("k", pa.int64()), ("front", pa.large_binary()), ("wrist", pa.large_binary())])
    table = connection.create_table("two", schema=schema, options={"video-frame-field": "front,wrist"})
    with pytest.raises(ValueError, match="video_column is required"):
        table.add_video(make_video(6), pa.table({"k": range(6)}))
    table.add_video(make_video(6), pa.table({"k": range(6)}), video_column="wrist")
    assert table.scan().read_frames("front") == [None] * 6
    assert numbers(table.scan(), column="wrist") == list(range(6))
    both = table.scan().read_frames(["front", "wrist"])
    assert both["front"] == [None] * 6
    front = make_video(8, first=50)
    descriptors = [rh.VideoFrameDescriptor(str(front), 0, front.stat().st_size, i, -1, 0) for i in range(8)]
    wrists = [make_video(4, first=80), make_video(4, first=90)]
    other = [rh.VideoFrameDescriptor(str(w), 0, w.stat().st_size, i, -1, 0) for w in wrists for i in range(4)]
    table.add([{"k": 10 + i, "front": descriptors[i], "wrist": other[i]} for i in range(8)])
    later = table.scan().where("k >= 10")
    assert numbers(later, column="front") == list(range(50, 58))
    assert numbers(later, column="wrist") == [80, 81, 82, 83, 90, 91, 92, 93]
    assert table.verify().ok
