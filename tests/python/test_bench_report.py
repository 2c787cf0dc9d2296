"""The arithmetic and the verdicts of bench/rivals, on given numbers."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "rivals"))
from case import Case, MemoryTarget, RatioTarget  # noqa: E402
from comparison import EngineFailed, compare, from_json, judge, to_json  # noqa: E402
from plot import LABELS, WIDTH, position, svg  # noqa: E402
from report import markdown, seconds  # noqa: E402
from run import exit_code  # noqa: E402


def case_with(*targets) -> Case:
    return Case("reading", "rows come out", {"reelhouse": None, "rival": None}, targets)


def sample(wall: float, cpu: float = 1.0, peak_mb: float = 100, **work) -> dict:
    return {"wall": wall, "cpu": cpu, "peak_mb": peak_mb, "repeats": 1, "work": {"rows": 10, **work}}


def judged(ours: list[float], theirs: list[float], target) -> object:
    samples = {"reelhouse": [sample(wall) for wall in ours], "rival": [sample(wall) for wall in theirs]}
    return judge(case_with(target), samples)


def test_a_ratio_is_that_of_the_medians():
    result = judged([1, 9, 2], [4, 4, 100], RatioTarget("rival", 0.6, 0.4))
    assert result.outcomes[0].cost == 0.5
    assert result.engines["reelhouse"].least_wall == 1


@pytest.mark.parametrize(
    "ours, meets_must, meets_aim, code", [(3, True, True, 0), (5, True, False, 0), (6.1, False, False, 1)]
)
def test_a_run_fails_where_a_must_is_missed_and_not_where_an_aim_is(ours, meets_must, meets_aim, code):
    result = judged([ours], [10], RatioTarget("rival", 0.6, 0.3))
    assert (result.outcomes[0].meets_must, result.outcomes[0].meets_aim) == (meets_must, meets_aim)
    assert exit_code([result]) == code


def test_engines_that_did_different_work_are_not_compared():
    samples = {"reelhouse": [sample(1, rows=10)], "rival": [sample(10, rows=11)]}
    result = judge(case_with(RatioTarget("rival", 0.6, 0.3)), samples)
    assert "different work" in result.problem
    assert not result.passed
    assert exit_code([result]) == 2


def test_memory_is_judged_by_the_peak_and_by_its_growth():
    case = Case("memory", "long", {"reelhouse": None}, (MemoryTarget(500, 300),))
    assert judge(case, {"reelhouse": [sample(1, peak_mb=400, flat=True)]}).passed
    assert not judge(case, {"reelhouse": [sample(1, peak_mb=501, flat=True)]}).passed
    assert "grows" in judge(case, {"reelhouse": [sample(1, peak_mb=400, flat=False)]}).problem


def test_a_failed_engine_is_reported_and_the_other_cases_go_on(monkeypatch, tmp_path):
    def fail(case, engine, folder, *, quick):
        raise EngineFailed(f"{engine} failed: no room")

    monkeypatch.setattr("comparison.run_once", fail)
    result = compare(case_with(RatioTarget("rival", 0.6, 0.3)), tmp_path, 3)
    assert result.problem == "reelhouse failed: no room"
    assert "no room" in markdown([result], {}, 3)


def test_a_report_names_what_was_missed_and_survives_storing():
    results = [
        judged([1], [10], RatioTarget("rival", 0.6, 0.3)),
        judged([9], [10], RatioTarget("rival", 0.6, 0.3)),
    ]
    results[1].name = "slow"
    text = markdown(from_json(to_json(results)), {"rival": "1.2"}, 1)
    assert "Missed: slow." in text
    assert "| reading | rival | 1.00 s | 10.00 s | 0.10 | 1.00 | 0.6 | 0.3 | aim met |" in text
    assert "- rival: 1.2" in text


def test_a_report_of_a_busy_machine_says_so():
    results = [judged([1], [10], RatioTarget("rival", 0.6, 0.3))]
    assert "busy (load 7.5 on 2 cores)" in markdown(results, {}, 3, load=7.5, cores=2)
    assert "busy" not in markdown(results, {}, 3, load=0.4, cores=2)


def test_times_are_told_with_as_many_digits_as_they_deserve():
    assert [seconds(value) for value in (123.4, 2.346, 0.2347, 0.02345, 3.4e-5)] == [
        "123 s", "2.35 s", "235 ms", "23.4 ms", "34 µs"
    ]  # fmt: skip


def test_the_plot_is_an_svg_whose_bars_end_inside_of_it():
    picture = ElementTree.fromstring(svg([judged([1], [10], RatioTarget("rival", 0.6, 0.3))]))
    assert picture.tag.endswith("svg")
    assert position(1e-9) == LABELS
    assert position(1e9) == LABELS + WIDTH
