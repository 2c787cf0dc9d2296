from __future__ import annotations

import argparse
from pathlib import Path

from . import INPUTS, ensure_inputs

DEFAULT_FOLDER = Path(__file__).resolve().parents[3] / "build" / "bench-inputs"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m inputs", description="Makes inputs of the comparisons.")
    parser.add_argument("names", nargs="*", choices=[*INPUTS, []], metavar="NAME", help=", ".join(INPUTS))
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--remake", nargs="*", choices=INPUTS, default=[], metavar="NAME")
    options = parser.parse_args()
    ensure_inputs(INPUTS, [*(options.names or INPUTS), *options.remake], options.folder, options.remake)


if __name__ == "__main__":
    main()
