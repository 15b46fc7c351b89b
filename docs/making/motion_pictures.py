"""Draw the courses of actions that move things: python docs/making/motion_pictures.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from math import cos, sin, tau
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Final, TypeAlias

from actions import Flee, MoveTowards, Repeat, Shake, SmoothFollow, Tween, Wander
from actions.easing import ease_in_out_quad
from fsmkit import Fsm, FsmAction
from fsmkit.space import Transform

FILE: Final = Path(__file__).parents[1] / "_static" / "motion.svg"

Point: TypeAlias = tuple[float, float]
Course: TypeAlias = list[Point]

PANEL: Final = 220.0
FRAME: Final = 1 / 60
GREY, BLUE, RED = "#8b95a5", "#3b82c4", "#d1603d"
"""Colours that can be seen on a white page and on a black one."""


def running(*actions: FsmAction) -> Fsm[None]:
    """Return a machine of one state that is in it."""
    fsm: Fsm[None] = Fsm("Motion")
    state = fsm.add_state("Moving")
    for action in actions:
        state.add_action(action)
    fsm.start()
    return fsm


def recorded(fsm: Fsm[None], seconds: float, *things: Transform) -> list[Course]:
    """Return where each of the things is in every frame."""
    courses: list[Course] = [[thing.position] for thing in things]
    for _ in range(round(seconds / FRAME)):
        fsm.update(FRAME)
        for course, thing in zip(courses, things, strict=True):
            course.append(thing.position)
    return courses


def flee() -> list[str]:
    """A mouse flees from a cat that comes across its way."""
    mouse, cat = Transform((-20.0, -25.0)), Transform((-95.0, -30.0))
    fsm = running(MoveTowards(cat, (95.0, -80.0), 75.0), Flee(mouse, cat, 40.0))
    way, other = recorded(fsm, 2.5, mouse, cat)
    return [line(other, GREY), dot(other[-1], GREY), line(way, BLUE), dot(way[-1], BLUE)]


def wander() -> list[str]:
    """A hen strolls about on a leash."""
    hen = Transform((0.0, 0.0))
    [way] = recorded(running(Wander(hen, 30.0, Random(8), radius=88.0)), 40.0, hen)
    return [circle((0.0, 0.0), 88.0, RED), line(way, BLUE), dot(way[-1], BLUE)]


def smooth_follow() -> list[str]:
    """A camera follows a hero who walks around corners."""
    hero, camera = Transform((-80.0, -70.0)), Transform((-40.0, -20.0))
    corners = [(80.0, -70.0), (80.0, 70.0), (-80.0, 70.0)]

    def corner() -> Point:
        if corners[1:] and hero.position == corners[0]:
            corners.pop(0)
        return corners[0]

    walk = Repeat(MoveTowards(hero, corner, 60.0))
    way, view = recorded(running(walk, SmoothFollow(camera, hero, 2.0)), 7.7, hero, camera)
    return [line(way, GREY), dot(way[-1], GREY), line(view, BLUE), dot(view[-1], BLUE)]


def shake() -> list[str]:
    """The height of a camera that is shaken, second by second."""
    camera = Transform((0.0, 0.0))
    fsm = running(Shake(camera, (0.0, 80.0), 1.0, Random(1)))
    heights = over_time(fsm, lambda: camera.position[1], 1.2)
    return [line([(-95.0, 0.0), (95.0, 0.0)], GREY), line(heights, BLUE)]


def tween() -> list[str]:
    """A value that goes back and forth, with an easing."""
    lamp = SimpleNamespace(light=0.0)
    ease = ease_in_out_quad
    fsm = running(Tween(lamp, "light", -60.0, 60.0, 1.0, repeat=3, yoyo=True, easing=ease))
    values = over_time(fsm, lambda: lamp.light, 6.5)
    return [line([(-95.0, y), (95.0, y)], GREY) for y in (-60.0, 60.0)] + [line(values, BLUE)]


def over_time(fsm: Fsm[None], read: Callable[[], float], seconds: float) -> Course:
    """Return a number in every frame, from left to right."""
    frames = round(seconds / FRAME / 2)
    values = [read()]
    for _ in range(frames * 2):
        fsm.update(FRAME)
        values.append(read())
    return [(-95.0 + 190.0 * i / (frames * 2), value) for i, value in enumerate(values)]


def line(points: Iterable[Point], color: str) -> str:
    """Return a line through the points; y goes up."""
    text = " ".join(f"{x:.1f},{-y:.1f}" for x, y in points)
    return f'<polyline points="{text}" stroke="{color}"/>'


def dot(point: Point, color: str) -> str:
    """Return a dot, where something is."""
    return f'<circle cx="{point[0]:.1f}" cy="{-point[1]:.1f}" r="4" fill="{color}"/>'


def circle(middle: Point, radius: float, color: str) -> str:
    """Return a circle, dashed."""
    points = [
        (middle[0] + radius * cos(tau * i / 72), middle[1] + radius * sin(tau * i / 72))
        for i in range(73)
    ]
    return line(points, color).replace("/>", ' stroke-dasharray="4 4"/>')


PANELS: Final = {
    "Flee": flee,
    "Wander(radius=...)": wander,
    "SmoothFollow": smooth_follow,
    "Shake": shake,
    "Tween(repeat=3, yoyo=True)": tween,
}


def picture() -> str:
    """Return the picture."""
    width, height = PANEL * len(PANELS), PANEL + 30.0
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:g} {height:g}" '
        f'aria-label="The courses of five actions" fill="none" stroke-width="1.6">'
    )
    parts = [head]
    for index, (name, draw) in enumerate(PANELS.items()):
        x, y = PANEL * (index + 0.5), PANEL / 2.0
        label = f'<text y="{PANEL / 2 + 16:g}" fill="{GREY}">{escape(name)}</text>'
        parts.append(f'<g transform="translate({x:g} {y:g})">')
        parts += [*draw(), label, "</g>"]
    style = 'font-family="system-ui, sans-serif" font-size="14" text-anchor="middle"'
    return "\n".join([*parts, "</svg>", ""]).replace("<text ", f"<text {style} ")


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
