"""tools/test_suites.py counts what runners print, and neither hides a failure nor waits for ever."""

import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import test_suites as suites  # noqa: E402


@pytest.fixture(autouse=True)
def own_logs(tmp_path, monkeypatch):
    monkeypatch.setattr(suites, "ROOT", tmp_path)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("[  PASSED  ] 12 tests.\n[  PASSED  ] 1 test.\n", (13, 0)),
        ("[  FAILED  ] A.B (3 ms)\n[  FAILED  ] A.C/1, where GetParam() = 4 (0 ms)\n[  PASSED  ] 3 tests.\n", (3, 2)),
        ("5 passed, 1 skipped in 0.31s\n", (5, 0)),
        ("=== 1 failed, 4 passed, 2 errors in 12.00s ===\n", (4, 3)),
        ("noise\n7 passed, 2 failed\n", (7, 2)),
        ("nothing to count\n", None),
    ],
)
def test_counts_what_a_runner_prints(output, expected):
    assert suites.counts(output) == expected


def run(script, **arguments):
    outcome = suites.run(suites.Suite("some suite", ["bash", "-c", script], **arguments))
    return outcome.passed, outcome.failed


def test_a_command_without_a_count_is_one_test():
    assert run("true") == (1, 0)
    assert run("false") == (0, 1)


def test_a_bad_end_is_a_failure_although_all_counted_tests_passed():
    assert run("echo 9 passed, 0 failed; exit 3") == (9, 1)


def test_a_suite_that_hangs_is_stopped_with_all_that_it_started(tmp_path):
    started = time.monotonic()
    assert run(f"sleep 987654 & echo $! > {tmp_path}/child; wait", timeout_s=1) == (0, 1)
    assert time.monotonic() - started < 60
    child = (tmp_path / "child").read_text().strip()
    stat = Path(f"/proc/{child}/stat")
    assert not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_the_short_form_leaves_out_the_long_suites():
    names = [suite.name for suite in suites.all_suites() if not suite.full_only]
    assert "python" in names
    assert "fuzz: led by coverage" not in names
