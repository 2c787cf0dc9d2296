"""Runs the same jobs for us and for pypaimon, alternating, and prints the ratios as Markdown.

    python run.py [--runs N] [--only JOB] [--inputs FOLDER] [--output FILE]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import inputs
from jobs import JOBS

import reelhouse as rh

HERE = Path(__file__).resolve().parent
RIVAL = "pypaimon"
# The most that ours / theirs may be.
MUST = {"encode-pictures": 0.80, "add-clips": 0.10, "scan-everything": 0.4}


def run_job(job: str, engine: str, folder: Path) -> dict:
    with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as work:
        command = [sys.executable, str(HERE / "jobs.py"), job, engine, str(folder), work]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(job: str, folder: Path, runs: int) -> dict:
    results: dict[str, list[dict]] = {"reelhouse": [], RIVAL: []}
    for _ in range(runs):
        for engine, list_of_runs in results.items():
            list_of_runs.append(run_job(job, engine, folder))
    rows = {run["rows"] for list_of_runs in results.values() for run in list_of_runs}
    if len(rows) != 1:
        raise SystemExit(f"{job}: the engines did different work: {rows} rows")
    row: dict = {"job": job, "rows": rows.pop()}
    for engine, list_of_runs in results.items():
        for measure in ("wall", "cpu"):
            row[f"{engine} {measure}"] = statistics.median(run[measure] for run in list_of_runs)
    row["ratio"] = row["reelhouse wall"] / row[f"{RIVAL} wall"]
    return row


def report(rows: list[dict], runs: int) -> str:
    info = rh.build_info()
    lines = [
        f"Median of {runs} alternating runs, {platform.processor() or platform.machine()}, "
        f"Python {platform.python_version()}, reelhouse {info['reelhouse']} (fsync on, FFmpeg {info['ffmpeg']}, "
        f"Arrow {info['arrow']}), pypaimon {importlib.metadata.version('pypaimon')} "
        f"(av {importlib.metadata.version('av')}).",
        "",
        "| job | rows | ours, s (CPU) | pypaimon, s (CPU) | ratio | must |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['job']} | {row['rows']:,} | {row['reelhouse wall']:.2f} ({row['reelhouse cpu']:.2f}) "
            f"| {row[f'{RIVAL} wall']:.2f} ({row[f'{RIVAL} cpu']:.2f}) | {row['ratio']:.3f} | {MUST[row['job']]} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=JOBS, help="only this job")
    parser.add_argument("--inputs", type=Path, default=HERE.parent.parent / "build" / "bench-inputs")
    parser.add_argument("--output", type=Path, help="also write the report to this file")
    options = parser.parse_args()
    options.inputs.mkdir(parents=True, exist_ok=True)
    inputs.make_all(options.inputs)
    rows = [compare(job, options.inputs, options.runs) for job in JOBS if options.only in (None, job)]
    text = report(rows, options.runs)
    print(text)
    if options.output:
        options.output.write_text(text)
    return 1 if any(row["ratio"] > MUST[row["job"]] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
