"""The jobs of the comparisons, one module for each family. Engines are imported only by the process that runs them."""

from case import Case

from . import encode, ingest, memory, read

CASES: dict[str, Case] = {
    case.name: case for case in (*encode.CASES, *ingest.CASES, *read.CASES, *memory.CASES)
}
