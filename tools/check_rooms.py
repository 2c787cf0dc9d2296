#!/usr/bin/env python3
"""Checks that the rooms of src/reelhouse include only what tools/rooms.toml allows.

Prints every offending line as `file:line: text` and exits with 1 if there is one. Checked are: includes between rooms
(tests may also include what the allowed rooms may include, and so on down), includes written from the root, headers of
other libraries that belong to one room, the ROOMS of src/reelhouse/CMakeLists.txt, and that the arrows make no circle.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<own>[^"]+)"|<(?P<foreign>[^>]+)>)')
CMAKE_ROOM = re.compile(r"^\s*reelhouse_room\(\s*(?P<name>[\w/]+)(?P<rest>[^)]*)\)", re.MULTILINE)
KEYWORDS = ("ROOMS", "LIBRARIES")
SUFFIXES = (".h", ".hpp", ".cc", ".cpp", ".inc")
# Outside of the rooms: they may use every room, but no headers that belong to one.
OTHER_FOLDERS = ("cli", "python/bindings", "examples")


def cmake_rooms(text: str) -> dict[str, set[str]]:
    rooms = {}
    for match in CMAKE_ROOM.finditer(re.sub(r"#.*", "", text)):
        keyword, allowed = None, set()
        for word in match["rest"].split():
            if word in KEYWORDS:
                keyword = word
            elif keyword == "ROOMS":
                allowed.add(word)
        rooms[match["name"]] = allowed
    return rooms


def find_circle(rooms: dict[str, list[str]]) -> list[str] | None:
    finished: set[str] = set()

    def walk(room: str, path: list[str]) -> list[str] | None:
        if room in path:
            return path[path.index(room) :] + [room]
        if room in finished:
            return None
        for below in rooms.get(room, []):
            circle = walk(below, path + [room])
            if circle:
                return circle
        finished.add(room)
        return None

    for room in rooms:
        circle = walk(room, [])
        if circle:
            return circle
    return None


def rooms_below(room: str, rooms: dict[str, list[str]]) -> set[str]:
    """Every room that can be reached by the arrows from `room`."""
    reached: set[str] = set()
    waiting = list(rooms[room])
    while waiting:
        below = waiting.pop()
        if below not in reached:
            reached.add(below)
            waiting.extend(rooms.get(below, []))
    return reached


def room_of(path: str, rooms: dict[str, list[str]]) -> str | None:
    """The room that holds a path below src/reelhouse; the longest name wins (`format/blob` before `format`)."""
    holding = [room for room in rooms if path.startswith(room + "/")]
    return max(holding, key=len) if holding else None


def source_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())


class Checker:
    def __init__(self, root: Path):
        self.root = root
        self.source = root / "src" / "reelhouse"
        with open(root / "tools" / "rooms.toml", "rb") as file:
            description = tomllib.load(file)
        self.rooms: dict[str, list[str]] = description["rooms"]
        self.everywhere: list[str] = description.get("everywhere", [])
        self.headers: dict[str, list[str]] = description.get("headers", {})
        self.complaints: list[str] = []

    def run(self) -> list[str]:
        self.check_description()
        self.check_cmake()
        for path in source_files(self.source):
            self.check_room_file(path)
        for folder in OTHER_FOLDERS:
            for path in source_files(self.root / folder):
                self.check_foreign_headers(path, room=None)
        return self.complaints

    def complain(self, path: Path, line: int, text: str) -> None:
        self.complaints.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def check_description(self) -> None:
        path = self.root / "tools" / "rooms.toml"
        for room, below in self.rooms.items():
            for name in below:
                if name not in self.rooms:
                    self.complain(path, 1, f"room '{room}' may include '{name}', which is no room")
        for room in self.headers:
            if room not in self.rooms:
                self.complain(path, 1, f"[headers] names '{room}', which is no room")
        circle = find_circle(self.rooms)
        if circle:
            self.complain(path, 1, "the arrows go in a circle: " + " -> ".join(circle))

    def check_cmake(self) -> None:
        path = self.source / "CMakeLists.txt"
        built = cmake_rooms(path.read_text())
        for room in sorted(built.keys() | self.rooms.keys()):
            if room not in built:
                self.complain(path, 1, f"room '{room}' of tools/rooms.toml is not built here")
            elif room not in self.rooms:
                self.complain(path, 1, f"room '{room}' is not in tools/rooms.toml")
            elif built[room] != set(self.rooms[room]):
                more = ", ".join(sorted(built[room] - set(self.rooms[room]))) or "none"
                less = ", ".join(sorted(set(self.rooms[room]) - built[room])) or "none"
                self.complain(
                    path, 1, f"room '{room}' differs from tools/rooms.toml: only here {more}; only there {less}"
                )

    def check_room_file(self, path: Path) -> None:
        inside = path.relative_to(self.source).as_posix()
        room = room_of(inside, self.rooms)
        if room is None and "/" in inside:
            self.complain(path, 1, f"folder '{inside.rsplit('/', 1)[0]}' is in no room of tools/rooms.toml")
        is_test = path.stem.endswith("_test")
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match or not match["own"]:
                continue
            included = match["own"]
            if is_test and included.startswith("tests/support/"):
                continue
            if not included.startswith("reelhouse/"):
                self.complain(path, number, f'"{included}" is not written from the root, as in "reelhouse/..."')
            elif room is not None:
                # A test may set up its scene with anything further down the river.
                allowed = rooms_below(room, self.rooms) if is_test else set(self.rooms[room])
                self.check_arrow(path, number, room, allowed, included.removeprefix("reelhouse/"))
        self.check_foreign_headers(path, room)

    def check_arrow(self, path: Path, number: int, room: str, allowed: set[str], included: str) -> None:
        target = room_of(included, self.rooms)
        if target == room or target in allowed or included in self.everywhere:
            return
        where = f"room '{target}'" if target else "no room"
        names = ", ".join(name for name in self.rooms if name in allowed) or "nothing"
        self.complain(path, number, f'"reelhouse/{included}" is in {where}; room \'{room}\' may include {names}')

    def check_foreign_headers(self, path: Path, room: str | None) -> None:
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match["foreign"] or match["own"]
            for owner, prefixes in self.headers.items():
                if owner != room and any(name.startswith(prefix) for prefix in prefixes):
                    self.complain(path, number, f"<{name}> may be included in room '{owner}' only")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the project")
    checker = Checker(parser.parse_args(arguments).root.resolve())
    complaints = checker.run()
    for complaint in complaints:
        print(complaint)
    if complaints:
        print(f"{len(complaints)} offending lines; tools/rooms.toml says what each room may include")
        return 1
    print(f"{len(checker.rooms)} rooms: every include goes down the river")
    return 0


if __name__ == "__main__":
    sys.exit(main())
