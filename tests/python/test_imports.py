"""One process holds us beside other libraries that bring FFmpeg, Arrow or OpenSSL, whatever is imported first."""

from __future__ import annotations

import itertools

import pytest

from conftest import run_python

OTHERS = ["pypaimon.multimodal", "av", "pandas", "hashlib", "ssl"]
ORDERS = [
    ["reelhouse", *OTHERS],
    [*OTHERS, "reelhouse"],
    ["hashlib", "reelhouse", "ssl", "av", "pypaimon.multimodal", "pandas"],
    ["av", "reelhouse", "pandas", "pypaimon.multimodal", "hashlib"],
    *[list(order) for order in itertools.permutations(["reelhouse", "av", "hashlib"])],
]

WORK = """
import hashlib, ssl, sys, tempfile
import pyarrow as pa
import reelhouse as rh
with tempfile.TemporaryDirectory() as folder:
    table = rh.connect(options={"warehouse": folder}).create_table("t", [{"id": 1}])
    assert table.scan().to_list() == [{"id": 1}]
assert hashlib.sha256(b"x").hexdigest().startswith("2d711642")
ssl.create_default_context()
print("fine")
"""


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: " ".join(order))
def test_imports_in_any_order(order):
    code = "".join(f"import {name}\n" for name in order) + WORK
    assert run_python(code).strip().splitlines()[-1] == "fine"


def test_build_info_names_what_is_inside():
    import reelhouse as rh

    info = rh.build_info()
    assert info["reelhouse"] == rh.__version__
    assert "libx264" in info["encoders"]
    assert info["ffmpeg"] and info["arrow"]


def test_importing_needs_none_of_the_optional_libraries():
    code = "import sys, reelhouse; print([m for m in ('torch', 'av', 'PIL', 'pandas', 'pypaimon') if m in sys.modules])"
    assert run_python(code).strip() == "[]"
