"""Rows of any accepted kind on their way into a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from .blob import Blob, BlobData, BlobDescriptor

__all__ = ["Rows", "rows_from", "rows_of_batch", "schema_of", "table_from"]

_ROWS_PER_BATCH = 65_536


@dataclass
class Rows:
    """A stream of Arrow batches and what the objects among its cells said.

    Attributes:
        stream: Any object with ``__arrow_c_stream__``.
        trusted_uris: URIs that were named by `BlobDescriptor` or `Blob` objects, not by bytes.
        literal_blobs: Column -> rows whose cells are content even where they look like a descriptor.
    """

    stream: Any
    trusted_uris: set[str] = field(default_factory=set)
    literal_blobs: dict[str, set[int]] = field(default_factory=dict)

    def plain_cell(self, value: Any, column: str, row: int) -> Any:
        """A cell without objects of this package: references become their serialized form, blobs their bytes."""
        if isinstance(value, BlobData):
            self.literal_blobs.setdefault(column, set()).add(row)
            return value.to_data()
        if isinstance(value, Blob):
            value = value.to_descriptor()
        if isinstance(value, BlobDescriptor):
            self.trusted_uris.add(value.uri)
            return value.serialize()
        if isinstance(value, (list, tuple)) and any(isinstance(item, (Blob, BlobDescriptor, tuple)) for item in value):
            return [self._plain_item(item, column, row) for item in value]
        return value

    def _plain_item(self, item: Any, column: str, row: int) -> Any:
        if isinstance(item, tuple) and len(item) == 2:  # an entry of a MAP
            return (item[0], self.plain_cell(item[1], column, row))
        return self.plain_cell(item, column, row)


def rows_from(data: Any, schema: pa.Schema | None) -> Rows:
    """Rows of `data`; `schema` is that of the table they go into, None where it is to be inferred.

    Raises:
        ValueError: `data` is of no accepted kind, or a row names a column that the table does not have.
    """
    if isinstance(data, Rows):
        return data
    if hasattr(data, "raw_table") and hasattr(data, "scan"):  # a table of this package
        return Rows(data.scan().to_arrow_batch_reader())
    if hasattr(data, "to_arrow_batch_reader"):  # a query of this package
        return Rows(data.to_arrow_batch_reader())
    if _is_pandas(data):
        return _rows_of_pandas(data, schema)
    if isinstance(data, (pa.Table, pa.RecordBatchReader)):
        return Rows(_without_views(data))
    if hasattr(data, "__arrow_c_stream__"):
        return Rows(data)
    if hasattr(data, "__arrow_c_array__"):
        batch = pa.record_batch(data)
        return Rows(_without_views(pa.Table.from_batches([batch], batch.schema)))
    if isinstance(data, Mapping):
        return _rows_of_columns(data, schema)
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes, bytearray, memoryview)):
        return _rows_of_mappings(data, schema)
    if hasattr(data, "__dataframe__"):
        return Rows(pa.interchange.from_dataframe(data))
    raise ValueError(
        f"Unsupported multimodal data type: {type(data)}. Give a pyarrow, polars or pandas table, "
        "a dict of columns, or an iterable of mappings."
    )


def table_from(data: Any) -> tuple[pa.Table, Rows]:
    """All rows of `data` as a table with an inferred schema, and the rows again."""
    if isinstance(data, (list, tuple, Mapping)) and len(data) == 0:
        raise ValueError("Cannot infer schema from empty data.")
    rows = rows_from(data, None)
    table = pa.table(rows.stream)
    rows.stream = table
    return table, rows


def schema_of(data: Any) -> tuple[pa.Schema, Rows]:
    """The schema that `data` implies, and its rows."""
    table, rows = table_from(data)
    return table.schema, rows


def rows_of_batch(data: Any, schema: pa.Schema) -> Rows:
    """One of several inputs of a call.

    Raises:
        TypeError: It is a single row.
    """
    if isinstance(data, Mapping) and not all(_is_column(value) for value in data.values()):
        raise TypeError(
            "add_batches: each item is one batch of rows, but a single row was given. "
            "Pass a list of rows to add(), or a list of lists of rows."
        )
    return rows_from(data, schema)


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of `schema` by name, cast safely; missing ones are NULL, unknown ones refused."""
    _check_known(table.column_names, schema)
    columns = []
    for target in schema:
        if target.name in table.column_names:
            column = table.column(target.name)
            columns.append(column if column.type == target.type else column.cast(target.type))
        else:
            columns.append(pa.nulls(table.num_rows, target.type))
    return pa.Table.from_arrays(columns, schema=pa.schema([pa.field(f.name, f.type) for f in schema]))


def _without_views(data: pa.Table | pa.RecordBatchReader) -> pa.Table | pa.RecordBatchReader:
    """Columns of view types as the plain types: Arrow 19 crashes when it exports a view array without data buffers."""
    plain = pa.schema([pa.field(f.name, _plain_type(f.type), f.nullable) for f in data.schema])
    if plain.types == data.schema.types:
        return data
    if isinstance(data, pa.Table):
        return data.cast(plain)
    batches = (part for batch in data for part in pa.Table.from_batches([batch]).cast(plain).to_batches())
    return pa.RecordBatchReader.from_batches(plain, batches)


def _plain_type(type: pa.DataType) -> pa.DataType:
    if type == pa.string_view():
        return pa.string()
    if type == pa.binary_view():
        return pa.binary()
    if pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(_plain_type(type.value_type)))
    return type


def _reader(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
    nullable = pa.schema([pa.field(f.name, f.type) for f in schema])
    return pa.RecordBatchReader.from_batches(nullable, batches)


def _is_column(value: Any) -> bool:
    return isinstance(value, (Sequence, pa.Array, pa.ChunkedArray)) and not isinstance(value, (str, bytes)) or (
        hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0
    )


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns")


def _rows_of_pandas(frame: Any, schema: pa.Schema | None) -> Rows:
    rows = Rows(None)
    columns: dict[str, Any] = {}
    for name in frame.columns:
        series = frame[name]
        if series.dtype == object:
            values = [rows.plain_cell(_none_if_nan(value), str(name), row) for row, value in enumerate(series)]
            columns[str(name)] = _array(str(name), values, schema)
        else:
            target = schema.field(str(name)).type if schema is not None and str(name) in schema.names else None
            try:
                columns[str(name)] = pa.Array.from_pandas(series, type=target)
            except pa.ArrowInvalid:
                columns[str(name)] = pa.Array.from_pandas(series)
    rows.stream = pa.table(columns)
    return rows


def _none_if_nan(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def _rows_of_columns(data: Mapping[str, Any], schema: pa.Schema | None) -> Rows:
    rows = Rows(None)
    columns = {}
    for name, values in data.items():
        if isinstance(values, (pa.Array, pa.ChunkedArray)) or hasattr(values, "__arrow_c_array__"):
            columns[name] = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values)
        elif hasattr(values, "dtype") and values.dtype != object:
            columns[name] = pa.array(values)
        else:
            columns[name] = _array(name, [rows.plain_cell(v, name, row) for row, v in enumerate(values)], schema)
    rows.stream = _without_views(pa.table(columns))
    return rows


def _rows_of_mappings(data: Iterable[Any], schema: pa.Schema | None) -> Rows:
    rows = Rows(None)
    if schema is None:
        rows.stream = _table_of_mappings(list(data), rows, 0, None)
        return rows
    source = iter(data)
    first = list(islice(source, _ROWS_PER_BATCH))
    if len(first) < _ROWS_PER_BATCH:
        rows.stream = _table_of_mappings(first, rows, 0, schema)
        return rows

    def batches() -> Iterator[pa.RecordBatch]:
        row = 0
        for part in chain([first], iter(lambda: list(islice(source, _ROWS_PER_BATCH)), [])):
            yield from conform(_table_of_mappings(part, rows, row, schema), schema).to_batches()
            row += len(part)

    # What the objects among the cells say must be known before the stream is handed over.
    eager = any(_may_hold_objects(column.type) for column in schema)
    rows.stream = _reader(schema, iter(list(batches())) if eager else batches())
    return rows


def _may_hold_objects(type: pa.DataType) -> bool:
    if pa.types.is_list(type) or pa.types.is_large_list(type):
        return _may_hold_objects(type.value_type)
    if pa.types.is_map(type):
        return _may_hold_objects(type.item_type)
    return pa.types.is_binary(type) or pa.types.is_large_binary(type)


def _table_of_mappings(part: list[Any], rows: Rows, first_row: int, schema: pa.Schema | None) -> pa.Table:
    names: dict[str, None] = {}
    for position, row in enumerate(part):
        if not isinstance(row, Mapping):
            raise ValueError(
                f"Unsupported multimodal data type: row {first_row + position} is {type(row)}, not a mapping."
            )
        names.update(dict.fromkeys(row))
    if schema is not None:
        _check_known(list(names), schema)
        if not names:
            names = dict.fromkeys(schema.names)
    columns = {}
    for name in names:
        cells = [rows.plain_cell(row.get(name), name, first_row + i) for i, row in enumerate(part)]
        columns[name] = _array(name, cells, schema)
    return pa.table(columns) if columns else pa.table({})


def _array(name: str, values: list[Any], schema: pa.Schema | None) -> pa.Array:
    target = schema.field(name).type if schema is not None and name in schema.names else None
    if target is None:
        return pa.array(values)
    try:
        return pa.array(values, target)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        # Text for a number and the like: taken if the inferred type casts safely.
        try:
            return pa.array(values).cast(target)
        except pa.ArrowException:
            raise type(error)(f"column '{name}': {error}") from None


def _check_known(names: Sequence[str], schema: pa.Schema) -> None:
    import difflib

    unknown = [name for name in names if name not in schema.names]
    if not unknown:
        return
    near = difflib.get_close_matches(unknown[0], schema.names, 1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    listed = ", ".join(f"'{name}'" for name in unknown)
    raise ValueError(f"Unknown column {listed} in rows.{hint} Columns: {', '.join(schema.names)}")
