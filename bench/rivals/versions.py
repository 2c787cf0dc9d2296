"""Everything that a figure depends on and that is not in it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

import reelhouse as rh


def versions(inputs: Path) -> dict[str, str]:
    info = rh.build_info()
    return {
        "machine": f"{cpu_model()}, {len(os.sched_getaffinity(0))} cores, {memory_gigabytes():.0f} GB, "
        f"Linux {platform.release()}, inputs on {file_system(inputs)}",
        "reelhouse": f"{info['reelhouse']}{commit()}, fsync on, FFmpeg {info['ffmpeg']}, Arrow {info['arrow']}",
        "pypaimon": f"{version('pypaimon')}, which never syncs; av {version('av')} with FFmpeg {ffmpeg_of_av()}, "
        f"pyarrow {version('pyarrow')}",
        "pypaimon-rust": version("pypaimon-rust"),
        "ffmpeg": first_line("ffmpeg", "-version").split(" Copyright")[0].removeprefix("ffmpeg version "),
        "python": platform.python_version(),
    }


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def commit() -> str:
    found = first_line("git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD")
    return f" at {found}" if found else ""


def first_line(*command: str) -> str:
    try:
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    except FileNotFoundError:
        return ""
    return lines[0] if lines else ""


def ffmpeg_of_av() -> str:
    """Asked in a process of its own: its libraries need not be in ours."""
    code = "import av; print(getattr(av, 'ffmpeg_version_info', None) or av.library_versions)"
    return first_line(sys.executable, "-c", code) or "unknown"


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def memory_gigabytes() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def file_system(folder: Path) -> str:
    return first_line("stat", "-f", "-c", "%T", str(folder)) or "unknown"
