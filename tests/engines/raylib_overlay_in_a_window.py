"""The overlay of raylib: where it is drawn, with a camera too, and its key; in a hidden window."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyray", reason="raylib is not installed (the extra raylib)")

import pyray
from example_on_page import example
from overlaid import Area, color_at, covered, guard
from rig_of_raylib import RaylibRig, window

from fsmkit.engines.parts.overlay import FILLS
from fsmkit.engines.raylib import Overlay, Sprite

WIDTH = 400


@pytest.fixture(scope="module", autouse=True)
def _window() -> Iterator[None]:
    with window(WIDTH, 300):
        yield


@pytest.fixture
def rig() -> Iterator[RaylibRig]:
    rig = RaylibRig()
    yield rig
    rig.rest()


def pixels(overlay: Overlay) -> bytes:
    """Return what a frame shows, row by row from the top."""
    for _ in range(2):
        pyray.begin_drawing()
        pyray.clear_background(pyray.BLACK)
        overlay.draw()
        pyray.end_drawing()
    image = pyray.load_image_from_screen()
    pyray.image_format(image, pyray.PixelFormat.PIXELFORMAT_UNCOMPRESSED_R8G8B8)
    data = bytes(pyray.ffi.buffer(image.data, 3 * image.width * image.height))
    pyray.unload_image(image)
    return data


def area(overlay: Overlay) -> Area | None:
    return covered(pixels(overlay), WIDTH)


def test_a_label_is_above_the_sprite_in_the_colour_of_the_state() -> None:
    overlay = Overlay(guard(Sprite(size=(20, 40), position=(200.0, 150.0))), diagram=False)
    frame = pixels(overlay)
    found = covered(frame, WIDTH)
    assert found is not None
    assert abs((found.left + found.right) / 2 - 200) <= 1
    assert (found.bottom, found.size[1]) == (150 - 20 - 1, 22)
    assert color_at(frame, WIDTH, 200, found.top) == FILLS[0]


def test_a_camera_is_looked_through_by_a_function() -> None:
    camera = pyray.Camera2D((200.0, 150.0), (1000.0, 1000.0), 0.0, 2.0)
    sprite = Sprite(size=(20, 40), position=(1000.0, 1000.0))
    overlay = Overlay(
        guard(sprite),
        place=lambda position: pyray.get_world_to_screen_2d(position, camera),
        diagram=False,
    )
    found = area(overlay)
    assert found is not None
    assert abs((found.left + found.right) / 2 - 200) <= 1


def test_f3_shows_and_hides_it(rig: RaylibRig) -> None:
    overlay = Overlay(guard(Sprite(size=(20, 40), position=(200.0, 150.0))), diagram=False)
    seen: list[Any] = [area(overlay) is not None]
    for _ in range(2):
        rig.press("f3")
        area(overlay)
        rig.release("f3")
        seen.append(area(overlay) is not None)
    assert seen == [True, False, True]


@pytest.mark.slow
def test_the_diagram_is_in_the_corner_and_changes_with_the_state() -> None:
    fsm = guard(None)
    overlay = Overlay(fsm)
    before = area(overlay)
    overlay.wait()
    frames = [pixels(overlay)]
    fsm.send_event("SEEN")
    pixels(overlay)
    overlay.wait()
    frames.append(pixels(overlay))
    found = covered(frames[0], WIDTH)
    assert before is None
    assert found is not None
    assert (found.right, found.top) == (WIDTH - 12 - 1, 12)
    assert frames[0] != frames[1]


@pytest.mark.slow
def test_the_lines_of_the_page_switch_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([False, False])
    monkeypatch.setattr(pyray, "window_should_close", lambda: next(left, True))
    game: dict[str, Any] = {
        "rl": pyray,
        "fsm": guard(Sprite(size=(20, 40), position=(200.0, 150.0))),
    }
    exec(example("raylib", "from fsmkit.engines.raylib import Overlay"), game)
    assert area(game["overlay"]) is not None
