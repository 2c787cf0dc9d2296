"""The inputs and the value spelling of `tests/format/make_vectors.py`, run with Reelhouse in place of pypaimon.

The script imports pypaimon at its top, which must never enter a test process. Its source is therefore run without those
lines: its case functions then write with our API, and its `rows_of` spells the rows that we read.
"""

from __future__ import annotations

import re
import shutil
import types
from pathlib import Path
from typing import Any

import reelhouse as rh

_SCRIPT = Path(__file__).resolve().parent.parent / "format" / "make_vectors.py"
TABLE = "frames"


class OurCase:
    """A warehouse with the table of one case, written by us: what `Case` is for pypaimon."""

    def __init__(
        self,
        out: str,
        name: str,
        about: str,
        schema: Any,
        options: dict[str, str] | None = None,
        partitioned: list[str] | None = None,
    ) -> None:
        self.name = name
        self.dir = Path(out) / name
        self.wh = str(self.dir / "wh")
        self.extra: dict[str, Any] = {"about": about}
        self.conn = connect(self.wh)
        options = {"file.format": "parquet"} | (options or {})
        self.t = self.conn.create_table(TABLE, schema=schema, options=options, partitioned=partitioned)
        self._inputs = Path(out) / f".inputs-{name}"
        self._inputs.mkdir(exist_ok=True)
        self.tmp = str(self._inputs)

    def mp4(self, name: str, frames: int, **options: Any) -> str:
        path = self._inputs / name
        makers.write_mp4(str(path), frames, **options)
        return str(path)

    def finish(self) -> None:
        shutil.rmtree(self._inputs)  # whatever reads the table now has only the table


def connect(warehouse: str | Path) -> rh.MultimodalConnection:
    """A connection that does not wait for the disk: nothing here survives the test anyway."""
    return rh.connect(database="robots", options={"warehouse": str(warehouse), "commit.fsync": "false"})


def open_table(case: Path) -> rh.MultimodalTable:
    """The table of a case, with absolute paths in its descriptors."""
    return connect(case / "wh").get_table(TABLE)


def rows_of(query: rh.ScanQuery, case: Path) -> list[dict[str, Any]]:
    """Rows with `_ROW_ID` in the spelling of `expected.json`, in scan order."""
    rows = query.with_row_id().to_list()
    return [{name: makers.plain(value, str(case / "wh")) for name, value in row.items()} for row in rows]


def payloads_of(query: rh.ScanQuery, columns: list[str]) -> dict[str, dict[int, Any]]:
    """Hashes of the content of BLOB columns by row id, in the spelling of `expected.json`."""
    rows, found = query.with_row_id().read_blobs(columns)
    row_ids = rows["_ROW_ID"].to_pylist()
    return {
        column: {
            row_id: None if cell is None else makers.plain_payload(cell)
            for row_id, cell in zip(row_ids, cells, strict=True)
        }
        for column, cells in found.items()
    }


def _load() -> types.ModuleType:
    source = re.sub(r"^(import|from) pypaimon\b.*$", "", _SCRIPT.read_text(), flags=re.MULTILINE)
    module = types.ModuleType("makers_without_pypaimon")
    module.__file__ = str(_SCRIPT)
    exec(compile(source, str(_SCRIPT), "exec"), module.__dict__)
    module.BlobDescriptor = rh.BlobDescriptor
    module.Case = OurCase
    return module


makers = _load()
