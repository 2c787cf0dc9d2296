"""The committed vectors, written by pypaimon once: every state of every case reads exactly as it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .comparison import assert_case_reads_as_expected

VECTORS = Path(__file__).resolve().parent.parent / "data" / "vectors"
CASES = sorted(path.parent.name for path in VECTORS.glob("*/expected.json"))


def test_all_vectors_are_there():
    assert len(CASES) == 25


@pytest.mark.parametrize("case", CASES)
def test_vector_reads_as_expected(case):
    assert_case_reads_as_expected(VECTORS / case, json.loads((VECTORS / case / "expected.json").read_text()))
