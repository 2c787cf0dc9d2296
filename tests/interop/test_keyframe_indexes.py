"""The keyframe index that we make from packets is the one that pypaimon makes by decoding, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numbered_frame import decode_reference, encode_frames, read_number, remux

import reelhouse as rh

from .makers import connect

X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p"]
X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-pix_fmt", "yuv420p"]
X265_PARAMS = "log-level=none:pools=1:crf=14:scenecut=0:bframes=3:min-keyint=8:keyint=8"
FRAMES = 24

ENCODED: dict[str, list[str]] = {
    "b_frames": [*X264, "-g", "8", "-bf", "3", "-b_strategy", "0"],
    "open_gop": [*X264, "-x264-params", "open-gop=1:keyint=8:min-keyint=8:bframes=3:b-adapt=0:scenecut=0"],
    "all_intra": [*X264, "-g", "1"],
    "one_keyframe": [*X264, "-g", "250"],
    "gop_2": [*X264, "-g", "2", "-bf", "0"],
    "hevc_closed": [*X265, "-x265-params", f"{X265_PARAMS}:open-gop=0"],
    "hevc_open": [*X265, "-x265-params", f"{X265_PARAMS}:open-gop=1"],
    "av1": ["-c:v", "libsvtav1", "-preset", "12", "-crf", "30", "-g", "8", "-pix_fmt", "yuv420p"],
    "vp9": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-crf", "24", "-b:v", "0", "-g", "8"],
    "mpeg4": ["-c:v", "mpeg4", "-q:v", "3", "-bf", "2", "-g", "8"],
}
ENCODED["vp9"] += ["-pix_fmt", "yuv420p", "-auto-alt-ref", "1", "-lag-in-frames", "12"]
REMUXED: dict[str, list[str]] = {
    "fragmented": ["-movflags", "frag_keyframe+empty_moov+default_base_moof"],
    "faststart": ["-movflags", "+faststart"],
    "timescale": ["-video_track_timescale", "12800"],
}
EQUAL = [*ENCODED, *REMUXED, "mov"]
# Containers and cuts for which the format has no index: pypaimon stores none, and neither do we.
WITHOUT = ["matroska", "edit_list"]


@pytest.fixture(scope="module")
def videos(tmp_path_factory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("keyframes")

    def make(name: str) -> Path:
        suffix = {"mov": ".mov", "matroska": ".mkv"}.get(name, ".mp4")
        path = folder / f"{name}{suffix}"
        if path.exists():
            return path
        if name in ENCODED:
            encode_frames(path, range(FRAMES), ENCODED[name])
        elif name == "intra_refresh":
            encode_frames(path, range(FRAMES), [*X264, "-x264-params", "intra-refresh=1:keyint=8:bframes=0:scenecut=0"])
        elif name == "edit_list":
            from numbered_frame import ffmpeg

            ffmpeg("-ss", "0.4", "-i", make("b_frames"), "-c", "copy", path)
        else:
            remux(make("b_frames"), path, *REMUXED.get(name, []))
        return path

    return make


@pytest.fixture(scope="module")
def stored(videos, tmp_path_factory) -> Callable[[str], tuple]:
    """The case folder of a table that holds one video, and its table."""
    made: dict[str, tuple] = {}
    folder = tmp_path_factory.mktemp("stored")

    def store(name: str) -> tuple:
        if name not in made:
            case = folder / name
            schema = pa.schema([("i", pa.int64()), ("video", pa.large_binary())])
            table = connect(case / "wh").create_table("frames", schema=schema, options={"video-frame-field": "video"})
            count = len(decode_reference(videos(name)))
            table.add_video(videos(name), [{"i": i} for i in range(count)])
            made[name] = (case, table)
        return made[name]

    return store


def stored_index(table: rh.MultimodalTable) -> bytes:
    cell = table.scan().select("video").limit(1).to_list()[0]["video"]
    index = rh.VideoFrameDescriptor.deserialize(cell).keyframe_index_descriptor
    return b"" if index is None else rh.Blob.from_descriptor(None, index).to_data()


@pytest.mark.parametrize("name", EQUAL)
def test_index_equals_the_one_of_pypaimon(videos, stored, pypaimon, name):
    ours = stored_index(stored(name)[1])
    its = bytes.fromhex(pypaimon.ask("keyframe_indexes", paths=[str(videos(name))])[0])
    assert its, "pypaimon must have an index for this kind"
    assert ours == its


@pytest.mark.parametrize("name", WITHOUT)
def test_no_index_where_pypaimon_has_none(videos, stored, pypaimon, name):
    assert pypaimon.ask("keyframe_indexes", paths=[str(videos(name))]) == [""]
    assert stored_index(stored(name)[1]) == b""


def test_recovery_points_never_become_entries(videos, stored, pypaimon):
    """The container flags them as key; a decoder that starts there shows a wrong picture."""
    ours = stored_index(stored("intra_refresh")[1])
    its = bytes.fromhex(pypaimon.ask("keyframe_indexes", paths=[str(videos("intra_refresh"))])[0])
    assert ours in (b"", its)


@pytest.mark.parametrize("name", [*EQUAL, *WITHOUT, "intra_refresh"])
def test_pypaimon_and_we_decode_every_frame_right(stored, pypaimon, name):
    case, table = stored(name)
    found = pypaimon.ask("frames", case=str(case), column="video")
    assert [frame["row_id"] for frame in found if not frame["same"]] == []
    ours = table.take_row_ids(range(FRAMES)).read_frames()
    numbers = [read_number(np.asarray(frame)) for frame in ours]
    assert numbers == [frame["number"] for frame in found]
    if name != "edit_list":
        assert numbers == list(range(FRAMES))


def test_indexes_made_while_encoding_equal_those_of_pypaimon(tmp_path, pypaimon):
    """`add_images_as_video` takes the entries from the encoder's own packets; pypaimon finds them by decoding."""
    from numbered_frame import draw_frame

    schema = pa.schema([("i", pa.int64()), ("video", pa.large_binary())])
    paths, ours = [], []
    for codec, options in (
        ("libx264", None),
        ("libx264", {"preset": "fast", "bf": 3}),
        ("libx265", {"preset": "ultrafast", "x265-params": "log-level=none"}),
        ("libsvtav1", {"preset": 12}),
        ("libvpx-vp9", {"deadline": "realtime", "cpu-used": 8}),
        ("mpeg4", None),
    ):
        case = tmp_path / f"{codec}{len(paths)}"
        table = connect(case / "wh").create_table("frames", schema=schema, options={"video-frame-field": "video"})
        table.add_images_as_video(
            [draw_frame(i) for i in range(10)],
            [{"i": i} for i in range(10)],
            fps=30,
            codec=codec,
            gop_size=4,
            codec_options=options,
        )
        paths.append(tmp_path / f"{case.name}.mp4")
        paths[-1].write_bytes(table.scan().limit(1).read_blobs()[1]["video"][0])
        ours.append(stored_index(table).hex())
        assert all(frame["same"] for frame in pypaimon.ask("frames", case=str(case), column="video")), case.name
    its = pypaimon.ask("keyframe_indexes", paths=[str(path) for path in paths])
    assert all(its)
    assert ours == its
