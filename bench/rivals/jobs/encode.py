"""Pictures become videos."""

from __future__ import annotations

import functools
import subprocess
from dataclasses import dataclass

import robot_rows
from case import OURS, Case, Job, Place, RatioTarget

from .stored_rows import stored_rows


@dataclass(frozen=True)
class Encoding:
    codec: str
    gop: int
    options: tuple[tuple[str, str], ...]

    def arguments(self) -> dict:
        """As Python callers of both packages write it."""
        return {"fps": 30, "codec": self.codec, "pixel_format": "yuv420p", "gop_size": self.gop,
                "codec_options": dict(self.options)}  # fmt: skip

    def command_line(self) -> list[str]:
        options = [text for name, value in self.options for text in (f"-{name}", value)]
        return ["-c:v", self.codec, "-g", str(self.gop), "-pix_fmt", "yuv420p", *options]


FAST = Encoding("libx264", 2, (("crf", "18"), ("preset", "fast")))
ULTRAFAST = Encoding("libx264", 30, (("crf", "23"), ("preset", "ultrafast")))
MPEG4 = Encoding("mpeg4", 2, (("flags", "+qscale"), ("global_quality", "354")))


def pictures_of(folder) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("*.jpg"))]


def add_pictures(engine: str, encoding: Encoding, place: Place) -> Job:
    images = pictures_of(place.inputs / "pictures")
    table, rows = robot_rows.create_table(engine, place.work), robot_rows.rows_of_episode(0, len(images))
    return Job(
        lambda: table.add_images_as_video(images, rows, **encoding.arguments()),
        lambda _: {"frames": stored_rows(place.work)},
    )


def add_episodes(engine: str, encoding: Encoding, place: Place) -> Job:
    folders = sorted((place.inputs / "episode-pictures").iterdir())
    items = [(pictures_of(folder), robot_rows.rows_of_episode(i, 250)) for i, folder in enumerate(folders)]
    table = robot_rows.create_table(engine, place.work)

    def in_one_call() -> None:
        table.add_images_as_videos(items, **encoding.arguments())

    def one_by_one() -> None:
        for images, rows in items:
            table.add_images_as_video(images, rows, **encoding.arguments())

    return Job(in_one_call if engine == OURS else one_by_one, lambda _: {"frames": stored_rows(place.work)})


def command(inputs: list[str], encoding: Encoding, outputs: list[str], place: Place) -> Job:
    line = ["ffmpeg", "-v", "error", "-y", *inputs, *encoding.command_line(), *outputs]
    return Job(lambda: subprocess.run(line, check=True), lambda _: {"frames": frames_of(place)})


def frames_of(place: Place) -> int:
    probe = ["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0"]
    return int(subprocess.run([*probe, str(place.work / "out.mp4")], check=True, capture_output=True).stdout)


def ffmpeg_command(encoding: Encoding, place: Place) -> Job:
    """Reads the JPEG files and writes one MP4, as people do it by hand."""
    pictures = ["-framerate", "30", "-i", str(place.inputs / "pictures" / "%04d.jpg")]
    return command(pictures, encoding, [str(place.work / "out.mp4")], place)


def bare_encoder(encoding: Encoding, place: Place) -> Job:
    """Raw yuv420p in, MP4 out: what the encoder alone costs."""
    raw = str(place.inputs / "raw-frames" / "frames.yuv")
    frames = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", "1280x720", "-framerate", "30", "-i", raw]
    return command(frames, encoding, [str(place.work / "out.mp4")], place)


def picture_case(name: str, text: str, encoding: Encoding, *targets: RatioTarget) -> Case:
    engines = {engine: functools.partial(add_pictures, engine, encoding) for engine in robot_rows.MODULES}
    engines |= {"ffmpeg": functools.partial(ffmpeg_command, encoding),
                "encoder": functools.partial(bare_encoder, encoding)}  # fmt: skip
    beside = tuple(engine for engine in engines if engine not in (OURS, *(target.rival for target in targets)))
    text = f"132 JPEG of 1280x720 to one video, {text}"
    return Case(name, text, engines, targets, inputs=("pictures", "raw-frames"), beside=beside)


CASES = (
    picture_case("encode-fast", "libx264 crf 18 fast gop 2", FAST,
                 RatioTarget("pypaimon", 0.70, 0.62), RatioTarget("ffmpeg", 1.05, 0.97)),
    picture_case("encode-ultrafast", "libx264 crf 23 ultrafast gop 30", ULTRAFAST, RatioTarget("pypaimon", 0.50, 0.35)),
    picture_case("encode-mpeg4", "mpeg4 qscale 3 gop 2", MPEG4, RatioTarget("pypaimon", 0.50, 0.40)),
    Case("encode-episodes", "4 episodes of 250 JPEG of 640x272, libx264 crf 18 fast gop 2; ours in one call",
         {engine: functools.partial(add_episodes, engine, FAST) for engine in robot_rows.MODULES},
         (RatioTarget("pypaimon", 0.60, 0.50),), inputs=("episode-pictures",)),
)  # fmt: skip
