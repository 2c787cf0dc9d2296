"""Another engine in a process of its own, asked one question after another."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent


class PeerError(Exception):
    """The other engine raised; the text is its traceback."""


class Peer:
    """A running peer script: one JSON line in, one JSON line out. Use it in `with`."""

    def __init__(self, script: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(_FOLDER / script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, command: str, **arguments: Any) -> Any:
        """What the peer's function `command` returns.

        Raises:
            PeerError: It raised.
        """
        self._process.stdin.write(json.dumps([command, arguments], default=str) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(f"{command}: the process of the peer ended with {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer["value"]

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()
