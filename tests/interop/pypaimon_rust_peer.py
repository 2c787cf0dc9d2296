"""pypaimon-rust as a peer: an engine that shares no code with pypaimon reads our warehouses through SQL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent))
from answering import answer_questions  # noqa: E402
from pypaimon_rust.datafusion import SQLContext  # noqa: E402


def query(case: str, sql: str, out: str) -> None:
    """Writes the result of a query as an Arrow file, so that types and bytes cross unchanged."""
    context = SQLContext()
    context.register_catalog("p", {"warehouse": f"{case}/wh"})
    batches: list[Any] = list(context.sql(sql))
    with pa.OSFile(out, "wb") as sink, pa.ipc.new_file(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


if __name__ == "__main__":
    answer_questions({"query": query})
