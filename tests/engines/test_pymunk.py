"""pymunk: machines move bodies by place and by velocity, in step with the physics."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from math import pi, radians
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pymunk", reason="pymunk is not installed (the extra pymunk)")

import laws
import pymunk
from journal import listener
from pymunk import Body, Circle, Poly, Segment, Space

from actions import DelegateAction, LookAt, MoveTowards, RotateConstantly, SetValue
from fsmkit import Fsm, FsmAction, FsmGroup, TimeReference
from fsmkit.engines.pymunk import BodyTransform, attach, send_collisions
from fsmkit.timing import FixedStep

FRAME = 1 / 60
NUMBERS = st.floats(-1000.0, 1000.0)


class PymunkRig:
    """A space without gravity, seen from above."""

    thing_option = "body"
    has_lifetimes = goes_on_after_errors = True
    can_be_written_when_gone = True
    has_mouse = has_gamepad = False
    left = right = None

    def __init__(self) -> None:
        self.space = Space()
        self.touches: list[Callable[[], object]] = []
        self.advances: list[Callable[[float], object]] = []
        self.alone = attach(FsmGroup(), self.space, step=FRAME, after_step=self.touches)

    def thing(self, position: Sequence[float]) -> Body:
        body = Body(1.0, 100.0)
        body.position = tuple(position)
        self.space.add(body, Circle(body, 10.0))
        return body

    def transform(self, thing: Body) -> BodyTransform:
        return BodyTransform(thing)

    def group(self, *things: Body) -> list[Body]:
        return list(things)

    def kill(self, thing: Body) -> None:
        self.space.remove(thing, *thing.shapes)

    def attach(self, machines: Any, **options: Any) -> Callable[[], None]:
        step = {"step": FRAME, "after_step": self.touches}
        advance = attach(machines, self.space, **(step | options))
        self.advances.append(advance)
        return lambda: self.advances.remove(advance) if advance in self.advances else None

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Callable[[], None]:
        check = send_collisions(machines, self.space, things, others, event, **options)
        self.touches.append(check)
        return lambda: self.touches.remove(check) if check in self.touches else None

    def forget(self) -> None:
        self.advances.clear()
        self.touches.clear()

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            for advance in self.advances or [self.alone]:
                advance(FRAME)


HAVE_NO_PLACE_HERE = {
    laws.two_transforms_of_one_thing_agree: "bodies have no colour",
    laws.a_machine_ends_with_its_thing: "bodies have no colour; see below",
}
OF_DEVICES = ("key", "held", "gamepad", "mouse")
"""In the names of laws about what pymunk does not have."""

LAWS = [law for law in laws.LAWS if not any(word in law.__name__ for word in OF_DEVICES)]


@pytest.mark.parametrize("law", LAWS)
def test_law(law: Callable[[Any], None]) -> None:
    if law in HAVE_NO_PLACE_HERE:
        pytest.skip(HAVE_NO_PLACE_HERE[law])
    law(PymunkRig())


def ball(space: Space, x: float, y: float, radius: float = 10.0, **options: Any) -> Body:
    body = Body(1.0, 100.0, **options)
    body.position = x, y
    space.add(body, Circle(body, radius))
    return body


def of_type(body: Body, collision_type: int) -> Body:
    for shape in body.shapes:
        shape.collision_type = collision_type
    return body


# transforms


@given(x=NUMBERS, y=NUMBERS, angle=NUMBERS, forward=st.sampled_from([0.0, 90.0, -90.0]))
def test_what_is_written_is_read(x: float, y: float, angle: float, forward: float) -> None:
    thing = BodyTransform(Body(1.0, 1.0), forward=forward)
    thing.position, thing.rotation = (x, y), angle
    thing.velocity, thing.angular_velocity = (y, x), angle
    assert (thing.position, thing.velocity) == ((x, y), (y, x))
    assert (thing.rotation, thing.angular_velocity) == pytest.approx((angle, angle), abs=1e-9)
    assert thing.body.angle == pytest.approx(radians(angle - forward), abs=1e-12)
    assert type(thing.position) is type(thing.velocity) is tuple


def test_physics_and_transform_agree_on_radians() -> None:
    space = Space()
    body = ball(space, 0.0, 0.0)
    thing = BodyTransform(body, forward=90.0)
    thing.angular_velocity = 180.0
    for _ in range(60):
        space.step(FRAME)
    assert body.angle == pytest.approx(pi)
    assert thing.rotation == pytest.approx(270.0)


def test_actions_turn_bodies_in_degrees() -> None:
    watch, fsm = BodyTransform(Body(1.0, 1.0), forward=-90.0), Fsm("Any")
    fsm.add_state("Look").add_action(LookAt(watch, (0.0, 50.0)))
    fsm.add_state("Spin").add_action(RotateConstantly(watch, 90.0))
    fsm.start()
    fsm.update(FRAME)
    assert watch.rotation == pytest.approx(90.0)
    fsm.start("Spin")
    fsm.update(2.0)
    assert watch.body.angle == pytest.approx(2 * pi)


@pytest.mark.parametrize("write", ["position", "rotation", "velocity", "angular_velocity"])
def test_a_sleeping_body_wakes_up_when_written(write: str) -> None:
    space = Space()
    space.sleep_time_threshold = 0.1
    body = ball(space, 0.0, 0.0)
    body.sleep()
    assert body.is_sleeping
    thing = BodyTransform(body)
    setattr(thing, write, getattr(thing, write))
    assert not body.is_sleeping


@pytest.mark.parametrize("kind", [Body.STATIC, Body.KINEMATIC, Body.DYNAMIC])
def test_shapes_are_found_where_their_body_was_put(kind: int) -> None:
    space = Space()
    body = ball(space, 0.0, 0.0, body_type=kind)
    thing = BodyTransform(body)
    thing.position = (300.0, 0.0)
    assert not space.point_query((0.0, 0.0), 0.0, pymunk.ShapeFilter())
    assert space.point_query((300.0, 0.0), 0.0, pymunk.ShapeFilter())


def test_shapes_are_found_where_their_body_was_turned() -> None:
    space = Space()
    body = Body(body_type=Body.STATIC)
    space.add(body, Segment(body, (0.0, 0.0), (100.0, 0.0), 1.0))
    BodyTransform(body).rotation = 90.0
    assert not space.point_query((90.0, 0.0), 0.0, pymunk.ShapeFilter())
    assert space.point_query((0.0, 90.0), 0.0, pymunk.ShapeFilter())


def test_what_slept_on_a_floor_that_is_taken_away_falls() -> None:
    space = Space()
    space.gravity = (0.0, 900.0)
    space.sleep_time_threshold = 0.1
    floor = Body(body_type=Body.STATIC)
    space.add(floor, Segment(floor, (-50.0, 20.0), (50.0, 20.0), 2.0))
    body = ball(space, 0.0, 8.0)
    for _ in range(120):
        space.step(FRAME)
    assert body.is_sleeping
    BodyTransform(floor).position = (500.0, 0.0)
    for _ in range(60):
        space.step(FRAME)
    assert body.position.y > 100.0


def test_bodies_that_are_in_no_space_can_be_written() -> None:
    thing = BodyTransform(Body(body_type=Body.STATIC))
    thing.position, thing.rotation = (1.0, 2.0), 30.0
    assert thing.position == (1.0, 2.0)


def test_a_body_as_it_is_can_be_moved_but_not_turned() -> None:
    body = Body(1.0, 1.0)
    chase = Fsm("Any")
    chase.add_state("Chase").add_action(MoveTowards(body, (3.0, 4.0), 5.0))
    chase.start()
    chase.update(0.5)
    assert body.position == (1.5, 2.0)
    with pytest.raises(TypeError, match="Make a BodyTransform of it"):
        LookAt(body, (0.0, 1.0))


# steps


class Order(FsmAction):
    """Writes down where a body is when its machine is updated."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.seen: list[float] = []

    def on_update(self) -> None:
        self.seen.append(self.body.position.x)


def test_the_machines_come_first_then_the_space_then_the_touches() -> None:
    space = Space()
    body = ball(space, 0.0, 0.0)
    fsm = Fsm("Any")
    order = Order(body)
    state = fsm.add_state("Go")
    state.add_action(SetValue(BodyTransform(body), "velocity", (10.0, 0.0), every_update=True))
    state.add_action(order)
    fsm.start()
    after: list[float] = []
    advance = attach(
        fsm, space, step=0.125, max_dt=1.0, after_step=[lambda: after.append(body.position.x)]
    )
    advance(0.3)
    assert order.seen == [0.0, 1.25]
    assert after == [1.25, 2.5]


@given(frames=st.lists(st.floats(0.001, 0.1), min_size=1, max_size=20))
def test_the_physics_is_the_same_at_every_frame_rate(frames: list[float]) -> None:
    def fallen(parts: Sequence[float]) -> tuple[float, float]:
        space = Space()
        space.gravity = (0.0, 900.0)
        body = ball(space, 0.0, 0.0)
        fixed = FixedStep(1 / 64)
        advance = attach(FsmGroup(), space, step=fixed)
        for part in parts:
            advance(part)
        steps = round((sum(parts) - fixed.accumulated) * 64)
        return body.position.y, 900.0 * steps * (steps - 1) / 2 / 64**2

    height, expected = fallen(frames)
    assert height == pytest.approx(expected)


def test_slow_motion_and_pauses_are_those_of_a_reference() -> None:
    space, world = Space(), TimeReference("world", scale=0.5)
    fsm, journal = listener()
    advance = attach(fsm, space, step=0.125, max_dt=1.0, time=world)
    advance(0.5)
    world.paused = True
    advance(1.0)
    assert journal.steps == [0.125, 0.125]


def test_a_long_frame_is_cut() -> None:
    fsm, journal = listener()
    attach(fsm, Space(), step=0.125, max_dt=0.5)(60.0)
    assert journal.steps == [0.125] * 4


@pytest.mark.parametrize("step", [0.0, -1.0])
def test_a_step_that_is_not_a_time_is_refused(step: float) -> None:
    with pytest.raises(ValueError, match="fixed step"):
        attach(FsmGroup(), Space(), step=step)


def test_a_machine_ends_when_its_body_is_removed_and_the_space_continues() -> None:
    space = Space()
    body, other = ball(space, 0.0, 0.0), ball(space, 0.0, 0.0)
    fsm, journal = listener()
    touches = send_collisions(fsm, space, body, [other], "TOUCH", ended="PART")
    advance = attach(fsm, space, step=FRAME, body=body, after_step=[touches])
    advance(FRAME)
    space.remove(body, *body.shapes)
    other.velocity = (0.0, 60.0)
    place = other.position.y
    advance(FRAME)
    advance(FRAME)
    assert (fsm.is_running, journal.has_left, len(journal.steps)) == (False, True, 1)
    assert journal.read() == [("TOUCH", other)]
    assert other.position.y == pytest.approx(place + 2.0)


def test_a_body_that_is_not_in_its_space_yet_is_not_gone() -> None:
    space, body = Space(), Body(1.0, 1.0)
    fsm, _ = listener()
    advance = attach(fsm, space, step=FRAME, body=body)
    running = []
    for change in (list, lambda: space.add(body), lambda: space.remove(body)):
        change()
        advance(FRAME)
        running.append(fsm.is_running)
    assert running == [True, True, False]


# touches


def test_touches_are_reported_after_the_step_so_bodies_may_be_removed() -> None:
    space = Space()
    bullet, target = ball(space, 0.0, 0.0), ball(space, 15.0, 0.0)
    fsm = Fsm("Target")
    hit = fsm.add_state("Whole").add_transition("HIT", fsm.add_state("Hit"))
    assert hit
    fsm.states["Hit"].add_action(
        DelegateAction(lambda state: space.remove(state.fsm.event_data, *target.shapes))
    )
    fsm.start()
    touches = send_collisions(fsm, space, target, [bullet], "HIT")
    attach(fsm, space, step=FRAME, after_step=[touches])(FRAME)
    assert (bullet.space, target.space is space, list(space.shapes)) == (
        None, True, list(bullet.shapes),
    )  # fmt: skip


def test_groups_are_named_by_their_collision_types() -> None:
    space = Space()
    sheep, lamb = (of_type(ball(space, 300.0 * number, 0.0), 1) for number in range(2))
    wolf, cub = (of_type(ball(space, 300.0 * number, 5.0), 2) for number in range(2))
    _tree = of_type(ball(space, 0.0, 9.0), 3)
    pairs, all_pairs = listener()
    own, journal = listener()
    checks = [
        send_collisions(pairs, space, 1, 2, "BITTEN", ended="FREE"),
        send_collisions(lambda body: own if body is lamb else None, space, 1, 2, "BITTEN"),
    ]
    space.step(FRAME)
    for check in checks:
        check()
    spawned = of_type(ball(space, 300.0, -5.0), 2)
    space.remove(wolf, *wolf.shapes)
    space.step(FRAME)
    for check in checks:
        check()
    assert all_pairs.read() == [
        ("BITTEN", (sheep, wolf)),
        ("BITTEN", (lamb, cub)),
        ("FREE", (sheep, wolf)),
        ("BITTEN", (lamb, spawned)),
    ]
    assert journal.read() == [("BITTEN", cub), ("BITTEN", spawned)]


def test_shapes_are_reported_as_shapes() -> None:
    space = Space()
    guard = ball(space, 0.0, 0.0)
    walls = [Segment(space.static_body, (-50.0, y), (50.0, y), 1.0) for y in (-9.0, 9.0, 300.0)]
    space.add(*walls)
    (feet,) = guard.shapes
    fsm, journal = listener()
    checks = [
        send_collisions(fsm, space, guard, walls, "WALL"),
        send_collisions(fsm, space, [feet], space.static_body, "GROUND"),
    ]
    space.step(FRAME)
    for check in checks:
        check()
    assert journal.read() == [
        ("WALL", walls[0]), ("WALL", walls[1]), ("GROUND", (feet, space.static_body)),
    ]  # fmt: skip


def test_a_body_of_several_shapes_touches_once() -> None:
    space = Space()
    table, cup = Body(1.0, 1.0), ball(space, 0.0, 0.0)
    space.add(table, *(Circle(table, 10.0, (x, 0.0)) for x in (-4.0, 0.0, 4.0)))
    fsm, journal = listener()
    check = send_collisions(fsm, space, cup, [table], "TOUCH", ended="PART")
    check()
    table.position = (500.0, 0.0)
    space.step(FRAME)
    check()
    assert journal.read() == [("TOUCH", table), ("PART", table)]


def test_sensors_touch_and_what_is_filtered_does_not() -> None:
    space = Space()
    guard, zone, ghost = (ball(space, 0.0, 0.0) for _ in range(3))
    for shape in zone.shapes:
        shape.sensor = True
    for shape in ghost.shapes:
        shape.filter = pymunk.ShapeFilter(mask=0)
    fsm, journal = listener()
    check = send_collisions(fsm, space, guard, {zone: 1, ghost: 2}, "IN")
    space.step(FRAME)
    check()
    assert journal.read() == [("IN", zone)]


@pytest.mark.parametrize("things", ["guard", None, [object()], 1.5])
def test_what_cannot_touch_is_refused(things: Any) -> None:
    with pytest.raises(TypeError, match="must be bodies, shapes, or a number"):
        send_collisions(listener()[0], Space(), things, 1, "NEVER")


def handlers(space: Space, notes: list[tuple[str, frozenset[Body]]]) -> None:
    """Have pymunk's own handlers write down what begins and ends."""

    def note(what: str) -> Callable[..., bool]:
        def handle(arbiter: Any, *_rest: Any) -> bool:
            notes.append((what, frozenset(shape.body for shape in arbiter.shapes)))
            return True

        return handle

    if hasattr(space, "on_collision"):  # pymunk 7
        space.on_collision(begin=note("TOUCH"), separate=note("PART"))
    else:
        handler = space.add_default_collision_handler()
        handler.begin, handler.separate = note("TOUCH"), note("PART")


@pytest.mark.slow
@given(seed=st.integers(0, 10_000))
def test_touches_are_those_that_pymunks_handlers_report(seed: int) -> None:
    from random import Random

    random = Random(seed)
    space = Space()
    space.gravity = (0.0, 500.0)
    box = [(0, 0), (200, 0), (200, 150), (0, 150)]
    for start, end in zip(box, box[1:] + box[:1], strict=True):
        wall = Segment(space.static_body, start, end, 2.0)
        wall.elasticity = 0.9
        space.add(wall)
    for _ in range(8):
        body = ball(space, random.uniform(20, 180), random.uniform(20, 130), 8.0)
        body.velocity = random.uniform(-200, 200), random.uniform(-200, 200)
        for shape in body.shapes:
            shape.elasticity = 0.9
    notes: list[tuple[str, frozenset[Body]]] = []
    handlers(space, notes)
    fsm, journal = listener()
    check = send_collisions(fsm, space, 0, 0, "TOUCH", ended="PART")
    for number in range(90):
        space.step(FRAME)
        check()
        told = {(event, frozenset(pair)) for event, pair in journal.read()}
        without_walls = {note for note in notes if space.static_body not in note[1]}
        assert {note for note in told if space.static_body not in note[1]} == without_walls, number
        notes.clear()


# a guard pushes boxes


def test_a_guard_who_walks_by_velocity_pushes_boxes() -> None:
    space = Space()
    space.damping = 0.1  # seen from above: what nobody pushes comes to rest
    guard = Body(10.0, float("inf"))
    boxes = [Body(1.0, 200.0) for _ in range(2)]
    space.add(guard, Circle(guard, 10.0), *boxes)
    for box, place in zip(boxes, ((60.0, 0.0), (60.0, 300.0)), strict=True):
        box.position = place
        space.add(Poly.create_box(box, (20.0, 20.0)))
    walker = BodyTransform(guard)
    fsm = Fsm("Guard")
    walk, back = fsm.add_state("Walk"), fsm.add_state("Back")
    aims = {walk: (50.0, 0.0), back: (-50.0, 0.0)}
    for state, aim in aims.items():
        state.add_action(SetValue(walker, "velocity", aim, every_update=True, restore_on_exit=True))
    walk.add_transition("TIRED", back)
    fsm.start()
    met, journal = listener()
    touches = send_collisions(met, space, guard, boxes, "BOX", ended="FREE")
    advance = attach(fsm, space, step=FRAME, after_step=[touches])
    for _ in range(120):
        advance(FRAME)
    pushed = boxes[0].position.x
    fsm.send_event("TIRED")
    for _ in range(60):
        advance(FRAME)
    assert pushed == pytest.approx(120.0, abs=2.0)
    assert guard.position.x == pytest.approx(50.0, abs=2.0)
    assert boxes[1].position == (60.0, 300.0)
    assert [event for event, _ in journal.read()][:1] == ["BOX"]
    fsm.stop()
    assert walker.velocity == (0.0, 0.0)


# without pymunk


@pytest.mark.slow
def test_a_file_of_the_users_that_hides_pymunk_is_named(tmp_path: Path) -> None:
    (tmp_path / "pymunk.py").write_text("import fsmkit.engines.pymunk\n")
    for command in (["pymunk.py"], ["-c", "import pymunk"]):
        assert "called pymunk.py, it hides pymunk" in complaint(command, tmp_path)


@pytest.mark.slow
def test_without_pymunk_the_extra_is_named(tmp_path: Path) -> None:
    code = "import sys; sys.modules['pymunk'] = None; import fsmkit.engines.pymunk"
    assert "pip install 'fsmkit[pymunk]'" in complaint(["-c", code], tmp_path)


def complaint(command: list[str], folder: Path) -> str:
    result = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return result.stderr
