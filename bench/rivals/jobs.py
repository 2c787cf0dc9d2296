"""One job of a comparison, timed inside its own process.

    python jobs.py JOB ENGINE INPUTS WORK

Prints one line of JSON: wall and CPU seconds of the job alone (imports and inputs are ready before the clock starts),
and what was done, so that the caller can check that both engines did the same.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

MODULES = {"reelhouse": "reelhouse", "pypaimon": "pypaimon.multimodal"}
FRAME_SCHEMA = pa.schema(
    [("episode", pa.int64()), ("idx", pa.int32()), ("task", pa.string()), ("reward", pa.float64()), ("time", pa.float64()),
     ("video", pa.large_binary())]
)  # fmt: skip
TABLE_OPTIONS = {"file.format": "parquet", "video-frame-field": "video"}


def frame_rows(episode: int, count: int) -> pa.Table:
    return pa.table(
        {
            "episode": pa.array([episode] * count, pa.int64()),
            "idx": pa.array(range(count), pa.int32()),
            "task": [f"task {episode % 20}"] * count,
            "reward": [float(i % 100) for i in range(count)],
            "time": [i / 30 for i in range(count)],
        }
    )


def new_table(engine: str, work: Path):
    module = importlib.import_module(MODULES[engine])
    connection = module.connect(database="robots", options={"warehouse": str(work)})
    return connection.create_table("frames", schema=FRAME_SCHEMA, options=TABLE_OPTIONS)


def encode_pictures(engine: str, inputs: Path, work: Path) -> Callable[[], dict]:
    """132 JPEG pictures of 1280x720 to one video, libx264 crf 18 fast gop 2."""
    images = [path.read_bytes() for path in sorted((inputs / "pictures").glob("*.jpg"))]
    table, rows = new_table(engine, work), frame_rows(0, len(images))

    def job() -> dict:
        table.add_images_as_video(
            images, rows, fps=30, codec="libx264", pixel_format="yuv420p", gop_size=2,
            codec_options={"crf": "18", "preset": "fast"},
        )  # fmt: skip
        return {"rows": len(images)}

    return job


def add_clips(engine: str, inputs: Path, work: Path) -> Callable[[], dict]:
    """200 distinct clips of 250 frames into one table, one commit."""
    clips = sorted((inputs / "clips").glob("*.mp4"))
    table = new_table(engine, work)
    items = [(str(clip), frame_rows(i, 250)) for i, clip in enumerate(clips)]

    def job() -> dict:
        table.add_videos(items)
        return {"rows": 250 * len(items)}

    return job


def scan_everything(engine: str, inputs: Path, work: Path) -> Callable[[], dict]:
    """All 1 M rows of 1,000 episodes with their descriptors to Arrow, file cache warm."""
    module = importlib.import_module(MODULES[engine])
    connection = module.connect(database="robots", options={"warehouse": str(inputs / "million")})
    table = connection.get_table("frames")

    def job() -> dict:
        found = table.scan().to_arrow()
        return {"rows": found.num_rows, "bytes": found["video"].nbytes}

    return job


JOBS = {"encode-pictures": encode_pictures, "add-clips": add_clips, "scan-everything": scan_everything}


def main() -> None:
    name, engine, inputs, work = sys.argv[1:5]
    job = JOBS[name](engine, Path(inputs), Path(work))
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    done = job()
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"wall": wall, "cpu": cpu, "rows": done["rows"]}))


if __name__ == "__main__":
    main()
