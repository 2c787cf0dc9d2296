#!/usr/bin/env python3
"""Makes the Avro files of this folder with fastavro (1.12): the same 600 records in every codec.

Each record holds one field of every kind, so that readers must skip what they do not want. Run: python make.py
"""
import io
import os

import fastavro

HERE = os.path.dirname(os.path.abspath(__file__))

SCHEMA = {
    "type": "record", "name": "Row", "namespace": "com.example", "fields": [
        {"name": "skipped_map", "type": {"type": "map", "values": ["null", "double"]}},
        {"name": "id", "type": "int"},
        {"name": "skipped_pair", "type": {"type": "record", "name": "Pair", "fields": [
            {"name": "left", "type": "float"}, {"name": "right", "type": "boolean"}]}},
        {"name": "name", "type": ["string", "null"]},
        {"name": "skipped_again", "type": ["null", "Pair"]},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 3}},
        {"name": "numbers", "type": {"type": "array", "items": ["null", "long"]}},
        {"name": "skipped_texts", "type": {"type": "array", "items": "com.example.Pair"}},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {"name": "tree", "type": {"type": "record", "name": "Tree", "fields": [
            {"name": "value", "type": "double"}, {"name": "children", "type": {"type": "array", "items": "Tree"}}]}},
    ]}


def records():
    for i in range(600):
        pair = {"left": 0.5, "right": True}
        leaf = {"value": 1.0, "children": []}
        yield {
            "skipped_map": {"a": None, "b": float(i)}, "id": i - 200, "skipped_pair": pair,
            "name": None if i % 3 == 0 else "name-%d" % i, "skipped_again": None if i % 2 else pair,
            "kind": "AB"[i % 2], "hash": b"abc", "numbers": [None, i, -i * 10 ** 12],
            "skipped_texts": [pair] * (i % 3), "at": None if i % 5 else i,
            "tree": {"value": 2.0, "children": [leaf, {"value": 3.0, "children": [leaf]}]},
        }


def main():
    for codec in ("null", "deflate", "snappy", "zstandard", "bzip2", "xz"):
        out = io.BytesIO()
        fastavro.writer(out, fastavro.parse_schema(SCHEMA), records(), codec=codec, sync_marker=b"0123456789abcdef")
        with open(os.path.join(HERE, codec + ".avro"), "wb") as handle:
            handle.write(out.getvalue())


if __name__ == "__main__":
    main()
