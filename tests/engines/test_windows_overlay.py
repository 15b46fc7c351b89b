"""The overlays of pyglet and Arcade: where they are drawn, with a camera too, and their key."""

from typing import Any

import pytest

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")

import pyglet
from example_on_page import example
from overlaid import Area, color_at, covered, guard
from rigs_with_windows import new_rig, rig

from fsmkit.engines.parts.overlay import FILLS
from fsmkit.engines.pyglet import Overlay as PygletOverlay

__all__ = ["new_rig", "rig"]

F3 = 0xFFC0


@pytest.fixture
def over(rig: Any, request: pytest.FixtureRequest) -> Any:
    """Return a function that makes an overlay, which ends with the test."""
    kind: Any = PygletOverlay
    if type(rig).__name__ == "ArcadeRig":
        from fsmkit.engines import arcade

        kind = arcade.Overlay

    def make(*args: Any, **options: Any) -> Any:
        overlay = kind(*args, window=rig.window, **options)
        request.addfinalizer(overlay.stop)
        return overlay

    return make


def pixels(rig: Any) -> bytes:
    """Return what a frame shows, row by row from the top, before it is flipped."""
    rig.window.switch_to()
    rig.window.clear()
    rig.happen("on_refresh", 1 / 60)
    image = pyglet.image.get_buffer_manager().get_color_buffer().get_image_data()
    data: bytes = image.get_data("RGB", -3 * rig.window.width)
    return data


def area(rig: Any) -> Area | None:
    return covered(pixels(rig), rig.window.width)


@pytest.mark.slow
def test_a_label_is_above_the_thing_in_the_colour_of_the_state(rig: Any, over: Any) -> None:
    over(guard(rig.thing((200.0, 100.0))), diagram=False)
    frame = pixels(rig)
    found = covered(frame, 400)
    assert found is not None
    assert abs((found.left + found.right) / 2 - 200) <= 1
    assert (found.bottom, found.size[1]) == (300 - 100 - 10 - 1, 22)
    assert color_at(frame, 400, 200, found.bottom) == FILLS[0]


@pytest.mark.slow
def test_it_follows_a_thing_and_an_event_fades(rig: Any, over: Any) -> None:
    fsm = guard(rig.transform(rig.thing((100.0, 100.0))))
    over(fsm, diagram=False)
    areas = [area(rig)]
    fsm.context.position = (150.0, 120.0)
    areas.append(area(rig))
    first, moved = areas
    assert first is not None
    assert moved == Area(first.left + 50, first.top - 20, first.right + 50, first.bottom - 20)
    fsm.send_event("SEEN")
    wide = area(rig)
    fsm.update(2.0)
    narrow = area(rig)
    assert wide is not None
    assert narrow is not None
    assert wide.left == narrow.left
    assert wide.right > narrow.right + 20


def test_a_camera_is_looked_through_and_stays_as_it_was(rig: Any, over: Any) -> None:
    over(guard(rig.thing((1000.0, 1000.0))), diagram=False)
    window = rig.window
    if hasattr(window, "ctx"):
        import arcade

        arcade.Camera2D(window.rect, position=(1000.0, 1000.0)).use()
        expected = (200, 150)
    else:
        window.view = pyglet.math.Mat4.from_translation(pyglet.math.Vec3(-800.0, -900.0, 0.0))
        expected = (200, 200)
    before = window.view
    found = area(rig)
    after = window.view
    if hasattr(window, "ctx"):
        window.default_camera.use()
    else:
        window.view = pyglet.math.Mat4()
    assert found is not None
    assert abs((found.left + found.right) / 2 - expected[0]) <= 1
    assert found.bottom == expected[1] - 10 - 1
    assert after == before


def test_a_function_may_tell_the_place_on_the_screen(rig: Any, over: Any) -> None:
    over(guard(rig.thing((0.0, 0.0))), place=lambda position: (200.0, 150.0), diagram=False)
    found = area(rig)
    assert found is not None
    assert abs((found.left + found.right) / 2 - 200) <= 1


@pytest.mark.slow
def test_f3_shows_and_hides_it_and_stop_ends_it(rig: Any, over: Any) -> None:
    overlay = over(guard(rig.thing((200.0, 100.0))), diagram=False)
    seen = [area(rig) is not None]
    for _ in range(2):
        rig.press(F3)
        seen.append(area(rig) is not None)
    overlay.stop()
    seen.append(area(rig) is not None)
    rig.press(F3)
    assert (seen, overlay.shown) == ([True, False, True, False], True)


@pytest.mark.slow
def test_labels_go_with_their_machines(rig: Any, over: Any) -> None:
    fsm = guard(rig.thing((200.0, 100.0)))
    over(fsm, diagram=False)
    seen = [area(rig) is not None]
    fsm.stop()
    seen.append(area(rig) is not None)
    assert seen == [True, False]


@pytest.mark.slow
def test_the_diagram_is_in_the_corner(rig: Any, over: Any) -> None:
    overlay = over(guard(None))
    before = area(rig)
    overlay.wait()
    found = area(rig)
    assert before is None
    assert found is not None
    assert (found.right, found.top) == (400 - 12 - 1, 12)


@pytest.mark.slow
def test_the_lines_of_the_page_switch_it_on(
    rig: Any, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = "arcade" if hasattr(rig.window, "ctx") else "pyglet"
    monkeypatch.setattr(pyglet.app, "windows", [rig.window])
    game: dict[str, Any] = {"fsm": guard(rig.thing((200.0, 100.0)))}
    exec(example(engine, f"from fsmkit.engines.{engine} import Overlay"), game)
    request.addfinalizer(game["overlay"].stop)
    found = area(rig)
    assert found is not None
    assert found.bottom == 300 - 100 - 10 - 1
