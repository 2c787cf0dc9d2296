"""One table used from many threads and processes, again and again, and stopped in the middle."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from conftest import VIDEO_OPTIONS, VIDEO_SCHEMA, jpeg, run_python
from numbered_frame import read_number

import reelhouse as rh

FRAMES = 24


@pytest.fixture
def table(connection, make_video):
    table = connection.create_table("frames", schema=VIDEO_SCHEMA, options=VIDEO_OPTIONS)
    for episode in range(3):
        first = episode * FRAMES
        rows = [{"k": first + i, "note": f"episode {episode}"} for i in range(FRAMES)]
        table.add_video(make_video(FRAMES, first=first), rows)
    return table


def numbers_in(frames) -> list[int]:
    return [read_number(np.asarray(frame)) for frame in frames]


def test_four_threads_scan_one_table_each_with_its_own_query(table):
    barrier = threading.Barrier(4)

    def work(thread: int) -> list:
        barrier.wait()
        found = []
        for step in range(6):
            first = (thread * 7 + step * 5) % (3 * FRAMES - 4)
            query = table.scan().where(f"k BETWEEN {first} AND {first + 3}")
            assert query.select("k").to_arrow()["k"].to_pylist() == list(range(first, first + 4))
            frames = table.scan().where(f"k BETWEEN {first} AND {first + 3}").read_frames("video")
            found.append((first, numbers_in(frames)))
            assert table.scan().count() == 3 * FRAMES
        return found

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(work, range(4)):
            for first, numbers in found:
                assert numbers == list(range(first, first + 4))


def test_scans_read_whole_commits_while_other_threads_add(connection):
    table = connection.create_table("t", schema=pa.schema([("writer", pa.int64()), ("n", pa.int64())]))
    stop = threading.Event()
    rows_of_commit, commits = 50, 12

    def write(writer: int) -> None:
        for n in range(commits):
            table.add({"writer": [writer] * rows_of_commit, "n": [n] * rows_of_commit})

    def read() -> int:
        scans = 0
        while not stop.is_set():
            rows = table.scan().select(["writer", "n"]).to_arrow()
            assert rows.num_rows % rows_of_commit == 0
            assert table.scan().count() >= rows.num_rows
            scans += 1
        return scans

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        writers = [pool.submit(write, writer) for writer in range(2)]
        for writer in writers:
            writer.result()
        stop.set()
        assert all(reader.result() > 0 for reader in readers)
    assert table.scan().count() == 2 * commits * rows_of_commit


def test_a_query_is_not_shared_but_may_be_used_by_one_thread_after_another(table):
    query = table.scan().where("k < 5").select("k")
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: query.to_list(), range(16)):
            assert rows == [{"k": k} for k in range(5)]


@pytest.mark.parametrize("work", ["rows", "frames", "encode"])
def test_other_threads_run_while_the_native_part_works(table, work, connection):
    """The interpreter lock is given up: a thread that only counts goes on."""
    steps = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal steps
        while not stop.is_set():
            steps += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        deadline = time.monotonic() + 20
        images = [jpeg(i, 320, 240) for i in range(30)]
        before, rounds = steps, 0
        while steps - before < 20 and time.monotonic() < deadline:
            if work == "rows":
                table.scan().to_arrow()
            elif work == "frames":
                table.scan().read_frames("video")
            else:
                rows = [{"k": i, "note": ""} for i in range(30)]
                table.add_images_as_video(images, rows, fps=10, codec="libx264", pixel_format="yuv420p", gop_size=2)
            rounds += 1
    finally:
        stop.set()
        counter.join()
    assert steps - before >= 20, f"{steps - before} steps in {rounds} rounds"


# fork


def child_reads(table, expected_rows: int, queue) -> None:
    try:
        assert table.scan().count() == expected_rows
        assert table.scan().where("k >= 20").select("k").to_arrow().num_rows == expected_rows - 20
        numbers = numbers_in(table.scan().where("k BETWEEN 30 AND 33").read_frames("video"))
        assert numbers == [30, 31, 32, 33]
        table.add([{"k": 1000 + os.getpid(), "note": "child"}])
        queue.put("ok")
    except BaseException as error:  # the parent must hear of it
        queue.put(f"{type(error).__name__}: {error}")


def test_a_forked_child_scans_decodes_and_adds_after_its_parent_did(table):
    """The thread pool of the parent has no threads in the child: it is made again there."""
    table.scan().to_arrow()
    assert numbers_in(table.scan().where("k < 2").read_frames("video")) == [0, 1]
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    for _ in range(3):
        before = table.scan().count()
        child = context.Process(target=child_reads, args=(table, before, queue))
        child.start()
        assert queue.get(timeout=60) == "ok"
        child.join(30)
        assert child.exitcode == 0
        assert table.scan().count() == before + 1
        table.scan().where("k < 2").read_frames("video")  # the parent goes on


def test_a_child_forked_while_other_threads_read_is_whole(table):
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            table.scan().where("k < 9").read_frames("video")

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    try:
        children = []
        for _ in range(4):
            time.sleep(0.05)
            child = context.Process(target=child_reads_only, args=(table, queue))
            child.start()
            children.append(child)
        for child in children:
            assert queue.get(timeout=60) == "ok"
            child.join(30)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        for child in children:
            child.kill()


def child_reads_only(table, queue) -> None:
    try:
        assert table.scan().count() == 3 * FRAMES
        assert numbers_in(table.scan().where("k = 40").read_frames("video")) == [40]
        queue.put("ok")
    except BaseException as error:
        queue.put(f"{type(error).__name__}: {error}")


# again and again

ROUNDS = """
import gc, os, resource, sys
import reelhouse as rh

def open_files():
    return len(os.listdir("/proc/self/fd"))

def resident_kib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024

def one_round(i):
    table = rh.connect(database="robots", options={"warehouse": sys.argv[1]}).get_table("frames")
    if sys.argv[2] == "rows":
        with table.scan().to_arrow_batch_reader() as reader:
            if i % 2:
                next(iter(reader))  # left early
            else:
                reader.read_all()
        table.scan().where("k = 7").to_list()
    else:
        table.scan().where(f"k BETWEEN {i % 60} AND {i % 60 + 1}").read_frames("video", size=(24, 32))

rounds = int(sys.argv[3])
for i in range(rounds // 5):
    one_round(i)
gc.collect()
files, memory = open_files(), resident_kib()
for i in range(rounds):
    one_round(i)
gc.collect()
print(open_files() - files, resident_kib() - memory)
"""


@pytest.mark.parametrize("what", ["rows", "frames"])
def test_a_thousand_rounds_of_open_read_close_keep_nothing(table, warehouse, what):
    files, memory_kib = map(int, run_python(ROUNDS, str(warehouse), what, "1000", timeout=600).split())
    assert files == 0
    assert memory_kib < 24 * 1024, f"{memory_kib} KiB more after 1,000 rounds"


# interrupts

INTERRUPTED = """
import os, signal, sys, threading, time
import reelhouse as rh
sys.path.insert(0, sys.argv[3])
from conftest import jpeg

table = rh.connect(database="robots", options={"warehouse": sys.argv[1]}).get_table("frames")
images = [jpeg(i, 640, 480) for i in range(8)]

def interrupt():
    time.sleep(float(sys.argv[4]))
    os.kill(os.getpid(), signal.SIGINT)

def endless_images():
    while True:
        yield from images

work = {
    "scan": lambda: [table.scan().to_arrow() for _ in range(10**6)],
    "frames": lambda: table.take_row_ids(list(range(72))).read_frames("video", size=(2000, 3000), scaler="bicubic"),
    "encode": lambda: table.add_images_as_video(
        endless_images(), [{"k": i, "note": ""} for i in range(100000)], fps=10, codec="libx264",
        pixel_format="yuv420p", gop_size=2),
    "add": lambda: table.add_batches({"k": [1] * 1000, "note": ["x"] * 1000} for _ in range(10**6)),
}[sys.argv[2]]
started = time.monotonic()
threading.Thread(target=interrupt, daemon=True).start()
try:
    while True:
        work()
except KeyboardInterrupt:
    took = time.monotonic() - started - float(sys.argv[4])
    assert table.scan().count() == 72
    print("interrupted", took < 40)
"""


@pytest.mark.parametrize("work", ["scan", "frames", "encode", "add"])
def test_an_interrupt_ends_long_work_and_leaves_nothing(table, warehouse, work, own_temporary_folder):
    before = {path for path in warehouse.rglob("*") if path.is_file()}
    here = str(Path(__file__).parent)
    assert run_python(INTERRUPTED, str(warehouse), work, here, "0.7", timeout=120).split() == ["interrupted", "True"]
    assert {path for path in warehouse.rglob("*") if path.is_file()} == before
    assert list(own_temporary_folder.rglob("*")) == []
