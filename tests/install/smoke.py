"""The main path of the Python package in one small program, for environments without the test dependencies."""

import datetime
import sys
import tempfile

import reelhouse as rh  # before hashlib and ssl: with a wrong link order the next line crashes
import hashlib  # noqa: E402
import ssl  # noqa: E402, F401

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402


def main() -> None:
    print(rh.build_info())
    print("sha256", hashlib.sha256(b"").hexdigest()[:8])
    pictures = [np.full((48, 64, 3), 40 + 20 * i, np.uint8) for i in range(8)]
    day = datetime.date(2024, 1, 2)
    rows = [{"id": i, "name": f"row {i}", "day": day, "vector": [i, i + 0.5], "body": b"%d" % i} for i in range(8)]
    schema = pa.schema([
        ("id", pa.int32()),
        ("name", pa.string()),
        ("day", pa.date32()),
        ("vector", pa.list_(pa.float32(), 2)),
        ("body", pa.large_binary()),
        ("camera", pa.large_binary()),
    ])
    with tempfile.TemporaryDirectory() as folder:
        connection = rh.connect(options={"warehouse": folder})
        table = connection.create_table("t", schema=schema, options={"video-frame-field": "camera"})
        table.add_images_as_video(pictures, rows, fps=30)
        wide = pa.array([[8, 8.5]], pa.list_(pa.float64(), 2))
        table.add(pa.table({"id": ["8"], "vector": wide}))  # cast by Arrow's kernels
        assert table.scan().count() == 9

        query = table.scan().where("id BETWEEN 2 AND 4 AND day = DATE '2024-01-02'").select(["id", "vector", "body", "camera"])
        assert query.to_arrow()["id"].to_pylist() == [2, 3, 4]
        assert query.read_blobs("body")[1]["body"] == [b"2", b"3", b"4"]
        for frame, picture in zip(query.read_frames(), pictures[2:5]):
            assert frame.shape == picture.shape
            assert np.abs(frame.astype(int) - picture).max() <= 4
        assert table.scan(snapshot_id=1).count() == 8
        assert table.verify(deep=True), table.verify(deep=True)
    print("all of it works")


if __name__ == "__main__":
    sys.exit(main())
