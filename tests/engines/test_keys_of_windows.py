"""The keys and gamepads of pyglet's windows, and so of Arcade's."""

from typing import Any

import pytest

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")

from fake_gamepads import Manager, controller
from journal import listener
from rigs_with_windows import new_rig, rig

from fsmkit.engines.held import Held
from fsmkit.engines.pyglet.events import listen

__all__ = ["new_rig", "rig"]

SPACE, A, ONE, COMMA, F1, PAGE_UP, LEFT_SHIFT = 32, 97, 49, 44, 0xFFBE, 0xFF55, 0xFFE1


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("space", SPACE), ("SPACE", SPACE), (" ", SPACE), ("a", A), ("A", A), ("1", ONE),
        (",", COMMA), ("comma", COMMA), ("f1", F1), ("page up", PAGE_UP), ("PageUp", PAGE_UP),
        ("left", 0xFF51), ("up", 0xFF52), ("right", 0xFF53), ("down", 0xFF54),
        ("lshift", LEFT_SHIFT), (A, A), (1, 1),
    ],
)  # fmt: skip
def test_a_key_by_its_name_is_the_event_with_the_name_as_data(
    rig: Any, name: Any, key: int
) -> None:
    fsm, journal = listener()
    rig.send_keys(fsm, {name: "DOWN"}, released={name: "UP"})
    rig.press(key)
    rig.release(key)
    assert journal.read() == [("DOWN", name), ("UP", name)]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("spcae", "no such key as 'spcae'. Did you mean 'space'?"),
        ("mod_shift", "no such key"),
        ("motion_up", "no such key"),
        ("", "no such key"),
        ("§", "no such key"),
        (None, "must be a number or a name, got None"),
        (1.5, "must be a number or a name, got 1.5"),
        (True, "must be a number or a name, got True"),
        ("gamepad q", "not a button or axis of a gamepad"),
        ("gamepad left stick x", r"is an axis: give it to a Held"),
        (Held("left", "rihgt"), "no such key as 'rihgt'"),
        (Held(axis="left stick x"), "not a button or axis of a gamepad"),
        (Held(axis="gamepad a"), "is a button, not an axis"),
    ],
)
def test_what_is_not_a_key_is_refused_at_once(rig: Any, key: Any, message: str) -> None:
    uses: list[dict[str, Any]] = [
        {"pressed": {key: "DOWN"}},
        {"pressed": {}, "released": {key: "UP"}},
    ]
    if isinstance(key, Held):
        uses.append({"pressed": {}, "held": [key]})
    for use in uses:
        with pytest.raises(ValueError, match=message):
            rig.send_keys(listener()[0], **use)


def test_what_is_charged_when_the_focus_goes_is_fired(rig: Any) -> None:
    fsm, journal = listener()
    rig.send_keys(fsm, {"space": "CHARGE"}, released={"space": "FIRE"})
    rig.press(SPACE)
    rig.lose_focus()
    rig.release(SPACE)
    assert journal.read() == [("CHARGE", "space"), ("FIRE", "space")]


def test_mouse_buttons_can_be_held(rig: Any) -> None:
    fsm, journal = listener()
    zoom = Held({1: 2.0}, at_rest=1.0)
    rig.send_keys(fsm, {zoom: "ZOOM"}, released={zoom: "ZOOM"})
    rig.click()
    assert journal.read() == [("ZOOM", 2.0), ("ZOOM", 1.0)]


def test_a_generator_of_helds_serves_as_well(rig: Any) -> None:
    walk = Held("left", "right", axis="gamepad left stick x", dead_zone=0.0)
    rig.send_keys(listener()[0], {}, held=(held for held in [walk]))
    rig.press(rig.left)
    values = [walk.value]
    rig.move_axis("left stick x", 0.5)
    assert [*values, walk.value] == [-1.0, pytest.approx(0.5)]


def test_what_is_stopped_leaves_nothing_behind(rig: Any) -> None:
    """A thousand bullets come and go, and each has handlers of its own."""
    calls: list[int] = []
    end = listen(rig.window, {"on_key_press": lambda key, modifiers: calls.append(key)})
    before = len(rig.window._event_stack)
    for _ in range(3):
        rig.send_keys(listener()[0], {"a": "A"})()
        rig.attach(listener()[0])()
        rig.send_mouse(listener()[0], rig.group(), pressed="GRAB")()
        rig.send_collisions(listener()[0], rig.group(), rig.group(), "TOUCH")()
    assert len(rig.window._event_stack) == before
    rig.press(A)
    end()
    assert calls == [A]


def test_handlers_of_the_game_outlive_those_that_they_were_set_upon(rig: Any) -> None:
    calls: list[int] = []
    stop = rig.send_keys(listener()[0], {"a": "A"})

    @rig.window.event
    def on_key_press(symbol: int, modifiers: int) -> None:
        calls.append(symbol)

    stop()
    rig.press(A)
    rig.window.remove_handlers(on_key_press)
    assert calls == [A]


# Gamepads


def test_a_button_is_that_of_any_gamepad_or_of_one(rig: Any) -> None:
    fsm, journal = listener()
    second = controller()
    rig.manager.controllers.append(second)
    names = {"gamepad a": "ANY", "gamepad 1 a": "FIRST", "gamepad 2 a": "SECOND"}
    rig.send_keys(fsm, names, released={"gamepad a": "NONE"})
    for pad, goes_down in ((rig.pad, True), (second, True), (rig.pad, False), (second, False)):
        pad.device.buttons["a"].value = goes_down
    assert [event for event, _ in journal.read()] == ["ANY", "FIRST", "ANY", "SECOND", "NONE"]


def test_gamepads_come_and_go(rig: Any) -> None:
    fsm, journal = listener()
    walk = Held("left", "right", axis="gamepad left stick x", dead_zone=0.0)
    keys = {"gamepad 1 start": "ONE", "gamepad 2 start": "TWO", "gamepad 1 b": "B"}
    rig.send_keys(fsm, keys, released={"gamepad 1 b": "NO B"}, held=[walk])
    late, later = controller(), controller()
    rig.manager.plug_in(late)
    late.device.buttons["start"].value = True
    rig.pad.device.buttons["b"].value = True
    rig.move_axis("left stick x", 1.0)
    values = [walk.value]
    rig.manager.unplug(rig.pad)
    values.append(walk.value)
    rig.pad.device.buttons["b"].value = False
    rig.manager.plug_in(later)
    later.device.buttons["start"].value = True
    assert values == [1.0, 0.0]
    assert [event for event, _ in journal.read()] == ["TWO", "B", "NO B", "ONE"]


def test_one_that_is_open_already_is_heard_too(rig: Any) -> None:
    fsm, journal = listener()
    rig.pad.open()
    rig.send_keys(fsm, {"gamepad right stick": "LOOK"})
    rig.press_button("right stick")
    assert journal.read() == [("LOOK", "gamepad right stick")]


def test_arrows_of_a_gamepad_are_buttons(rig: Any) -> None:
    fsm, journal = listener()
    steer = Held({f"gamepad dpad {arrow}": arrow for arrow in ("left", "right", "up", "down")})
    rig.send_keys(fsm, {steer: "STEER"}, released={steer: "REST"})
    across, up = rig.pad.device.hat
    for axis, value in ((across, 1), (up, 1), (across, 0), (up, -1), (up, 0)):
        axis.value = value
    assert [data for _, data in journal.read()] == ["right", "up", "down", 0.0]


def test_y_grows_as_the_engines_own_does(rig: Any) -> None:
    steer = Held(axis="gamepad left stick y", dead_zone=0.0)
    rig.send_keys(listener()[0], {}, held=[steer])
    rig.move_axis("left stick y", -1.0)  # as the device has it: away from the player
    assert steer.value == 1.0


def test_triggers_go_from_zero_to_one(rig: Any) -> None:
    fsm, journal = listener()
    gas = Held(axis="gamepad left trigger", dead_zone=0.0)
    rig.send_keys(fsm, {gas: "GO"}, released={gas: "STOP"})
    values = []
    for position in (0.5, 1.0, 0.0):
        rig.move_axis("left trigger", position)
        values.append(gas.value)
    assert values == [0.5, 1.0, 0.0]
    assert journal.read() == [("GO", 1.0), ("STOP", 0.0)]


def test_of_several_sticks_the_one_farthest_out_counts(rig: Any) -> None:
    """One that lies on the table and trembles does not stop the player."""
    idle = controller()
    rig.manager.controllers.append(idle)
    walk = Held(axis="gamepad left stick x", dead_zone=0.0)
    rig.send_keys(listener()[0], {}, held=[walk])
    rig.move_axis("left stick x", -1.0)
    idle.device.axes["leftx"].value = 3
    assert walk.value == -1.0


def test_stopped_keys_hear_no_gamepad(rig: Any) -> None:
    fsm, journal = listener()
    stop = rig.send_keys(fsm, {"gamepad a": "JUMP"})
    stop()
    rig.press_button("a")
    rig.manager.plug_in(late := controller())
    late.device.buttons["a"].value = True
    assert journal.read() == []


def test_missing_gamepads_send_nothing(rig: Any) -> None:
    fsm, journal = listener()
    rig.send_keys(fsm, {"gamepad a": "JUMP", "a": "A"}, gamepads=None)  # there is no screen
    rig.send_keys(fsm, {"gamepad a": "JUMP"}, gamepads=(empty := Manager()))
    rig.press(A)
    empty.plug_in(late := controller())
    late.device.buttons["a"].value = True
    assert journal.read() == [("A", "a"), ("JUMP", "gamepad a")]
