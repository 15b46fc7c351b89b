"""SetValue: write a value, and write back what was there."""

from copy import deepcopy
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from actions.set_value import SetValue
from fsmkit import BACK, FINISHED, Fsm
from fsmkit.recording import restore, snapshot
from fsmkit.space import register_vector
from fsmkit.testing import Probe


def machine(*actions: SetValue | Probe) -> Fsm:
    """A (with the actions) -> B on GO; B -> A on BACK."""
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    for action in actions:
        a.add_action(action)
    a.add_transition("GO", b)
    b.add_transition("BACK", a)
    return fsm


def test_it_sets_an_attribute_and_finishes() -> None:
    guard = SimpleNamespace(speed=1.0)
    fsm = machine(SetValue(guard, "speed", 3.0))
    fsm.states["A"].add_transition(FINISHED, fsm.states["B"])
    fsm.start()
    assert (guard.speed, fsm.current_state) == (3.0, fsm.states["B"])


def test_it_sets_the_key_of_a_mapping_also_a_new_one() -> None:
    box: dict[object, object] = {"a": 1}
    machine(SetValue(box, "a", 2), SetValue(box, ("b", 1), 3)).start()
    assert box == {"a": 2, ("b", 1): 3}


def test_the_value_may_be_a_function_called_on_enter() -> None:
    box = {"a": 0}
    values = [1, 2]
    fsm = machine(SetValue(box, "a", lambda: values.pop(0)))
    fsm.start()
    assert box == {"a": 1}
    fsm.start()
    assert box == {"a": 2}


@pytest.mark.parametrize("before", [1, None])
def test_what_was_there_is_written_back_on_exit_if_asked(before: object) -> None:
    guard = SimpleNamespace(mood=before)
    fsm = machine(SetValue(guard, "mood", "angry", restore_on_exit=True))
    fsm.start()
    for _ in range(2):
        assert guard.mood == "angry"
        fsm.send_event("GO")
        assert guard.mood == before
        fsm.send_event("BACK")


def test_each_visit_writes_back_what_it_found() -> None:
    box = {"a": 1}
    fsm = machine(SetValue(box, "a", 9, restore_on_exit=True))
    fsm.start()
    fsm.send_event("GO")
    box["a"] = 2
    fsm.send_event("BACK")
    assert box == {"a": 9}
    fsm.stop()
    assert box == {"a": 2}


def test_otherwise_the_value_stays() -> None:
    box = {"a": 1}
    fsm = machine(SetValue(box, "a", 9))
    fsm.start()
    fsm.stop()
    assert box == {"a": 9}


def test_a_new_key_is_taken_out_again() -> None:
    box: dict[str, int] = {}
    fsm = machine(SetValue(box, "a", 9, restore_on_exit=True))
    fsm.start()
    assert box == {"a": 9}
    fsm.stop()
    assert box == {}
    fsm.start()
    box.clear()
    fsm.stop()
    assert box == {}


def test_a_new_key_is_taken_out_again_by_a_copy_of_the_machine_too() -> None:
    box: dict[str, int] = {}
    fsm = machine(SetValue(box, "a", 9, restore_on_exit=True))
    fsm.start()
    copied = deepcopy(fsm)
    copied.stop()
    copied_action: Any = copied.states["A"].actions[0]
    assert (copied_action.target, box) == ({}, {"a": 9})


def test_it_writes_back_even_if_a_later_action_fails() -> None:
    def fail(_probe: Probe) -> None:
        raise ZeroDivisionError

    box = {"a": 1}
    fsm = machine(SetValue(box, "a", 9, restore_on_exit=True), Probe("p", [], on_enter=fail))
    with pytest.raises(ZeroDivisionError):
        fsm.start()
    fsm.stop()
    assert box == {"a": 1}


def test_a_misspelt_attribute_is_an_error_and_nothing_is_created() -> None:
    guard = SimpleNamespace(speed=1.0)
    with pytest.raises(AttributeError, match=r"has no attribute 'sped'. Set it first, or check"):
        machine(SetValue(guard, "sped", 3.0)).start()
    assert vars(guard) == {"speed": 1.0}


def test_a_mapping_that_is_read_only_says_so() -> None:
    with pytest.raises(TypeError, match="does not support item assignment"):
        machine(SetValue(MappingProxyType({"a": 1}), "a", 3)).start()


def test_a_color_with_alpha_is_restored_with_the_alpha_beside_it() -> None:
    ghost = SimpleNamespace(color=(255, 255, 255), alpha=100)
    fsm = machine(SetValue(ghost, "color", (255, 0, 0, 200), restore_on_exit=True))
    fsm.start()
    assert (ghost.color, ghost.alpha) == ((255, 0, 0), 200)
    fsm.send_event("GO")
    assert (ghost.color, ghost.alpha) == ((255, 255, 255), 100)


@pytest.mark.parametrize("color", [(255, 0, 0), [255, 0, 0]])
def test_a_color_of_three_numbers_leaves_the_fourth_as_it_is(color: Any) -> None:
    lamp = {"color": (1, 2, 3, 128)}
    fsm = machine(SetValue(lamp, "color", color, restore_on_exit=True))
    fsm.start()
    lit = tuple(lamp["color"])
    fsm.stop()
    assert (lit, lamp["color"]) == ((255, 0, 0, 128), (1, 2, 3, 128))


def test_alpha_that_comes_in_a_later_update_is_restored_too() -> None:
    ghost = SimpleNamespace(color=(255, 255, 255), alpha=100)
    colors = iter([(255, 0, 0), (255, 0, 0, 200), (0, 0, 0, 50)])
    glow = SetValue(ghost, "color", lambda: next(colors), every_update=True, restore_on_exit=True)
    fsm = machine(glow)
    fsm.start()
    alphas = [ghost.alpha]
    for _ in range(2):
        fsm.update(0.1)
        alphas.append(ghost.alpha)
    fsm.stop()
    assert (alphas, ghost.color, ghost.alpha) == ([100, 200, 50], (255, 255, 255), 100)


def test_a_color_over_which_one_cannot_iterate_is_taken_apart() -> None:
    class Paint:
        def __init__(self, *numbers: float) -> None:
            self.numbers = numbers

    register_vector(Paint, lambda paint: paint.numbers, lambda _, numbers: Paint(*numbers))
    ghost = SimpleNamespace(color=(255, 255, 255), alpha=100)
    fsm = machine(SetValue(ghost, "color", Paint(255.0, 0.0, 0.0, 200.0), restore_on_exit=True))
    fsm.start()
    painted = ghost.color, ghost.alpha
    fsm.stop()
    assert (painted, ghost.color, ghost.alpha) == (
        ((255.0, 0.0, 0.0), 200.0), (255, 255, 255), 100,
    )  # fmt: skip


def test_a_color_without_alpha_leaves_alpha_to_others() -> None:
    ghost = SimpleNamespace(color=(255, 255, 255), alpha=100)
    fsm = machine(SetValue(ghost, "color", (255, 0, 0), restore_on_exit=True))
    fsm.start()
    ghost.alpha = 50
    fsm.send_event("GO")
    assert (ghost.color, ghost.alpha) == ((255, 255, 255), 50)


def test_a_color_may_be_a_name_where_that_is_what_it_is() -> None:
    style = {"color": "blue", "alpha": 1.0}
    fsm = machine(SetValue(style, "color", "red", restore_on_exit=True))
    fsm.start()
    assert style == {"color": "red", "alpha": 1.0}


# In every update


def aiming(values: list[float], ship: Any, **options: Any) -> Fsm:
    return machine(SetValue(ship, "velocity", lambda: values.pop(0), every_update=True, **options))


def test_it_writes_what_the_function_returns_in_every_update() -> None:
    ship = SimpleNamespace(velocity=0.0)
    fsm = aiming([1.0, 2.0, 3.0], ship)
    fsm.start()
    seen = [ship.velocity]
    for _ in range(2):
        fsm.update(0.1)
        seen.append(ship.velocity)
    assert seen == [1.0, 2.0, 3.0]


def test_what_others_write_meanwhile_is_overwritten() -> None:
    ship = {"velocity": 0.0}
    fsm = machine(SetValue(ship, "velocity", 5.0, every_update=True))
    fsm.start()
    ship["velocity"] = 1.0
    fsm.update(0.1)
    assert ship == {"velocity": 5.0}


@pytest.mark.parametrize(("background", "place"), [(False, "A"), (True, "B")])
def test_in_the_background_it_does_not_hold_finished_back(background: bool, place: str) -> None:
    ship = {"velocity": 0.0}
    write = SetValue(ship, "velocity", 5.0, every_update=True, background=background)
    fsm = machine(write)
    fsm.states["A"].add_transition(FINISHED, "B")
    fsm.start()
    fsm.update(0.1)
    assert (fsm.path, write.finishes) == ((place,), "never")


@pytest.mark.parametrize("before", [{"velocity": 7.0}, {}], ids=str)
def test_what_was_there_on_enter_comes_back(before: dict[str, float]) -> None:
    ship = dict(before)
    fsm = aiming([1.0, 2.0, 3.0, 4.0], ship, restore_on_exit=True)
    for _ in range(2):
        fsm.start("A")
        fsm.update(0.1)
        fsm.stop()
        assert ship == before


def test_after_the_state_is_exited_it_writes_no_more() -> None:
    ship = {"velocity": 0.0}
    fsm = aiming([1.0, 2.0], ship)
    fsm.start()
    fsm.update(0.1)
    fsm.send_event("GO")
    fsm.update(0.1)
    assert ship == {"velocity": 2.0}


def test_while_suspended_it_writes_nothing() -> None:
    ship = {"velocity": 0.0}
    fsm = aiming([1.0, 2.0], ship, restore_on_exit=True)
    fsm.states["A"].add_transition("PAUSE", fsm.add_state("Paused"), suspend=True)
    fsm.states["Paused"].add_transition("GO ON", BACK)
    fsm.start()
    fsm.send_event("PAUSE")
    ship["velocity"] = 9.0
    fsm.update(0.1)
    fsm.send_event("GO ON")
    seen = [ship["velocity"]]
    fsm.update(0.1)
    seen.append(ship["velocity"])
    fsm.stop()
    assert [*seen, ship["velocity"]] == [9.0, 2.0, 0.0]


def test_after_a_snapshot_and_in_a_copy_it_goes_on() -> None:
    ship = {"velocity": 7.0}
    fsm = machine(SetValue(ship, "velocity", 5.0, every_update=True, restore_on_exit=True))
    fsm.start()
    twin = deepcopy(fsm)
    [action] = twin.states["A"].actions
    assert isinstance(action, SetValue)
    action.target["velocity"] = 1.0
    twin.update(0.1)
    seen = [action.target["velocity"]]
    twin.stop()
    other = {"velocity": 1.0}
    restored = machine(SetValue(other, "velocity", 5.0, every_update=True, restore_on_exit=True))
    restore(restored, snapshot(fsm))
    restored.update(0.1)
    seen.append(other["velocity"])
    restored.stop()
    assert [*seen, action.target["velocity"], other["velocity"]] == [5.0, 5.0, 7.0, 7.0]
