"""What the Python tests share: a warehouse of their own, numbered pictures, small videos."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

import reelhouse as rh

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases"))
from numbered_frame import draw_frame, encode_frames  # noqa: E402

VIDEO_SCHEMA = pa.schema([("k", pa.int64()), ("note", pa.string()), ("video", pa.large_binary())])
VIDEO_OPTIONS = {"video-frame-field": "video"}
X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "10", "-pix_fmt", "yuv420p", "-g", "4"]


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Whatever a test leaves in the temporary folder of the product is seen."""
    folder = tmp_path_factory.mktemp("reelhouse-tmp")
    monkeypatch.setenv("REELHOUSE_TMPDIR", str(folder))
    yield folder
    assert list(folder.rglob("*")) == [], "files were left in REELHOUSE_TMPDIR"


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    return tmp_path / "warehouse"


@pytest.fixture
def connection(warehouse: Path) -> rh.MultimodalConnection:
    return rh.connect(database="robots", options={"warehouse": str(warehouse)})


@pytest.fixture
def video_table(connection: rh.MultimodalConnection) -> rh.MultimodalTable:
    return connection.create_table("frames", schema=VIDEO_SCHEMA, options=VIDEO_OPTIONS)


@pytest.fixture(scope="session")
def make_video(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`make_video(count, first=0, suffix=".mp4")`: a video whose frames show their numbers."""
    folder = tmp_path_factory.mktemp("videos")

    def make(count: int, *, first: int = 0, suffix: str = ".mp4", options: list[str] = X264) -> Path:
        path = folder / f"{first}-{count}-{abs(hash(tuple(options)))}{suffix}"
        if not path.exists():
            encode_frames(path, range(first, first + count), options)
        return path

    return make


def jpeg(number: int, width: int = 128, height: int = 96, **options: object) -> bytes:
    """A JPEG that shows its number."""
    return picture(number, "JPEG", width, height, **{"quality": 95} | options)


def picture(number: int, format: str, width: int = 128, height: int = 96, **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(draw_frame(number, width, height)).save(buffer, format, **options)
    return buffer.getvalue()


def rows(count: int, first: int = 0) -> pa.Table:
    return pa.table({"k": pa.array(range(first, first + count), pa.int64()), "note": [f"n{i}" for i in range(count)]})


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def run_python(code: str, *arguments: str, timeout: int = 120) -> str:
    """Runs code in a new interpreter; its standard output."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def same_picture(a: np.ndarray, b: np.ndarray, mean: float = 4.0) -> bool:
    return a.shape == b.shape and float(np.abs(a.astype(int) - b.astype(int)).mean()) <= mean
