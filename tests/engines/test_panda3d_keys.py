"""Panda3D: its keys by their names, with modifiers, and gamepads that come and go."""

import builtins
from types import SimpleNamespace
from typing import Any

import pytest
from journal import listener

pytest.importorskip("panda3d.core", reason="Panda3D is not installed (the extra panda3d)")

from direct.showbase.MessengerGlobal import messenger
from panda3d.core import ButtonThrower, GamepadButton, NodePath
from rig_of_panda3d import Devices, Pad, Rig

from fsmkit import Fsm
from fsmkit.engines.panda3d import Held, send_keys


def say(*names: str) -> None:
    for name in names:
        messenger.send(name)


def test_a_combination_is_released_with_its_key_whatever_is_held_by_then(rig: Rig) -> None:
    fsm, journal = listener()
    keys = {"w": "WALK", "shift-w": "RUN"}
    rig.send_keys(fsm, keys, released={"w": "STAND", "shift-w": "SLOW DOWN"})
    say("shift", "shift-w", "shift-up", "w-up", "w", "w-up")
    assert [event for event, _ in journal.read()] == [
        "RUN", "SLOW DOWN", "STAND", "WALK", "STAND",
    ]  # fmt: skip


def test_modifiers_may_be_written_in_any_order(rig: Rig) -> None:
    fsm, journal = listener()
    rig.send_keys(fsm, {"alt-shift-left": "TURN"})
    say("shift-alt-arrow_left", "arrow_left")
    assert journal.read() == [("TURN", "alt-shift-left")]


def test_modifiers_themselves_are_keys(rig: Rig) -> None:
    crouch = Held("shift")
    rig.send_keys(listener()[0], {}, held=[crouch])
    values = []
    for name in ("control-shift", "shift-up"):
        say(name)
        values.append(crouch.value)
    assert values == [1.0, 0.0]


def test_a_held_key_counts_while_modifiers_are_held(rig: Rig) -> None:
    walk = Held("a", "d")
    rig.send_keys(listener()[0], {}, held=[walk])
    say("d", "shift-a")
    assert (walk.value, walk.newest) == (-1.0, "a")


@pytest.mark.parametrize("name", ["-", "shift--", "raw-w", "mouse1", "wheel_up", "f1", "é"])
def test_keys_of_all_kinds_exist(rig: Rig, name: str) -> None:
    rig.send_keys(listener()[0], {name: "ANY"})


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("arow_left", "Did you mean 'arrow_left'"),
        ("W", "is not a key of Panda3D"),
        ("shfit-w", "is not a key of Panda3D"),
        ("boom", "fsm.offer_event"),
        ("", "is not a key of Panda3D"),
        ("gamepad trigger finger", "not a button or axis"),
        ("gamepad left stick x", "is an axis: give it to a Held"),
    ],
)
def test_keys_that_do_not_exist_are_refused(name: str, advice: str) -> None:
    for bindings in ({name: "ANY"}, {Held(name): "ANY"}):
        with pytest.raises(ValueError, match=advice):
            send_keys(Fsm("Any"), bindings)


def test_a_key_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"must be a name of Panda3D, such as 'space', .*got 32"):
        send_keys(Fsm("Any"), {32: "ANY"})


def test_an_axis_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="is a button, not an axis"):
        send_keys(Fsm("Any"), {}, held=[Held(axis="gamepad a")])


def test_a_device_of_the_games_own_has_its_prefix(rig: Rig, base: Any) -> None:
    thrower = NodePath(ButtonThrower("flight stick"))
    thrower.node().setPrefix("stick-")
    base.deviceButtonThrowers.append(thrower)
    fsm, journal = listener()
    rig.send_keys(fsm, {"stick-trigger": "FIRE"}, released={"stick-trigger": "CEASE"})
    base.deviceButtonThrowers.remove(thrower)
    say("stick-trigger", "stick-trigger-up")
    assert [event for event, _ in journal.read()] == ["FIRE", "CEASE"]


def test_gamepads_keep_their_numbers_and_what_is_unplugged_is_released(rig: Rig) -> None:
    first, second = Pad(), Pad()
    rig.monkeypatch.setattr(rig.base, "devices", devices := Devices())
    fsm, journal = listener()
    buttons = ("gamepad a", "gamepad 1 a", "gamepad 2 a")
    rig.send_keys(fsm, dict.fromkeys(buttons, "JUMP"), released=dict.fromkeys(buttons, "LAND"))
    rig.frames()

    def after(*pads: Pad) -> list[Any]:
        devices.pads = list(pads)
        rig.frames()
        return journal.read()

    assert after(first, second) == []
    second.buttons.add(GamepadButton.faceA().name)
    assert after(first, second) == [("JUMP", "gamepad 2 a"), ("JUMP", "gamepad a")]
    assert after(second) == []  # it is the second one still
    assert after() == [("LAND", "gamepad 2 a"), ("LAND", "gamepad a")]
    assert after(second) == [("JUMP", "gamepad 1 a"), ("JUMP", "gamepad a")]


def test_a_gamepad_that_the_game_reads_itself_is_not_read_twice(rig: Rig) -> None:
    rig.send_keys(listener()[0], {"gamepad a": "JUMP"})
    rig.frames(2)
    assert rig.pad.polled == 2
    node = SimpleNamespace(node=lambda: SimpleNamespace(device=rig.pad))
    root = SimpleNamespace(findAllMatches=lambda _: [node])
    with rig.monkeypatch.context() as patch:
        patch.setattr(rig.base, "dataRoot", root)
        rig.frames(2)
    assert rig.pad.polled == 2


def test_stopped_keys_read_no_gamepad(rig: Rig, base: Any) -> None:
    stop = send_keys(listener()[0], {"gamepad start": "PAUSE"})
    stop()
    assert not base.taskMgr.getTasksNamed("fsmkit-gamepads")


def test_without_the_game_there_are_no_gamepads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(builtins, "base", raising=False)
    with pytest.raises(RuntimeError, match="no ShowBase yet. Create it first, gamepads are read"):
        send_keys(listener()[0], {"gamepad start": "PAUSE"})


def test_another_window_that_has_no_focus_releases_nothing(rig: Rig, base: Any) -> None:
    crouch = Held("shift")
    rig.send_keys(listener()[0], {}, held=[crouch])
    say("shift")
    messenger.send("window-event", [SimpleNamespace()])
    assert crouch.value == 1.0
