"""What all adapters share: keys that are held, touches, the mouse, frames and lifetimes."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from math import inf, nan
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from journal import listener

from actions import DelegateAction
from fsmkit import Fsm, FsmGroup, TimeReference
from fsmkit.engines.held import Held
from fsmkit.engines.parts import missing
from fsmkit.engines.parts.delivery import Pointer, Touches
from fsmkit.engines.parts.keys import Keys, checked_axis, checked_button, checked_name
from fsmkit.engines.parts.updates import Frames, Lifetime, ThingGoneError
from fsmkit.timing import FixedStep


def test_the_newest_key_wins_and_the_older_one_is_still_held() -> None:
    walk = Held("left", "right")
    values = [walk.value]
    for key, goes_down in (("right", True), ("left", True), ("left", False), ("right", False)):
        (walk.press if goes_down else walk.release)(key)
        values.append(walk.value)
    assert values == [0.0, 1.0, -1.0, 1.0, 0.0]


def test_a_key_that_repeats_does_not_become_the_newest() -> None:
    walk = Held("left", "right")
    walk.press("right")
    walk.press("left")
    walk.press("right")
    assert (walk.newest, walk.value) == ("left", -1.0)


def test_keys_with_values_of_any_kind() -> None:
    steer = Held({"up": (0, 1), "w": (0, 1), "left": (-1, 0)}, at_rest=(0, 0))
    steer.press("w")
    steer.press("left")
    steer.release("left")
    assert (steer.newest, steer.value) == ("w", (0, 1))
    steer.release_all()
    assert (steer.newest, steer.value) == (None, (0, 0))


def test_an_axis_counts_beyond_its_dead_zone_and_grows_from_there() -> None:
    walk = Held("left", "right", axis="gamepad left stick x", dead_zone=0.5)
    values = []
    for position in (0.5, 0.75, 1.0, 3.0, -0.75, 0.1):
        assert walk.move("gamepad left stick x", position)
        values.append(walk.value)
    assert values == [0.0, 0.5, 1.0, 1.0, -0.5, 0.0]
    assert not walk.move("another", 1.0)


def test_of_key_and_axis_the_newest_wins() -> None:
    walk = Held("left", "right", axis="gamepad left stick x", dead_zone=0.0)
    walk.press("left")
    walk.move("gamepad left stick x", 0.5)
    assert (walk.newest, walk.value) == ("gamepad left stick x", 0.5)
    walk.move("gamepad left stick x", 0.0)
    assert (walk.newest, walk.value) == ("left", -1.0)


@pytest.mark.parametrize("copy", [deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_copy_holds_what_the_original_did(copy: Callable[[Held], Held]) -> None:
    walk = Held("left", "right", axis="gamepad left stick x", dead_zone=0.0)
    walk.press("left")
    walk.move("gamepad left stick x", 0.5)
    twin = copy(walk)
    assert (twin.newest, twin.value, twin.direction) == ("gamepad left stick x", 0.5, 1.0)
    twin.move("gamepad left stick x", 0.0)
    assert (twin.value, walk.value) == (-1.0, 0.5)


def test_an_axis_is_somewhere() -> None:
    walk = Held(axis="gamepad left stick x")
    with pytest.raises(ValueError, match="must be at a number from -1 to 1, got nan"):
        walk.move("gamepad left stick x", nan)
    assert walk.value == 0.0


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans())))
def test_the_value_is_that_of_the_key_pressed_last_of_those_held(
    course: list[tuple[str, bool]],
) -> None:
    held, down = Held({"a": 1, "b": 2, "c": 3}), list[str]()
    for key, goes_down in course:
        if goes_down:
            held.press(key)
            down += [key] if key not in down else []
        else:
            held.release(key)
            down = [each for each in down if each != key]
    assert held.newest == (down[-1] if down else None)


@pytest.mark.parametrize(
    ("keys", "options", "error"),
    [
        ((), {}, ValueError),
        (("a", "b", "c"), {}, ValueError),
        (("a", "a"), {}, ValueError),
        ((["a", "b"],), {}, TypeError),
        (({"a": 1}, "b"), {}, TypeError),
        ((), {"axis": 2}, TypeError),
        (("a", "b"), {"axis": "gamepad left stick x", "dead_zone": 1.0}, ValueError),
        (("a", "b"), {"axis": "gamepad left stick x", "dead_zone": nan}, ValueError),
        (({"a": (0, 1)},), {"axis": "gamepad left stick x"}, TypeError),
    ],
)
def test_what_cannot_be_held(keys: Any, options: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="Held:"):
        Held(*keys, **options)


def test_a_held_sends_its_event_whenever_its_direction_changes() -> None:
    fsm, journal = listener()
    walk = Held("left", "right", axis="gamepad left stick x", dead_zone=0.0)
    keys = Keys(fsm, {walk: "WALK", "space": "JUMP"}, {walk: "STOP"})
    assert keys.press("right")
    assert keys.press("left")
    assert keys.release("left")
    assert keys.press("space")
    assert keys.release("right")
    assert keys.move("gamepad left stick x", 0.25)
    assert keys.move("gamepad left stick x", 0.5)
    assert keys.move("gamepad left stick x", -0.5)
    keys.release_all()
    assert not keys.press("x")
    assert journal.read() == [
        ("WALK", 1.0), ("WALK", -1.0), ("WALK", 1.0), ("JUMP", "space"), ("STOP", 0.0),
        ("WALK", 1.0), ("WALK", -1.0), ("STOP", 0.0),
    ]  # fmt: skip


def test_one_held_serves_several_machines() -> None:
    (legs, of_legs), (mood, of_mood) = listener(), listener()
    walk = Held("left", "right")
    for keys in [Keys(fsm, {walk: "WALK"}) for fsm in (legs, mood)] * 2:
        keys.press("left")
    assert of_legs.read() == of_mood.read() == [("WALK", -1.0)]


def test_a_held_without_events_is_only_kept_up_to_date() -> None:
    fsm, journal = listener()
    walk = Held("left", "right")
    Keys(fsm, {}, held=[walk]).press("left")
    assert (walk.value, journal.read()) == (-1.0, [])


def test_a_single_held_need_not_be_in_a_list() -> None:
    walk = Held("left", "right")
    Keys(Fsm("Any"), {}, held=walk).press("left")
    assert walk.value == -1.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pressed": ["space"]}, "keys must be a mapping from keys to events, .* got .'space'."),
        ({"pressed": Held("a")}, "A Held that sends nothing is for held="),
        ({"pressed": "space"}, "must be a mapping"),
        ({"pressed": {}, "released": None}, "must be a mapping"),
        ({"pressed": {"space": print}}, "the event of 'space' must be a str, got <built-in"),
        ({"pressed": {Held("a"): None}}, "the event of Held.* must be a str, got None"),
        ({"pressed": {}, "released": {"space": 1}}, "the event of 'space' must be a str, got 1"),
        ({"pressed": {}, "held": "left"}, "held must be a Held or a list of them, got 'left'"),
        ({"pressed": {}, "held": ["left"]}, "must be a Held or a list"),
        ({"pressed": {}, "held": None}, "must be a Held or a list"),
    ],
)
def test_what_cannot_be_sent_or_held_is_refused_where_it_is_given(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=f"send_keys: .*{message}"):
        Keys(Fsm("Any"), **given)


def test_keys_are_compared_as_the_engine_has_them() -> None:
    fsm, journal = listener()
    walk = Held("left", "right")
    keys = Keys(fsm, {walk: "WALK", "jump": "JUMP"}, own={"left": 1, "right": 2, "jump": 3}.get)
    assert [keys.press(key) for key in (1, 3, "left")] == [True, True, False]
    assert journal.read() == [("WALK", -1.0), ("JUMP", "jump")]


def test_keys_tell_what_matters_to_them() -> None:
    walk = Held("left", "right", axis="gamepad left stick x")
    keys = Keys(Fsm("Any"), {"jump": "JUMP"}, {"fire": "CEASE"}, [walk], own=str.upper)
    assert (keys.known, keys.axes) == ({"LEFT", "RIGHT", "JUMP", "FIRE"}, {"gamepad left stick x"})


def test_what_is_held_without_the_focus_is_released_once() -> None:
    fsm, journal = listener()
    keys = Keys(fsm, {"space": "CHARGE"}, {"space": "FIRE", "x": "END"})
    keys.press("space")
    keys.release_all()
    keys.release_all()
    assert keys.release("space")
    keys.press("space")
    keys.release("space")
    keys.release("x")
    assert journal.read() == [
        ("CHARGE", "space"), ("FIRE", "space"), ("CHARGE", "space"), ("FIRE", "space"),
        ("END", "x"),
    ]  # fmt: skip


def test_one_thing_is_notified_of_the_other() -> None:
    fsm, journal = listener()
    touching = Touches(fsm, "TOUCH", "PART")
    for others in (["wolf"], ["wolf", "dog"], ["dog"], []):
        touching.update(("sheep", other) for other in others)
    assert journal.read() == [
        ("TOUCH", "wolf"), ("TOUCH", "dog"), ("PART", "wolf"), ("PART", "dog"),
    ]  # fmt: skip


def test_a_fixed_machine_is_notified_of_both_things_and_their_own_machine_of_the_other() -> None:
    fsm, journal = listener()
    own, own_journal = listener()
    by_thing = Touches({"sheep": own}.get, "TOUCH", many=True)
    for touching in (Touches(fsm, "TOUCH", many=True), by_thing):
        touching.update([("sheep", "wolf"), ("lamb", "wolf"), ("lamb", "lamb")])
    assert journal.read() == [("TOUCH", ("sheep", "wolf")), ("TOUCH", ("lamb", "wolf"))]
    assert own_journal.read() == [("TOUCH", "wolf")]


def test_what_the_first_of_several_touches_has_removed_touches_nothing_else() -> None:
    fsm, journal = listener()
    gone: set[str] = set()

    def eaten(sheep: str) -> Fsm[Any]:
        gone.add("wolf")
        return fsm

    touching = Touches(eaten, "TOUCH", "PART", is_gone=gone.__contains__)
    for pairs in ([("sheep", "wolf"), ("lamb", "wolf"), ("lamb", "dog")], []):
        touching.update(pairs)
    assert journal.read() == [
        ("TOUCH", "wolf"),
        ("TOUCH", "dog"),
        ("PART", "wolf"),
        ("PART", "dog"),
    ]


def test_the_mouse_on_things() -> None:
    fsm, journal = listener()
    pointer = Pointer(fsm, "GRAB", "DROP", "OVER", "OFF")
    pointer.point(["floor", "chest"])
    assert pointer.press()
    pointer.point(["floor"])
    assert pointer.release()
    pointer.point([])
    assert not pointer.press()
    assert journal.read() == [
        ("OVER", "chest"), ("GRAB", "chest"), ("OFF", "chest"), ("OVER", "floor"),
        ("DROP", "chest"), ("OFF", "floor"),
    ]  # fmt: skip


def test_a_frame_is_cut_scaled_and_divided_into_equal_steps() -> None:
    fsm, journal = listener()
    slow = TimeReference("slow", scale=0.5)
    frames = Frames(fsm, max_dt=1.0, time=slow, step=0.125)
    for passed in (0.5, 99.0, 0.125):
        assert frames.update(passed)
    slow.paused = True
    frames.update(1.0)
    assert journal.steps == [0.125] * (2 + 4 + 0)


def test_a_clock_that_is_put_back_is_not_an_error_but_one_that_gives_no_time_is() -> None:
    fsm, journal = listener()
    for frames in (Frames(fsm), Frames(fsm, step=0.125)):
        assert frames.update(-1.0)
        with pytest.raises(ValueError, match="must be a finite number"):
            frames.update(nan)
    assert journal.steps == [0.0]


def test_a_fixed_step_of_the_users_own_says_how_near_the_next_one_is() -> None:
    fsm, journal = listener()
    fixed = FixedStep(0.25)
    Frames(fsm, step=fixed, max_dt=1.0).update(0.375)
    assert (journal.steps, fixed.alpha) == ([0.25], 0.5)


@pytest.mark.parametrize("step", [0.0, -1.0, inf, nan])
def test_a_step_that_is_not_a_time_is_refused(step: float) -> None:
    with pytest.raises(ValueError, match="fixed step"):
        Frames(Fsm("Any"), step=step)


def test_machines_are_stopped_with_their_thing() -> None:
    fsm, journal = listener()
    gone: set[str] = set()
    frames = Frames(fsm, step=0.125, max_dt=1.0, lifetime=Lifetime(fsm, "body", gone.__contains__))
    assert frames.update(0.25)
    gone.add("body")
    assert not frames.update(0.25)
    assert (fsm.is_running, journal.has_left, journal.steps) == (False, True, [0.125] * 2)


def test_of_a_group_each_machine_leaves_with_its_own_thing() -> None:
    sheep, lamb = (listener(name, context=name)[0] for name in ("sheep", "lamb"))
    group, gone = FsmGroup([sheep, lamb]), {"sheep"}
    lifetime = Lifetime(group, attrgetter("context"), gone.__contains__)
    assert lifetime.goes_on()
    assert (sheep.is_running, list(group)) == (False, [lamb])


@pytest.mark.parametrize(
    ("error", "raised"), [(ThingGoneError("gone"), None), (KeyError("another"), KeyError)]
)
def test_an_exit_that_writes_to_what_is_gone_is_not_an_error_but_others_are(
    error: Exception, raised: type[Exception] | None
) -> None:
    def fail() -> None:
        raise error

    fsm = Fsm("Any")
    fsm.add_state("Only").add_action(DelegateAction(on_exit=fail))
    fsm.start()
    lifetime = Lifetime(fsm, "body", lambda _: True)
    if raised is None:
        assert not lifetime.goes_on()
    else:
        with pytest.raises(raised):
            lifetime.goes_on()
    assert not fsm.is_running


@pytest.mark.parametrize("in_a_group", [False, True])
def test_a_machine_that_removes_its_own_thing_ends_without_an_error(in_a_group: bool) -> None:
    gone: set[str] = set()

    def explode() -> None:
        gone.add("bomb")
        raise ThingGoneError("written by a later action of the same walk")

    bomb, other = listener(context="bomb")[0], listener(context="other")[0]
    bomb.states["Listening"].add_action(DelegateAction(on_update=explode))
    bomb.start()
    machines = FsmGroup([bomb, other]) if in_a_group else bomb
    thing = attrgetter("context") if in_a_group else "bomb"
    frames = Frames(machines, lifetime=Lifetime(machines, thing, gone.__contains__))
    assert frames.update(0.1) is in_a_group
    assert (bomb.is_running, other.is_running) == (False, True)


@pytest.mark.parametrize("error", [ThingGoneError("of another"), KeyError("any")])
def test_other_errors_of_machines_with_a_lifetime_are_raised(error: Exception) -> None:
    def fail() -> None:
        gone.add("body" if isinstance(error, KeyError) else "prey")
        raise error

    gone: set[str] = set()
    fsm, twin = listener()[0], listener()[0]
    for each in (fsm, twin):
        each.states["Listening"].add_action(DelegateAction(on_update=fail))
        each.start()
    with pytest.raises(type(error)):
        Frames(fsm, lifetime=Lifetime(fsm, "body", gone.__contains__)).update(0.1)
    group = FsmGroup([fsm, twin])
    with pytest.raises(ExceptionGroup):
        Frames(group, lifetime=Lifetime(group, lambda _: "alive", gone.__contains__)).update(0.1)


def test_an_engine_that_is_hidden_by_a_file_of_the_users() -> None:
    hidden = missing("Ursina", "ursina", ImportError("cannot import name 'Entity'"))
    assert "is called ursina.py, it hides Ursina" in hidden.msg
    inside = missing("Panda3D", "panda3d", ModuleNotFoundError("x", name="panda3d.core"), "panda3d")
    assert "panda3d.py, it hides Panda3D" in inside.msg
    absent = missing("Panda3D", "panda3d", ModuleNotFoundError("x", name="direct"), "direct")
    assert absent.msg == "fsmkit.engines.panda3d needs Panda3D: pip install 'fsmkit[panda3d]'."


def test_names_of_a_gamepad_are_checked() -> None:
    with pytest.raises(ValueError, match="not a button or axis of a gamepad"):
        checked_name("gamepad 2 trigger finger")


def test_buttons_and_axes_of_a_gamepad_do_not_take_each_others_place() -> None:
    with pytest.raises(ValueError, match="is an axis: give it to a Held"):
        checked_button("gamepad 2 left trigger")
    with pytest.raises(ValueError, match="is a button, not an axis"):
        checked_axis("gamepad a")
    for name in ("pad a", "gamepad", "gamepad 0 a", "gamepad 1"):
        with pytest.raises(ValueError, match="not a button or axis of a gamepad"):
            checked_button(name)
