"""Long jobs whose memory must not grow."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import robot_rows
from case import OURS, Case, Job, MemoryTarget, Place
from PIL import Image

from .encode import FAST

PICTURES = 10_000


class MemoryCurve:
    """Resident memory over the course of a job, in MB."""

    def __init__(self) -> None:
        self._points: list[float] = []

    def add_point(self) -> None:
        with open("/proc/self/statm") as statm:
            self._points.append(int(statm.read().split()[1]) * 4096 / 1e6)

    def is_flat(self) -> bool:
        """The second half needs no more than the first, but for noise."""
        half = len(self._points) // 2
        return max(self._points[half:]) <= max(self._points[:half]) * 1.1 + 10


def generated_pictures(count: int, curve: MemoryCurve) -> Iterator[bytes]:
    """A drifting pattern with a little noise, as JPEG of quality 90, made when it is pulled."""
    y, x = np.mgrid[0:720, 0:1280]
    noise = np.random.default_rng(1).integers(0, 12, (720, 1280, 3))
    pattern = np.stack([x * 255 // 1280, y * 255 // 720, (x ^ y) & 255], axis=-1)
    picture = np.minimum(pattern + noise, 255).astype(np.uint8)
    for i in range(count):
        stream = io.BytesIO()
        Image.fromarray(np.roll(picture, i * 3, axis=1)).save(stream, "JPEG", quality=90)
        if i % 50 == 0:
            curve.add_point()
        yield stream.getvalue()


def encode_many(place: Place) -> Job:
    count, curve = PICTURES // (10 if place.quick else 1), MemoryCurve()
    table, rows = robot_rows.create_table(OURS, place.work), robot_rows.rows_of_episode(0, count)
    return Job(
        lambda: table.add_images_as_video(generated_pictures(count, curve), rows, **FAST.arguments()),
        lambda _: {"frames": table.scan().count(), "flat": curve.is_flat()},
    )


def stream_many(place: Place) -> Job:
    table, curve = robot_rows.open_table(OURS, place.inputs / "ten-million"), MemoryCurve()

    def run() -> int:
        rows = 0
        with table.scan().to_arrow_batch_reader() as reader:
            for batch in reader:
                rows += batch.num_rows
                curve.add_point()
        return rows

    return Job(run, lambda rows: {"rows": rows, "flat": curve.is_flat()})


CASES = (
    Case("memory-encode", "10,000 generated JPEG of 1280x720 into one video, libx264 crf 18 fast gop 2",
         {OURS: encode_many}, (MemoryTarget(500, 300),), most_runs=1),
    Case("memory-stream", "streaming scan of 10 M rows with descriptors",
         {OURS: stream_many}, (MemoryTarget(500, 300),), inputs=("ten-million",), most_runs=1),
)  # fmt: skip
