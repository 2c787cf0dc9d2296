"""Videos and rows are stored as they are."""

from __future__ import annotations

import functools
import shutil

import robot_rows
from case import Case, Job, Place, RatioTarget
from inputs.footage import CLIP_FRAMES, EPISODE_FRAMES

from .stored_rows import stored_rows


def add_videos(engine: str, name: str, frames: int, place: Place) -> Job:
    videos = sorted((place.inputs / name).glob("*.mp4"))
    items = [(str(video), robot_rows.rows_of_episode(i, frames)) for i, video in enumerate(videos)]
    if place.quick:
        items = items[: len(items) // 10]
    table = robot_rows.create_table(engine, place.work)
    return Job(lambda: table.add_videos(items), lambda _: {"rows": stored_rows(place.work)})


def append_video(engine: str, place: Place) -> Job:
    """Each call is one commit more on a copy of the same table."""
    warehouse = place.work / "copy"
    shutil.copytree(place.inputs / "commits-pypaimon", warehouse)
    video = str(place.inputs / "one-video" / "carphone.mp4")
    table, rows = robot_rows.open_table(engine, warehouse), robot_rows.rows_of_episode(1000, 120)
    before = stored_rows(warehouse)
    commits = 0

    def append() -> None:
        nonlocal commits
        table.add_video(video, rows)
        commits += 1

    return Job(append, lambda _: {"rows of a commit": (stored_rows(warehouse) - before) // commits})


def by_both(job, *arguments) -> dict:
    return {engine: functools.partial(job, engine, *arguments) for engine in robot_rows.MODULES}


CASES = (
    Case("add-clips", "200 distinct clips of 250 frames, 0.4 MB each, in one commit",
         by_both(add_videos, "clips", CLIP_FRAMES), (RatioTarget("pypaimon", 0.05, 0.02),), inputs=("clips",)),
    Case("store-million", "1 M rows of six columns: 1,000 episodes of one 1,000-frame video each, in one commit",
         by_both(add_videos, "small-videos", EPISODE_FRAMES), (RatioTarget("pypaimon", 0.10, 0.05),),
         inputs=("small-videos",), most_runs=3),
    Case("append", "one video of 120 frames appended to a table of 300 commits",
         by_both(append_video), (RatioTarget("pypaimon", 0.6, 0.3),), inputs=("commits-pypaimon", "one-video"),
         warm=True),
)  # fmt: skip
