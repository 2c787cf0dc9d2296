"""Progress of long calls on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = ["progress_callback"]

_SECONDS_BETWEEN_LINES = 0.1
_BAR_WIDTH = 30


def progress_callback(progress: Any) -> Callable[[int, int | None], None] | None:
    """A callable `(done, total or None)` for the `progress` argument of writing calls.

    Raises:
        TypeError: `progress` is neither a bool, None nor callable.
    """
    if progress is None or progress is False:
        return None
    if progress is True:
        return _Bar()
    if callable(progress):
        return progress
    raise TypeError(f"progress must be True, None or a callable (done, total), got {type(progress)}.")


class _Bar:
    """One line on stderr that is drawn anew; nothing where stderr is not a terminal."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._last = 0.0
        self._is_terminal = sys.stderr.isatty()

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        is_last = total is not None and done >= total
        if not self._is_terminal or (now - self._last < _SECONDS_BETWEEN_LINES and not is_last):
            return
        self._last = now
        rate = done / max(now - self._started, 1e-9)
        if total:
            filled = _BAR_WIDTH * done // total
            bar = "#" * filled + "." * (_BAR_WIDTH - filled)
            sys.stderr.write(f"\r[{bar}] {done}/{total} frames, {rate:.0f}/s" + ("\n" if is_last else ""))
        else:
            sys.stderr.write(f"\r{done} frames, {rate:.0f}/s")
        sys.stderr.flush()
