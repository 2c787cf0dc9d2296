"""One process of each other engine, the vectors of pypaimon made afresh, and warehouses written by us, each once."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases"))

from .our_cases import CASES, write_case  # noqa: E402
from .peer import Peer, PeerError  # noqa: E402


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Whatever a test leaves in the temporary folder of the product is seen."""
    folder = tmp_path_factory.mktemp("reelhouse-tmp")
    monkeypatch.setenv("REELHOUSE_TMPDIR", str(folder))
    yield folder
    assert list(folder.rglob("*")) == [], "files were left in REELHOUSE_TMPDIR"


@pytest.fixture(scope="session", autouse=True)
def no_pypaimon_here() -> Iterator[None]:
    yield
    assert not any(name.split(".")[0] == "pypaimon" for name in sys.modules), "pypaimon belongs into its own process"


@pytest.fixture(scope="session")
def pypaimon() -> Iterator[Peer]:
    with Peer("pypaimon_peer.py") as peer:
        yield peer


@pytest.fixture(scope="session")
def pypaimon_rust() -> Iterator[Peer]:
    with Peer("pypaimon_rust_peer.py") as peer:
        yield peer


@pytest.fixture(scope="session")
def fresh_vectors(pypaimon: Peer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All vector cases, written by pypaimon now."""
    folder = tmp_path_factory.mktemp("fresh")
    pypaimon.ask("write_vectors", out=str(folder))
    return folder


class OurCases:
    """Cases written by us, each once, and what pypaimon reads from them."""

    def __init__(self, folder: Path, pypaimon: Peer) -> None:
        self._folder = folder
        self._pypaimon = pypaimon
        self._described: dict[str, Any] = {}

    def path(self, name: str) -> Path:
        case = self._folder / name
        return case if case.exists() else write_case(self._folder, name)

    def read_by_pypaimon(self, name: str) -> dict[str, Any]:
        """What pypaimon reads, as `expected.json` beside the warehouse.

        Raises:
            PeerError: pypaimon cannot read it.
        """
        if name not in self._described:
            self.path(name)
            try:
                self._described[name] = self._pypaimon.ask("describe", case=str(self.path(name)))
            except PeerError as error:
                self._described[name] = error
        if isinstance(self._described[name], PeerError):
            raise self._described[name]
        return json.loads(json.dumps(self._described[name]))  # the tests may change their copy


@pytest.fixture(scope="session")
def our_cases(pypaimon: Peer, tmp_path_factory: pytest.TempPathFactory) -> OurCases:
    return OurCases(tmp_path_factory.mktemp("ours"), pypaimon)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "our_case" in metafunc.fixturenames:
        metafunc.parametrize("our_case", list(CASES))
