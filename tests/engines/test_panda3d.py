"""Panda3D: machines move, turn and tint its nodes, driven by its tasks; without a window."""

import builtins
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("panda3d.core", reason="Panda3D is not installed (the extra panda3d)")

from direct.showbase.MessengerGlobal import messenger
from laws import LAWS
from panda3d.core import (
    CardMaker,
    ClockObject,
    CollisionHandlerPusher,
    CollisionHandlerQueue,
    CollisionNode,
    CollisionSphere,
    CollisionTraverser,
    NodePath,
    OrthographicLens,
    PNMImage,
    Vec3,
)
from rig_of_panda3d import Rig

from actions import (
    LookAt,
    Move,
    MoveTowards,
    Rotate,
    ScaleByDuration,
    SetColorByDuration,
    Tween,
)
from fsmkit import Fsm, FsmAction, FsmGroup, TimeReference
from fsmkit.engines.panda3d import NodeTransform, attach, send_collisions, send_keys
from fsmkit.space import Space

Frames = Callable[[int], None]

FRAME = 1 / 60

NUMBERS = st.floats(-100.0, 100.0)
PLACES = st.tuples(NUMBERS, NUMBERS, NUMBERS)
SCALES = st.tuples(*[st.floats(0.1, 10.0)] * 3)


@pytest.fixture
def look(base: Any, frames: Frames) -> Iterator[Callable[[], PNMImage]]:
    """Takes a picture from above of the ground, from -5 to 5 in x and y, 64 pixels square."""
    try:
        base.openMainWindow(type="offscreen")
    except Exception as error:  # Panda3D's own, of no special class
        pytest.skip(f"Panda3D cannot draw here, not even by itself: {error}")
    lens = OrthographicLens()
    lens.setFilmSize(10, 10)
    base.cam.node().setLens(lens)
    base.camera.setPosHpr(0, 0, 10, 0, -90, 0)

    def take() -> PNMImage:
        frames(2)
        picture = PNMImage()
        base.win.getScreenshot(picture)
        return picture

    yield take
    base.closeWindow(base.win)


@pytest.mark.parametrize("law", LAWS)
def test_the_laws_of_all_engines(rig: Rig, law: Callable[[Rig], None]) -> None:
    law(rig)


class Journal(FsmAction):
    """Notes the seconds of every update, and every event with its data."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.events: list[tuple[str, object]] = []

    def on_update(self) -> None:
        self.seconds.append(self.delta_time)

    def on_event(self, event: str, data: object) -> bool:
        self.events.append((event, data))
        return True


def running(*actions: FsmAction) -> Fsm[None]:
    """Return a machine of one state that is in it."""
    fsm = Fsm("Machine")
    acting = fsm.add_state("Acting")
    for action in actions:
        acting.add_action(action)
    fsm.start()
    return fsm


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-4, abs=1e-3)


# Nodes as transforms


def test_sixty_frames_of_a_two_second_change(frames: Frames, scene: Any) -> None:
    node = scene.attachNewNode("door")
    door = NodeTransform(node)
    fsm = running(
        Move(door, (0.0, 0.0, 1.0), (4.0, 2.0, 1.0), 2.0),
        Rotate(door, None, 90.0, 2.0),
        ScaleByDuration(door, None, 3.0, 2.0),
        SetColorByDuration(door, None, (255, 0, 0), 2.0),
        Tween(door, "alpha", None, 0.0, 2.0),
    )
    attach(fsm)
    frames(60)
    assert tuple(node.getPos()) == near((2.0, 1.0, 1.0))
    assert tuple(node.getHpr()) == near((45.0, 0.0, 0.0))
    assert tuple(node.getScale()) == near((2.0, 2.0, 2.0))
    assert tuple(node.getColorScale()) == pytest.approx((1.0, 0.5, 0.5, 0.5), abs=0.003)


def test_sixty_frames_after_a_node_that_goes_away(frames: Frames, scene: Any) -> None:
    cat, mouse = scene.attachNewNode("cat"), scene.attachNewNode("mouse")
    mouse.setPos(0.0, 10.0, 0.0)
    hunter, prey = NodeTransform(cat), NodeTransform(mouse)
    hunt = running(LookAt(hunter, prey), MoveTowards(hunter, prey, 2.0))
    flight = running(Move(prey, None, (0.0, 12.0, 0.0), 1.0))
    attach(FsmGroup([hunt, flight]))
    frames(60)
    assert (tuple(mouse.getPos()), tuple(cat.getPos())) == (
        near((0.0, 12.0, 0.0)),
        near((0.0, 2.0, 0.0)),
    )
    assert cat.getH() == near(90.0)


@pytest.mark.parametrize(
    ("axes", "forward", "front", "target"),
    [
        ("xyz", 0.0, (1, 0, 0), (0.6, 0.8, 0.0)),
        ("xyz", 90.0, (0, 1, 0), (-0.6, -0.8, 0.0)),
        ("xyz", -90.0, (0, -1, 0), (-0.6, 0.8, 0.0)),
        ("xy", 0.0, (1, 0, 0), (0.6, -0.8)),
        ("xz", 0.0, (1, 0, 0), (0.6, 0.8)),
        ("xz", 90.0, (0, 0, 1), (-0.8, -0.6)),
    ],
)
def test_the_front_of_a_node_points_to_what_it_looks_at(
    scene: Any, axes: str, forward: float, front: tuple[int, ...], target: tuple[float, ...]
) -> None:
    parent = scene.attachNewNode("parent")
    parent.setHpr(*((0, 0, 30) if axes == "xz" else (30, 0, 0)))
    node = parent.attachNewNode("turret")
    running(LookAt(NodeTransform(node, axes=axes, forward=forward), target))
    ahead = scene.getRelativeVector(node, Vec3(*front))
    assert tuple(ahead["xyz".index(axis)] for axis in axes) == near(target)


def test_with_forward_90_a_node_looks_where_the_engine_has_it_look(scene: Any) -> None:
    theirs, ours = scene.attachNewNode("theirs"), scene.attachNewNode("ours")
    theirs.lookAt(-3.0, -4.0, 0.0)
    running(LookAt(NodeTransform(ours, forward=90.0), (-3.0, -4.0, 0.0)))
    ways = [tuple(scene.getRelativeVector(node, Vec3(0, 1, 0))) for node in (ours, theirs)]
    assert ways == [near((-0.6, -0.8, 0.0))] * 2


@given(PLACES, st.floats(-720.0, 720.0), SCALES, PLACES, st.floats(-180.0, 180.0))
def test_what_is_written_is_read_again(
    place: Any, angle: float, scale: Any, home: Any, turn: float
) -> None:
    parent = NodePath("parent")
    parent.setPosHprScale(*home, turn, 0, 0, 2, 2, 2)
    thing = NodeTransform(parent.attachNewNode("thing"), forward=30.0)
    for prefix in ("", "local_"):
        setattr(thing, f"{prefix}position", place)
        setattr(thing, f"{prefix}scale", scale)
        setattr(thing, f"{prefix}rotation", angle)
        assert getattr(thing, f"{prefix}position") == near(place)
        assert getattr(thing, f"{prefix}scale") == near(scale)
        off = (getattr(thing, f"{prefix}rotation") - angle) % 360.0
        assert min(off, 360.0 - off) == pytest.approx(0.0, abs=0.01)


def test_self_space_is_that_of_the_parent_node(scene: Any) -> None:
    cart = scene.attachNewNode("cart")
    cart.setPosHprScale(10, 0, 0, 90, 0, 0, 2, 2, 2)
    rider = cart.attachNewNode("rider")
    transform = NodeTransform(rider)
    fsm = running(
        Move(transform, None, (1.0, 0.0, 0.0), 1.0, space=Space.SELF),
        Rotate(transform, None, 10.0, 1.0, space=Space.SELF),
        ScaleByDuration(transform, None, 3.0, 1.0, space=Space.SELF),
    )
    fsm.update(1.0)
    assert (tuple(rider.getPos()), rider.getH(), tuple(rider.getScale())) == (
        near((1.0, 0.0, 0.0)),
        near(10.0),
        near((3.0, 3.0, 3.0)),
    )
    assert transform.position == near((10.0, 2.0, 0.0))
    assert (transform.rotation, transform.scale) == (near(100.0), near((6.0, 6.0, 6.0)))


@pytest.mark.parametrize(("axes", "left_alone"), [("xy", "Z"), ("xz", "Y")])
def test_with_two_axes_the_third_stays_as_it_is(axes: str, left_alone: str) -> None:
    node = NodePath("node")
    node.setPos(7.0, 7.0, 7.0)
    NodeTransform(node, axes=axes).position = (1.0, 2.0)
    assert getattr(node, f"get{left_alone}")() == 7.0
    assert sorted(node.getPos()) == [1.0, 2.0, 7.0]


@pytest.mark.parametrize(("axes", "position"), [("xyz", (1.0, 2.0)), ("xy", (1.0, 2.0, 3.0))])
def test_a_position_of_other_axes_is_refused(axes: str, position: tuple[float, ...]) -> None:
    thing = NodeTransform(NodePath("node"), axes=axes)
    with pytest.raises(
        ValueError, match=f"must be {len(axes)} numbers with axes='{axes}', got .1.0, 2"
    ):
        thing.position = position
    with pytest.raises(ValueError, match="Give as many, or make the NodeTransform with other axes"):
        thing.local_position = position
    assert thing.position == (0.0,) * len(axes)


def test_other_axes_are_refused() -> None:
    with pytest.raises(ValueError, match="axes must be 'xyz', 'xy' or 'xz', got 'yz'"):
        NodeTransform(NodePath("node"), axes="yz")


def test_a_colour_is_read_as_it_was_written() -> None:
    thing = NodeTransform(NodePath("thing"))
    read = [thing.color]
    for color in [(10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]:
        thing.color = color
        read.append(thing.color)
    assert read == [(255, 255, 255), (10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]
    assert thing.alpha == 4.5


def test_a_colour_that_somebody_else_has_set_is_read_too() -> None:
    thing = NodeTransform(NodePath("thing"))
    thing.color = (1, 2, 3)
    thing.node.setColorScale(1.0, 0.5, 0.0, 0.25)
    assert (thing.color, thing.alpha) == (near((255.0, 127.5, 0.0)), near(63.75))


def test_what_a_node_shows_of_its_transform(scene: Any, look: Callable[[], PNMImage]) -> None:
    card = CardMaker("card")
    card.setFrame(0, 2, -0.5, 0.5)  # two long, one wide, from the node along +x
    node = scene.attachNewNode("node")
    node.attachNewNode(card.generate()).setP(-90)
    thing = NodeTransform(node)
    thing.position, thing.rotation, thing.color = (2.0, 0.0, 0.0), 90.0, (255, 128, 0)

    picture = look()
    shown = [(x, y) for x in range(64) for y in range(64) if picture.getXel(x, y)[2] == 0.0]
    left, right = min(x for x, _ in shown), max(x for x, _ in shown)
    top, bottom = min(y for _, y in shown), max(y for _, y in shown)
    unit = 6.4  # pixels
    assert (left, right + 1) == pytest.approx((32 + 1.5 * unit, 32 + 2.5 * unit), abs=1)
    assert (top, bottom + 1) == pytest.approx((32 - 2 * unit, 32), abs=1)
    assert tuple(picture.getXel(44, 26)) == pytest.approx((1.0, 128 / 255, 0.0), abs=0.01)

    behind = look().getXel(2, 2)
    thing.alpha = 127.5
    mixed = tuple((x + y) / 2 for x, y in zip((1.0, 128 / 255, 0.0), behind, strict=True))
    assert tuple(look().getXel(44, 26)) == pytest.approx(mixed, abs=0.02)

    thing.scale = 0.0
    assert look().getXel(44, 26) == behind
    thing.scale, thing.rotation = 1.0, 90.0
    assert look().getXel(44, 26) != behind


# The task manager as clock


def test_the_engines_seconds_reach_the_machine(frames: Frames) -> None:
    journal = Journal()
    detach = attach(running(journal))
    frames(2)
    detach()
    frames(2)
    assert journal.seconds == near([FRAME, FRAME])


def test_a_long_frame_is_cut(frames: Frames) -> None:
    usual, strict = Journal(), Journal()
    attach(running(usual))
    attach(running(strict), max_dt=0.1)
    clock = ClockObject.getGlobalClock()
    clock.setDt(3.0)
    frames(1)
    clock.setDt(FRAME)
    assert (usual.seconds, strict.seconds) == ([0.25], [0.1])


def test_a_time_reference_slows_down_and_pauses(frames: Frames) -> None:
    journal, world = Journal(), TimeReference("world", scale=0.5)
    attach(running(journal), time=world)
    frames(1)
    world.paused = True
    frames(1)
    assert journal.seconds == near([FRAME / 2, 0.0])


def test_an_error_of_a_machine_reaches_the_caller(frames: Frames) -> None:
    class Stumble(FsmAction):
        def on_update(self) -> None:
            raise LookupError("where to?")

    attach(running(Stumble()))
    with pytest.raises(LookupError, match="where to"):
        frames(1)


def test_detaching_from_inside_the_machine(frames: Frames) -> None:
    class Leave(FsmAction):
        def on_update(self) -> None:
            left.append("left")
            detach()

    left: list[str] = []
    detach = attach(running(Leave()))
    frames(3)
    detach()
    assert left == ["left"]


# Keys


def test_keys_are_events_with_the_key_as_data(base: Any) -> None:
    journal = Journal()
    stop = send_keys(running(journal), {"space": "JUMP"}, released={"space": "LAND"})
    for name in ("space", "space-repeat", "space-up", "x"):
        messenger.send(name)
    stop()
    messenger.send("space")
    assert journal.events == [("JUMP", "space"), ("LAND", "space")]


def test_a_key_counts_while_others_are_held_unless_that_is_another_key() -> None:
    journal = Journal()
    stop = send_keys(running(journal), {"w": "WALK", "shift-w": "RUN"})
    for name in ("w", "shift-w", "control-w", "shift-alt-w"):
        messenger.send(name)
    stop()
    assert [event for event, _ in journal.events] == ["WALK", "RUN", "WALK", "WALK"]


def test_all_of_a_group_get_a_key_and_need_not_know_it() -> None:
    journal = Journal()
    ignorant = Fsm("Ignorant", on_unhandled="raise")
    ignorant.add_state("Idle")
    ignorant.start()
    stop = send_keys(FsmGroup([ignorant, running(journal)]), {"a": "ATTACK"})
    messenger.send("a")
    stop()
    assert journal.events == [("ATTACK", "a")]


# Collisions


def ball(parent: Any, x: float, *solids: float) -> Any:
    """Return a collider at `x`, made of spheres around these places on the x axis."""
    collider = parent.attachNewNode(CollisionNode("ball"))
    for place in solids or (0.0,):
        collider.node().addSolid(CollisionSphere(place, 0, 0, 1))
    collider.setX(x)
    return collider


def test_a_touch_is_one_event_when_it_begins_and_one_when_it_ends(
    frames: Frames, scene: Any
) -> None:
    thief, guard = ball(scene, -3), ball(scene, 0, 0.0, 0.1)
    journal = Journal()
    move = Move(NodeTransform(thief), None, (3.0, 0.0, 0.0), 0.5)
    attach(running(move))
    send_collisions(running(journal), thief, "CAUGHT", ended="FREE")
    frames(5)
    assert journal.events == []
    frames(15)
    assert journal.events == [("CAUGHT", guard)]
    frames(30)
    assert journal.events == [("CAUGHT", guard), ("FREE", guard)]


def test_every_touch_counts_and_none_after_stopping(frames: Frames, scene: Any) -> None:
    thief, first, second = ball(scene, 0), ball(scene, 1), ball(scene, 9)
    journal = Journal()
    stop = send_collisions(running(journal), thief, "CAUGHT")
    frames(3)
    second.setX(-1)
    frames(3)
    stop()
    for x in (9, 0):
        thief.setX(x)
        frames(3)
    assert journal.events == [("CAUGHT", first), ("CAUGHT", second)]


def test_a_collider_keeps_its_handler_and_hears_only_of_itself(frames: Frames, scene: Any) -> None:
    traverser, pusher = CollisionTraverser(), CollisionHandlerPusher()
    wall = ball(scene, 0)
    body = scene.attachNewNode("body")
    body.setX(-1.5)
    one, other = ball(body, 0), ball(scene.attachNewNode("other"), 1.5)
    for collider in (one, other):
        pusher.addCollider(collider, collider.getParent())
        traverser.addCollider(collider, pusher)
    journal = Journal()
    stop = send_collisions(running(journal), one, "BUMP", traverser=traverser)
    traverser.traverse(scene)
    frames(1)
    stop()
    assert journal.events == [("BUMP", wall)]
    assert traverser.hasCollider(one)
    assert body.getX() < -1.9


def test_a_handler_without_events_is_refused(scene: Any) -> None:
    traverser, collider = CollisionTraverser(), ball(scene, 0)
    traverser.addCollider(collider, CollisionHandlerQueue())
    with pytest.raises(TypeError, match="must send events, got a CollisionHandlerQueue"):
        send_collisions(running(), collider, "BUMP", traverser=traverser)


def test_without_the_engine_a_traverser_has_to_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(builtins, "base", raising=False)
    with pytest.raises(RuntimeError, match="no ShowBase yet"):
        send_collisions(running(), ball(NodePath("scene"), 0), "BUMP")


@pytest.mark.slow
def test_without_panda3d_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['direct'] = None; import fsmkit.engines.panda3d"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "ImportError: fsmkit.engines.panda3d needs Panda3D: pip install 'fsmkit[panda3d]'."
    )
