"""Rows come out, file cache warm."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import robot_rows
from case import OURS, Case, Job, Place, RatioTarget

ALL_COLUMNS = tuple(robot_rows.SCHEMA.names)
EPISODE_COLUMNS = ("episode_id", "task", "video")


@dataclass(frozen=True)
class Selection:
    """Columns and one episode, or all rows, in the words of each engine."""

    columns: tuple[str, ...]
    episode: int | None = None

    @property
    def filter(self) -> str | None:
        return None if self.episode is None else f"episode_id = {self.episode}"

    def sql(self) -> str:
        where = f" where {self.filter}" if self.filter else ""
        return f"select {', '.join(self.columns)} from p.{robot_rows.DATABASE}.{robot_rows.TABLE}{where}"


def work_of(rows: pa.Table) -> dict:
    """What was read: rows, and sums and lengths that notice a wrong row."""
    done: dict = {"rows": rows.num_rows, "columns": rows.column_names}
    for name in rows.column_names:
        column = rows[name]
        if pa.types.is_integer(column.type):
            done[f"sum of {name}"] = pc.sum(column).as_py()
        elif pa.types.is_floating(column.type):
            done[f"sum of {name}"] = f"{pc.sum(column).as_py():.6f}"
        else:
            done[f"bytes of {name}"] = pc.sum(pc.cast(pc.binary_length(column), pa.int64())).as_py()
    return done


def sql_context(warehouse: Path):
    from pypaimon_rust.datafusion import SQLContext

    context = SQLContext()
    context.register_catalog("p", {"warehouse": str(warehouse)})
    return context


def select_by_sql(warehouse: str, selection: Selection, place: Place) -> Job:
    context, sql = sql_context(place.inputs / warehouse), selection.sql()
    return Job(lambda: list(context.sql(sql)), lambda batches: work_of(pa.Table.from_batches(batches)))


def select_by_scan(engine: str, warehouse: str, selection: Selection, place: Place) -> Job:
    table = robot_rows.open_table(engine, place.inputs / warehouse)

    def run() -> pa.Table:
        query = table.scan().select(list(selection.columns))
        return (query.where(selection.filter) if selection.filter else query).to_arrow()

    return Job(run, work_of)


def count_by_sql(warehouse: str, place: Place) -> Job:
    context = sql_context(place.inputs / warehouse)
    sql = f"select count(*) from p.{robot_rows.DATABASE}.{robot_rows.TABLE}"
    return Job(lambda: list(context.sql(sql))[0].column(0)[0].as_py(), lambda rows: {"rows": rows})


def count_by_scan(warehouse: str, place: Place) -> Job:
    table = robot_rows.open_table(OURS, place.inputs / warehouse)
    return Job(lambda: table.scan().count(), lambda rows: {"rows": rows})


def read_by_arrow(warehouse: str, columns: tuple[str, ...], place: Place) -> Job:
    """The Parquet files alone, by Arrow's own reader with its threads: no manifests, no descriptors."""
    import pyarrow.parquet as pq

    files = sorted((place.inputs / warehouse).rglob("*.parquet"), key=lambda path: path.stat().st_mtime_ns)

    def run() -> pa.Table:
        return pa.concat_tables(pq.ParquetFile(path).read(columns=list(columns)) for path in files)

    return Job(run, work_of)


def plan_one_episode(place: Place) -> Job:
    """From nothing but the folder: what a new process does to find one of 10,000 episodes."""
    table = robot_rows.open_table(OURS, place.inputs / "commits-reelhouse")

    def rows(_) -> dict:
        found = table.scan().where("episode_id = 5000").to_arrow()
        if found.num_rows != 10:
            raise RuntimeError(f"10 rows were expected, got {found.num_rows}.")
        return {}

    return Job(lambda: table.scan().where("episode_id = 5000").explain(), rows)


def read_all_manifests(place: Place) -> Job:
    table = robot_rows.open_table("pypaimon", place.inputs / "commits-reelhouse").raw_table

    def rows(plan) -> dict:
        found = sum(split.row_count for split in plan.splits())
        if found < 100_000:
            raise RuntimeError(f"100,000 rows were expected, got {found}.")
        return {}

    return Job(lambda: table.new_read_builder().new_scan().plan(), rows)


def select_case(
    name: str, text: str, warehouse: str, selection: Selection, target: RatioTarget, beside: tuple[str, ...] = ()
) -> Case:
    engines: dict[str, Callable[[Place], Job]] = {
        OURS: functools.partial(select_by_scan, OURS, warehouse, selection),
        "pypaimon-rust": functools.partial(select_by_sql, warehouse, selection),
        "pypaimon": functools.partial(select_by_scan, "pypaimon", warehouse, selection),
    }
    wanted = {engine: job for engine, job in engines.items() if engine in (OURS, target.rival, *beside)}
    return Case(name, text, wanted, (target,), inputs=(warehouse,), warm=True, beside=beside)


ONE_EPISODE = Selection(EPISODE_COLUMNS, episode=500)
CASES = (
    select_case("one-episode", "one episode of 1 M rows that pypaimon wrote as one row group: episode_id, task, video",
                "million-pypaimon", ONE_EPISODE, RatioTarget("pypaimon-rust", 0.6, 0.25), ("pypaimon",)),
    select_case("one-episode-ours", "the same on a table that we wrote",
                "million-reelhouse", ONE_EPISODE, RatioTarget("pypaimon-rust", 0.3, 0.1)),
    select_case("everything", "all 1 M rows with descriptors to Arrow, six columns; pypaimon's table",
                "million-pypaimon", Selection(ALL_COLUMNS), RatioTarget("pypaimon-rust", 0.8, 0.5), ("pypaimon",)),
    Case("count", "count() of 1 M rows; pypaimon's table",
         {OURS: functools.partial(count_by_scan, "million-pypaimon"),
          "pypaimon-rust": functools.partial(count_by_sql, "million-pypaimon")},
         (RatioTarget("pypaimon-rust", 1.0, 0.3),), inputs=("million-pypaimon",), warm=True),
    Case("three-columns", "frame_index, speed and reward of 1 M rows; our table",
         {OURS: functools.partial(select_by_scan, OURS, "million-reelhouse",
                                  Selection(("frame_index", "speed", "reward"))),
          "arrow": functools.partial(read_by_arrow, "million-reelhouse", ("frame_index", "speed", "reward"))},
         (RatioTarget("arrow", 1.3, 1.1),), inputs=("million-reelhouse",), warm=True),
    select_case("point-query", "one of 300 one-video commits that pypaimon wrote: all columns",
                "commits-pypaimon", Selection(ALL_COLUMNS, episode=150), RatioTarget("pypaimon-rust", 0.5, 0.2),
                ("pypaimon",)),
    Case("plan", "plan of a table of 10,000 commits that we wrote, one episode; theirs: all of its manifests read",
         {OURS: plan_one_episode, "pypaimon": read_all_manifests},
         (RatioTarget("pypaimon", 0.02, 0.01),), inputs=("commits-reelhouse",), most_runs=3),
)  # fmt: skip
