"""The report as Markdown."""

from __future__ import annotations

from comparison import CaseResult, Measured, Outcome


def seconds(value: float) -> str:
    if value >= 100:
        return f"{value:.0f} s"
    if value >= 1:
        return f"{value:.2f} s"
    if value >= 1e-3:
        return f"{value * 1e3:.0f} ms" if value >= 0.1 else f"{value * 1e3:.1f} ms"
    return f"{value * 1e6:.0f} µs"


def ratio(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def verdict(outcome: Outcome) -> str:
    if outcome.meets_aim:
        return "aim met"
    return "must met" if outcome.meets_must else "**missed**"


def target_line(result: CaseResult, outcome: Outcome) -> str:
    ours = result.engines["reelhouse"]
    if outcome.rival is None:
        cells = [result.name, "peak memory", f"{outcome.cost:.0f} MB", "", "", "", f"{outcome.must:.0f} MB",
                 f"{outcome.aim:.0f} MB"]  # fmt: skip
    else:
        theirs = result.engines[outcome.rival]
        cpu = "" if outcome.cpu_ratio is None else ratio(outcome.cpu_ratio)
        cells = [result.name, outcome.rival, seconds(ours.wall), seconds(theirs.wall), ratio(outcome.cost), cpu,
                 f"{outcome.must:g}", f"{outcome.aim:g}"]  # fmt: skip
    return "| " + " | ".join([*cells, result.problem or verdict(outcome)]) + " |"


def targets_table(results: list[CaseResult]) -> list[str]:
    lines = ["| case | rival | ours | theirs | ours / theirs | of CPU time | must | aim | |", "|---" * 9 + "|"]
    for result in results:
        lines += [target_line(result, outcome) for outcome in result.outcomes]
        if result.problem and not result.outcomes:
            lines.append(f"| {result.name} | | | | | | | | {result.problem} |")
    return lines


def engine_line(result: CaseResult, engine: str, measured: Measured) -> str:
    cells = [result.name, engine, seconds(measured.wall), seconds(measured.least_wall), seconds(measured.cpu),
             f"{measured.peak_mb:.0f} MB", str(measured.runs)]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def engines_table(results: list[CaseResult]) -> list[str]:
    lines = ["| case | engine | wall | least wall | CPU | peak memory | runs |", "|---|---|---|---|---|---|---|"]
    for result in results:
        lines += [engine_line(result, engine, measured) for engine, measured in result.engines.items()]
    return lines


def case_lines(results: list[CaseResult]) -> list[str]:
    return [
        f"- `{result.name}`: {result.text}{'; warm' if result.warm else ''}. {work_text(result.work)}".rstrip()
        for result in results
    ]


def work_text(work: dict) -> str:
    facts = [f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in work.items()
             if name not in ("columns",) and not isinstance(value, bool)]  # fmt: skip
    return f"Done by each: {', '.join(facts)}." if facts else ""


def load_warning(load: float | None, cores: int) -> list[str]:
    """Wall times of a machine that did other things at the same time are waits, not work."""
    if load is None or load <= cores / 2:
        return []
    return [f"The machine was busy (load {load:.1f} on {cores} cores): believe the ratios of CPU time.", ""]


def markdown(
    results: list[CaseResult],
    versions: dict[str, str],
    runs: int,
    *,
    plot: str | None = None,
    load: float | None = None,
    cores: int = 1,
) -> str:
    missed = [result.name for result in results if not result.passed]
    lines = [
        "# Reelhouse beside others",
        "",
        f"Median of {runs} alternating runs, each in a process of its own; in a warm case the median of repeats inside "
        "each process after one that is not counted. Every table is written with fsync by us, without by the others.",
        "",
        *load_warning(load, cores),
        f"Missed: {', '.join(missed)}." if missed else "Every must is met.",
        "",
        *targets_table(results),
        "",
    ]
    if plot:
        lines += [f"![ours / theirs, with must and aim]({plot})", ""]
    lines += ["## All engines", "", *engines_table(results), "", "## Cases", "", *case_lines(results), ""]
    lines += ["## Versions", "", *(f"- {name}: {text}" for name, text in versions.items()), ""]
    return "\n".join(lines)
