"""pymunk: bodies as transforms, machines in step with the physics, touches of shapes as events.

pymunk is physics without a window, for use with pygame, Arcade, pyglet or raylib, which have the
keys and the mouse. It likes a fixed step: `attach` returns a function that makes all that are due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import degrees, inf, radians
from typing import Any, TypeAlias

from attrs import define, field

from fsmkit import TimeReference
from fsmkit.core.checks.arguments import shown
from fsmkit.engines.parts import missing
from fsmkit.engines.parts.delivery import Machines, Recipients, Touches
from fsmkit.engines.parts.things import check_things
from fsmkit.engines.parts.updates import Frames, Lifetime, check_max_dt, fixed_step, was_removed
from fsmkit.space import Position, components
from fsmkit.timing import FixedStep

try:
    from pymunk import Body, Shape, Space
except ImportError as error:
    raise missing("pymunk", "pymunk", error) from error

__all__ = ["BodyTransform", "attach", "send_collisions"]

Touchables: TypeAlias = Any
"""A body, a shape, a collection of them, or a collision type."""


@define(eq=False)
class BodyTransform:
    """A Body as the actions see it: `position`, `rotation`, `velocity`, `angular_velocity`.

    Units and axes are those of its space. `rotation` is in degrees from x towards y, where pymunk
    has radians, and is where the body faces; `forward` is where it faces at the angle 0.
    `velocity` is in units per second, `angular_velocity` in degrees per second.

    Values take effect as soon as they are written: sleeping bodies wake up, and the shapes of
    static and kinematic bodies are found at their new place. Move a dynamic body by its velocity:
    one whose position is written pushes nothing on its way.

    >>> crate = Body(mass=1.0, moment=100.0)
    >>> transform = BodyTransform(crate, forward=90.0)
    >>> transform.position, transform.rotation = (3.0, 4.0), 135.0
    >>> crate.position, round(crate.angle, 3)
    (Vec2d(3.0, 4.0), 0.785)
    """

    body: Body
    forward: float = field(default=0.0, kw_only=True)

    @property
    def position(self) -> tuple[float, float]:
        """The position of its centre of gravity."""
        return _pair(self.body.position)

    @position.setter
    def position(self, position: Position) -> None:
        _wake_neighbours(self.body)
        self.body.position = _pair(position)
        _reindex(self.body)

    @property
    def rotation(self) -> float:
        """The direction it faces, in degrees."""
        return degrees(self.body.angle) + self.forward

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        _wake_neighbours(self.body)
        self.body.angle = radians(rotation - self.forward)
        _reindex(self.body)

    @property
    def velocity(self) -> tuple[float, float]:
        """The velocity, in units per second."""
        return _pair(self.body.velocity)

    @velocity.setter
    def velocity(self, velocity: Position) -> None:
        self.body.velocity = _pair(velocity)

    @property
    def angular_velocity(self) -> float:
        """The angular velocity, in degrees per second."""
        return degrees(self.body.angular_velocity)

    @angular_velocity.setter
    def angular_velocity(self, angular_velocity: float) -> None:
        self.body.angular_velocity = radians(angular_velocity)


def attach(
    machines: Machines,
    space: Space,
    *,
    step: float | FixedStep = 1 / 60,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    body: Any = None,
    after_step: Iterable[Callable[[], object]] = (),
) -> Callable[[float], None]:
    """Return a function to call once per frame, with its seconds: it steps machines and `space`.

    Both take steps of exactly `step` seconds, as many as are due after the frame's seconds, of
    which at most `max_dt` count, scaled by `time`. In each step the machines come first, so that
    the velocities they write count in the same step; then the space; then the functions in
    `after_step`, such as the one that `send_collisions` returns, so that machines know of every
    touch in their next step. A FixedStep of your own also tells its `alpha`, for drawing in
    between.

    With a `body` the machines are stopped once it has been removed from its space; for a group it
    may be a function from a machine to its own. The space goes on.
    """
    check_max_dt(max_dt)
    lifetime = Lifetime(machines, body, is_gone, Body, "body must be a Body of pymunk")
    frames = Frames(machines, inf, lifetime=lifetime)
    fixed = fixed_step(step, max_dt)

    def advance(passed: float) -> None:
        dt = min(passed, max_dt)
        for seconds in fixed.steps(dt if time is None else time.scaled(dt)):
            frames.update(seconds)
            space.step(seconds)
            for call in after_step:
                call()

    return advance


def send_collisions(
    machines: Recipients,
    space: Space,
    things: Touchables,
    others: Touchables,
    event: str,
    *,
    ended: str | None = None,
) -> Callable[[], None]:
    """Return a function to call after every step: it sends `event` when a thing touches another.

    Give it to `attach` in `after_step`, or call it after `space.step`, when the space is no longer
    locked. `ended` is sent when the two no longer touch, also because one was removed.

    `things` and `others` are each a Body, a Shape, a collection of them, which may change, or a
    number for all shapes of that collision type. The data is the other one: a shape if `others` are
    shapes, otherwise a body; with several `things` it is the pair, unless `machines` is a function
    from a thing to its own. Sensors touch too; a filter keeps shapes apart.

    Raises TypeError for any other `things` and `others`.
    """
    many = not isinstance(things, Body | Shape)
    touches = Touches(machines, event, ended, many, is_gone=lambda it: it.space is None)
    for some in (things, others):
        _shapes_of(space, some)
    check_things("send_collisions", things, others)
    return lambda: touches.update(_touching(space, things, others))


def is_gone(body: Body) -> bool:
    """Return True if a body has been removed from the space it was once seen in."""
    return was_removed(body, is_there=body.space is not None)


def _touching(
    space: Space, things: Touchables, others: Touchables
) -> Iterator[tuple[Body | Shape, Body | Shape]]:
    """Yield the pairs that touch, in the order in which they were named or added to the space.

    A query after a step finds the touches that pymunk reported to collision handlers during it.
    Handlers of ours would replace the game's own: pymunk keeps one for a pair of types.
    """
    theirs = {shape: (rank, one) for rank, (shape, one) in enumerate(_shapes_of(space, others))}
    for shape, thing in _shapes_of(space, things):
        if shape.space is space:
            found = [theirs[hit.shape] for hit in space.shape_query(shape) if hit.shape in theirs]
            yield from ((thing, other) for _, other in sorted(found, key=lambda it: it[0]))


def _shapes_of(space: Space, things: Touchables) -> Iterator[tuple[Shape, Body | Shape]]:
    if isinstance(things, int):
        of_type = (shape for shape in space.shapes if shape.collision_type == things)
        return ((shape, shape.body) for shape in of_type)
    each = tuple(things) if isinstance(things, Iterable) else (things,)
    for thing in each:
        if not isinstance(thing, Body | Shape):
            raise TypeError(
                "What touches must be bodies, shapes, or a number, which is a collision type, "
                f"got {shown(thing)}."
            )
    return (
        (shape, thing)
        for thing in each
        for shape in (thing.shapes if isinstance(thing, Body) else (thing,))
    )


def _wake_neighbours(body: Body) -> None:
    """Wake bodies that rest on one about to move away: pymunk does not if that one is static."""
    space = body.space
    if space is None or body.body_type == Body.DYNAMIC:
        return
    for shape in body.shapes:
        for hit in space.shape_query(shape):
            if hit.shape is not None and hit.shape.body.is_sleeping:
                hit.shape.body.activate()


def _reindex(body: Body) -> None:
    if body.space is not None:
        body.space.reindex_shapes_for_body(body)


def _pair(vector: Position) -> tuple[float, float]:
    x, y = components(vector)
    return x, y
