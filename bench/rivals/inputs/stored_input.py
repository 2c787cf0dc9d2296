"""An input is a folder that is made once: in NAME.part, renamed when complete, with a record of what it holds."""

from __future__ import annotations

import fcntl
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Input:
    name: str
    text: str
    # Makes what is missing in the folder, which may hold a part that an interrupted run left.
    make: Callable[[Path, Inputs], None]
    # Raised when the recipe changes: older folders are made again.
    recipe: int = 1
    # Rough, on 2 cores; said before it starts.
    seconds: int = 1
    needs: tuple[str, ...] = ()
    # Bytes that our writer wrote: made again on request when the writer changed.
    written_by_us: bool = False


class Inputs:
    """What a recipe sees of the others: their folders, and a line of progress."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name, self._shown = folder, name, 0.0

    def folder(self, name: str) -> Path:
        return self._folder / name

    def progress(self, done: int, total: int) -> None:
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if done < total and now - self._shown < (0.2 if terminal else 10):
            return
        self._shown = now
        ending = "\r" if terminal and done < total else "\n"
        print(f"  {self._name}: {done:,} of {total:,}", end=ending, file=sys.stderr, flush=True)


def ensure_inputs(inputs: dict[str, Input], names: Iterable[str], folder: Path, remake: Iterable[str] = ()) -> None:
    """Makes the named inputs and what they need, unless they are there and complete."""
    folder.mkdir(parents=True, exist_ok=True)
    remake = set(remake)
    for name in _in_order(inputs, names):
        if name not in remake and _is_complete(inputs[name], folder):
            continue
        with open(folder / f".{name}.lock", "w") as lock:  # two runs must not make the same input at once
            fcntl.flock(lock, fcntl.LOCK_EX)
            if name in remake or not _is_complete(inputs[name], folder):
                _make(inputs[name], folder)


def record_of(folder: Path, name: str) -> dict | None:
    try:
        return json.loads((folder / f"{name}.json").read_text())
    except (FileNotFoundError, ValueError):
        return None


def _in_order(inputs: dict[str, Input], names: Iterable[str]) -> list[str]:
    ordered: list[str] = []

    def visit(name: str) -> None:
        for need in inputs[name].needs:
            visit(need)
        if name not in ordered:
            ordered.append(name)

    for name in names:
        visit(name)
    return ordered


def _make(one: Input, folder: Path) -> None:
    target, part, record = folder / one.name, folder / f"{one.name}.part", folder / f"{one.name}.json"
    minutes = f", about {one.seconds} s" if one.seconds > 5 else ""
    print(f"making {one.name}: {one.text}{minutes}", file=sys.stderr, flush=True)
    recipe = part / ".recipe"
    if not recipe.exists() or recipe.read_text() != str(one.recipe):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        recipe.write_text(str(one.recipe))
    started = time.monotonic()
    one.make(part, Inputs(folder, one.name))
    recipe.unlink()
    content = {"recipe": one.recipe, **_content(part), "seconds": round(time.monotonic() - started, 1)}
    if one.written_by_us:
        import reelhouse

        content["written_by"] = f"reelhouse {reelhouse.__version__}"
    content["made"] = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    record.unlink(missing_ok=True)
    shutil.rmtree(target, ignore_errors=True)  # kept until here: others may read it
    part.rename(target)
    record.write_text(json.dumps(content))


def _content(folder: Path) -> dict[str, int]:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return {"files": len(sizes), "bytes": sum(sizes)}


def _is_complete(one: Input, folder: Path) -> bool:
    record = record_of(folder, one.name)
    if record is None or record["recipe"] != one.recipe or not (folder / one.name).is_dir():
        return False
    return _content(folder / one.name) == {"files": record["files"], "bytes": record["bytes"]}
