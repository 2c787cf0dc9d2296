"""What the property tests draw: schemas, rows, batch cuts and filters, and what each of them means in plain Python."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

Row = dict[str, Any]
Truth = bool | None  # None is unknown

EPOCH = dt.datetime(1970, 1, 1)
UTC = dt.timezone.utc
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["", " ", "..", "a/b", "it's", 'say "x"', "50%", "a_b", "\\", "ä€😀", "NULL", "x" * 40]
)
# Years in which every library can print and parse.
moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1))


def to_float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def clock(value: dt.datetime, digits: int) -> str:
    text = f"{value:%Y-%m-%d %H:%M:%S}"
    return f"{text}.{value.microsecond // 10 ** (6 - digits):0{digits}}" if digits else text


@dataclass(frozen=True)
class Kind:
    """An atomic type: its Arrow type, its values, and how a value is spelled in a filter."""

    arrow: pa.DataType
    values: st.SearchStrategy
    literal: Callable[[Any], str]
    may_be_key: bool = False
    order: Callable[[Any], Any] = lambda value: value


def integer(bits: int) -> Kind:
    bound = 2 ** (bits - 1)
    values = st.integers(-5, 5) | st.integers(-bound, bound - 1)
    return Kind(getattr(pa, f"int{bits}")(), values, str, may_be_key=True)


def decimals(precision: int, scale: int) -> Kind:
    bound = 10**precision - 1
    numbers = (st.integers(-300, 300) | st.integers(-bound, bound)).map(
        lambda unscaled: decimal.Decimal(unscaled).scaleb(-scale, decimal.Context(prec=60))
    )
    return Kind(pa.decimal128(precision, scale), numbers, lambda value: f"{value:f}", may_be_key=True)


def float_literal(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def moments_of(unit: str, zone: str | None) -> Kind:
    digits = {"s": 0, "ms": 3, "us": 6}[unit]

    def cut(value: dt.datetime) -> dt.datetime:
        kept = value.replace(microsecond=value.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits))
        return kept.replace(tzinfo=UTC) if zone else kept

    def literal(value: dt.datetime) -> str:
        return f"'{clock(value, digits)}{'Z' if zone else ''}'"

    return Kind(pa.timestamp(unit, zone), moments.map(cut), literal)


KINDS = {
    "bool": Kind(pa.bool_(), st.booleans(), lambda value: str(value).upper(), may_be_key=True),
    "int8": integer(8),
    "int16": integer(16),
    "int32": integer(32),
    "int64": integer(64),
    "float32": Kind(pa.float32(), st.floats(width=32), float_literal),
    "float64": Kind(pa.float64(), st.floats() | st.sampled_from([0.0, -0.0, 0.5]), float_literal),
    "string": Kind(pa.string(), texts, quoted, may_be_key=True, order=lambda text: text.encode()),
    "binary": Kind(pa.binary(), st.binary(max_size=9), lambda value: f"X'{value.hex()}'"),
    "binary4": Kind(pa.binary(4), st.binary(min_size=4, max_size=4), lambda value: f"X'{value.hex()}'"),
    "decimal": decimals(10, 2),
    "wide decimal": decimals(38, 5),
    "date": Kind(
        pa.date32(), st.dates(dt.date(1900, 1, 1), dt.date(2200, 1, 1)), lambda day: f"DATE '{day}'", may_be_key=True
    ),
    "time": Kind(
        pa.time32("ms"),
        st.times().map(lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000)),
        lambda time: f"'{time.isoformat('milliseconds')}'",
    ),
    "timestamp s": moments_of("s", None),
    "timestamp ms": moments_of("ms", None),
    "timestamp us": moments_of("us", None),
    "instant ms": moments_of("ms", "UTC"),
    "instant us": moments_of("us", "UTC"),
}


@dataclass(frozen=True)
class Column:
    name: str
    arrow: pa.DataType
    values: st.SearchStrategy
    kind: Kind | None = None  # None: only IS NULL can be asked
    is_blob: bool = False


NAMES = st.sampled_from(
    ["a", "b", "c", "in", "timestamp", "observation.state", "gripper width", "größe", "x`y", "BETWEEN", "Null", "a-b", "1st"]
)


def nested(depth: int = 2) -> st.SearchStrategy[tuple[pa.DataType, st.SearchStrategy]]:
    """Arrow types with strategies of their values: lists, structs and maps of atomic types and of each other."""
    atoms = st.sampled_from(["int32", "string", "float64", "date", "bool", "decimal"]).map(
        lambda name: (KINDS[name].arrow, st.none() | KINDS[name].values)
    )
    inner = atoms if depth == 0 else atoms | nested(depth - 1)

    def lists(item: tuple) -> tuple:
        return pa.list_(item[0]), st.none() | st.lists(item[1], max_size=3)

    def structs(items: list[tuple]) -> tuple:
        fields = {f"f{i}": item for i, item in enumerate(items)}
        return (
            pa.struct([pa.field(name, item[0]) for name, item in fields.items()]),
            st.none() | st.fixed_dictionaries({name: item[1] for name, item in fields.items()}),
        )

    def maps(item: tuple) -> tuple:
        pairs = st.dictionaries(st.text("abc", max_size=2), item[1], max_size=3).map(lambda d: list(d.items()))
        return pa.map_(pa.string(), item[0]), st.none() | pairs

    return inner.map(lists) | st.lists(inner, min_size=1, max_size=3).map(structs) | inner.map(maps)


vectors = st.sampled_from([(pa.float32(), st.floats(-8, 8, width=32)), (pa.int8(), st.integers(-9, 9))]).map(
    lambda item: (pa.list_(item[0], 3), st.lists(item[1], min_size=3, max_size=3))
)
blobs = st.sampled_from(
    [
        (pa.large_binary(), st.none() | st.binary(max_size=40)),
        (pa.list_(pa.large_binary()), st.none() | st.lists(st.binary(max_size=9), max_size=3)),
    ]
)


@dataclass
class Given:
    """A table to be made: columns, partition keys, options, rows in several additions."""

    columns: list[Column]
    keys: list[str]
    options: dict[str, str]
    additions: list[list[Row]] = field(default_factory=list)

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([("id", pa.int64()), *((column.name, column.arrow) for column in self.columns)])

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.additions for row in rows]

    @property
    def blob_columns(self) -> list[str]:
        return [column.name for column in self.columns if column.is_blob]


@st.composite
def givens(draw: st.DrawFn, *, with_nested: bool = True) -> Given:
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique_by=str.lower))
    columns = []
    for name in names:
        shape = draw(st.sampled_from(["atom"] * 6 + (["nested", "vector", "blob"] if with_nested else [])))
        if shape == "atom":
            kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
            columns.append(Column(name, kind.arrow, st.none() | kind.values, kind))
        else:
            arrow, values = draw({"nested": nested(1), "vector": vectors, "blob": blobs}[shape])
            columns.append(Column(name, arrow, values, is_blob=shape == "blob"))
    keyable = [column.name for column in columns if column.kind is not None and column.kind.may_be_key]
    keys = draw(st.lists(st.sampled_from(keyable), unique=True, max_size=2)) if keyable else []
    if len(keys) == len(columns) + 1:
        keys = keys[:-1]
    options = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "target-file-row-num": st.sampled_from(["3", "7"]),
                "metadata.stats-mode": st.just("none"),
                "manifest.compression": st.sampled_from(["null", "deflate", "snappy", "zstd"]),
                "file.compression": st.sampled_from(["none", "snappy", "zstd"]),
            },
        )
    )
    given = Given(columns, keys, options)
    number = 0
    for _ in range(draw(st.integers(1, 3))):
        rows = draw(st.lists(st.fixed_dictionaries({c.name: c.values for c in columns}), max_size=12))
        given.additions.append([{"id": number + i} | row for i, row in enumerate(rows)])
        number += len(rows)
    return given


# How rows are handed over.


def widened(type_: pa.DataType) -> pa.DataType:
    """Another Arrow type that holds the same values."""
    if pa.types.is_string(type_):
        return pa.large_string()
    if pa.types.is_binary(type_):
        return pa.large_binary()
    if pa.types.is_list(type_) and not pa.types.is_large_binary(type_.value_type):
        return pa.large_list(type_.value_type)
    return type_


def viewed(type_: pa.DataType) -> pa.DataType:
    return pa.string_view() if pa.types.is_string(type_) else type_


@st.composite
def handed_over(draw: st.DrawFn, rows: list[Row], schema: pa.Schema) -> Any:
    """The rows as one of the kinds of data that `add` takes."""
    shape = draw(st.sampled_from(["list", "dict", "table", "chunks", "reader", "large", "views", "dictionary"]))
    if shape == "list":
        return rows
    if shape == "dict":
        return {name: [row[name] for row in rows] for name in schema.names}
    table = pa.Table.from_pylist(rows, schema)
    if shape == "table":
        return table
    if shape == "large":
        return table.cast(pa.schema([(f.name, widened(f.type)) for f in schema]))
    if shape == "views":
        arrays = [pa.array([row[f.name] for row in rows], viewed(f.type)) for f in schema]
        return pa.Table.from_arrays(arrays, names=schema.names)
    if shape == "dictionary":
        arrays = [c.dictionary_encode() if pa.types.is_string(c.type) else c for c in table.columns]
        return pa.Table.from_arrays(arrays, names=schema.names)
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    ends = [0, *cuts, len(rows)]
    batches = [
        batch
        for begin, end in zip(ends, ends[1:], strict=False)
        for batch in (table.slice(begin, end - begin).combine_chunks().to_batches() or [])
    ]
    if shape == "chunks":
        return pa.Table.from_batches(batches, schema)
    return pa.RecordBatchReader.from_batches(schema, batches)


# Filters: a text and its truth for a row.


@dataclass(frozen=True)
class Filter:
    text: str
    truth: Callable[[Row], Truth]


def name_text(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def negated(truth: Truth) -> Truth:
    return None if truth is None else not truth


def conjunction(a: Truth, b: Truth) -> Truth:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def disjunction(a: Truth, b: Truth) -> Truth:
    return negated(conjunction(negated(a), negated(b)))


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
MIRRORED = {"=": "=", "<>": "<>", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def like_matches(pattern: str, text: str) -> bool:
    """LIKE with a backslash as the escape, by dynamic programming over the pattern."""
    items: list[tuple[str, str]] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            items.append(("is", pattern[at + 1]))
            at += 1
        else:
            items.append({"%": ("any", ""), "_": ("one", "")}.get(pattern[at], ("is", pattern[at])))
        at += 1
    reachable = {0}
    for kind, char in items:
        if kind == "any":
            reachable = set(range(min(reachable), len(text) + 1)) if reachable else set()
        else:
            reachable = {i + 1 for i in reachable if i < len(text) and (kind == "one" or text[i] == char)}
    return len(text) in reachable


patterns = st.lists(st.sampled_from(["%", "_", "a", "b", "x", "\\%", "\\_", "\\\\", "ä", "€", " "]), max_size=5).map("".join)


@st.composite
def conditions(draw: st.DrawFn, given: Given) -> Filter:
    """One condition on one column, with literals that are often values of rows."""
    identity = Column("id", pa.int64(), st.integers(), KINDS["int64"])
    column = draw(st.sampled_from([identity, *given.columns]))
    name, quoted_name = column.name, name_text(column.name)
    is_null = draw(st.booleans())
    if column.kind is None or draw(st.integers(0, 5)) == 0:
        text = f"{quoted_name} IS {'' if is_null else 'NOT '}NULL"
        return Filter(text, lambda row: (row[name] is None) == is_null)
    kind = column.kind
    held = [row[name] for row in given.rows if row[name] is not None]
    literals = (st.sampled_from(held) | kind.values) if held else kind.values
    order = kind.order

    def compared(operation: str, value: Any) -> Callable[[Row], Truth]:
        compare = COMPARISONS[operation]
        return lambda row: None if row[name] is None else compare(order(row[name]), order(value))

    shape = draw(st.sampled_from(["compare", "compare", "mirror", "in", "between", "like", "bare", "columns"]))
    if shape == "bare" and pa.types.is_boolean(column.arrow):
        return Filter(quoted_name, lambda row: row[name])
    if shape == "like" and pa.types.is_string(column.arrow):
        pattern, is_not = draw(patterns), draw(st.booleans())
        text = f"{quoted_name} {'NOT ' if is_not else ''}LIKE {quoted(pattern)}"
        return Filter(text, lambda row: None if row[name] is None else like_matches(pattern, row[name]) != is_not)
    if shape == "in":
        values = draw(st.lists(st.none() | literals, max_size=4))
        is_not = draw(st.booleans())
        inside = ", ".join("NULL" if value is None else kind.literal(value) for value in values)

        def is_in(row: Row) -> Truth:
            if not values:
                # An empty list holds nothing, and the other way round nothing but NULL is left out.
                return None if row[name] is None else False
            answer: Truth = False
            for value in values:
                answer = disjunction(answer, None if value is None else compared("=", value)(row))
            return answer

        return Filter(
            f"{quoted_name} {'NOT ' if is_not else ''}IN ({inside})",
            lambda row: negated(is_in(row)) if is_not else is_in(row),
        )
    if shape == "between":
        low, high, is_not = draw(literals), draw(literals), draw(st.booleans())
        text = f"{quoted_name} {'NOT ' if is_not else ''}BETWEEN {kind.literal(low)} AND {kind.literal(high)}"

        def between(row: Row) -> Truth:
            return conjunction(compared(">=", low)(row), compared("<=", high)(row))

        return Filter(text, lambda row: negated(between(row)) if is_not else between(row))
    operation = draw(st.sampled_from(sorted(COMPARISONS)))
    if shape == "columns":
        others = [c for c in [identity, *given.columns] if c.kind is not None and c.arrow == column.arrow]
        other = draw(st.sampled_from(others))
        compare = COMPARISONS[operation]

        def compare_columns(row: Row) -> Truth:
            a, b = row[name], row[other.name]
            return None if a is None or b is None else compare(order(a), order(b))

        return Filter(f"{quoted_name} {operation} {name_text(other.name)}", compare_columns)
    value = draw(literals)
    if shape == "mirror":
        return Filter(f"{kind.literal(value)} {MIRRORED[operation]} {quoted_name}", compared(operation, value))
    return Filter(f"{quoted_name} {operation} {kind.literal(value)}", compared(operation, value))


def filters(given: Given) -> st.SearchStrategy[Filter]:
    def joined(parts: tuple[Filter, str, Filter]) -> Filter:
        a, word, b = parts
        join = conjunction if word == "AND" else disjunction
        return Filter(f"({a.text}) {word} ({b.text})", lambda row: join(a.truth(row), b.truth(row)))

    def inverted(inner: Filter) -> Filter:
        return Filter(f"NOT ({inner.text})", lambda row: negated(inner.truth(row)))

    constants = st.sampled_from([Filter("TRUE", lambda row: True), Filter("FALSE", lambda row: False)])
    return st.recursive(
        conditions(given) | conditions(given) | conditions(given) | constants,
        lambda inner: st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(joined) | inner.map(inverted),
        max_leaves=4,
    )


def spelled(value: Any) -> Any:
    """A cell so that equal means the same: NaN equals itself, -0.0 is not 0.0, a map is a list of pairs."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat()
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [spelled(item) for item in value]
    return value
