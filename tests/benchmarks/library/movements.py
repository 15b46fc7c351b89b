"""Actions that move, turn, scale and look, beside their twins."""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import Any, Final

from twins import FIELD, Make, read_cases

import actions as a
from actions import easing
from fsmkit import FsmAction
from fsmkit.space import Transform


class Reset(FsmAction):
    """Puts a thing back, for actions that would be at their end when they are entered again."""

    background = True

    def __init__(self, thing: Any, name: str, value: Any) -> None:
        self.thing, self.name, self.value = thing, name, value

    def on_enter(self) -> None:
        setattr(self.thing, self.name, self.value)


def back(thing: Transform, *, x: float = 0.0) -> Reset:
    return Reset(thing, "position", (x, x))


ACTIONS: Final[dict[str, Make]] = {
    "Move": lambda t, d: a.Move(t, (0.0, 0.0), (8.0, 4.0), d),
    "Move, eased": lambda t, d: a.Move(
        t, (0.0, 0.0), (8.0, 4.0), d, easing=easing.ease_in_out_sine
    ),
    "MoveBy": lambda t, d: a.MoveBy(t, (8.0, 4.0), d),
    "MoveConstantly": lambda t, d: a.MoveConstantly(t, (4.0, 1.0)),
    "MoveTowards": lambda t, d: (back(t), a.MoveTowards(t, (3.0, 4.0), 5.0 / d)),
    "Flee": lambda t, d: (back(t, x=1.0), a.Flee(t, (0.0, 0.0), 1.0 / d, distance=sqrt(2) + 1.0)),
    "SmoothFollow": lambda t, d: a.SmoothFollow(t, (1e6, 5.0), 2.0),
    "FollowPath": lambda t, d: (back(t), a.FollowPath(t, [(3.0, 4.0), (3.0, 8.0)], 9.0 / d)),
    "FollowWaypoints": lambda t, d: a.FollowWaypoints(t, [(1e6, 0.0), (1e6, 1e6)], 2.0),
    "FollowField": lambda t, d: a.FollowField(t, FIELD, 1e-4),
    "Jump": lambda t, d: a.Jump(t, 2.0, d),
    "Shake": lambda t, d: a.Shake(t, 8.0, d),
    "Wander": lambda t, d: a.Wander(t, 1.0, Random(7)),
    "LookAt": lambda t, d: a.LookAt(t, (5.0, 9.0)),
    "Rotate": lambda t, d: a.Rotate(t, 0.0, 90.0, d),
    "RotateConstantly": lambda t, d: a.RotateConstantly(t, 90.0),
    "RotateTowards": lambda t, d: (
        Reset(t, "rotation", 0.0),
        a.RotateTowards(t, (0.0, 5.0), speed=90.0 / d),
    ),
    "ScaleByDuration": lambda t, d: a.ScaleByDuration(t, 1.0, 3.0, d),
    "InRange, in SendEventWhen": lambda t, d: a.SendEventWhen(
        a.InRange(t, (50.0, 50.0), 3.0), "NEAR"
    ),
    "Sees, in SendEventWhen": lambda t, d: a.SendEventWhen(
        a.Sees(t, (5.0, 5.0), 10.0, angle=60.0), "SEEN"
    ),
}
TWINS: Final = """
Move
  setup: self.start = (0.0, 0.0); self.end = (8.0, 4.0)
  enter:
    self.t = 0.0
    self.thing.position = self.start
  each:
    (ax, ay), (bx, by) = self.start, self.end
    self.thing.position = (ax + (bx - ax) * s, ay + (by - ay) * s)
  last: self.thing.position = self.end
Move, eased
  setup: self.start = (0.0, 0.0); self.end = (8.0, 4.0); self.ease = ease_in_out_sine
  enter:
    self.t = 0.0
    self.thing.position = self.start
  each:
    s = self.ease(s)
    (ax, ay), (bx, by) = self.start, self.end
    self.thing.position = (ax + (bx - ax) * s, ay + (by - ay) * s)
  last: self.thing.position = self.end
MoveBy
  enter:
    self.t = 0.0
    self.start = x, y = self.thing.position
    self.end = (x + 8.0, y + 4.0)
  each:
    (ax, ay), (bx, by) = self.start, self.end
    self.thing.position = (ax + (bx - ax) * s, ay + (by - ay) * s)
  last: self.thing.position = self.end
MoveConstantly
  setup: self.velocity = (4.0, 1.0)
  update:
    x, y = self.thing.position
    u, v = self.velocity
    self.thing.position = (x + u * dt, y + v * dt)
MoveTowards
  setup: self.target = (3.0, 4.0); self.speed = 5.0 / d
  enter: self.thing.position = (0.0, 0.0)
  update:
    x, y = self.thing.position
    to_x, to_y = self.target
    dx, dy = to_x - x, to_y - y
    way = hypot(dx, dy)
    step = self.speed * dt
    if way <= step + 1e-9:
        self.thing.position = self.target
        FINISH
    else:
        k = step / way
        self.thing.position = (x + dx * k, y + dy * k)
Flee
  setup: self.target = (0.0, 0.0); self.speed = 1.0 / d; self.reach = sqrt(2) + 1.0
  enter: self.thing.position = (1.0, 1.0)
  update:
    x, y = self.thing.position
    from_x, from_y = self.target
    dx, dy = x - from_x, y - from_y
    way = hypot(dx, dy)
    left = max(0.0, self.reach - way)
    step = self.speed * dt
    if left <= step + 1e-9:
        k = (way + left) / way
        self.thing.position = (from_x + dx * k, from_y + dy * k)
        FINISH
    else:
        k = (way + step) / way
        self.thing.position = (from_x + dx * k, from_y + dy * k)
SmoothFollow
  setup: self.target = (1e6, 5.0); self.rate = 2.0
  update:
    x, y = self.thing.position
    to_x, to_y = self.target
    done = -expm1(-self.rate * dt)
    self.thing.position = (x + (to_x - x) * done, y + (to_y - y) * done)
FollowPath
  setup: self.path = [(3.0, 4.0), (3.0, 8.0)]; self.speed = 9.0 / d
  enter: self.thing.position = (0.0, 0.0); self.at = 0
  update:
    x, y = self.thing.position
    reach = self.speed * dt
    while self.at < len(self.path):
        px, py = self.path[self.at]
        dx, dy = px - x, py - y
        leg = hypot(dx, dy)
        if leg > reach:
            x += dx * reach / leg
            y += dy * reach / leg
            break
        x, y = px, py
        reach -= leg
        self.at += 1
    self.thing.position = (x, y)
    if self.at == len(self.path):
        FINISH
FollowWaypoints
  setup: self.path = [(1e6, 0.0), (1e6, 1e6)]; self.speed = 2.0
  enter: self.at = 0
  update:
    x, y = self.thing.position
    reach = self.speed * dt
    while True:
        px, py = self.path[self.at]
        dx, dy = px - x, py - y
        leg = hypot(dx, dy)
        if leg > reach:
            self.thing.position = (x + dx * reach / leg, y + dy * reach / leg)
            break
        x, y = px, py
        reach -= leg
        self.at = (self.at + 1) % len(self.path)
FollowField
  setup: self.field = FIELD; self.speed = 1e-4
  update:
    x, y = self.thing.position
    there = self.field.next(self.field.grid.tile_at((x, y)))
    cx, cy = self.field.grid.center(there)
    dx, dy = cx - x, cy - y
    length = hypot(dx, dy)
    reach = self.speed * dt
    if length > reach:
        self.thing.position = (x + dx * reach / length, y + dy * reach / length)
Jump
  enter: self.t = 0.0; self.ground = self.thing.position[1]
  each:
    self.thing.position = (self.thing.position[0], self.ground + 8.0 * s * (1.0 - s))
  last: self.thing.position = (self.thing.position[0], self.ground)
Shake
  setup:
    self.far = 8.0 / sqrt(2)
    self.phases = tuple(i * (1 + sqrt(5)) / 2 % 1 for i in range(4))
  enter:
    self.t = s = 0.0; self.place = self.thing.position

    left = self.far * (1.0 - s) * (1.0 - s)
    one = 12.0 * self.t
    two = one * 1.618033988749895
    p, q, r, u = self.phases
    x, y = self.place
    self.thing.position = (
        x + left * (sin(tau * (one + p)) + sin(tau * (two + q))) / 2,
        y + left * (sin(tau * (one + r)) + sin(tau * (two + u))) / 2,
    )
  each:
    left = self.far * (1.0 - s) * (1.0 - s)
    one = 12.0 * self.t
    two = one * 1.618033988749895
    p, q, r, u = self.phases
    x, y = self.place
    self.thing.position = (
        x + left * (sin(tau * (one + p)) + sin(tau * (two + q))) / 2,
        y + left * (sin(tau * (one + r)) + sin(tau * (two + u))) / 2,
    )
  last: self.thing.position = self.place
  leave: self.thing.position = self.place
Wander
  setup: self.rng = Random(7); self.swing = 2 * pi / 3
  enter:
    self.heading = self.rng.uniform(-pi, pi)
    self.turn = self.rng.uniform(-self.swing, self.swing)
    self.left = 0.25
  update:
    x, y = self.thing.position
    h, w = self.heading, self.turn
    self.heading = g = h + w * dt
    self.thing.position = (x + (sin(g) - sin(h)) / w, y + (cos(h) - cos(g)) / w)
    self.left -= dt
    if self.left <= 0.0:
        self.turn = self.rng.uniform(-self.swing, self.swing)
        self.left += 0.25
LookAt
  setup: self.target = (5.0, 9.0)
  enter, update:
    x, y = self.thing.position
    self.thing.rotation = degrees(atan2(self.target[1] - y, self.target[0] - x))
Rotate
  setup: self.start = 0.0; self.end = 90.0
  enter:
    self.t = 0.0
    self.turn = remainder(self.end - self.start, 360.0)
    self.thing.rotation = self.start
  each: self.thing.rotation = self.start + self.turn * s
  last: self.thing.rotation = self.end
RotateConstantly
  setup: self.speed = 90.0
  update: self.thing.rotation += self.speed * dt
RotateTowards
  setup: self.target = (0.0, 5.0); self.speed = 90.0 / d
  enter: self.thing.rotation = 0.0
  update:
    x, y = self.thing.position
    now = self.thing.rotation
    wanted = degrees(atan2(self.target[1] - y, self.target[0] - x))
    turn = remainder(wanted - now, 360.0)
    step = self.speed * dt
    if abs(turn) <= step + 1e-9:
        self.thing.rotation = wanted
        FINISH
    else:
        self.thing.rotation = now + (step if turn > 0 else -step)
ScaleByDuration
  setup: self.start = 1.0; self.end = 3.0
  enter: self.t = 0.0; self.thing.scale = self.start
  each: self.thing.scale = self.start + (self.end - self.start) * s
  last: self.thing.scale = self.end
InRange, in SendEventWhen
  setup: self.target = (50.0, 50.0)
  enter, update:
    x, y = self.thing.position
    if hypot(self.target[0] - x, self.target[1] - y) <= 3.0:
        self.send_event("NEAR")
Sees, in SendEventWhen
  setup: self.target = (5.0, 5.0)
  update:
    x, y = self.thing.position
    dx, dy = self.target[0] - x, self.target[1] - y
    if hypot(dx, dy) <= 10.0:
        if abs(remainder(degrees(atan2(dy, dx)) - self.thing.rotation, 360.0)) <= 30.0:
            self.send_event("SEEN")
"""
CASES: Final = read_cases(ACTIONS, TWINS, Transform)
