"""The overlay of Panda3D: above nodes as the camera sees them, and its key."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("panda3d.core", reason="Panda3D is not installed (the extra panda3d)")

from direct.showbase.MessengerGlobal import messenger
from example_on_page import example
from overlaid import Area, covered, guard
from panda3d.core import CardMaker, NodePath, WindowProperties

from fsmkit import Fsm
from fsmkit.engines.panda3d import NodeTransform, Overlay

SIZE = 400, 300


@pytest.fixture
def screen(base: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return a function that makes an overlay on a screen of 400 x 300 pixels, and ends it."""
    base.openMainWindow(type="offscreen", props=WindowProperties(size=SIZE))
    base.setBackgroundColor(0.0, 0.0, 0.0)
    base.camera.setPosHpr(0, -100, 0, 0, 0, 0)

    def over(fsm: Fsm[Any], **options: Any) -> Overlay:
        overlay = Overlay(fsm, **{"diagram": False} | options)
        request.addfinalizer(overlay.stop)
        return overlay

    yield over
    base.closeWindow(base.win)


def area(base: Any) -> Area | None:
    for _ in range(2):
        base.taskMgr.step()
    texture = base.win.getScreenshot()
    pixels = bytes(texture.getRamImageAs("RGB"))
    width = texture.getXSize()
    rows = [pixels[start : start + 3 * width] for start in range(0, len(pixels), 3 * width)]
    return covered(b"".join(reversed(rows)), width)


def place_of(base: Any, node: Any) -> tuple[float, float]:
    """Return the pixel of a node's position."""
    from panda3d.core import Point2

    point = Point2()
    base.camLens.project(node.getPos(base.cam), point)
    return (point.x + 1) * SIZE[0] / 2, (1 - point.y) * SIZE[1] / 2


def node_at(scene: Any, *place: float) -> Any:
    node = scene.attachNewNode("ada")
    node.setPos(*place)
    return node


@pytest.mark.parametrize(
    "as_context",
    [
        lambda node: node,
        lambda node: NodeTransform(node, axes="xy"),
        lambda node: SimpleNamespace(node=node),
    ],
    ids=["node", "transform", "attribute"],
)
def test_a_label_is_above_the_node(base: Any, scene: Any, screen: Any, as_context: Any) -> None:
    node = node_at(scene, 5.0, 10.0, 2.0)
    screen(guard(as_context(node)))
    found = area(base)
    x, y = place_of(base, node)
    assert found is not None
    assert abs((found.left + found.right) / 2 - x) <= 2
    assert abs(found.bottom - (y - 6)) <= 2
    assert abs(found.size[1] - 22) <= 1


def test_it_is_above_the_top_of_a_model(base: Any, scene: Any, screen: Any) -> None:
    node, card = node_at(scene, 0.0, 0.0, 0.0), CardMaker("body")
    card.setFrame(-1.0, 1.0, 0.0, 8.0)
    node.attachNewNode(card.generate()).hide()
    screen(guard(node))
    found = area(base)
    top = node_at(scene, 0.0, 0.0, 8.0)
    assert found is not None
    assert abs(found.bottom - (place_of(base, top)[1] - 6)) <= 2


def test_nodes_of_the_interface_are_where_they_are_drawn(
    base: Any, screen: Any, request: pytest.FixtureRequest
) -> None:
    node = base.render2d.attachNewNode("dial")
    request.addfinalizer(node.removeNode)
    node.setPos(0.5, 0.0, -0.5)
    screen(guard(node))
    found = area(base)
    assert found is not None
    assert abs((found.left + found.right) / 2 - 300) <= 2
    assert abs(found.bottom - (225 - 6)) <= 2


def test_positions_of_other_things_are_those_of_the_scene_or_by_a_function(
    base: Any, scene: Any, screen: Any
) -> None:
    thing = SimpleNamespace(position=(5.0, 10.0))
    overlay = screen(guard(thing))
    found = area(base)
    x, y = place_of(base, node_at(scene, 5.0, 10.0, 0.0))
    assert found is not None
    assert abs((found.left + found.right) / 2 - x) <= 2
    assert abs(found.bottom - (y - 26)) <= 2
    overlay.place = lambda position: (100.0, 200.0)
    found = area(base)
    assert found is not None
    assert abs(found.bottom - (200 - 26)) <= 2


def test_who_is_behind_the_camera_or_removed_has_none(base: Any, scene: Any, screen: Any) -> None:
    node = node_at(scene, 0.0, 0.0, 0.0)
    screen(guard(node))
    seen = [area(base) is not None]
    node.setPos(0.0, -200.0, 0.0)
    seen.append(area(base) is not None)
    node.setPos(0.0, 0.0, 0.0)
    node.removeNode()
    seen.append(area(base) is not None)
    assert seen == [True, False, False]


def test_f3_shows_and_hides_it_and_stop_ends_it(base: Any, scene: Any, screen: Any) -> None:
    overlay = screen(guard(node_at(scene, 0.0, 0.0, 0.0)))
    seen = [area(base) is not None]
    for _ in range(2):
        messenger.send("f3")
        seen.append(area(base) is not None)
    overlay.stop()
    seen.append(area(base) is not None)
    messenger.send("f3")
    assert (seen, overlay.shown) == ([True, False, True, False], True)


@pytest.mark.slow
def test_the_diagram_is_in_the_corner(base: Any, screen: Any) -> None:
    overlay = screen(guard(NodePath()), diagram=True, thing=lambda fsm: None)
    before = area(base)
    overlay.wait()
    found = area(base)
    assert before is None
    assert found is not None
    assert abs(found.right - (400 - 12 - 1)) <= 1
    assert abs(found.top - 12) <= 1


@pytest.mark.slow
@pytest.mark.usefixtures("screen")
def test_the_lines_of_the_page_switch_it_on(
    base: Any, scene: Any, request: pytest.FixtureRequest
) -> None:
    game: dict[str, Any] = {"fsm": guard(node_at(scene, 0.0, 0.0, 0.0))}
    exec(example("panda3d", "from fsmkit.engines.panda3d import Overlay"), game)
    request.addfinalizer(game["overlay"].stop)
    found = area(base)
    assert found is not None
    assert abs(found.bottom - (150 - 6)) <= 2
