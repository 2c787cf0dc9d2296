"""One engine does one job, measured inside its own process.

    python one_run.py CASE ENGINE INPUTS WORK [--quick]

Prints one line of JSON: wall and CPU seconds of the job alone, the peak memory of the process in MB, and what was done.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from pathlib import Path

from case import Job, Place
from jobs import CASES

LEAST_REPEATS, MOST_REPEATS, LEAST_SECONDS = 5, 50, 1.0


def cpu_seconds() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def peak_megabytes() -> float:
    kilobytes = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return max(kilobytes) / 1000


def measure(job: Job, *, warm: bool) -> dict:
    if warm:
        job.run()
    walls: list[float] = []
    cpu, started = cpu_seconds(), time.perf_counter()
    while True:
        before = time.perf_counter()
        result = job.run()
        now = time.perf_counter()
        walls.append(now - before)
        enough = len(walls) >= LEAST_REPEATS and now - started >= LEAST_SECONDS
        if not warm or enough or len(walls) == MOST_REPEATS:
            break
        del result  # two results at once would be counted as memory of one
    cpu = (cpu_seconds() - cpu) / len(walls)
    measured = {"wall": statistics.median(walls), "cpu": cpu, "peak_mb": peak_megabytes(), "repeats": len(walls)}
    return {**measured, "work": job.work_done(result)}


def main() -> None:
    name, engine, inputs, work = sys.argv[1:5]
    case = CASES[name]
    job = case.engines[engine](Place(Path(inputs), Path(work), quick="--quick" in sys.argv))
    print(json.dumps(measure(job, warm=case.warm)))


if __name__ == "__main__":
    main()
