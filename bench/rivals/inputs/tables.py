"""Tables that the reading comparisons read, written by pypaimon or by us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import robot_rows

from .footage import EPISODE_FRAMES, EPISODES
from .stored_input import Input, Inputs

COMMITS_OF_PYPAIMON = 300
OUR_COMMITS = 10_000
MILLIONS = 10


def episodes(inputs: Inputs, first: int = 0) -> Iterator[tuple]:
    videos = sorted(inputs.folder("small-videos").glob("*.mp4"))
    for i, video in enumerate(videos):
        yield str(video), robot_rows.rows_of_episode(first + i, EPISODE_FRAMES)
        inputs.progress(i + 1, EPISODES)


def fresh_or_opened_table(engine: str, folder: Path, options: dict | None = None):
    if (folder / f"{robot_rows.DATABASE}.db" / robot_rows.TABLE / "schema" / "schema-0").exists():
        return robot_rows.open_table(engine, folder, options)
    return robot_rows.create_table(engine, folder, options)


def commits_of(folder: Path) -> int:
    snapshots = folder / f"{robot_rows.DATABASE}.db" / robot_rows.TABLE / "snapshot"
    return max((int(path.name.removeprefix("snapshot-")) for path in snapshots.glob("snapshot-*")), default=0)


def make_million_of_pypaimon(folder: Path, inputs: Inputs) -> None:
    table = fresh_or_opened_table("pypaimon", folder)
    if commits_of(folder) == 0:
        table.add_videos(episodes(inputs))
    expect_one_file_and_row_group(folder)


def expect_one_file_and_row_group(folder: Path) -> None:
    import pyarrow.parquet as pq

    groups = [pq.ParquetFile(path).num_row_groups for path in folder.rglob("*.parquet")]
    if groups != [1]:
        raise RuntimeError(f"{folder}: one Parquet file of one row group was expected, found row groups {groups}.")


def make_our_million(folder: Path, inputs: Inputs) -> None:
    table = fresh_or_opened_table("reelhouse", folder)
    if commits_of(folder) == 0:
        table.add_videos(episodes(inputs))


def make_ten_million(folder: Path, inputs: Inputs) -> None:
    """Ten commits of a million rows."""
    table = fresh_or_opened_table("reelhouse", folder)
    for million in range(commits_of(folder), MILLIONS):
        table.add_videos(episodes(inputs, million * EPISODES))


def make_commits_of_pypaimon(folder: Path, inputs: Inputs) -> None:
    videos = sorted(inputs.folder("short-videos").glob("0*.mp4"))
    table = fresh_or_opened_table("pypaimon", folder)
    for i in range(commits_of(folder), COMMITS_OF_PYPAIMON):
        table.add_video(str(videos[i]), robot_rows.rows_of_episode(i, 120))
        inputs.progress(i + 1, COMMITS_OF_PYPAIMON)


def make_our_commits(folder: Path, inputs: Inputs) -> None:
    """One episode of ten frames in each; unsynced, since only reading it is measured."""
    video = str(inputs.folder("short-videos") / "ten.mp4")
    table = fresh_or_opened_table("reelhouse", folder, {"commit.fsync": "false"})
    for i in range(commits_of(folder), OUR_COMMITS):
        table.add_video(video, robot_rows.rows_of_episode(i, 10))
        inputs.progress(i + 1, OUR_COMMITS)


TABLES = (
    Input("million-pypaimon", "1 M rows by pypaimon: one commit, one Parquet file, one row group",
          make_million_of_pypaimon, seconds=60, needs=("small-videos",)),
    Input("million-reelhouse", "1 M rows by us, one commit", make_our_million, seconds=5, needs=("small-videos",),
          written_by_us=True),
    Input("commits-pypaimon", "300 commits of one video by pypaimon", make_commits_of_pypaimon, seconds=20,
          needs=("short-videos",)),
    Input("commits-reelhouse", "10,000 commits of one video by us", make_our_commits, seconds=200,
          needs=("short-videos",), written_by_us=True),
    Input("ten-million", "10 M rows by us, ten commits", make_ten_million, seconds=50, needs=("small-videos",),
          written_by_us=True),
)  # fmt: skip
