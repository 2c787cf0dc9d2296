"""Depth, labels and other pictures of one channel; lossless colour; several cameras; limits for untrusted input."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import zlib

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

import reelhouse as rh
from conftest import files_in, jpeg, rows
from numbered_frame import draw_frame, read_number

HEIGHT, WIDTH = 48, 64
LOSSLESS_X265 = {"preset": "ultrafast", "x265-params": "lossless=1"}


def depth_picture(k, most=65535):
    """Numbers that use all bits and differ in every frame; the largest one is among them."""
    values = (np.arange(HEIGHT * WIDTH, dtype=np.uint64) * 40503 + 977 * k) % (most + 1)
    picture = values.astype(np.uint16).reshape(HEIGHT, WIDTH)
    picture[k % HEIGHT, 0] = most
    return picture


def png(array):
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, "PNG")
    return buffer.getvalue()


def tiff(array, compression=None):
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, "TIFF", compression=compression)
    return buffer.getvalue()


def pgm(array, most=65535):
    return b"P5\n%d %d\n%d\n" % (array.shape[1], array.shape[0], most) + array.astype(">u2").tobytes()


def same(frames, wanted):
    return len(frames) == len(wanted) and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(frames, wanted)
    )


def stored_video(table, tmp_path):
    path = tmp_path / "stored.mov"
    path.write_bytes(table.scan().limit(1).read_blobs("video")[1]["video"][0])
    return path


def decoded_by_ffmpeg(path, pixel_format, dtype):
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", pixel_format, "-"],
        capture_output=True,
        check=True,
    ).stdout
    return np.frombuffer(raw, dtype).reshape(-1, HEIGHT, WIDTH)


def probed(path):
    told = subprocess.run(
        ["ffprobe", "-v", "error", "-show_streams", "-of", "json", path], capture_output=True, check=True
    ).stdout
    return json.loads(told)["streams"][0]


KINDS = {
    "array": lambda a: a,
    "big-endian array": lambda a: a.astype(">u2"),
    "array of one channel": lambda a: a[:, :, None],
    "view with gaps": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "turned view": lambda a: np.ascontiguousarray(a[::-1, ::-1].T).T[::-1, ::-1],
    "png": png,
    "tiff": tiff,
    "compressed tiff": lambda a: tiff(a, "tiff_lzw"),
    "deflated tiff": lambda a: tiff(a, "tiff_adobe_deflate"),
    "pgm": pgm,
    "pillow": Image.fromarray,
    "pillow of 32 bits": lambda a: Image.fromarray(a.astype(np.int32)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_every_kind_of_depth_picture_come_back(video_table, kind):
    wanted = [depth_picture(k) for k in range(5)]
    video_table.add_images_as_video([KINDS[kind](picture) for picture in wanted], rows(5), fps=30)
    assert same(video_table.scan().read_frames(format="gray16"), wanted)
    assert same(video_table.scan().where("k IN (1, 4)").read_frames(format="gray16"), [wanted[1], wanted[4]])


@pytest.mark.parametrize(
    ("codec", "pixel_format", "options", "most"),
    [
        (None, None, None, 65535),
        ("ffv1", None, None, 65535),
        ("ffv1", "gray12le", None, 4095),
        ("ffv1", "gray10le", None, 1023),
        ("libx265", None, LOSSLESS_X265, 4095),
        ("libx265", "gray12le", LOSSLESS_X265, 4095),
        ("libx265", "gray10le", LOSSLESS_X265, 1023),
        ("libx264", None, {"qp": "0"}, 1023),
        ("png", None, None, 65535),
    ],
)
def test_lossless_depth_is_exact_for_us_and_for_ffmpeg(video_table, tmp_path, codec, pixel_format, options, most):
    wanted = [depth_picture(k, most) for k in range(6)]
    named = {} if codec is None else {"codec": codec}
    video_table.add_images_as_video(
        wanted, rows(6), fps=30, pixel_format=pixel_format, codec_options=options, gop_size=3, **named
    )
    assert same(video_table.scan().read_frames(format="gray16"), wanted)
    stored = stored_video(video_table, tmp_path)
    stream = probed(stored)
    assert stream["codec_name"] == {None: "ffv1", "libx265": "hevc", "libx264": "h264"}.get(codec, codec)
    if codec != "libx264":  # FFmpeg gives grey H.264 of 10 bits as YUV
        assert stream["pix_fmt"].startswith("gray")
        assert np.array_equal(decoded_by_ffmpeg(stored, stream["pix_fmt"], ">u2" if codec == "png" else "<u2"), wanted)
    assert video_table.verify(deep=True).ok


def test_pyav_reads_the_same_numbers(video_table, tmp_path):
    av = pytest.importorskip("av")
    wanted = [depth_picture(k) for k in range(4)]
    video_table.add_images_as_video(wanted, rows(4), fps=30)
    with av.open(str(stored_video(video_table, tmp_path))) as container:
        frames = [frame.to_ndarray(format="gray16le") for frame in container.decode(video=0)]
    assert same(frames, wanted)


def test_eight_bit_views_of_depth_are_scaled_by_its_bits(video_table):
    picture = np.zeros((HEIGHT, WIDTH), np.uint16)
    picture[0, :4] = (65535, 257, 128, 32896)
    video_table.add_images_as_video([picture], rows(1), fps=30)
    gray = video_table.scan().read_frames(format="gray8")[0]
    assert gray.dtype == np.uint8 and gray[0, :4].tolist() == [255, 1, 0, 128]
    rgb = video_table.scan().read_frames()[0]
    assert rgb.shape == (HEIGHT, WIDTH, 3) and np.array_equal(rgb, np.dstack([gray] * 3))


def test_depth_is_resized_by_the_nearest_pixel_and_stacked(video_table):
    wanted = [depth_picture(k) for k in range(3)]
    video_table.add_images_as_video(wanted, rows(3), fps=30)
    small = video_table.scan().read_frames(
        format="gray16", size=(HEIGHT // 2, WIDTH // 2), scaler="nearest", stack=True
    )
    assert small.dtype == np.uint16 and small.shape == (3, HEIGHT // 2, WIDTH // 2)
    assert np.array_equal(small, [picture[1::2, 1::2] for picture in wanted])


@pytest.mark.parametrize("codec", ["ffv1", "libx264", "libx265", "png"])
def test_labels_of_eight_bits_come_back(video_table, codec):
    options = {"libx264": {"qp": "0"}, "libx265": LOSSLESS_X265}.get(codec)
    wanted = [(depth_picture(k) >> 8).astype(np.uint8) for k in range(5)]
    video_table.add_images_as_video(
        wanted, rows(5), fps=30, codec=codec, pixel_format="gray", codec_options=options, gop_size=5
    )
    assert same(video_table.scan().read_frames(format="gray8"), wanted)
    with pytest.raises(rh.VideoDecodeError, match="gray16 needs grey video of 9 to 16 bits"):
        video_table.scan().read_frames(format="gray16")


def test_what_would_change_numbers_is_refused_with_the_way_out(video_table, warehouse):
    before = files_in(warehouse)

    def refused(images, *texts, **arguments):
        with pytest.raises(ValueError) as caught:
            video_table.add_images_as_video(images, rows(len(images)), fps=30, **arguments)
        for text in texts:
            assert text in str(caught.value)
        assert files_in(warehouse) == before

    deep = depth_picture(0, 4000)
    ten_bits = depth_picture(1, 1023)
    refused([deep], "largest value is 4000", "at most 1023", "libx265", "gray12le", codec="libx264")
    refused([ten_bits, deep], "image 1", "largest value is 4000", codec="libx265", pixel_format="gray10le")
    refused([deep], "no grey pixel format of more than 8 bits", 'codec="ffv1"', codec="libvpx-vp9")
    refused([deep], "need a grey pixel format", 'codec="ffv1"', pixel_format="yuv420p", codec="libx264")
    refused([deep], "`crf` is no option of codec `ffv1`", "unless another one is named", codec_options={"crf": "18"})
    refused([deep, draw_frame(0, WIDTH, HEIGHT)], "image 1", "8 bits", "one kind")
    refused([draw_frame(0, WIDTH, HEIGHT), deep], "image 1", "16 bits", "one kind")
    refused([draw_frame(0, WIDTH, HEIGHT)], 'pixel_format="gray"', codec="ffv1", pixel_format="gray16le")
    refused([np.dstack([deep] * 3)], "colour array must be uint8", "column of its own")
    refused([deep.astype(np.float32)], "float32", "(metres * 1000).round().astype('uint16')")
    refused([deep.astype(np.int32)], "int32", ".astype('uint16')")
    refused([deep > 7], "bool", ".astype('uint8')")
    refused([Image.fromarray(deep.astype(np.float32))], "Pillow mode F")
    refused([Image.fromarray(deep.astype(np.int32) + 65536)], "Pillow mode I", "0 to 65535")
    refused([tiff(deep.astype(np.float32))], "image 0")


def test_values_up_to_255_of_wide_numbers_may_go_to_gray(video_table):
    wanted = [depth_picture(k, 255) for k in range(3)]
    video_table.add_images_as_video(wanted, rows(3), fps=30, codec="ffv1", pixel_format="gray")
    assert same(video_table.scan().read_frames(format="gray8"), [picture.astype(np.uint8) for picture in wanted])


# lossless colour


@pytest.mark.parametrize(
    ("codec", "pixel_format", "options"),
    [
        ("libx264rgb", None, {"qp": "0"}),
        ("libx264rgb", "bgr24", {"qp": "0", "preset": "ultrafast"}),
        ("ffv1", "bgr0", None),
        ("libx265", "gbrp", LOSSLESS_X265),
        ("png", None, None),
    ],
)
def test_lossless_colour_is_exact(video_table, tmp_path, codec, pixel_format, options):
    random = np.random.default_rng(7)
    wanted = [random.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8) for _ in range(5)]
    video_table.add_images_as_video(
        wanted, rows(5), fps=30, codec=codec, pixel_format=pixel_format, codec_options=options, gop_size=3
    )
    assert same(video_table.scan().read_frames(), wanted)
    assert same(video_table.scan().where("k = 4").read_frames(), wanted[4:])
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", stored_video(video_table, tmp_path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
    ).stdout
    assert np.array_equal(np.frombuffer(raw, np.uint8).reshape(-1, HEIGHT, WIDTH, 3), wanted)


# several cameras

RIG = pa.schema([("k", pa.int64()), ("front", pa.large_binary()), ("depth", pa.large_binary())])


@pytest.fixture
def rig(connection):
    return connection.create_table("rig", schema=RIG, options={"video-frame-field": "front,depth"})


def rig_rows(count):
    return [{"k": k} for k in range(count)]


def test_cameras_of_several_kinds_go_into_one_commit_with_options_of_their_own(rig):
    depths = [depth_picture(k, 4095) for k in range(6)]
    rig.add_images_as_video(
        {"front": (jpeg(k) for k in range(6)), "depth": iter(depths)},
        rig_rows(6),
        fps={"front": 30, "depth": 30},
        codec={"depth": "libx265"},
        codec_options={"depth": LOSSLESS_X265, "front": None},
        gop_size=3,
    )
    assert len(rig.raw_table.snapshot_manager().list_snapshots()) == 1
    assert [read_number(frame) for frame in rig.scan().read_frames("front")] == list(range(6))
    assert same(rig.scan().read_frames("depth", format="gray16"), depths)


def test_without_a_codec_each_camera_gets_the_one_that_suits_it(rig):
    depths = [depth_picture(k) for k in range(4)]
    rig.add_images_as_video({"front": [jpeg(k) for k in range(4)], "depth": depths}, rig_rows(4), fps=30)
    assert same(rig.scan().read_frames("depth", format="gray16"), depths)
    assert [read_number(frame) for frame in rig.scan().read_frames("front")] == list(range(4))


def test_cameras_that_do_not_go_together_are_refused_and_nothing_stays(rig, warehouse):
    before = files_in(warehouse)
    pulled = []

    def pictures(count):
        for k in range(count):
            pulled.append(k)
            yield jpeg(k)

    def refused(images, text, count=4, **arguments):
        with pytest.raises(ValueError, match=text):
            rig.add_images_as_video(images, rig_rows(count), **({"fps": 30} | arguments))
        assert files_in(warehouse) == before

    front, depth = [jpeg(k) for k in range(4)], [depth_picture(k) for k in range(4)]
    refused({"front": front, "depth": depth[:3]}, "'depth': Image count 3 .*same number of images; they have depth: 3, front: 4")
    refused({"front": pictures(5), "depth": depth}, "'front'.*Image count 5 does not match frame row count 4")
    refused({"front": front, "depth": depth}, "Image count 4 does not match frame row count 5", count=5)
    refused({"front": front, "dept": depth}, "dept")
    pulled.clear()
    refused({"front": pictures(4), "depth": depth}, "codec: 'back' is no column of images", codec={"back": "ffv1"})
    refused({"front": pictures(4), "depth": depth}, "fps: there is none for column 'depth'", fps={"front": 30})
    assert pulled == []


# limits


def png_of_size(width, height):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


def test_huge_pictures_are_refused_by_their_header(video_table, warehouse):
    before = files_in(warehouse)
    with pytest.raises(ValueError, match="image 0.*65535x65535.*100000000.*reelhouse.image.max-pixels"):
        video_table.add_images_as_video([png_of_size(65535, 65535)], rows(1), fps=30)
    assert files_in(warehouse) == before


def test_limits_are_options_of_the_table(connection, make_video):
    options = {"video-frame-field": "video", "reelhouse.image.max-pixels": "1000", "reelhouse.video.max-pixels": "5000"}
    schema = pa.schema([("k", pa.int64()), ("note", pa.string()), ("video", pa.large_binary())])
    table = connection.create_table("small", schema=schema, options=options)
    with pytest.raises(ValueError, match="128x96 have more pixels than the 1000"):
        table.add_images_as_video([jpeg(0)], rows(1), fps=30)
    with pytest.raises(ValueError, match="128x96 have more pixels than the 5000.*reelhouse.video.max-pixels"):
        table.add_video(make_video(3), rows(3))
    table.add_images_as_video([np.zeros((HEIGHT, WIDTH), np.uint8)], rows(1), fps=30)
    assert len(table.scan().read_frames()) == 1
    unchecked = connection.create_table("unchecked", schema=schema, options=options | {"reelhouse.video.validation": "none"})
    unchecked.add_video(make_video(3), rows(3))
    with pytest.raises(rh.VideoDecodeError, match="128x96 have more pixels than the 5000"):
        unchecked.scan().read_frames()
    assert "reelhouse.video.max-pixels" in str(unchecked.verify().problems[0])
    for wrong in ("0", "many", str(2**28 + 1)):
        with pytest.raises(ValueError, match="reelhouse.video.max-pixels"):
            connection.create_table("wrong", schema=schema, options=options | {"reelhouse.video.max-pixels": wrong})
