# SPDX-License-Identifier: Apache-2.0
"""Plots with logarithmic axes, as SVG: enough for the figures of docs/performance.md."""
import dataclasses
import html
import math

COLOURS = ["#1f6fb4", "#8a8a8a", "#c8501e"]
WIDTH, HEIGHT = 460, 330
LEFT, RIGHT, TOP, BOTTOM = 62, 26, 34, 48


@dataclasses.dataclass
class Panel:
    title: str
    x_name: str
    curves: dict  # name: [(x, y)]


class Axis:
    """Whole decades around the values, laid over pixels."""

    def __init__(self, values, first, last):
        self.low = math.floor(math.log10(min(values)) + 1e-9)
        self.high = max(math.ceil(math.log10(max(values)) - 1e-9), self.low + 1)
        self.first, self.last = first, last

    def at(self, value):
        return self.first + (math.log10(value) - self.low) / (self.high - self.low) * (self.last - self.first)

    def ticks(self):
        return [10 ** power for power in range(self.low, self.high + 1)]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(words)}</text>'


def line(x1, y1, x2, y2, colour="#dddddd"):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def draw(panel, left, y_axis, y_name):
    """The shapes of one panel whose left edge is at `left`."""
    points = [point for curve in panel.curves.values() for point in curve]
    x_axis = Axis([x for x, _ in points], left + LEFT, left + WIDTH - RIGHT)
    parts = [text((x_axis.first + x_axis.last) / 2, 20, panel.title, more=' font-weight="bold"'),
             text((x_axis.first + x_axis.last) / 2, HEIGHT - 8, panel.x_name),
             text(left + 14, HEIGHT / 2, y_name, more=f' transform="rotate(-90 {left + 14} {HEIGHT / 2})"')]
    for tick in x_axis.ticks():
        parts += [line(x_axis.at(tick), y_axis.last, x_axis.at(tick), y_axis.first),
                  text(x_axis.at(tick), HEIGHT - BOTTOM + 18, f"{tick:,g}")]
    for tick in y_axis.ticks():
        parts += [line(x_axis.first, y_axis.at(tick), x_axis.last, y_axis.at(tick)),
                  text(x_axis.first - 6, y_axis.at(tick) + 4, f"{tick:g}", "end")]
    for number, (name, curve) in enumerate(panel.curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in curve)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x_axis.at(x):.1f}" cy="{y_axis.at(y):.1f}" r="3" fill="{colour}"/>' for x, y in curve]
        parts.append(text(x_axis.first + 8, y_axis.last + 14 + 15 * number, name, "start", f' fill="{colour}"'))
    return parts


def svg(panels, y_name):
    """The panels side by side, over one scale of y."""
    y_axis = Axis([y for panel in panels for curve in panel.curves.values() for _, y in curve], HEIGHT - BOTTOM, TOP)
    width = WIDTH * len(panels)
    parts = [part for number, panel in enumerate(panels) for part in draw(panel, number * WIDTH, y_axis, y_name)]
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
                      f'viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#222222">',
                      f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>', *parts, "</svg>"]) + "\n"
