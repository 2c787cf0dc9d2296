"""What a comparison is: engines that do one job each, and how much ours may cost beside theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OURS = "reelhouse"


@dataclass(frozen=True)
class Place:
    """Where an engine finds its inputs and may write."""

    inputs: Path
    work: Path
    # A shorter job, to try the harness.
    quick: bool = False


@dataclass(frozen=True)
class Job:
    """What is timed. Everything that it needs is ready before."""

    run: Callable[[], Any]
    # From what `run` returned (the last time): facts that must be equal for all engines, such as rows.
    work_done: Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class RatioTarget:
    """Wall time of ours / the rival's."""

    rival: str
    must: float
    aim: float


@dataclass(frozen=True)
class MemoryTarget:
    """Peak memory of our process in MB, and that it does not grow while the job goes on."""

    must: float
    aim: float


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    engines: dict[str, Callable[[Place], Job]]
    targets: tuple[RatioTarget | MemoryTarget, ...]
    inputs: tuple[str, ...] = ()
    # Repeated in one process after a run that is not counted. Otherwise the first run of a process is what counts.
    warm: bool = False
    # Engines that are measured without a target, to know where the floor or the field is.
    beside: tuple[str, ...] = field(default=())
    # More than this many alternating runs tell nothing new.
    most_runs: int = 1_000_000
