"""Where the states and arrows of a machine go in a picture, as Graphviz lays them out.

The layout of the guards as they are comes with the game, as `guards.plain`. Guards that you have
changed are laid out again, which needs Graphviz.

To lay out the guards again: python examples/night_guard/layout.py
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import BACK, Fsm
from fsmkit.diagram.layout import drawn_by, program
from fsmkit.space import Position

Arrow: TypeAlias = tuple[str, str]
"""The states that it leads from and to."""

GUARDS: Final = Path(__file__).with_name("guards.plain")
HEIGHT: Final = 0.36
PER_LETTER: Final = 0.12
"""Inches: the height of a state, and how much broader one more letter makes it."""


@frozen
class Shape:
    """What of a machine is laid out: its states, and where transitions lead."""

    states: tuple[str, ...]
    arrows: frozenset[Arrow]
    """Several transitions that lead the same way are one arrow."""


@frozen
class Box:
    middle: Position
    size: Position


@frozen(eq=False)
class Layout:
    """Lengths are inches, and y goes down."""

    size: Position
    boxes: dict[str, Box]
    arrows: dict[Arrow, list[Position]]
    """The points of each: four for a Bezier curve, three more for each next one."""

    def fits(self, shape: Shape) -> bool:
        """Return True if it is that of this shape."""
        return self.boxes.keys() == {*shape.states} and self.arrows.keys() == shape.arrows


@cache
def layout_of(shape: Shape) -> Layout:
    """Return the layout of a machine. Raises ImportError if that needs Graphviz, and has none."""
    known = parsed(GUARDS.read_text("utf-8"))
    return known if known.fits(shape) else parsed(laid_out(shape))


def laid_out(shape: Shape) -> str:
    """Return the layout of a machine in the format of Graphviz that is called `plain`."""
    return drawn_by(program(), "-Tplain", dot="\n".join(_dot(shape))).decode()


def shape_of(machine: Fsm[Any]) -> Shape:
    arrows = {
        (state.name, name)
        for state in machine.states.values()
        for transitions in state.transitions.values()
        for transition in transitions
        for name in _targets(machine, transition.target)
    }
    return Shape(tuple(machine.states), frozenset(arrows))


def _targets(machine: Fsm[Any], target: Any) -> list[str]:
    """Return the states that a transition leads to: one back, to those that may be suspended."""
    if target is not BACK:
        return [target.name]
    return [
        state.name
        for state in machine.states.values()
        if any(each.suspend for several in state.transitions.values() for each in several)
    ]


def _dot(shape: Shape) -> Iterator[str]:
    yield "digraph {"
    yield "  graph [nodesep=0.2 ranksep=0.22]"
    yield f"  node [shape=box fixedsize=true height={HEIGHT}]"
    for name in shape.states:
        yield f"  {_quoted(name)} [width={len(name) * PER_LETTER + 0.25:.2f}]"
    for source, target in sorted(shape.arrows):
        yield f"  {_quoted(source)} -> {_quoted(target)}"
    yield "}"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def parsed(plain: str) -> Layout:
    """Return the layout that is written in Graphviz's `plain` format."""
    size, boxes, ways = (0.0, 0.0), {}, {}
    for kind, *words in map(shlex.split, plain.splitlines()):
        if kind == "graph":
            size = float(words[1]), float(words[2])
        elif kind == "node":
            x, y, width, height = map(float, words[1:5])
            boxes[words[0]] = Box((x, size[1] - y), (width, height))
        elif kind == "edge":
            numbers = [float(word) for word in words[3 : 3 + 2 * int(words[2])]]
            points = zip(numbers[::2], numbers[1::2], strict=True)
            ways[words[0], words[1]] = [(x, size[1] - y) for x, y in points]
    return Layout(size, boxes, ways)


if __name__ == "__main__":
    from guards import build

    GUARDS.write_text(laid_out(shape_of(build())), "utf-8")
