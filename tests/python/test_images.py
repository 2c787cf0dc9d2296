from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

import reelhouse as rh
from conftest import files_in, jpeg, picture, rows, same_picture
from numbered_frame import draw_frame, probe, read_number

LOSSLESS_ENOUGH = {"crf": "4", "preset": "ultrafast"}


def shown(table):
    return [read_number(frame) for frame in table.scan().read_frames("video")]


def kinds_of_images(tmp_path):
    path = tmp_path / "frame.png"
    path.write_bytes(picture(7, "PNG"))
    array = draw_frame(7)
    return {
        "jpeg": picture(7, "JPEG", quality=95),
        "png": picture(7, "PNG"),
        "webp": picture(7, "WEBP", lossless=True),
        "bmp": picture(7, "BMP"),
        "tiff": picture(7, "TIFF"),
        "gif": picture(7, "GIF"),
        "bytearray": bytearray(picture(7, "PNG")),
        "memoryview": memoryview(picture(7, "PNG")),
        "path": path,
        "text-path": str(path),
        "pillow": Image.fromarray(array),
        "pillow-rgba": Image.fromarray(array).convert("RGBA"),
        "array": array,
        "array-rgba": np.dstack([array, np.full(array.shape[:2], 255, np.uint8)]),
        "array-view": np.ascontiguousarray(array[::-1])[::-1],
        "pyarrow": pa.py_buffer(picture(7, "PNG")),
    }


KINDS = """jpeg png webp bmp tiff gif bytearray memoryview path text-path pillow pillow-rgba array array-rgba array-view
pyarrow""".split()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_image_is_taken(video_table, tmp_path, kind):
    image = kinds_of_images(tmp_path)[kind]
    video_table.add_images_as_video([image] * 3, rows(3), fps=30, codec_options=LOSSLESS_ENOUGH)
    frames = video_table.scan().read_frames()
    assert len(frames) == 3
    for frame in frames:
        assert read_number(frame) == 7
        assert same_picture(frame, draw_frame(7), mean=12 if kind == "gif" else 6)


@pytest.mark.parametrize("shape", [(96, 128), (96, 128, 1)])
def test_gray_arrays_stay_gray(video_table, shape):
    gray = np.tile(np.arange(128, dtype=np.uint8), (96, 1)).reshape(shape)
    video_table.add_images_as_video([gray] * 2, rows(2), fps=30, codec_options=LOSSLESS_ENOUGH)
    frame = video_table.scan().read_frames()[0].astype(int)
    assert np.abs(frame - gray.reshape(96, 128, 1)).max() <= 4
    luma = video_table.scan().read_frames(format="gray8")[0].astype(int)
    assert np.abs(luma - gray.reshape(96, 128)).max() <= 4


@pytest.mark.parametrize(
    ("codec", "options"),
    [
        ("libx264", None),
        ("libx264", {"crf": "10", "preset": "ultrafast"}),
        ("libx265", {"preset": "ultrafast", "crf": "10"}),
        ("libsvtav1", {"preset": "12", "crf": "15"}),
        ("libvpx-vp9", {"crf": "8", "b": "0", "cpu-used": "8", "deadline": "realtime"}),
        ("mpeg4", {"qscale": "2"}),
    ],
)
def test_row_k_shows_picture_k_with_every_codec_and_the_index_is_there(video_table, codec, options):
    video_table.add_images_as_video(
        (jpeg(i) for i in range(12)), rows(12), fps=30, codec=codec, codec_options=options, gop_size=4
    )
    assert shown(video_table) == list(range(12))
    cell = rh.VideoFrameDescriptor.deserialize(video_table.scan().to_list()[0]["video"])
    assert cell.keyframe_index_descriptor is not None
    assert video_table.verify(deep=True).ok


def test_rates_are_kept_exactly(video_table, tmp_path):
    for fps, wanted in ((30, "30/1"), (Fraction(30000, 1001), "30000/1001"), ("30000/1001", "30000/1001")):
        video_table.add_images_as_video([jpeg(0)] * 4, rows(4), fps=fps)
        video = tmp_path / "v.mp4"
        video.write_bytes(video_table.scan().read_blobs("video")[1]["video"][-1])
        assert probe(video, "stream=r_frame_rate") == [[wanted]]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"fps": 0}, "fps must be a positive int"),
        ({"fps": 29.97}, "30000/1001"),
        ({"fps": "29.97"}, "30000/1001"),
        ({"fps": True}, "fps must be a positive int"),
        ({"codec": ""}, "codec must be a non-empty string"),
        ({"codec": "libx246"}, "libx264"),
        ({"pixel_format": ""}, "pixel_format must be a non-empty string"),
        ({"pixel_format": "yuv421p"}, "yuv420p"),
        ({"gop_size": 0}, "gop_size must be a positive int"),
        ({"gop_size": True}, "gop_size must be a positive int"),
        ({"codec_options": [1]}, "codec_options must be a mapping"),
        ({"codec_options": {"presett": "fast"}}, "presett"),
        ({"codec_options": {"g": "12"}}, "gop_size"),
        ({"codec_options": {"preset": "quickest"}}, "preset"),
        ({"orientation": "turn"}, "orientation"),
        ({"background": (1, 2)}, "background"),
    ],
)
def test_wrong_options_are_refused_with_what_would_work(video_table, warehouse, arguments, text):
    before = files_in(warehouse)
    with pytest.raises(ValueError, match=text):
        video_table.add_images_as_video([jpeg(0)] * 2, rows(2), **({"fps": 30} | arguments))
    assert files_in(warehouse) == before


def test_wrong_pictures_are_refused_with_their_position(video_table, warehouse, tmp_path):
    before = files_in(warehouse)

    def refused(images, count, error, text):
        with pytest.raises(error, match=text):
            video_table.add_images_as_video(images, rows(count), fps=30)
        assert files_in(warehouse) == before

    refused([], 0, ValueError, "images must contain at least one frame.")
    refused([jpeg(0), jpeg(1, 64, 48)], 2, ValueError, "All images must have the same dimensions.*64x48")
    refused([jpeg(0)] * 4, 3, ValueError, "Image count 4 does not match frame row count 3.")
    refused(iter([jpeg(0)] * 4), 3, ValueError, "Image count 4 does not match frame row count 3.")
    refused(iter([jpeg(0)] * 2), 3, ValueError, "Image count 2 does not match frame row count 3.")
    refused([jpeg(0), b"junk"], 2, ValueError, "image 1")
    refused([jpeg(0), jpeg(1)[:500]], 2, ValueError, "image 1")
    refused([jpeg(0), 7], 2, TypeError, "image 1")
    refused([jpeg(0), None], 2, TypeError, "image 1")
    refused([jpeg(0), tmp_path / "missing.jpg"], 2, OSError, "missing.jpg")
    refused([np.zeros((4, 4, 2), np.uint8)], 1, ValueError, "shape")
    refused([np.zeros((4, 4, 3), np.float32)], 1, ValueError, "float32")
    refused(jpeg(0), 1, TypeError, "iterable")
    half = np.dstack([draw_frame(1), np.full((96, 128), 128, np.uint8)])
    refused([half], 1, ValueError, "background")
    video_table.add_images_as_video([half] * 2, rows(2), fps=30, background=(0, 0, 0))
    assert video_table.scan().count() == 2


def test_odd_sizes_come_back_or_are_refused_naming_them(video_table):
    odd = picture(3, "PNG", 127, 95)
    with pytest.raises(ValueError, match="127x95.*yuv444p|yuv444p.*127x95"):
        video_table.add_images_as_video([odd] * 2, rows(2), fps=30)
    video_table.add_images_as_video([odd] * 2, rows(2), fps=30, pixel_format="yuv444p", codec_options=LOSSLESS_ENOUGH)
    assert video_table.scan().read_frames()[0].shape == (95, 127, 3)


def test_images_are_pulled_lazily(video_table):
    pulled = []

    def images():
        for i in range(400):
            pulled.append(i)
            if i == 200:
                raise LookupError("enough")
            yield jpeg(i % 256)

    with pytest.raises(LookupError, match="enough"):
        video_table.add_images_as_video(images(), rows(400), fps=30, codec_options=LOSSLESS_ENOUGH)
    assert len(pulled) == 201
    assert video_table.scan().count() == 0


def test_arrays_and_buffers_may_be_reused_by_the_generator(video_table):
    def arrays():
        array = np.empty((96, 128, 3), np.uint8)
        for i in range(12):
            array[:] = draw_frame(i)
            yield array

    def buffers():
        buffer = bytearray()
        for i in range(12):
            buffer[:] = jpeg(i)
            yield buffer

    for images in (arrays(), buffers()):
        video_table.add_images_as_video(images, rows(12), fps=30, codec_options=LOSSLESS_ENOUGH)
    assert shown(video_table) == list(range(12)) * 2


def test_progress_is_told_and_its_exception_ends_the_call(video_table, warehouse):
    seen = []
    video_table.add_images_as_video(
        [jpeg(i) for i in range(8)], rows(8), fps=30, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (8, 8)
    before = files_in(warehouse)

    def stop(done, total):
        raise InterruptedError("stop")

    with pytest.raises(InterruptedError, match="stop"):
        video_table.add_images_as_video((jpeg(i % 9) for i in range(200)), rows(200), fps=30, progress=stop)
    assert files_in(warehouse) == before


def test_several_cameras_are_encoded_in_one_call(connection):
    schema = pa.schema([("k", pa.int64()), ("front", pa.large_binary()), ("wrist", pa.large_binary())])
    table = connection.create_table("two", schema=schema, options={"video-frame-field": "front,wrist"})
    images = {"front": [jpeg(i) for i in range(8)], "wrist": (jpeg(i + 50, 64, 48) for i in range(8))}
    table.add_images_as_video(
        images, pa.table({"k": range(8)}), fps=30, gop_size={"front": 2, "wrist": 4}, codec_options=LOSSLESS_ENOUGH
    )
    assert [read_number(frame) for frame in table.scan().read_frames("front")] == list(range(8))
    assert [read_number(frame) for frame in table.scan().read_frames("wrist")] == list(range(50, 58))
    with pytest.raises(ValueError, match="side"):
        table.add_images_as_video({"side": [jpeg(0)]}, pa.table({"k": [0]}), fps=30)
    with pytest.raises(ValueError, match="wrist.*Image count 2"):
        table.add_images_as_video(
            {"front": [jpeg(0)] * 3, "wrist": [jpeg(0)] * 2}, pa.table({"k": range(3)}), fps=30
        )
    assert table.scan().count() == 8


def test_several_episodes_are_one_commit_in_order(video_table):
    items = [([jpeg(10 * e + i) for i in range(5)], rows(5, first=10 * e)) for e in range(5)]
    video_table.add_images_as_videos(items, fps=30, codec_options=LOSSLESS_ENOUGH)
    video_table.add_images_as_videos(iter(items), fps=30, codec_options=LOSSLESS_ENOUGH)
    wanted = [10 * e + i for e in range(5) for i in range(5)]
    assert shown(video_table) == wanted * 2
    assert [row["k"] for row in video_table.scan().to_list()] == wanted * 2
    assert video_table.raw_table.snapshot_manager().get_latest_snapshot().id == 2
    assert video_table.verify(deep=True).ok


def test_one_bad_episode_of_several_leaves_nothing(video_table, warehouse):
    before = files_in(warehouse)
    items = [([jpeg(i) for i in range(5)], rows(5)) for _ in range(4)] + [([b"junk"], rows(1))]
    with pytest.raises(ValueError, match="image 0"):
        video_table.add_images_as_videos(items, fps=30)
    assert files_in(warehouse) == before


def test_other_threads_run_while_pictures_are_encoded(video_table):
    ticks = []
    done = threading.Event()

    def count():
        while not done.wait(0.002):
            ticks.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    images = [jpeg(i, 640, 480) for i in range(40)]
    before = len(ticks)
    video_table.add_images_as_video(images, rows(40), fps=30)
    done.set()
    thread.join()
    assert len(ticks) - before > 10


def test_ctrl_c_stops_cleanly(tmp_path):
    code = """
import io, sys, pyarrow as pa
import reelhouse as rh
from PIL import Image
table = rh.connect(options={"warehouse": sys.argv[1]}).create_table(
    "t", schema=pa.schema([("k", pa.int64()), ("video", pa.large_binary())]), options={"video-frame-field": "video"})
buffer = io.BytesIO(); Image.new("RGB", (1280, 720), (90, 120, 30)).save(buffer, "JPEG")
def images():
    for i in range(100000):
        if i == 5: print("running", flush=True)
        yield buffer.getvalue()
try:
    table.add_images_as_video(images(), pa.table({"k": range(100000)}), fps=30, codec_options={"preset": "veryslow"})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "wh")], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "running"
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert output.strip() == "interrupted"
    assert process.returncode == 0
    assert all("schema" in name for name in files_in(tmp_path / "wh"))


def test_paths_of_any_bytes_are_taken(video_table, tmp_path):
    names = ["plain.jpg", "with space.jpg", "50%.jpg", "é日.jpg", "quote'.jpg", os.fsdecode(b"raw\xff.jpg")]
    for i, name in enumerate(names):
        (tmp_path / name).write_bytes(jpeg(i))
    video_table.add_images_as_video([tmp_path / name for name in names], rows(len(names)), fps=30)
    assert shown(video_table) == list(range(len(names)))
    with pytest.raises(ValueError, match="image 0"):
        bad = tmp_path / os.fsdecode(b"bad\xfe.jpg")
        bad.write_bytes(b"junk")
        video_table.add_images_as_video([bad], rows(1), fps=30)
