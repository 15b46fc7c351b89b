"""pymunk: bodies as transforms, machines in step with the physics, touches of shapes as events.

pymunk is physics without a window, for pygame, Arcade, pyglet and raylib alike; keys and mouse are
theirs. Its habit is a fixed step: `attach` returns a function that makes as many as are due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import degrees, inf, radians
from typing import Any, TypeAlias
from weakref import WeakSet

from attrs import define, field

from fsmkit import TimeReference
from fsmkit.engines.parts.delivering import Hearers, Machines, Touching
from fsmkit.engines.parts.frames import Frames, lifetime_of
from fsmkit.engines.parts.missing import missing
from fsmkit.space import Position, components
from fsmkit.timing import FixedStep

try:
    from pymunk import Body, Shape, Space
except ImportError as error:
    raise missing("pymunk", "pymunk", error) from error

__all__ = ["BodyTransform", "attach", "send_collisions"]

Things: TypeAlias = Any
"""A body, a shape, a collection of them, or a collision type."""

Pair: TypeAlias = tuple[Any, Any]


@define(eq=False)
class BodyTransform:
    """A Body as the actions see it: `position`, `rotation`, `velocity`, `angular_velocity`.

    Units and axes are those of its space. `rotation` is in degrees from x towards y, where pymunk
    has radians, and is where the body faces; `forward` is where it faces at the angle 0.
    `velocity` is in units per second, `angular_velocity` in degrees per second.

    What is written takes effect at once: sleeping bodies wake up, and the shapes of static and
    kinematic bodies are found at their new place. A dynamic body is better moved by its velocity:
    one that is put somewhere pushes nothing on its way.

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
        """The position of its centre of gravity, or where it has been put."""
        x, y = self.body.position
        return x, y

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
        """How far it moves in a second."""
        x, y = self.body.velocity
        return x, y

    @velocity.setter
    def velocity(self, velocity: Position) -> None:
        self.body.velocity = _pair(velocity)

    @property
    def angular_velocity(self) -> float:
        """How far it turns in a second, in degrees."""
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

    Both go in steps of exactly `step` seconds, as many as have come due in the frame's seconds, of
    which at most `max_dt` count, scaled by `time`. In each the machines come first, so that the
    velocities they write count in the same step; then the space; then what is in `after_step`, such
    as what `send_collisions` returns, so that machines know of every touch in their next step.
    A FixedStep of your own also tells its `alpha`, for drawing in between.

    With a `body` the machines are stopped once it has been removed from its space; for a group it
    may be a function from a machine to its own. The space goes on.
    """
    frames = Frames(machines, inf, lifetime=lifetime_of(machines, body, Gone()))
    fixed = step if isinstance(step, FixedStep) else FixedStep(step)
    if fixed is not step:
        fixed.max_steps = max(1, round(max_dt / fixed.step))

    def advance(passed: float) -> None:
        dt = min(passed, max_dt)
        for seconds in fixed.steps(dt if time is None else time.scaled(dt)):
            frames.update(seconds)
            space.step(seconds)
            for call in after_step:
                call()

    return advance


def send_collisions(
    machines: Hearers,
    space: Space,
    things: Things,
    others: Things,
    event: str,
    *,
    ended: str | None = None,
) -> Callable[[], None]:
    """Return a function to call after every step: it sends `event` when a thing touches another.

    Give it to `attach` as one of `after_step`; or call it after `space.step`, where nothing is
    locked any more. `ended` is sent when the two no longer touch, also because one was removed.

    `things` and `others` are each a Body, a Shape, a collection of them, which may change, or a
    number for all shapes of that collision type. The data is the other one: the shape where shapes
    were named, otherwise the body; of several `things` it is the pair, unless `machines` is a
    function from a thing to its own. Sensors touch too; a filter keeps shapes apart.

    Raises TypeError for anything else among `things` and `others`.
    """
    touching = Touching(machines, event, ended, _is_several(things), is_gone=_is_outside)
    for some in (things, others):
        _named(space, some)

    def check() -> None:
        touching.update(_touching(space, things, others))

    return check


class Gone:
    """Tells whether a body has been removed from its space; one that never was in one has not."""

    def __init__(self) -> None:
        self.added: WeakSet[Body] = WeakSet()

    def __call__(self, body: Body) -> bool:
        if _is_outside(body):
            return body in self.added
        self.added.add(body)
        return False


def _is_outside(thing: Body | Shape) -> bool:
    return thing.space is None


def _is_several(things: Things) -> bool:
    return not isinstance(things, Body | Shape)


def _touching(space: Space, things: Things, others: Things) -> Iterator[Pair]:
    """Yield the pairs that touch, in the order in which they were named or added to the space.

    A query after a step finds what pymunk's collision handlers have been told of in it. Handlers
    of ours would take the place of the game's own, of which there is one for a pair of types.
    """
    theirs = {shape: (rank, one) for rank, (shape, one) in enumerate(_named(space, others))}
    for shape, thing in _named(space, things):
        if shape.space is space:
            found = [theirs[hit.shape] for hit in space.shape_query(shape) if hit.shape in theirs]
            yield from ((thing, other) for _, other in sorted(found, key=lambda it: it[0]))


def _named(space: Space, things: Things) -> Iterator[tuple[Shape, Body | Shape]]:
    """Return the shapes that are meant, each with the thing that it is named by."""
    if isinstance(things, int):
        of_type = (shape for shape in space.shapes if shape.collision_type == things)
        return ((shape, shape.body) for shape in of_type)
    each = tuple(things) if isinstance(things, Iterable) else (things,)
    for thing in each:
        if not isinstance(thing, Body | Shape):
            raise TypeError(
                "What touches must be bodies, shapes, or a number, which is a collision type, "
                f"got {thing!r}."
            )
    return (
        (shape, thing)
        for thing in each
        for shape in (thing.shapes if isinstance(thing, Body) else (thing,))
    )


def _wake_neighbours(body: Body) -> None:
    """Wake what rests on a body that is about to leave: of static ones pymunk does not notice."""
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
