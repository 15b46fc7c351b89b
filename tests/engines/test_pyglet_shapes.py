"""Shapes and labels of pyglet: they touch, are under the mouse, end and are drawn as outlined."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")

import pyglet
from journal import listener
from rig_of_pyglet import PygletRig, pyglet_window

from actions import MoveTowards, SetColorByDuration
from fsmkit.engines.pyglet import SpriteTransform, ThingGoneError, outline_of, overlap

MakeShape = Callable[[], Any]

RED = (255, 0, 0, 255)
SAMPLES = {(x, y) for x in range(0, 128, 2) for y in range(0, 128, 2)}


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    with pyglet_window(128, 128) as window:
        yield window


@pytest.fixture
def rig(window: Any) -> Iterator[PygletRig]:
    rig = PygletRig(window)
    yield rig
    rig.end()


def anchored(shape: Any, x: float, y: float, rotation: float) -> Any:
    shape.anchor_position = (x, y)
    shape.rotation = rotation
    return shape


SHAPES: dict[str, MakeShape] = {
    "rectangle": lambda: anchored(
        pyglet.shapes.Rectangle(60, 60, 40, 20, color=RED), 10, 5, 30.0
    ),
    "bordered": lambda: anchored(
        pyglet.shapes.BorderedRectangle(60, 60, 40, 20, 3, RED, RED), 0, 20, 200.0
    ),
    "rounded": lambda: anchored(
        pyglet.shapes.RoundedRectangle(30, 30, 60, 40, 2, color=RED), 0, 0, 0.0
    ),
    "circle": lambda: anchored(
        pyglet.shapes.Circle(60, 60, 20, segments=90, color=RED), 10, 15, 45.0
    ),
    "ellipse": lambda: anchored(pyglet.shapes.Ellipse(60, 60, 30, 10, color=RED), 0, 0, 60.0),
    "triangle": lambda: anchored(
        pyglet.shapes.Triangle(30, 30, 90, 40, 50, 90, color=RED), 0, 0, 10.0
    ),
    "line": lambda: anchored(pyglet.shapes.Line(20, 20, 90, 70, 8, color=RED), 0, 0, 0.0),
    "polygon": lambda: anchored(
        pyglet.shapes.Polygon([30, 30], [80, 30], [90, 70], [40, 90], color=RED), 0, 0, -20.0
    ),
    "sector": lambda: anchored(
        pyglet.shapes.Sector(60, 60, 30, angle=90, color=RED), 0, 0, 15.0
    ),
}  # fmt: skip


def places_shown(window: Any, thing: Any) -> set[tuple[int, int]]:
    """Return the pixels that a thing is drawn on."""
    window.switch_to()
    window.clear()
    thing.draw()
    buffer = pyglet.image.get_buffer_manager().get_color_buffer()
    data = buffer.get_image_data().get_data("RGB", 128 * 3)
    return {(i % 128, i // 128) for i in range(128 * 128) if any(data[i * 3 : i * 3 + 3])}


@pytest.mark.parametrize("name", SHAPES)
def test_the_outline_of_a_shape_is_where_it_is_drawn(window: Any, name: str) -> None:
    shape = SHAPES[name]()
    outline = outline_of(shape)
    drawn = places_shown(window, shape)
    inside = {(x, y) for x, y in SAMPLES if complex(x + 0.5, y + 0.5) in outline}
    assert len(drawn) > 300
    assert len(drawn & SAMPLES ^ inside) < 0.06 * len(inside)  # pixels on an edge


def test_the_outline_of_a_label_is_around_its_letters(window: Any) -> None:
    label = pyglet.text.Label("WWW", x=60, y=60, anchor_x="center", rotation=-90.0)
    outline = outline_of(label)
    drawn = places_shown(window, label)
    assert drawn
    assert all(complex(x + 0.5, y + 0.5) in outline for x, y in drawn)
    assert 120 + 60j not in outline


def test_shapes_and_sprites_touch_each_other(rig: PygletRig) -> None:
    fsm, journal = listener()
    rocks = [pyglet.shapes.Circle(50 * number, 0, 10) for number in range(3)]
    bullet = pyglet.shapes.Rectangle(0, 50, 4, 4)
    rig.send_collisions(fsm, bullet, [*rocks, rig.thing((100.0, 0.0))], "HIT", ended="PAST")
    for x in (0, 49, 100):
        bullet.position = (x, 0)
        rig.frames(2)
    rocks[2].delete()
    rig.frames(2)
    events = [event for event, _ in journal.read()]
    assert events == ["HIT", "PAST", "HIT", "PAST", "HIT", "HIT", "PAST"]


def test_a_shape_that_is_not_shown_is_a_zone_that_can_be_touched_but_not_clicked(
    rig: PygletRig,
) -> None:
    fsm, journal = listener()
    zone = pyglet.shapes.Rectangle(0, 0, 50, 50)
    zone.visible = False
    rig.send_collisions(fsm, rig.thing((5.0, 5.0)), zone, "IN")
    rig.send_mouse(fsm, zone, pressed="CLICKED")
    rig.frames(2)
    rig.point((5.0, 5.0))
    rig.click()
    assert journal.read() == [("IN", zone)]


def test_what_pyglet_does_not_know_is_refused(window: Any) -> None:
    with pytest.raises(TypeError, match="must be a sprite, shape or label of pyglet.*collided="):
        overlap(pyglet.shapes.Circle(0, 0, 9), object())


def test_a_machine_ends_with_its_shape(rig: PygletRig) -> None:
    star = pyglet.shapes.Star(0, 0, 9, 5, 5)
    fsm, journal = listener()
    rig.attach(fsm, sprite=star)
    rig.frames(2)
    star.delete()
    rig.frames(2)
    assert (fsm.is_running, len(journal.steps)) == (False, 2)


@pytest.mark.parametrize("make", [lambda: pyglet.shapes.Circle(0, 0, 9), None])
@pytest.mark.parametrize(
    "action",
    [
        lambda body: MoveTowards(body, (9.0, 9.0), 9.0),
        lambda body: SetColorByDuration(body, None, (9, 9, 9), 9.0),
    ],
)
def test_writing_to_what_is_deleted_says_what_to_do(rig: PygletRig, make: Any, action: Any) -> None:
    thing = rig.thing((0.0, 0.0)) if make is None else make()
    fsm, _ = listener()
    fsm.states["Listening"].add_action(action(SpriteTransform(thing)))
    fsm.start()
    thing.delete()
    with pytest.raises(ThingGoneError, match=r"has been deleted.*attach\(fsm, sprite=sprite\)"):
        fsm.update(0.1)
    thing_and_all = SpriteTransform(thing)
    for name, value in (("rotation", 9.0), ("alpha", 9.0)):
        with pytest.raises(ThingGoneError):
            setattr(thing_and_all, name, value)
    assert thing_and_all.alpha == 255


# Cameras, and what is uppermost


def test_the_mouse_is_where_things_are_drawn_by_the_windows_camera(
    rig: PygletRig, window: Any
) -> None:
    matrix = pyglet.math.Mat4
    fsm, journal = listener()
    chest = pyglet.shapes.Rectangle(300, 200, 20, 20, color=RED)
    view, projection = window.view, window.projection
    window.view = matrix().translate((-250.0, -160.0, 0.0))
    window.projection = matrix.orthogonal_projection(0, 256, 0, 256, -255, 255)
    drawn = places_shown(window, chest)
    rig.send_mouse(fsm, chest, entered="OVER", left="OFF")
    seen = set()
    for x in range(0, 128, 3):
        for y in range(0, 128, 3):
            rig.point((x + 0.5, y + 0.5))
            seen |= {(x, y)} if journal.events and journal.events[-1][0] == "OVER" else set()
    window.view, window.projection = view, projection
    assert seen == {(x, y) for x, y in drawn if x % 3 == y % 3 == 0}
    assert seen


def test_labels_are_clicked_on(rig: PygletRig) -> None:
    fsm, journal = listener()
    start = pyglet.text.Label("Start", 20, 20)
    rig.send_mouse(fsm, [start], pressed="START", entered="GLOW")
    rig.point((30.0, 24.0))
    rig.click()
    assert journal.read() == [("GLOW", start), ("START", start)]


def test_without_one_window_the_mouse_is_nowhere(rig: PygletRig) -> None:
    second = pyglet.window.Window(8, 8)
    with pytest.raises(ValueError, match="one window to follow the mouse, got 2.*window="):
        rig.send_mouse(listener()[0], [], window=None)
    second.close()
    rig.window.switch_to()


def test_a_camera_of_the_games_own_has_a_function(rig: PygletRig) -> None:
    fsm, journal = listener()
    chest = rig.thing((1000.0, 1000.0))
    rig.send_mouse(fsm, chest, pressed="OPEN", to_world=lambda x, y: (x + 900.0, y + 900.0))
    rig.point((100.0, 100.0))
    rig.click()
    assert journal.read() == [("OPEN", chest)]


def test_what_is_drawn_in_a_later_group_is_uppermost(rig: PygletRig) -> None:
    fsm, journal = listener()
    front, back = pyglet.graphics.Group(order=2), pyglet.graphics.Group(order=1)
    inner = pyglet.graphics.Group(order=5, parent=back)
    things = [pyglet.shapes.Circle(50, 50, 9, group=group) for group in (front, inner, back, None)]
    rig.send_mouse(fsm, things, entered="OVER")
    rig.point((50.0, 50.0))
    for thing in (things[0], things[1], things[2]):
        thing.visible = False
        rig.frames(2)
    assert [things.index(thing) for _, thing in journal.read()] == [0, 1, 2, 3]
