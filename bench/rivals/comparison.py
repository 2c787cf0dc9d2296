"""Alternating runs of the engines of a case, each in a process of its own, and what came of them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from case import OURS, Case, MemoryTarget, RatioTarget

HERE = Path(__file__).resolve().parent


class EngineFailed(Exception):
    pass


@dataclass(frozen=True)
class Measured:
    """Medians over the runs of one engine; seconds and MB."""

    wall: float
    cpu: float
    peak_mb: float
    least_wall: float
    runs: int


@dataclass(frozen=True)
class Outcome:
    """One target and what was measured for it. `cost` is ours / theirs, or MB."""

    rival: str | None
    cost: float
    cpu_ratio: float | None
    must: float
    aim: float

    @property
    def meets_must(self) -> bool:
        return self.cost <= self.must

    @property
    def meets_aim(self) -> bool:
        return self.cost <= self.aim


@dataclass
class CaseResult:
    name: str
    text: str
    warm: bool = False
    engines: dict[str, Measured] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    work: dict = field(default_factory=dict)
    # Why the case tells nothing: an engine failed, or they did not do the same.
    problem: str = ""

    @property
    def passed(self) -> bool:
        return not self.problem and all(outcome.meets_must for outcome in self.outcomes)


def run_once(case: Case, engine: str, folder: Path, *, quick: bool) -> dict:
    with tempfile.TemporaryDirectory(prefix="run-", dir=folder) as work:
        command = [sys.executable, str(HERE / "one_run.py"), case.name, engine, str(folder), work]
        done = subprocess.run(command + ["--quick"] * quick, capture_output=True, text=True)
    if done.returncode != 0:
        raise EngineFailed(f"{engine} failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(case: Case, folder: Path, runs: int, *, quick: bool = False, beside: bool = True) -> CaseResult:
    """`beside`: also the engines that no target speaks of."""
    samples: dict[str, list[dict]] = {engine: [] for engine in case.engines if beside or engine not in case.beside}
    try:
        for _ in range(min(runs, case.most_runs)):
            for engine, list_of_runs in samples.items():
                list_of_runs.append(run_once(case, engine, folder, quick=quick))
    except EngineFailed as failed:
        return CaseResult(case.name, case.text, problem=str(failed))
    return judge(case, samples)


def judge(case: Case, samples: dict[str, list[dict]]) -> CaseResult:
    """From samples of `one_run.py` for each engine to medians, ratios and a verdict."""
    result = CaseResult(case.name, case.text, case.warm)
    result.engines = {engine: summary(runs) for engine, runs in samples.items()}
    result.work = samples[OURS][0]["work"]
    result.problem = difference_of_work(samples)
    result.outcomes = [outcome_of(target, result.engines) for target in case.targets]
    return result


def summary(runs: list[dict]) -> Measured:
    walls = [run["wall"] for run in runs]
    medians = {measure: median(run[measure] for run in runs) for measure in ("wall", "cpu", "peak_mb")}
    return Measured(**medians, least_wall=min(walls), runs=len(runs))


def outcome_of(target: RatioTarget | MemoryTarget, engines: dict[str, Measured]) -> Outcome:
    ours = engines[OURS]
    if isinstance(target, MemoryTarget):
        return Outcome(None, ours.peak_mb, None, target.must, target.aim)
    theirs = engines[target.rival]
    # A child process of a millisecond may show no CPU time at all.
    cpu_ratio = ours.cpu / theirs.cpu if theirs.cpu > 0 else None
    return Outcome(target.rival, ours.wall / theirs.wall, cpu_ratio, target.must, target.aim)


def difference_of_work(samples: dict[str, list[dict]]) -> str:
    expected = samples[OURS][0]["work"]
    for engine, runs in samples.items():
        for run in runs:
            if run["work"] != expected:
                return f"different work: {OURS} did {expected}, {engine} did {run['work']}"
    return "memory grows during the job" if expected.get("flat") is False else ""


def to_json(results: list[CaseResult]) -> list[dict]:
    return [asdict(result) for result in results]


def from_json(values: list[dict]) -> list[CaseResult]:
    return [
        CaseResult(
            **{
                **value,
                "engines": {engine: Measured(**measured) for engine, measured in value["engines"].items()},
                "outcomes": [Outcome(**outcome) for outcome in value["outcomes"]],
            }
        )
        for value in values
    ]
