from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).resolve().parent.parent.parent / "python" / "reelhouse" / "_reelhouse.pyi"


def test_the_committed_stub_is_that_of_the_extension(tmp_path):
    made = tmp_path / "_reelhouse.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "reelhouse._reelhouse", "-o", str(made)]
    subprocess.run(command, check=True)
    assert made.read_text() == STUB.read_text(), f"make it anew: {' '.join(command[:-1])} {STUB}"
