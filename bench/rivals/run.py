"""Runs the same jobs for us and for other engines and reports the ratios.

    scripts/bench [--runs N] [--only CASE...] [--quick] [--targets-only] [--output FOLDER] [--remake INPUT...]
                  [--render]

Exit code 0: every must is met; 1: one is missed; 2: an engine failed or did other work.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import report
from comparison import CaseResult, compare, from_json, to_json
from inputs import INPUTS, ensure_inputs
from jobs import CASES
from plot import svg
from versions import versions

BUILD = Path(__file__).resolve().parents[2] / "build"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="alternating runs of each engine (default 3)")
    parser.add_argument("--only", nargs="+", choices=CASES, metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--quick", action="store_true", help="one run of shorter jobs, to try the harness")
    parser.add_argument("--targets-only", action="store_true", help="without the engines that no target speaks of")
    parser.add_argument("--inputs", type=Path, default=BUILD / "bench-inputs")
    parser.add_argument("--remake", nargs="+", choices=INPUTS, default=[], metavar="INPUT",
                        help="made anew, as tables after a change of the writer: " + ", ".join(INPUTS))  # fmt: skip
    parser.add_argument("--output", type=Path, default=BUILD / "bench-report",
                        help="folder of report.md, ratios.svg and results.json")  # fmt: skip
    parser.add_argument("--render", action="store_true", help="only write the report again from results.json")
    return parser.parse_args()


def run_cases(options: argparse.Namespace) -> list[CaseResult]:
    results = []
    for name in options.only or CASES:
        runs = 1 if options.quick else options.runs
        result = compare(
            CASES[name], options.inputs, runs, quick=options.quick, beside=not options.targets_only
        )
        results.append(result)
        for line in report.targets_table([result])[2:]:
            print(line, file=sys.stderr, flush=True)
    return results


def write(folder: Path, stored: dict) -> str:
    results = from_json(stored["results"])
    text = report.markdown(results, stored["versions"], stored["runs"], plot="ratios.svg", load=stored.get("load"),
                           cores=stored.get("cores", 1))  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(text)
    (folder / "ratios.svg").write_text(svg(results))
    (folder / "results.json").write_text(json.dumps(stored, indent=1))
    return text


def exit_code(results: list[CaseResult]) -> int:
    if any(result.problem for result in results):
        return 2
    return 0 if all(result.passed for result in results) else 1


def main() -> int:
    options = arguments()
    if options.render:
        stored = json.loads((options.output / "results.json").read_text())
    else:
        needed = [name for case in options.only or CASES for name in CASES[case].inputs]
        ensure_inputs(INPUTS, [*needed, *options.remake], options.inputs, options.remake)
        os.sync()  # what was just made must not be written back while others are timed
        load = os.getloadavg()[0]
        results = run_cases(options)
        stored = {
            "versions": versions(options.inputs),
            "load": load,
            "cores": len(os.sched_getaffinity(0)),
            "runs": 1 if options.quick else options.runs,
            "results": to_json(results),
        }
    print(write(options.output, stored))
    return exit_code(from_json(stored["results"]))


if __name__ == "__main__":
    sys.exit(main())
