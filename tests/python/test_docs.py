"""What README and the guide show works: their Python code runs, and their links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
# A hidden beginning of a page, or one of its Python blocks.
CODE = re.compile(r"^<!-- setup:\n(?P<setup>.*?)^-->$|^```python\n(?P<block>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def pieces_of(page):
    """The code of a page in its order, each piece at its own line of the file, so that errors point into the page."""
    text = page.read_text()
    for match in CODE.finditer(text):
        kind = "setup" if match["setup"] is not None else "block"
        yield "\n" * text.count("\n", 0, match.start(kind)) + match[kind]


def markdown_files():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False)
    tracked = {ROOT / line for line in listed.stdout.splitlines()}
    return sorted(tracked | set(PAGES) | set((ROOT / "docs").rglob("*.md")) | set(ROOT.glob("*.md")))


@pytest.mark.parametrize("page", [page for page in PAGES if any(pieces_of(page))], ids=name_of)
def test_python_of_a_page_runs(page, tmp_path):
    """All blocks of a page share one namespace, and a folder of their own."""
    program = tmp_path / "page.py"
    program.write_text(
        "import sys\nsys.path.pop(0)\nnamespace = {'__name__': '__main__'}\n"
        + "".join(f"exec(compile({piece!r}, {str(page)!r}, 'exec'), namespace)\n" for piece in pieces_of(page))
    )
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [sys.executable, str(program)], cwd=tmp_path / "work", capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-4000:]


def test_commands_of_readme_run(tmp_path):
    program = ROOT / "build" / "release" / "cli" / "reelhouse"
    if not program.exists():
        pytest.skip("the command line is not built")
    page = (ROOT / "README.md").read_text()
    setup = next(pieces_of(ROOT / "README.md"))
    subprocess.run([sys.executable, "-c", setup], cwd=tmp_path, check=True)
    commands = re.search(r"^## Command line\n+```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")


def test_relative_links_lead_somewhere():
    broken = []
    for page in markdown_files():
        if not page.exists():
            continue
        for link in LINK.findall(FENCED.sub("", page.read_text())):
            if re.match(r"[a-z]+:", link) or link.startswith("#"):
                continue
            if not (page.parent / link.split("#")[0]).exists():
                broken.append(f"{name_of(page)}: {link}")
    assert not broken


def test_readme_shows_the_code_of_the_example():
    shown = re.search(r"^```cpp\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    example = (ROOT / "examples" / "store_and_read.cc").read_text()
    assert shown == example.split("// [readme]\n")[1]


def test_guide_index_names_every_page():
    index = (ROOT / "docs" / "guide" / "index.md").read_text()
    missing = [page.name for page in PAGES[1:] if page.name != "index.md" and f"({page.name})" not in index]
    assert not missing


def test_every_decision_is_in_the_list():
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text()
    missing = [page.name for page in folder.glob("0*.md") if f"({page.name})" not in listed]
    assert not missing


@pytest.mark.parametrize("name", ["store_and_read", "read_frames"])
def test_example_explains_itself(name):
    program = ROOT / "build" / "release" / "examples" / name
    if not program.exists():
        pytest.skip("examples are not built")
    done = subprocess.run([program], capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    assert done.returncode == 1
    assert done.stderr.startswith(f"usage: {name} ")
