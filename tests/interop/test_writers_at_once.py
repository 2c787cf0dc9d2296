"""Processes of ours and of pypaimon append to one table at the same time: every commit is there, and once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from .comparison import assert_case_reads_as_expected
from .makers import connect, open_table

OURS, COMMITS, ITS_COMMITS, PARTS = 2, 10, 5, 3

# Shared for us, exclusive for pypaimon: between an existence check and its rename, which replaces what is there,
# pypaimon could take back a snapshot of ours.
APPEND = """
import fcntl, sys
import reelhouse as rh
warehouse, writer, commits, lock = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
table = rh.connect(database="robots", options={"warehouse": warehouse, "commit.fsync": "false"}).get_table("frames")
with open(lock) as turn:
    for number in range(commits):
        fcntl.flock(turn, fcntl.LOCK_SH)
        table.add([{"writer": writer, "number": number, "part": part} for part in range(3)])
        print("acknowledged", number, flush=True)
        fcntl.flock(turn, fcntl.LOCK_UN)
"""


def test_all_commits_of_three_processes_are_kept(tmp_path: Path, pypaimon):
    case = tmp_path / "case"
    schema = pa.schema([("writer", pa.int32()), ("number", pa.int32()), ("part", pa.int32())])
    connect(case / "wh").create_table("frames", schema=schema)
    lock = tmp_path / "lock"
    lock.touch()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", APPEND, str(case / "wh"), str(writer), str(COMMITS), str(lock)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for writer in range(OURS)
    ]
    pypaimon.ask("append_in_turn", case=str(case), writer=OURS, commits=ITS_COMMITS, lock=str(lock))
    for process in writers:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert out.count("acknowledged") == COMMITS

    table = open_table(case)
    rows = table.scan().with_row_id().to_list()
    want = {(w, n, p) for w in range(OURS) for n in range(COMMITS) for p in range(PARTS)}
    want |= {(OURS, n, p) for n in range(ITS_COMMITS) for p in range(PARTS)}
    assert {(row["writer"], row["number"], row["part"]) for row in rows} == want
    assert len(rows) == len(want)
    assert [row["_ROW_ID"] for row in rows] == list(range(len(want)))
    commits: dict[tuple, list[int]] = {}
    for row in rows:
        commits.setdefault((row["writer"], row["number"]), []).append(row["_ROW_ID"])
    assert all(ids == list(range(ids[0], ids[0] + PARTS)) for ids in commits.values()), "a commit is one range"
    for writer in range(OURS + 1):
        firsts = [commits[writer, n][0] for n in range(ITS_COMMITS)]
        assert firsts == sorted(firsts), "commits of one writer keep their order"
    latest = table.raw_table.snapshot_manager().get_latest_snapshot()
    assert latest.id == OURS * COMMITS + ITS_COMMITS
    assert_case_reads_as_expected(case, pypaimon.ask("describe", case=str(case)))
