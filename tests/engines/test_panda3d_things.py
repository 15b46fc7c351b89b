"""Panda3D: what comes and goes, touches in groups, and is under the mouse."""

from collections.abc import Callable
from typing import Any

import pytest
from journal import listener

pytest.importorskip("panda3d.core", reason="Panda3D is not installed (the extra panda3d)")

from panda3d.core import (
    CardMaker,
    CollisionHandlerPusher,
    CollisionNode,
    CollisionSphere,
    NodePath,
    NodePathCollection,
)
from rig_of_panda3d import Rig

from actions import DelegateAction, SetValue
from fsmkit import Fsm
from fsmkit.engines.panda3d import NodeTransform, attach, send_collisions, send_mouse
from fsmkit.engines.parts.updates import ThingGoneError

Frames = Callable[[int], None]


def ball(parent: Any, x: float, name: str = "ball") -> Any:
    """Return a collider of radius 1 at `x`."""
    collider = parent.attachNewNode(CollisionNode(name))
    collider.node().addSolid(CollisionSphere(0, 0, 0, 1))
    collider.setX(x)
    return collider


def model(parent: Any, x: float) -> Any:
    """Return a node with two colliders below it, at `x`."""
    model = parent.attachNewNode("model")
    model.setX(x)
    for place in (0, 0.5):
        ball(model, place)
    return model


# What is gone


def remove_itself(_: Any, node: Any) -> None:
    node.removeNode()


def remove_its_parent(parent: Any, _: Any) -> None:
    parent.removeNode()


def detach_its_parent(parent: Any, _: Any) -> None:
    parent.detachNode()


@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("leave", [remove_itself, remove_its_parent, detach_its_parent])
def test_a_machine_ends_when_its_node_leaves_the_scene(
    frames: Frames, scene: Any, leave: Callable[[Any, Any], None], count: int
) -> None:
    parent = scene.attachNewNode("field")
    node = parent.attachNewNode("sheep")
    fsm, journal = listener()
    attach(fsm, node=node)
    frames(count)
    leave(parent, node)
    frames(2)
    assert (fsm.is_running, journal.has_left, len(journal.steps)) == (False, True, count)


def hide(base: Any, node: Any) -> None:
    node.hide()


def stash(base: Any, node: Any) -> None:
    node.stash()


def move_to_the_screen(base: Any, node: Any) -> None:
    node.reparentTo(base.aspect2d)


def put_aside(base: Any, node: Any) -> None:
    node.reparentTo(base.hidden)


@pytest.mark.parametrize("change", [hide, stash, move_to_the_screen, put_aside])
def test_a_node_that_is_elsewhere_is_not_gone(
    base: Any, frames: Frames, scene: Any, change: Callable[[Any, Any], None]
) -> None:
    node = scene.attachNewNode("coin")
    fsm, journal = listener()
    attach(fsm, node=node)
    frames(2)
    change(base, node)
    frames(2)
    assert (fsm.is_running, len(journal.steps)) == (True, 4)
    node.removeNode()


def test_a_parent_that_was_changed_on_the_way_takes_its_child_along(
    frames: Frames, scene: Any
) -> None:
    field, wagon = scene.attachNewNode("field"), scene.attachNewNode("wagon")
    node = field.attachNewNode("sheep")
    fsm, _ = listener()
    attach(fsm, node=node)
    frames(1)
    node.reparentTo(wagon)
    frames(1)
    field.removeNode()
    frames(1)
    assert fsm.is_running
    wagon.removeNode()
    frames(1)
    assert not fsm.is_running


def test_what_is_not_in_the_scene_yet_is_not_gone(frames: Frames, scene: Any) -> None:
    node = NodePath("spawned")
    fsm, _ = listener()
    attach(fsm, node=node)
    frames(2)
    node.reparentTo(scene)
    frames(2)
    assert fsm.is_running
    node.detachNode()
    frames(2)
    assert not fsm.is_running


def test_an_action_that_removes_the_node_of_its_machine_ends_it(frames: Frames, scene: Any) -> None:
    node = scene.attachNewNode("bomb")
    fsm = Fsm("Bomb")
    explode = fsm.add_state("Explode")
    explode.add_action(DelegateAction(on_update=lambda _: node.removeNode()))
    explode.add_action(SetValue(NodeTransform(node), "scale", 2.0, every_update=True))
    fsm.start()
    attach(fsm, node=node)
    frames(3)
    assert not fsm.is_running


def test_a_target_that_is_gone_is_still_an_error(frames: Frames, scene: Any) -> None:
    hunter, prey = scene.attachNewNode("hunter"), scene.attachNewNode("prey")
    fsm = Fsm("Hunter")
    target = NodeTransform(prey)
    look = DelegateAction(on_update=lambda: target.position)
    fsm.add_state("Hunt").add_action(look)
    fsm.start()
    attach(fsm, node=hunter)
    frames(1)
    prey.removeNode()
    with pytest.raises(ThingGoneError, match=r"node of this NodeTransform has been removed"):
        frames(1)


def test_a_node_must_be_one() -> None:
    with pytest.raises(TypeError, match="node must be a NodePath, or a function"):
        attach(Fsm("Any"), node=NodeTransform(NodePath("guard")))


# What touches


def test_nodes_that_have_colliders_below_them_touch_once(frames: Frames, scene: Any) -> None:
    one, other = model(scene, 0), model(scene, 9)
    fsm, journal = listener()
    send_collisions(fsm, one, [other], "TOUCH", ended="PART")
    for x in (0.2, 0.1, 9):
        other.setX(x)
        frames(3)
    assert journal.read() == [("TOUCH", other), ("PART", other)]


@pytest.mark.parametrize("collection", [list, tuple, set, NodePathCollection])
def test_collections_of_any_kind_may_touch(
    frames: Frames, scene: Any, collection: Callable[[Any], Any]
) -> None:
    sheep, wolf = model(scene, 0), model(scene, 0.5)
    fsm, journal = listener()
    send_collisions(fsm, collection([sheep]), collection([wolf]), "BITTEN", ended="FREE")
    frames(4)
    wolf.setX(9)
    frames(3)
    assert journal.read() == [("BITTEN", (sheep, wolf)), ("FREE", (sheep, wolf))]


def test_touches_are_reported_in_the_order_of_both_collections(frames: Frames, scene: Any) -> None:
    sheep = [ball(scene, 0, f"sheep {n}") for n in range(5)]
    wolves = [ball(scene, 9, f"wolf {n}") for n in range(5)]
    fsm, journal = listener()
    send_collisions(fsm, sheep[::-1], wolves, "BITTEN")
    frames(2)
    for wolf in wolves:
        wolf.setX(0)
    frames(3)
    pairs = [(one.name, other.name) for _, (one, other) in journal.read()]
    assert pairs == [(f"sheep {s}", f"wolf {w}") for s in (4, 3, 2, 1, 0) for w in range(5)]


def test_without_others_the_order_is_that_of_their_names(frames: Frames, scene: Any) -> None:
    thief = ball(scene, 0)
    for name in ("lamp", "dog", "chair"):
        ball(scene, 0.5, name)
    fsm, journal = listener()
    send_collisions(fsm, thief, "TOUCH")
    frames(3)
    assert [other.name for _, other in journal.read()] == ["chair", "dog", "lamp"]


def test_what_is_spawned_and_dies_leaves_nothing_behind(
    base: Any, frames: Frames, scene: Any
) -> None:
    bullets, targets = list[Any](), [ball(scene, 0)]
    fsm, journal = listener()
    stop = send_collisions(fsm, bullets, targets, "HIT", ended="OVER")
    for _ in range(3):
        bullets.append(ball(scene, 0.5))
        frames(3)
        bullets.pop().removeNode()
        frames(3)
        assert base.cTrav.getNumColliders() == 0
    assert [event for event, _ in journal.read()] == ["HIT", "OVER"] * 3
    stop()
    assert not base.taskMgr.getTasksNamed("fsmkit-collisions")


def test_a_bullet_of_a_pool_hits_each_time_it_is_shot(frames: Frames, scene: Any) -> None:
    bullet, bullets, target = ball(scene, 0), list[Any](), ball(scene, 0.5)
    fsm, journal = listener()
    send_collisions(fsm, bullets, [target], "HIT")
    for _ in range(3):
        bullet.reparentTo(scene)
        bullets.append(bullet)
        frames(3)
        bullets.remove(bullet)
        bullet.detachNode()
        frames(2)
    assert [event for event, _ in journal.read()] == ["HIT"] * 3


def test_the_collisions_of_one_node_end_with_it(base: Any, frames: Frames, scene: Any) -> None:
    parent = scene.attachNewNode("parent")
    thief, guard = ball(parent, 0), ball(scene, 0.5)
    fsm, journal = listener()
    send_collisions(fsm, thief, "CAUGHT", ended="FREE")
    frames(3)
    parent.removeNode()
    frames(3)
    assert journal.read() == [("CAUGHT", guard), ("FREE", guard)]
    assert base.cTrav.getNumColliders() == 0
    assert not base.taskMgr.getTasksNamed("fsmkit-collisions")


def test_an_event_that_removes_a_thing_is_the_last_about_it(frames: Frames, scene: Any) -> None:
    bullets, target = [ball(scene, 0), ball(scene, 0.1)], ball(scene, 9)

    def hit(state: Any, pair: Any) -> None:
        hits.append(pair)
        target.removeNode()

    hits: list[Any] = []
    fsm = Fsm("Referee")
    fsm.add_state("On").add_action(
        DelegateAction(on_event=lambda state, event, data: hit(state, data))
    )
    fsm.start()
    send_collisions(fsm, bullets, [target], "HIT")
    target.setX(0.5)
    frames(3)
    assert len(hits) == 1


def test_a_handler_of_the_games_own_is_left_as_it_was(
    base: Any, frames: Frames, scene: Any
) -> None:
    send_collisions(Fsm("Any"), ball(scene, 50), "TOUCH")()  # makes the traverser
    body, wall = scene.attachNewNode("body"), ball(scene, 0)
    walker, pusher = ball(body, 0.5), CollisionHandlerPusher()
    pusher.addCollider(walker, body)
    pusher.addInPattern("bump")
    base.cTrav.addCollider(walker, pusher)
    frames(2)
    fsm, journal = listener()
    body.setX(0.0)
    stop = send_collisions(fsm, walker, "BUMP")
    frames(2)
    stop()
    assert journal.read() == [("BUMP", wall)]
    assert base.cTrav.hasCollider(walker)
    patterns = (pusher.getInPatterns(), pusher.getAgainPatterns(), pusher.getOutPatterns())
    assert [list(each) for each in patterns] == [["bump"], [], []]
    base.cTrav.removeCollider(walker)


def test_a_node_without_colliders_is_refused(base: Any, frames: Frames, scene: Any) -> None:
    with pytest.raises(ValueError, match="must be a CollisionNode or have one below it"):
        send_collisions(Fsm("Any"), [ball(scene, 0), scene.attachNewNode("bare")], "TOUCH")
    assert base.cTrav.getNumColliders() == 0


@pytest.mark.parametrize("which", [(), (["wolf"],), (["wolf"], 3)])
def test_what_is_not_an_event_is_refused(scene: Any, which: Any) -> None:
    send: Any = send_collisions
    with pytest.raises(TypeError, match="their event, or the others and the event"):
        send(Fsm("Any"), ball(scene, 0), *which)


# What is under the mouse


def card(parent: Any) -> Any:
    maker = CardMaker("card")
    maker.setFrame(-1, 1, -1, 1)
    return parent.attachNewNode(maker.generate())


def test_the_nearest_of_the_nodes_is_under_the_mouse(rig: Rig, scene: Any) -> None:
    far, near = rig.thing((200.0, 150.0)), rig.thing((200.0, 150.0))
    near.setZ(50)
    fsm, journal = listener()
    cards = [near, far]
    rig.send_mouse(fsm, cards, pressed="GRAB")
    rig.point((200.0, 150.0))
    rig.click()
    near.removeNode()
    rig.click()
    cards.remove(far)
    rig.click()
    found = [data for _, data in journal.read()]
    assert (len(found), found[0] is near, found[1] is far) == (2, True, True)


def test_what_lies_on_the_screen_is_before_the_world(rig: Rig, base: Any) -> None:
    world = rig.thing((200.0, 150.0))
    low, high = card(base.aspect2d), card(base.aspect2d)
    fsm, journal = listener()
    rig.send_mouse(fsm, [low, high, world], pressed="CLICK")
    rig.point((200.0, 150.0))
    found = []
    for node in (high, low, world):
        rig.click()
        found += [data == node for _, data in journal.read()]
        node.removeNode()
    assert found == [True] * 3


def test_what_is_hidden_stashed_or_gone_is_not_under_the_mouse(rig: Rig, scene: Any) -> None:
    parent = scene.attachNewNode("shelf")
    chest = card(parent)
    chest.setPosHprScale(200, 150, 0, 0, -90, 0, 10, 10, 10)
    fsm, journal = listener()
    rig.send_mouse(fsm, chest, pressed="GRAB")
    rig.point((200.0, 150.0))
    changes = (
        (chest.hide, chest.show), (parent.hide, parent.show), (parent.stash, parent.unstash),
    )  # fmt: skip
    for vanish, appear in changes:
        vanish()
        rig.click()
        appear()
    assert journal.read() == []
    rig.click()
    assert journal.read() == [("GRAB", chest)]
    parent.detachNode()
    rig.frames(2)
    assert not rig.base.taskMgr.getTasksNamed("fsmkit-mouse")


def test_things_of_another_kind_are_refused(rig: Rig, scene: Any) -> None:
    wrong: Any = NodeTransform(ball(scene, 0))
    with pytest.raises(TypeError, match="colliders must be a NodePath or a collection"):
        send_collisions(Fsm("Any"), wrong, "TOUCH")
    with pytest.raises(TypeError, match="others must be a NodePath or a collection"):
        send_collisions(Fsm("Any"), ball(scene, 0), wrong, "TOUCH")
    with pytest.raises(TypeError, match="nodes must be a NodePath or a collection"):
        send_mouse(Fsm("Any"), wrong, "GRAB")
    with pytest.raises(ValueError, match="'mouse' is not a key of Panda3D"):
        send_mouse(Fsm("Any"), scene, "GRAB", button="mouse")


def test_no_window_no_mouse(base: Any, frames: Frames, scene: Any) -> None:
    fsm, journal = listener()
    stop = send_mouse(fsm, card(scene), "GRAB", entered="OVER")
    frames(2)
    stop()
    assert journal.read() == []
