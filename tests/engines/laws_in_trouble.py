"""The laws of all engines about what goes wrong: mistakes, errors, and ends at a bad moment."""

import gc
from collections.abc import Callable, Sequence
from typing import Any, Final
from weakref import ref

import pytest
from journal import listener
from rig import Rig, running

from actions import DelegateAction
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.engines.held import Held


class Ears(FsmAction):
    """Calls a function with every event and its data."""

    def __init__(self, hear: Callable[[str, Any], object]) -> None:
        self.hear = hear

    def on_event(self, event: str, data: object) -> bool:
        self.hear(event, data)
        return True


def bound_to(rig: Rig, thing: Any) -> dict[str, Any]:
    """Return the option of `attach` that lets a machine end with a thing."""
    return {rig.thing_option: thing}


def by_context(fsm: Fsm[Any]) -> Any:
    return fsm.context


def left_of(references: Sequence[Any]) -> int:
    """Return how many of these weak references still lead to something."""
    gc.collect()
    return sum(reference() is not None for reference in references)


def what_is_gone_is_forgotten(rig: Rig) -> None:
    """Nothing has to be stopped by the game for the memory of what has died."""

    def spawn_and_kill() -> Any:
        thing = rig.thing((0.0, 0.0))
        fsm, _ = listener(context=thing)
        rig.attach(fsm, **bound_to(rig, thing))
        rig.send_collisions(fsm, thing, rig.group(rig.thing((0.0, 0.0))), "TOUCH", ended="PART")
        if rig.has_mouse:
            rig.send_mouse(fsm, thing, pressed="GRAB")
        rig.frames(2)
        rig.kill(thing)
        return ref(fsm)

    machines = [spawn_and_kill() for _ in range(2)]
    rig.frames(3)
    rig.forget()
    assert left_of(machines) == 0


def what_is_stopped_is_forgotten(rig: Rig) -> None:
    def start_and_stop() -> Any:
        thing = rig.thing((0.0, 0.0))
        fsm, _ = listener()
        stops = [rig.attach(fsm), rig.send_collisions(fsm, thing, rig.group(), "TOUCH")]
        if rig.has_mouse:
            stops.append(rig.send_mouse(fsm, rig.group(thing), pressed="GRAB"))
            stops.append(rig.send_keys(fsm, {rig.left: "LEFT"}))
        rig.frames(2)
        for stop in (*stops, *stops):  # twice: that does no harm
            stop()
        return ref(fsm)

    machines = [start_and_stop() for _ in range(2)]
    rig.forget()
    rig.frames(1)
    assert left_of(machines) == 0


def an_update_may_stop_itself(rig: Rig) -> None:
    updates: list[None] = []

    def once() -> None:
        updates.append(None)
        stop()

    stop = rig.attach(running(DelegateAction(on_update=once)))
    rig.frames(3)
    assert len(updates) == 1


def an_event_may_stop_itself(rig: Rig) -> None:
    heard: list[str] = []

    def hear(event: str, _data: object) -> None:
        heard.append(event)
        stop()

    one, other = rig.thing((0.0, 0.0)), rig.thing((500.0, 0.0))
    stop = rig.send_collisions(running(Ears(hear)), one, rig.group(other), "TOUCH", ended="PART")
    body = rig.transform(one)
    for x in (500.0, 0.0, 500.0):
        body.position = (x, 0.0)
        rig.frames(2)
    assert heard == ["TOUCH"]


def a_thing_may_be_gone_before_its_first_frame(rig: Rig) -> None:
    things = [rig.thing((300.0 * number, 0.0)) for number in range(2)]
    one, other = (listener(context=thing)[0] for thing in things)
    rig.attach(one, **bound_to(rig, things[0]))
    group = FsmGroup([other])
    rig.attach(group, **bound_to(rig, by_context))
    for thing in things:
        rig.kill(thing)
    rig.frames(2)
    assert (one.is_running, other.is_running, list(group)) == (False, False, [])


def a_machine_of_a_group_may_have_no_thing(rig: Rig) -> None:
    fsm, journal = listener()
    rig.attach(FsmGroup([fsm]), **bound_to(rig, by_context))
    rig.frames(3)
    assert (fsm.is_running, len(journal.steps) >= 2) == (True, True)


def an_exit_may_change_the_group(rig: Rig) -> None:
    """The leader's end kills its companion, and takes it out of the group."""
    things = [rig.thing((300.0 * number, 0.0)) for number in range(3)]
    leader, friend, last = (listener(context=thing)[0] for thing in things)
    group = FsmGroup([leader, friend, last])

    def desert() -> None:
        rig.kill(things[1])
        group.remove(friend)

    leader.states["Listening"].add_action(DelegateAction(on_exit=desert))
    leader.start()
    rig.attach(group, **bound_to(rig, by_context))
    rig.frames(2)
    rig.kill(things[0])
    rig.frames(2)
    assert list(group) == [last]
    assert [fsm.is_running for fsm in (leader, friend, last)] == [False, True, True]


def an_error_loses_no_touch(rig: Rig) -> None:
    """A machine that fails does not keep the others from hearing, a frame later."""
    if not rig.goes_on_after_errors:
        pytest.skip("an error ends whatever the engine's clock calls")
    sheep = [rig.thing((300.0 * number, 0.0)) for number in range(2)]
    wolves = [rig.thing((300.0 * number, 300.0)) for number in range(2)]
    fsm, journal = listener()

    def fail(_event: str, _data: object) -> None:
        raise KeyError("bitten")

    hearers = {id(sheep[0]): running(Ears(fail)), id(sheep[1]): fsm}
    check = (lambda it: hearers[id(it)], rig.group(*sheep), rig.group(*wolves), "BITTEN")
    stop = rig.send_collisions(*check)
    rig.frames(2)
    for one, other in zip(sheep, wolves, strict=True):
        rig.transform(other).position = rig.transform(one).position
    with pytest.raises(KeyError):
        rig.frames(3)
    rig.frames(3)
    stop()
    assert journal.read() == [("BITTEN", wolves[1])]


def a_group_that_changes_within_an_event_is_heard_of_once(rig: Rig) -> None:
    """Whoever is bitten dies, and so touches nothing else; the wolf moves on to the next one."""
    wolf, others = rig.thing((0.0, 0.0)), [rig.thing((500.0, 0.0)) for _ in range(2)]
    sheep = rig.group(*others)
    bitten: list[Any] = []

    def bite(_event: str, data: Any) -> None:
        bitten.append(data)
        rig.kill(data)

    rig.send_collisions(running(Ears(bite)), wolf, sheep, "BITE")
    rig.frames(2)
    rig.transform(wolf).position = (500.0, 0.0)
    rig.frames(4)
    assert sorted(map(id, bitten)) == sorted(map(id, others))


def only_a_thing_has_a_lifetime(rig: Rig) -> None:
    thing = rig.thing((0.0, 0.0))
    body = rig.transform(thing)
    wrong: list[Any] = [type(thing), "thing", [thing], 7, *([] if body is thing else [body])]
    for each in wrong:
        with pytest.raises(TypeError, match=rf"^attach: {rig.thing_option} must be .*, got "):
            rig.attach(Fsm[Any]("Any"), **bound_to(rig, each))
    group = FsmGroup([listener(context="thing")[0]])
    with pytest.raises(TypeError, match=r"got 'thing'\.$"):
        rig.attach(group, **bound_to(rig, by_context))


def only_machines_are_attached(rig: Rig) -> None:
    fsm = Fsm[Any]("Any")
    for wrong in (fsm.update, [fsm], None, Fsm):
        with pytest.raises(TypeError, match="^attach: machines must be an Fsm or an FsmGroup, got"):
            rig.attach(wrong)  # type: ignore[arg-type]


def a_frame_has_a_length(rig: Rig) -> None:
    for wrong, error in ((0.0, ValueError), (-1.0, ValueError), ("long", TypeError)):
        with pytest.raises(error, match=r"^attach: max_dt must be a number of seconds > 0, got"):
            rig.attach(Fsm[Any]("Any"), max_dt=wrong)


def steps_may_make_up_a_frame_of_any_length(rig: Rig) -> None:
    fsm, journal = listener()
    rig.attach(fsm, step=0.005, max_dt=float("inf"))
    rig.frames(5)
    assert set(journal.steps) == {0.005}


def touches_are_for_machines_and_have_an_event(rig: Rig) -> None:
    fsm, thing = Fsm[Any]("Any"), rig.thing((0.0, 0.0))
    with pytest.raises(TypeError, match="must be a str, got 7"):
        rig.send_collisions(fsm, thing, rig.group(), "TOUCH", ended=7)
    for wrong in (None, "Any", [fsm]):
        with pytest.raises(TypeError, match="^send_collisions: machines must be an Fsm"):
            rig.send_collisions(wrong, thing, rig.group(), "TOUCH")


def things_can_be_gone_through_in_every_frame(rig: Rig) -> None:
    fsm, thing = Fsm[Any]("Any"), rig.thing((0.0, 0.0))
    for things in ((iter([thing]), thing), (thing, (each for each in [thing]))):
        with pytest.raises(TypeError, match="such as a list"):
            rig.send_collisions(fsm, *things, "TOUCH")


def the_mouse_lets_go_without_the_focus(rig: Rig) -> None:
    if not rig.has_mouse:
        pytest.skip("no mouse can be had here")
    fsm, journal = listener()
    chest = rig.thing((100.0, 100.0))
    rig.send_mouse(fsm, chest, pressed="GRAB", released="DROP")
    rig.point((100.0, 100.0))
    rig.frames(2)
    rig.press_mouse()
    rig.frames(2)
    rig.lose_focus()
    rig.frames(2)
    assert journal.read() == [("GRAB", chest), ("DROP", chest)]


def the_mouse_sends_events(rig: Rig) -> None:
    with pytest.raises(TypeError, match="^send_mouse: an event must be a str, got 7"):
        rig.send_mouse(Fsm[Any]("Any"), rig.thing((0.0, 0.0)), entered=7)


def a_key_is_given_once(rig: Rig) -> None:
    """An arrow key has two names, and a key a number besides."""
    for keys in ({"right": "A", rig.right: "B"}, {Held({"right": 1, rig.right: 2}): "A"}):
        with pytest.raises(ValueError, match="'right' and .* are the same key"):
            rig.send_keys(Fsm[Any]("Any"), keys)


def keys_send_events(rig: Rig) -> None:
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        ({rig.left: 7}, {}, "the event of .* must be a str, got 7"),
        ({}, {"released": {rig.left: b"STOP"}}, "the event of .* must be a str"),
        ([rig.left], {}, "keys must be a mapping from keys to events"),
        ({}, {"held": [rig.left]}, "held must be a Held or a list of them"),
    ]
    for pressed, options, message in wrong:
        with pytest.raises(TypeError, match=f"^send_keys: {message}"):
            rig.send_keys(Fsm[Any]("Any"), pressed, **options)


def an_error_leaves_no_key_behind(rig: Rig) -> None:
    def fail(_event: str, _data: object) -> None:
        raise KeyError("jumped")

    walk = Held(rig.left, rig.right)
    stop = rig.send_keys(running(Ears(fail)), {}, released={rig.right: "STOP"}, held=[walk])
    rig.press(rig.right)
    rig.frames(1)
    assert walk.value == 1.0

    def lose_focus() -> None:
        rig.lose_focus()
        rig.frames(1)

    with pytest.raises(KeyError):
        lose_focus()
    stop()
    assert walk.value == 0.0


LAWS_IN_TROUBLE: Final = [
    what_is_gone_is_forgotten,
    what_is_stopped_is_forgotten,
    an_update_may_stop_itself,
    an_event_may_stop_itself,
    a_thing_may_be_gone_before_its_first_frame,
    a_machine_of_a_group_may_have_no_thing,
    an_exit_may_change_the_group,
    an_error_loses_no_touch,
    a_group_that_changes_within_an_event_is_heard_of_once,
    only_a_thing_has_a_lifetime,
    only_machines_are_attached,
    a_frame_has_a_length,
    steps_may_make_up_a_frame_of_any_length,
    touches_are_for_machines_and_have_an_event,
    things_can_be_gone_through_in_every_frame,
    the_mouse_lets_go_without_the_focus,
    the_mouse_sends_events,
    a_key_is_given_once,
    keys_send_events,
    an_error_leaves_no_key_behind,
]
