"""Reports where copies of shared test material differ from their source, where the source is there (../shared)."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
COPIES = {"cases": "tests/cases", "format/vectors": "tests/data/vectors"}
SINGLE_FILES = {
    "format/check_vectors.py": "tests/format/check_vectors.py",
    "format/make_vectors.py": "tests/format/make_vectors.py",
}


def pairs() -> list[tuple[Path, Path]]:
    found = [(SHARED / source, ROOT / copy) for source, copy in SINGLE_FILES.items()]
    for source, copy in COPIES.items():
        for path in sorted((SHARED / source).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.append((path, ROOT / copy / path.relative_to(SHARED / source)))
    return found


def main() -> int:
    if not SHARED.is_dir():
        print("no shared material here: nothing to compare")
        return 0
    drifted = [
        copy for source, copy in pairs() if not copy.is_file() or copy.read_bytes() != source.read_bytes()
    ]
    for copy in drifted:
        print(f"{copy.relative_to(ROOT)} differs from its source: copy it anew")
    return 1 if drifted else 0


if __name__ == "__main__":
    sys.exit(main())
