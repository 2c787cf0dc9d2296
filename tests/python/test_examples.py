"""The C++ examples do what they say, on tables that the Python package reads as well."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import reelhouse as rh

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "build" / "release" / "examples"

pytestmark = pytest.mark.skipif(not (EXAMPLES / "store_and_read").exists(), reason="examples are not built")


def picture(number):
    """A grey level for each number, plain enough to survive the encoder."""
    return np.full((48, 64, 3), 40 + 20 * number, np.uint8)


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(8):
        Image.fromarray(picture(number)).save(folder / f"{number:03d}.png")
    return folder


def run(name, *arguments):
    return subprocess.run([EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_pictures_go_in_and_the_frames_asked_for_come_out(pictures, tmp_path):
    done = run("store_and_read", pictures, tmp_path / "wh", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "8 rows in robots.frames, 4 frames" in done.stdout

    # speed >= 1.0 begins at step 2
    for position, number in enumerate([2, 3, 4, 5]):
        shown = np.asarray(Image.open(tmp_path / "out" / f"frame-{position}.png"))
        assert shown.shape == (48, 64, 3)
        assert np.abs(shown.astype(int) - picture(number)).max() <= 4

    table = rh.connect(options={"warehouse": str(tmp_path / "wh")}).get_table("robots.frames")
    assert table.scan().select(["step", "speed"]).limit(2).to_list() == [
        {"step": 0, "speed": 0.0},
        {"step": 1, "speed": 0.5},
    ]


def test_rows_are_listed_with_their_frames(pictures, tmp_path):
    assert run("store_and_read", pictures, tmp_path / "wh", tmp_path / "out").returncode == 0
    done = run("read_frames", tmp_path / "wh", "robots.frames", "step > 5")
    assert done.returncode == 0, done.stderr
    assert "frame 1: 64 x 48" in done.stdout
    assert "_ROW_ID" in done.stdout


def test_a_failure_is_told_and_leaves_no_rows(pictures, tmp_path):
    (pictures / "zzz.png").write_bytes(b"no picture")
    done = run("store_and_read", pictures, tmp_path / "wh", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    table = rh.connect(options={"warehouse": str(tmp_path / "wh")}).get_table("robots.frames")
    assert table.scan().count() == 0


def test_a_missing_table_is_named(tmp_path):
    done = run("read_frames", tmp_path / "wh", "robots.nothing")
    assert done.returncode == 1
    assert "there is no table robots.nothing" in done.stderr
