"""Runs clang-tidy over the sources, side by side, and remembers files that were clean (build/clang-tidy).

A file is looked at again when it, a header of ours that it includes, its compiler command or .clang-tidy changed. The last
line is ``N passed, N failed``; files that the time did not suffice for are named in the line before and are not counted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLEAN = ROOT / "build" / "clang-tidy"
FOLDERS = ("src", "cli", "python/bindings", "examples")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def own_headers(source: Path, found: set[Path] | None = None) -> set[Path]:
    """The headers of ours that a file includes, at any depth."""
    found = set() if found is None else found
    for name in INCLUDE.findall(source.read_text(errors="replace")):
        for folder in (ROOT / "src", ROOT, source.parent):
            header = folder / name
            if header.is_file() and header not in found:
                found.add(header)
                own_headers(header, found)
                break
    return found


def fingerprint(entry: dict[str, str]) -> str:
    source = Path(entry["file"])
    parts = [entry["command"].encode(), (ROOT / ".clang-tidy").read_bytes(), source.read_bytes()]
    parts += [header.read_bytes() for header in sorted(own_headers(source))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def entries(build: Path, only: list[str]) -> list[dict[str, str]]:
    """Compiler commands of our sources without the unit tests, largest files first."""
    folders = tuple(f"{ROOT / folder}/" for folder in FOLDERS)
    commands = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    chosen = [
        entry
        for file, entry in commands.items()
        if file.startswith(folders) and not file.endswith("_test.cc") and (not only or any(o in file for o in only))
    ]
    return sorted(chosen, key=lambda entry: -os.path.getsize(entry["file"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-p", "--build", type=Path, default=ROOT / "build" / "release", help="folder that was configured")
    parser.add_argument("--minutes", type=float, default=20, help="start no further file after this time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("only", nargs="*", help="only files whose path contains one of these")
    options = parser.parse_args()
    CLEAN.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + options.minutes * 60
    late: list[str] = []

    def look_at(entry: dict[str, str]) -> bool | None:
        source = Path(entry["file"])
        name = source.relative_to(ROOT).as_posix()
        stamp = CLEAN / name.replace("/", "-")
        key = fingerprint(entry)
        if stamp.exists() and stamp.read_text() == key:
            return True
        if time.monotonic() > end:
            late.append(name)
            return None
        command = ["clang-tidy-14", "-p", str(options.build), "--quiet", entry["file"]]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode == 0:
            stamp.write_text(key)
            return True
        stamp.unlink(missing_ok=True)
        print(f"-- {name}\n{done.stdout or done.stderr}".rstrip(), flush=True)
        return False

    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(look_at, entries(options.build, options.only)))
    if late:
        print(f"no time left for {len(late)} files, the first {late[0]}; run again to go on")
    passed, failed = results.count(True), results.count(False)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
