"""The checkers in tools/ see what they are there to see."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def check_rooms(root):
    done = subprocess.run(
        [sys.executable, str(root / "tools" / "check_rooms.py")], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path):
    """The sources alone, to be spoiled."""
    for folder in ("src", "cli", "examples", "python/bindings"):
        if (ROOT / folder).is_dir():
            shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "tools").mkdir()
    for name in ("check_rooms.py", "rooms.toml"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools" / name)
    return tmp_path


def append(path, text):
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def test_the_project_keeps_its_rooms():
    code, output = check_rooms(ROOT)
    assert code == 0, output


@pytest.mark.parametrize(
    ("file", "include", "complaint"),
    [
        ("schema/options.cc", '#include "reelhouse/table/table.h"', "is in room 'table'; room 'schema' may include"),
        ("schema/options.cc", '#include "reelhouse/avro/avro.h"', "is in room 'avro'"),
        ("schema/options.h", '#  include "options.h"', "not written from the root"),
        ("schema/options.cc", '#include "reelhouse/nowhere/x.h"', "is in no room"),
        ("schema/options_test.cc", '#include "reelhouse/read/x.h"', "is in room 'read'"),
        ("snapshot/snapshot.cc", "#include <libavcodec/avcodec.h>", "may be included in room 'media' only"),
        ("snapshot/snapshot.cc", "#include <turbojpeg.h>", "may be included in room 'media' only"),
        ("snapshot/snapshot.cc", '#include "tests/support/fault_walk.h"', "not written from the root"),
    ],
)
def test_a_planted_include_is_refused_with_its_line(copy, file, include, complaint):
    path = copy / "src" / "reelhouse" / file
    line = path.read_text().count("\n") + 1
    append(path, include + "\n")
    code, output = check_rooms(copy)
    assert code == 1
    assert f"src/reelhouse/{file}:{line}: " in output
    assert complaint in output


def test_the_front_door_programs_may_not_see_libav(copy):
    (copy / "cli").mkdir(exist_ok=True)
    append(copy / "cli" / "planted.cc", "#include <libavformat/avformat.h>\n")
    code, output = check_rooms(copy)
    assert code == 1
    assert "cli/planted.cc:1: <libavformat/avformat.h>" in output


def test_a_room_that_nobody_named_is_refused(copy):
    (copy / "src" / "reelhouse" / "attic").mkdir()
    append(copy / "src" / "reelhouse" / "attic" / "box.h", "#pragma once\n")
    code, output = check_rooms(copy)
    assert code == 1
    assert "folder 'attic' is in no room" in output


def test_cmake_and_the_description_must_agree(copy):
    cmake = copy / "src" / "reelhouse" / "CMakeLists.txt"
    cmake.write_text(cmake.read_text().replace("reelhouse_room(snapshot ROOMS base", "reelhouse_room(snapshot ROOMS avro base"))
    code, output = check_rooms(copy)
    assert code == 1
    assert "room 'snapshot' differs from tools/rooms.toml: only here avro; only there none" in output


def test_a_circle_is_told_with_its_rooms(copy):
    description = copy / "tools" / "rooms.toml"
    description.write_text(description.read_text().replace("base = []", 'base = ["schema"]'))
    code, output = check_rooms(copy)
    assert code == 1
    assert "the arrows go in a circle: base -> schema -> base" in output
