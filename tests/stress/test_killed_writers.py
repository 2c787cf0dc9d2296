"""Writers that are killed in the middle, and many at once: the table stays whole."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import reelhouse as rh

ROWS_OF_COMMIT = 500
WRITER = """
import sys, pyarrow as pa
import reelhouse as rh
table = rh.connect(database="robots", options={"warehouse": sys.argv[1]}).get_table("t")
writer, rows = int(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
commit = 0
while len(sys.argv) < 5 or commit < int(sys.argv[4]):
    table.add({"writer": [writer] * rows, "commit": [commit] * rows, "blob": [b"x" * 1000] * rows})
    commit += 1
    print(commit, flush=True)
"""
SCHEMA = pa.schema([("writer", pa.int64()), ("commit", pa.int64()), ("blob", pa.large_binary())])


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    connection = rh.connect(database="robots", options={"warehouse": str(tmp_path / "wh")})
    connection.create_table("t", schema=SCHEMA)
    return tmp_path / "wh"


def start(warehouse: Path, writer: int, *commits: int) -> subprocess.Popen:
    command = [sys.executable, "-c", WRITER, str(warehouse), str(writer), str(ROWS_OF_COMMIT), *map(str, commits)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "ready"
    return process


def commits_in(warehouse: Path) -> dict[tuple[int, int], int]:
    """Rows of each (writer, commit)."""
    table = rh.connect(database="robots", options={"warehouse": str(warehouse)}).get_table("t")
    assert table.verify(deep=True).ok
    found: dict[tuple[int, int], int] = {}
    rows = table.scan().select(["writer", "commit"]).to_arrow()
    for key in zip(rows["writer"].to_pylist(), rows["commit"].to_pylist(), strict=True):
        found[key] = found.get(key, 0) + 1
    return found


def test_a_killed_writer_leaves_whole_commits_and_those_it_was_told_of(warehouse):
    told: dict[int, int] = {}
    chance = random.Random(11)
    for writer in range(12):
        process = start(warehouse, writer)
        time.sleep(chance.uniform(0.02, 0.4))
        process.kill()
        lines = process.communicate()[0].split()
        told[writer] = int(lines[-1]) if lines else 0
    found = commits_in(warehouse)
    assert set(found.values()) <= {ROWS_OF_COMMIT}
    for writer, count in told.items():
        assert {commit for w, commit in found if w == writer} >= set(range(count)), f"writer {writer}"


def test_many_writers_at_once_all_land(warehouse):
    writers = [start(warehouse, writer, 15) for writer in range(6)]
    for process in writers:
        process.communicate(timeout=300)
        assert process.returncode == 0
    assert commits_in(warehouse) == {(w, c): ROWS_OF_COMMIT for w in range(6) for c in range(15)}


def test_memory_stays_flat_while_a_long_stream_is_added(tmp_path):
    code = """
import resource, sys, pyarrow as pa
import reelhouse as rh
schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
table = rh.connect(options={"warehouse": sys.argv[1]}).create_table("t", schema=schema, options={"target-file-size": "8 mb"})
def batches(count):
    for i in range(count):
        yield pa.table({"id": range(i * 20000, (i + 1) * 20000), "text": [f"{i} some text {j}" for j in range(20000)]})
table.add_batches(batches(20))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
table.add_batches(batches(200))
with table.scan().to_arrow_batch_reader() as reader:
    rows = sum(batch.num_rows for batch in reader)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
print(rows, grown)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "wh")], capture_output=True, text=True, check=True, timeout=300
    )
    rows, grown = map(int, done.stdout.split())
    assert rows == 220 * 20000
    assert grown < 200, f"memory grew by {grown} MiB"
