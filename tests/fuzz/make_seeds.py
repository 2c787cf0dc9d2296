"""Makes the seeds of the fuzz targets whose inputs are made of whole files: image, exif, video, table, statistics, options.

    .venv/bin/python tests/fuzz/make_seeds.py

The table seeds are records of the vectors of tests/data, unpacked, behind the two bytes that say where they go; the
others are small files of every kind. Run it again after the input of such a target changed.
"""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import zstandard
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent.parent
SEEDS = ROOT / "tests/fuzz/seeds"
VECTORS = ROOT / "tests/data/vectors"
TABLES = "two_cameras after_delete after_update partition_types blob_nested tagged plain_stats schema_evolution".split()
LARGEST_SEED = 8000


def put(target: str, name: str, content: bytes) -> None:
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def long_at(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return (value >> 1) ^ -(value & 1), at


def records(path: Path) -> tuple[int, bytes]:
    """Count and bytes of the records of the first block of an Avro container."""
    data = path.read_bytes()
    at, header = 4, {}
    while True:
        count, at = long_at(data, at)
        if count == 0:
            break
        for _ in range(count):
            size, at = long_at(data, at)
            key, at = data[at : at + size], at + size
            size, at = long_at(data, at)
            header[key], at = data[at : at + size], at + size
    count, at = long_at(data, at + 16)
    size, at = long_at(data, at)
    block = data[at : at + size]
    if header.get(b"avro.codec") == b"zstandard":
        block = zstandard.ZstdDecompressor().decompressobj().decompress(block)
    return count, block


def newest(folder: Path, pattern: str) -> Path | None:
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    return found[-1] if found else None


def table_seeds() -> None:
    for number, table in enumerate(TABLES):
        folder = VECTORS / table / "wh/robots.db/frames"
        place = bytes([number])
        manifests = [path for path in folder.glob("manifest/manifest-*") if "list" not in path.name]
        for kind, path in (
            ("m", sorted(manifests)[0]),
            ("l", max(folder.glob("manifest/manifest-list-*-1"), key=lambda path: path.stat().st_size)),
            ("i", newest(folder, "manifest/index-manifest-*")),
        ):
            if path is None:
                continue
            count, block = records(path)
            if count < 256 and len(block) < LARGEST_SEED:
                put("table", f"{kind}-{table}", kind.encode() + place + bytes([count]) + block)
        for kind, pattern in (
            ("s", "snapshot/snapshot-*"),
            ("L", "snapshot/LATEST"),
            ("t", "tag/tag-first"),
            ("S", "schema/schema-*"),
            ("v", "**/*.video"),
            ("b", "**/*.blob"),
            ("d", "index/index-*"),
        ):
            path = newest(folder, pattern)
            if path is not None:
                put("table", f"{kind}-{table}", kind.encode() + place + path.read_bytes()[-2000:])


def image_seeds() -> None:
    pixels = np.arange(24 * 17 * 3, dtype=np.uint8).reshape(17, 24, 3)
    colour = Image.fromarray(pixels)
    exif = Image.Exif()
    exif[0x0112] = 6
    kinds: list[tuple[str, Image.Image, str, dict[str, object]]] = [
        ("jpeg", colour, "JPEG", {"exif": exif}),
        ("jpeg_progressive", colour, "JPEG", {"progressive": True}),
        ("jpeg_cmyk", colour.convert("CMYK"), "JPEG", {}),
        ("jpeg_gray", colour.convert("L"), "JPEG", {}),
        ("jpeg_444", colour, "JPEG", {"subsampling": 0}),
        ("png", colour, "PNG", {"exif": exif}),
        ("png_palette", colour.quantize(16), "PNG", {}),
        ("png_alpha", colour.convert("RGBA"), "PNG", {}),
        ("png_gray16", Image.fromarray(np.arange(24 * 17, dtype=np.uint16).reshape(17, 24)), "PNG", {}),
        ("tiff", colour, "TIFF", {"exif": exif}),
        ("tiff_lzw", colour, "TIFF", {"compression": "tiff_lzw"}),
        ("tiff_deflate", colour.convert("L"), "TIFF", {"compression": "tiff_adobe_deflate"}),
        ("webp", colour, "WEBP", {"exif": exif}),
        ("webp_lossless", colour.convert("RGBA"), "WEBP", {"lossless": True}),
        ("bmp", colour, "BMP", {}),
        ("bmp_palette", colour.quantize(16), "BMP", {}),
        ("gif", colour.quantize(16), "GIF", {}),
        ("ppm", colour, "PPM", {}),
        ("pgm", colour.convert("L"), "PPM", {}),
        ("tga", colour, "TGA", {}),
        ("sgi", colour, "SGI", {}),
        ("pcx", colour, "PCX", {}),
        ("jpeg2000", colour, "JPEG2000", {}),
        ("dds", colour.convert("RGBA"), "DDS", {}),
    ]
    for choice, (name, image, format, options) in enumerate(kinds):
        buffer = io.BytesIO()
        image.save(buffer, format, **options)
        put("image", name, bytes([choice & 7]) + buffer.getvalue())
        if "exif" in options:
            put("exif", name, buffer.getvalue())
    put("exif", "tiff_header", b"\x01\x12MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, 6, 0, 0))
    # Headers that claim the largest sides.
    chunk = b"IHDR" + struct.pack(">IIBBBBB", 65535, 65535, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    put("image", "png_huge", b"\0" + png)
    put("image", "ppm_huge", b"\0P6 65535 65535 255\n")
    put("image", "gif_huge", b"\0GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0) + bytes(6) + b",")


def video_seeds() -> None:
    for path in sorted((ROOT / "tests/data/videos").iterdir()):
        if path.suffix in (".mp4", ".mkv", ".webm", ".avi", ".ts") and path.stat().st_size < 20_000:
            put("video", path.name.replace(".", "_"), b"\x06" + path.read_bytes())


def statistics_seeds() -> None:
    vector = VECTORS / "partition_types/wh/robots.db/frames"
    count, block = records(sorted(path for path in vector.glob("manifest/manifest-*") if "list" not in path.name)[0])
    at, _ = 0, count
    for _ in range(2):  # version, kind
        _, at = long_at(block, at)
    size, at = long_at(block, at)
    row = block[at : at + size]
    arity = struct.unpack_from(">i", row)[0]
    for legacy in (0, 1):
        head = bytes([arity, *range(3, 3 + arity), legacy, (len(row) + 1) // 2])
        put("statistics", f"partition_{legacy}", head + row + row)
    for number in range(19):
        one = struct.pack(">i", 1) + bytes(8) + struct.pack("<q", 1234567 + number)
        put("statistics", f"type_{number:02}", bytes([1, number, number & 1, len(one) // 2]) + one + one)


def option_seeds() -> None:
    texts = "10 ms|1 d|5 MIN|256 mb|1 GiB|1048576|frames|decode|DECIMAL(10, 2)|TIMESTAMP(6) WITH LOCAL TIME ZONE"
    texts += "|VARCHAR(7) NOT NULL|BINARY(4)|file:///a//b/./c/|s3://bucket/x|/a/../b"
    for number, text in enumerate(texts.split("|")):
        put("option_text", f"{number:02}", text.encode())


if __name__ == "__main__":
    table_seeds()
    image_seeds()
    video_seeds()
    statistics_seeds()
    option_seeds()
