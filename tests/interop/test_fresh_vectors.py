"""The vector cases written by the pypaimon that is installed, so that a change of its files is noticed here."""

from __future__ import annotations

import json

import pytest

from .comparison import assert_case_reads_as_expected
from .makers import open_table
from .test_vectors import CASES


@pytest.mark.parametrize("case", CASES)
def test_what_pypaimon_writes_now_reads_as_expected(fresh_vectors, case):
    folder = fresh_vectors / case
    assert_case_reads_as_expected(folder, json.loads((folder / "expected.json").read_text()))


@pytest.mark.parametrize("case", [case for case in CASES if case != "blob_descriptor_field"])
def test_what_pypaimon_writes_now_passes_verify(fresh_vectors, case):
    report = open_table(fresh_vectors / case).verify(deep=True)
    assert report.ok, str(report)
