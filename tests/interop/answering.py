"""The far end of `Peer`: answers questions from standard input, in the process of another engine."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any


def answer_questions(commands: dict[str, Callable[..., Any]]) -> None:
    """Serves until standard input ends. What the engine prints goes to standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        command, arguments = json.loads(line)
        try:
            answer = {"value": commands[command](**arguments)}
        except Exception:
            answer = {"error": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
