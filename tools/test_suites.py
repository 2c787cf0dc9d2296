"""Runs the test suites one after another and counts them together.

Each suite is a command; its passed and failed tests are read from what the runner prints (GoogleTest, pytest, or a line
``N passed, N failed``). A suite that ends badly without a count counts as one failure. The last line is the sum.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv/bin/python")
LINES_OF_A_FAILURE = 60

GTEST_PASSED = re.compile(r"^\[  PASSED  \] (\d+) tests?\.", re.MULTILINE)
GTEST_FAILED = re.compile(r"^\[  FAILED  \] \S+.* \(\d+ ms\)$", re.MULTILINE)
PYTEST = re.compile(r"^(?:=+ )?(?=.*\b(?:passed|failed|error))((?:\d+ \w+(?:, )?)+) in [\d.]+s", re.MULTILINE)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed", re.MULTILINE)


@dataclass
class Suite:
    """A named command. One without a count of its own is one test."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    full_only: bool = False
    timeout_s: int = 3600


@dataclass
class Outcome:
    passed: int
    failed: int
    seconds: float


def shell(function: str) -> list[str]:
    """A function of scripts/_setup.sh as a command."""
    return ["bash", "-c", f"source scripts/_setup.sh; {function}"]


def gtests(preset: str) -> list[str]:
    """All unit test programs of a preset, one after another; every one runs even if an earlier one failed."""
    programs = " ".join(f"build/{preset}/{folder}/*_test" for folder in ("src/reelhouse", "cli", "tests/journey"))
    script = f"shopt -s nullglob; status=0; for t in {programs}; do \"$t\" --gtest_brief=1 || status=1; done; exit $status"
    return ["bash", "-c", script]


ASAN = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "LSAN_OPTIONS": f"suppressions={ROOT}/tests/support/lsan.supp",
}
# Arrow's own allocator is unseen by TSan: memory that one thread gave back and another one took would look shared.
TSAN = {
    "TSAN_OPTIONS": f"ignore_noninstrumented_modules=1:suppressions={ROOT}/tests/support/tsan.supp",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


# Without clang: the targets of the ASan build over their seeds, then random damages of them.
SHORT_FUZZ = ["bash", "scripts/fuzz", "--replay", "--seconds", "10", "--jobs", "2"]
LONG_FUZZ = ["bash", "scripts/fuzz", "--seconds", "180", "--jobs", "2"]

# All fault cases but those of operations that are not there yet: update, delete, merge, replace_video.
CASES = (
    "B01 B02 B04 B08 B10 B14 B16 B18 B23 B24 B25 B27 B28 B29 B31 B34 B37 B38 B41 B47 B48 B51 B55 B56 B57 B59 B63 B66"
).split()


PROPERTIES = [PYTHON, "-m", "pytest", "tests/python/test_properties.py"]


def all_suites() -> list[Suite]:
    return [
        Suite("check: rooms", [PYTHON, "tools/check_rooms.py"]),
        Suite("check: drift", [PYTHON, "tools/check_drift.py"]),
        Suite("check: format", ["bash", "-c", "git ls-files '*.h' '*.cc' | xargs clang-format-14 --dry-run --Werror"]),
        Suite("build: release", shell("ensure_build release")),
        Suite("unit: release", gtests("release")),
        Suite("install: Python package", shell("ensure_python_package")),
        Suite("python", [PYTHON, "-m", "pytest", "tests/python"]),
        Suite("interop", [PYTHON, "-m", "pytest", "tests/interop"]),
        Suite("cases", [PYTHON, "tests/cases/run.py", "--module", "reelhouse", "--only", ",".join(CASES)]),
        Suite("install: C++ consumer", ["bash", "tests/install/run.sh"]),
        Suite("build: asan", shell("ensure_build asan")),
        Suite("unit: asan", gtests("asan"), ASAN),
        Suite("fuzz: damaged seeds", SHORT_FUZZ, ASAN),
        Suite("check: clang-tidy", [PYTHON, "tools/clang_tidy.py", "--minutes", "20"], full_only=True),
        Suite("build: tsan", shell("ensure_build tsan"), full_only=True),
        Suite("unit: tsan", gtests("tsan"), TSAN, full_only=True),
        Suite("fuzz: led by coverage", LONG_FUZZ, full_only=True, timeout_s=7200),
        Suite("properties: long", PROPERTIES, {"REELHOUSE_PROPERTIES": "long"}, full_only=True, timeout_s=7200),
        Suite("newest pyarrow", ["bash", "tests/install/newest_pyarrow.sh"], full_only=True),
        Suite("stress", [PYTHON, "-m", "pytest", "tests/stress"], full_only=True),
    ]


def counts(output: str) -> tuple[int, int] | None:
    """Passed and failed tests that a runner printed, None if it printed no count."""
    found = False
    passed = failed = 0
    for match in GTEST_PASSED.finditer(output):
        found, passed = True, passed + int(match[1])
    for _ in GTEST_FAILED.finditer(output):
        found, failed = True, failed + 1
    for match in PYTEST.finditer(output):
        found = True
        for number, word in re.findall(r"(\d+) (\w+)", match[1]):
            passed += int(number) if word == "passed" else 0
            failed += int(number) if word in ("failed", "error", "errors") else 0
    for match in PLAIN.finditer(output):
        found, passed, failed = True, passed + int(match[1]), failed + int(match[2])
    return (passed, failed) if found else None


def run(suite: Suite) -> Outcome:
    started = time.monotonic()
    log = ROOT / "build" / "logs" / (re.sub(r"\W+", "-", suite.name) + ".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            suite.command,
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=os.environ | suite.environment,
            start_new_session=True,
        )
        try:
            code = process.wait(suite.timeout_s)
        except BaseException as reason:  # also Ctrl-C: what the suite started must not outlive it
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(reason, subprocess.TimeoutExpired):
                raise
            output.write(f"\nstopped after {suite.timeout_s} s\n".encode())
            code = -9
    text = log.read_text(errors="replace")
    passed, failed = counts(text) or ((1, 0) if code == 0 else (0, 1))
    if code != 0 and failed == 0:
        failed = 1
    seconds = time.monotonic() - started
    if failed:
        print(f"-- {suite.name} failed: {shlex.join(suite.command)}; the end of {log}:")
        print("\n".join(text.splitlines()[-LINES_OF_A_FAILURE:]))
    print(f"{suite.name}: {passed} ok, {failed} failed, {seconds:.0f} s", flush=True)
    return Outcome(passed, failed, seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="also the long suites")
    parser.add_argument("--only", metavar="TEXT", help="only suites whose name contains this")
    parser.add_argument("--list", action="store_true", help="print the names of the suites")
    options = parser.parse_args()
    suites = [s for s in all_suites() if (options.full or not s.full_only) and (options.only or "") in s.name]
    if options.list:
        print("\n".join(s.name for s in suites))
        return 0
    outcomes = [run(suite) for suite in suites]
    passed, failed = sum(o.passed for o in outcomes), sum(o.failed for o in outcomes)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
