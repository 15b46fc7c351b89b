"""Keys, mouse buttons and gamepads of pygame, by its real events; the gamepads are SDL's own."""

import os
import re
from collections.abc import Callable, Iterator

import pytest
from journal import listener

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from pygame.event import Event
from virtual_gamepad import VirtualGamepad, sdl

from fsmkit import Fsm
from fsmkit.engines.pygame import Held, send_keys

Hear = Callable[[Event], bool]
needs_sdl = pytest.mark.skipif(sdl() is None, reason="the file of pygame's SDL is not found")


@pytest.fixture(scope="module", autouse=True)
def _screen() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
        pygame.display.init()
        pygame.display.set_mode((100, 100))
        yield
        pygame.quit()


@pytest.fixture(autouse=True)
def _no_events() -> None:
    pygame.event.clear()


def hear_all(*hearers: Hear) -> None:
    """Let the game loop hand over the events that are waiting."""
    for event in pygame.event.get():
        for hear in hearers:
            hear(event)


@pytest.fixture
def plug_in() -> Iterator[Callable[[], VirtualGamepad]]:
    gamepads: list[VirtualGamepad] = []

    def plug() -> VirtualGamepad:
        gamepads.append(VirtualGamepad())
        return gamepads[-1]

    yield plug
    for gamepad in gamepads:
        if gamepad.is_plugged_in:
            gamepad.unplug()
    pygame.event.clear()


def key(kind: int, number: int) -> Event:
    return Event(kind, {"key": number})


def test_names_and_numbers_are_the_same_keys() -> None:
    fsm, journal = listener()
    hear = send_keys(fsm, {"space": "JUMP", "Left Shift": "SNEAK"}, released={"a": "LAND"})
    for event in (
        key(pygame.KEYDOWN, pygame.K_SPACE),
        key(pygame.KEYDOWN, pygame.K_LSHIFT),
        key(pygame.KEYUP, pygame.K_a),
    ):
        assert hear(event)
    assert journal.read() == [("JUMP", "space"), ("SNEAK", "Left Shift"), ("LAND", "a")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sapce", "pygame has no key 'sapce'. Did you mean 'space'?"),
        ("shift", "Did you mean 'left shift'?"),
        ("", "pygame has no key ''"),
        (None, "a key must be a number or a name, got None"),
        (("left",), "a key must be a number or a name"),
        ("gamepad q", "not a button or axis of a gamepad"),
        ("gamepad left trigger", "is an axis: give it to a Held"),
        (Held("left", "rigth"), "Did you mean 'right'?"),
        (Held(axis="gamepad left stick"), "is a button, not an axis"),
        (Held(axis="left stick x"), "not a button or axis of a gamepad"),
    ],
)
def test_a_key_that_does_not_exist(name: object, message: str) -> None:
    for pressed, released in (({name: "EVENT"}, {}), ({}, {name: "EVENT"})):
        with pytest.raises(ValueError, match=re.escape(message)):
            send_keys(Fsm("Any"), pressed, released=released)


def test_what_is_named_before_pygame_has_begun() -> None:
    pygame.display.quit()
    try:
        send_keys(Fsm("Any"), {Held("left", "right"): "WALK", "left shift": "SNEAK"})
        with pytest.raises(ValueError, match="Did you mean 'space'"):
            send_keys(Fsm("Any"), {"sapce": "JUMP"})
    finally:
        pygame.display.set_mode((100, 100))


def test_the_extra_buttons_of_a_mouse_are_no_keys() -> None:
    fsm, journal = listener()
    hear = send_keys(fsm, {pygame.K_BACKSPACE: "ERASE", pygame.BUTTON_X2: "FORWARD"})
    for button in (8, pygame.BUTTON_X2):  # the number of backspace is 8
        hear(Event(pygame.MOUSEBUTTONDOWN, {"button": button, "pos": (0, 0)}))
    assert journal.read() == [("FORWARD", pygame.BUTTON_X2)]


def test_nothing_is_held_without_the_focus_and_what_goes_up_later_does_no_harm() -> None:
    fsm, journal = listener()
    walk = Held("left", "right")
    hear = send_keys(fsm, {walk: "WALK"}, released={walk: "STOP"})
    events = [
        key(pygame.KEYDOWN, pygame.K_RIGHT),
        Event(pygame.WINDOWFOCUSLOST),
        key(pygame.KEYUP, pygame.K_RIGHT),
        key(pygame.KEYDOWN, pygame.K_LEFT),
    ]
    assert [hear(event) for event in events] == [True, False, True, True]
    assert journal.read() == [("WALK", 1.0), ("STOP", 0.0), ("WALK", -1.0)]
    assert walk.value == -1.0


def test_keys_and_arrows_for_one_direction() -> None:
    fsm, journal = listener()
    steer = Held({"a": -1.0, "left": -1.0, pygame.K_d: 1.0, "right": 1.0})
    hear = send_keys(fsm, {steer: "WALK"}, released={steer: "STOP"})
    for kind, number in [
        (pygame.KEYDOWN, pygame.K_a), (pygame.KEYDOWN, pygame.K_LEFT),
        (pygame.KEYDOWN, pygame.K_d), (pygame.KEYUP, pygame.K_d),
        (pygame.KEYUP, pygame.K_LEFT), (pygame.KEYUP, pygame.K_a),
    ]:  # fmt: skip
        hear(key(kind, number))
    assert journal.read() == [("WALK", -1.0), ("WALK", 1.0), ("WALK", -1.0), ("STOP", 0.0)]


@needs_sdl
def test_without_a_gamepad_among_the_keys_none_is_opened() -> None:
    from pygame._sdl2 import controller

    controller.quit()
    send_keys(Fsm("Any"), {"space": "JUMP"}, held=[Held("left", "right")])
    assert not controller.get_init()


@needs_sdl
def test_a_gamepad_that_is_plugged_in_before_or_later_or_again(
    plug_in: Callable[[], VirtualGamepad],
) -> None:
    first = plug_in()
    fsm, journal = listener()
    walk = Held("left", "right", axis="gamepad left stick x", dead_zone=0.0)
    keys = {walk: "WALK", "gamepad a": "JUMP", "gamepad 1 a": "ONE", "gamepad 2 a": "TWO"}
    hear = send_keys(fsm, keys, released={walk: "STOP", "gamepad a": "LAND"})
    hear_all(hear)
    first.press("a")
    hear_all(hear)
    second = plug_in()
    hear_all(hear)
    second.press("a")
    hear_all(hear)
    assert journal.read() == [
        ("ONE", "gamepad 1 a"), ("JUMP", "gamepad a"), ("TWO", "gamepad 2 a"),
    ]  # fmt: skip
    first.move("left stick x", 0.5)
    hear_all(hear)
    second.move("left stick x", -0.25)  # less far than the other one
    hear_all(hear)
    assert walk.value == pytest.approx(0.5, abs=0.001)
    first.unplug()
    hear_all(hear)
    assert walk.value == pytest.approx(-0.25, abs=0.001)
    second.unplug()
    hear_all(hear)
    assert journal.read() == [
        ("WALK", 1.0), ("WALK", -1.0), ("STOP", 0.0), ("LAND", "gamepad a"),
    ]  # fmt: skip
    third = plug_in()
    hear_all(hear)
    third.press("a")  # the number 1 is free again
    hear_all(hear)
    assert journal.read() == [("ONE", "gamepad 1 a"), ("JUMP", "gamepad a")]


@needs_sdl
def test_every_button_and_axis_has_its_name(plug_in: Callable[[], VirtualGamepad]) -> None:
    from fsmkit.engines.parts.keys import AXES, BUTTONS

    gamepad = plug_in()
    fsm, journal = listener()
    axes = {axis: Held(axis=f"gamepad 1 {axis}", dead_zone=0.0) for axis in AXES}
    hear = send_keys(fsm, {f"gamepad {name}": name for name in BUTTONS}, held=axes.values())
    for button in BUTTONS:
        gamepad.press(button)
        hear_all(hear)
    for position, axis in enumerate(AXES, 1):
        gamepad.move(axis, position / 10)
        hear_all(hear)
    assert journal.read() == [(name, f"gamepad {name}") for name in BUTTONS]
    values = [held.value for held in axes.values()]
    sticks, triggers = values[:4], values[4:]
    assert sticks == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=0.001)
    assert triggers == pytest.approx([0.75, 0.8], abs=0.001)  # SDL's axes rest at -1 there


@needs_sdl
def test_two_machines_may_have_the_same_gamepad(plug_in: Callable[[], VirtualGamepad]) -> None:
    (legs, of_legs), (hands, of_hands) = listener(), listener()
    hearers = [send_keys(fsm, {"gamepad b": "B"}) for fsm in (legs, hands)]
    gamepad = plug_in()
    hear_all(*hearers)
    gamepad.press("b")
    hear_all(*hearers)
    assert of_legs.read() == of_hands.read() == [("B", "gamepad b")]
