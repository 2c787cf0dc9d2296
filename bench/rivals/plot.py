"""The ratios as a picture: one bar for each target on a logarithmic axis, with must and aim as marks."""

from __future__ import annotations

import math
from html import escape

from comparison import CaseResult, Outcome

LABELS, WIDTH, LINE, TOP = 260, 560, 26, 40
LEAST, MOST = 0.003, 3.0
TICKS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
GOOD, FAIR, BAD, INK, GRID = "#2a9d5c", "#d8a31a", "#c8372d", "#222", "#ddd"


def position(value: float) -> float:
    """Pixels from the left for a ratio; values outside of the axis end at its border."""
    share = math.log(min(max(value, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LABELS + share * WIDTH


def colour(outcome: Outcome) -> str:
    return GOOD if outcome.meets_aim else FAIR if outcome.meets_must else BAD


def text(x: float, y: float, content: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def line(x: float, top: float, bottom: float, stroke: str, dashes: str = "") -> str:
    style = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}" stroke="{stroke}" stroke-width="1.5"{style}/>'


def svg(results: list[CaseResult]) -> str:
    """Memory targets are drawn as a share of what they must not exceed, like ratios with a must of one."""
    bars = [(result, outcome) for result in results for outcome in result.outcomes]
    height = TOP + LINE * len(bars) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABELS + WIDTH + 70}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">',
        '<rect width="100%" height="100%" fill="white"/>',
        text(LABELS, 16, "ours / theirs (log scale); line: must, dashes: aim; memory: share of must"),
    ]
    for tick in TICKS:
        x = position(tick)
        parts += [line(x, TOP - 8, height - 24, GRID), text(x, height - 8, f"{tick:g}", "middle")]
    for i, (result, outcome) in enumerate(bars):
        top = TOP + LINE * i
        scale = outcome.must if outcome.rival is None else 1.0
        end = position(outcome.cost / scale)
        parts += [
            text(LABELS - 8, top + 13, f"{result.name} / {outcome.rival or 'memory'}", "end"),
            f'<rect x="{LABELS}" y="{top + 2}" width="{end - LABELS:.1f}" height="14" fill="{colour(outcome)}"/>',
            line(position(outcome.must / scale), top - 2, top + 20, INK),
            line(position(outcome.aim / scale), top - 2, top + 20, INK, "3 2"),
            text(LABELS + WIDTH + 8, top + 13, f"{outcome.cost / scale:.2g}"),
        ]
    return "\n".join([*parts, "</svg>", ""])
