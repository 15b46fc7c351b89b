"""InRange: two things are near each other; steady at the edge with `until`."""

from collections.abc import Callable
from fractions import Fraction
from math import hypot, inf, nan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from actions import InRange, OnChange, SendEventWhen, Switch, WaitUntil, When
from actions.delegate_action import DelegateAction
from fsmkit import FINISHED, Fsm
from fsmkit.classic import FsmSystem
from fsmkit.polled import all_of, not_, when
from fsmkit.space import Space, Transform
from fsmkit.space.hysteresis import holding

COORDINATES = st.floats(-100.0, 100.0)
PLACES = st.tuples(COORDINATES, COORDINATES)
DOOR = (0.0, 0.0)


def walker(x: float = 0.0) -> Transform:
    return Transform((x, 0.0))


@given(PLACES, PLACES, st.floats(0.0, 200.0))
def test_near_is_what_is_no_further_than_the_range(
    one: tuple[float, float], other: tuple[float, float], range_: float
) -> None:
    way = hypot(other[0] - one[0], other[1] - one[1])
    assert InRange(one, other, range_)() is (way <= range_)
    assert InRange(one, Transform(other), way)()
    assert InRange(Transform(one), lambda: other, way)()


def test_the_edge_belongs_to_the_range() -> None:
    hero = walker()
    near, steady = InRange(DOOR, hero, 3.0), InRange(DOOR, hero, 3.0, until=4.0)
    seen = []
    for x in (4.0, 3.0, 3.5, 4.0, 4.5, 3.5, 3.0):
        hero.position = (x, 0.0)
        seen.append((x, near(), steady()))
    assert seen == [
        (4.0, False, False),
        (3.0, True, True),
        (3.5, False, True),
        (4.0, False, True),
        (4.5, False, False),
        (3.5, False, False),
        (3.0, True, True),
    ]


@given(st.lists(st.floats(0.0, 10.0)), st.floats(0.0, 5.0), st.floats(0.0, 5.0))
def test_until_is_a_switch_with_two_edges(
    distances: list[float], range_: float, more: float
) -> None:
    hero, holds = walker(), False
    steady = InRange(DOOR, hero, range_, until=range_ + more)
    for x in distances:
        hero.position = (x, 0.0)
        holds = x <= (range_ + more if holds else range_)
        assert [steady(), steady()] == [holds, holds]


def test_it_counts_three_axes_and_any_vector() -> None:
    np = pytest.importorskip("numpy")
    assert InRange((1.0, 2.0, 3.0), np.array([3.0, 5.0, 9.0]), 7.0)()
    assert not InRange((1.0, 2.0, 3.0), np.array([3.0, 5.0, 9.0]), 6.999)()


def test_in_its_own_space_it_asks_for_local_positions() -> None:
    cart = Transform((50.0, 0.0))
    rider = Transform(parent=cart)
    rider.local_position = (1.0, 0.0)
    assert InRange(DOOR, rider, 2.0, space=Space.SELF)()
    assert not InRange(DOOR, rider, 2.0)()


def test_a_function_may_say_that_nobody_is_there() -> None:
    heroes: list[Transform] = []
    near = InRange(DOOR, lambda: heroes[0] if heroes else None, 3.0, until=9.0)
    nobody = near()
    heroes.append(walker(1.0))
    somebody = near()
    heroes.clear()
    assert (nobody, somebody, near()) == (False, True, False)


def test_far_away_and_nowhere_are_out_of_range() -> None:
    assert not InRange(DOOR, lambda: (inf, 0.0), 3.0)()
    assert not InRange(DOOR, lambda: (nan, 0.0), 3.0)()


# Wherever a function may be


def test_it_serves_as_a_predicate_of_any_action() -> None:
    hero = walker(9.0)
    near = InRange(DOOR, hero, 3.0)
    told: list[Any] = []
    fsm = Fsm("Door", on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_action(SendEventWhen(near, "NEAR"))
    closed.add_action(OnChange(near, "CHANGED"))
    closed.add_action(When(near, DelegateAction(lambda: told.append("when"))))
    closed.add_transition("NEAR", opened)
    opened.add_action(Switch(near, {True: "IN", False: "OUT"}))
    opened.add_action(WaitUntil(near))
    opened.add_transition("OUT", closed)
    opened.add_transition(FINISHED, fsm.add_state("Ajar"))
    fsm.start()
    fsm.update(0.1)
    assert (fsm.current_state, told) == (closed, [])
    hero.position = (3.0, 0.0)
    fsm.update(0.1)
    assert fsm.current_state is not None
    assert fsm.current_state.name == "Ajar"


def test_it_serves_as_a_guard_and_only_answers() -> None:
    hero = walker(9.0)
    fsm = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("PUSH", opened, when=InRange(DOOR, hero, 3.0))
    fsm.start()
    refused = fsm.send_event("PUSH")
    hero.position = (3.0, 0.0)
    assert (refused, fsm.send_event("PUSH"), fsm.current_state) == (False, True, opened)


def test_it_serves_in_polled_machines() -> None:
    hero = walker(9.0)
    near = InRange(DOOR, hero, 3.0, until=5.0)
    far = not_(near)
    assert when(near).name == "InRange(Transform, 3, until=5)"
    assert far.name == "not (InRange(Transform, 3, until=5))"
    assert (far(), all_of(near, near)()) == (True, False)
    hero.position = (3.0, 0.0)
    assert (far(), all_of(near, near)()) == (False, True)
    assert WaitUntil(far).waits_for == "until not (InRange(Transform, 3, until=5))"


def test_it_reads_well_in_sentences() -> None:
    class Player:
        position = (0.0, 0.0)

    def the_nearest() -> Player:
        return Player()

    targets: list[Any] = [Player(), the_nearest, (1.0, 2.5), lambda: Player(), walker()]  # noqa: PLW0108
    assert [repr(InRange(DOOR, target, 15.0)) for target in targets] == [
        "InRange(Player, 15)",
        "InRange(the_nearest, 15)",
        "InRange((1, 2.5), 15)",
        "InRange(lambda: Player(), 15)",
        "InRange(Transform, 15)",
    ]
    wait = WaitUntil(InRange(DOOR, Player(), 0.5, until=2.0))
    assert wait.waits_for == "until InRange(Player, 0.5, until=2)"


# Who remembers


@pytest.mark.parametrize("negated", [not_, lambda near: lambda state: not near(state)])
def test_one_condition_serves_two_states(negated: Callable[[Any], Any]) -> None:
    hero = walker(9.0)
    near = InRange(DOOR, hero, 3.0, until=6.0)
    fsm = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_action(SendEventWhen(near, "OPEN"))
    opened.add_action(SendEventWhen(negated(near), "CLOSE"))
    closed.add_transition("OPEN", opened)
    opened.add_transition("CLOSE", closed)
    fsm.start()
    course = []
    for x in (9.0, 5.0, 3.0, 5.0, 6.0, 6.5, 5.0, 2.0):
        hero.position = (x, 0.0)
        fsm.update(0.1)
        assert fsm.current_state is not None
        course.append((x, fsm.current_state.name))
    assert course == [
        (9.0, "Closed"), (5.0, "Closed"), (3.0, "Open"), (5.0, "Open"), (6.0, "Open"),
        (6.5, "Closed"), (5.0, "Closed"), (2.0, "Open"),
    ]  # fmt: skip


NEAR = InRange(lambda state: state.context.door, lambda state: state.context.hero, 3.0, until=6.0)
"""One condition for all machines."""


def door(hero: Transform) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Door", context=SimpleNamespace(door=DOOR, hero=hero))
    fsm.add_state("Watch").add_action(OnChange(NEAR, "CHANGED"))
    fsm.on_unhandled = "ignore"
    fsm.start()
    return fsm


def test_each_machine_has_a_memory_of_its_own_and_so_has_plain_code() -> None:
    hero, other = walker(2.0), walker(9.0)
    mine, others = door(hero), door(other)
    hero.position = other.position = (5.0, 0.0)
    for fsm in (mine, others):
        fsm.update(0.1)
    assert [NEAR.holds_for(fsm) for fsm in (mine, others, None)] == [True, False, False]
    assert (holding(mine), holding(others)) == ([NEAR], [])


def test_without_until_nothing_is_remembered() -> None:
    hero = walker(2.0)
    near = InRange(DOOR, hero, 3.0)
    fsm = Fsm("Door")
    fsm.add_state("Watch").add_action(OnChange(near, "CHANGED"))
    fsm.start()
    assert (near(), near.holds_for(None), near.holds_for(fsm)) == (True, False, False)


def test_a_function_of_the_state_needs_one() -> None:
    with pytest.raises(TypeError, match=r"was called without a state, and .* needs the context of"):
        NEAR()


def test_classic_machines_ask_it_as_it_is() -> None:
    system = FsmSystem("Door", walker(2.0), npc=walker())
    near = InRange(lambda: system.npc, lambda: system.player, 3.0)
    assert near()


# What is refused

MAKE: Any = InRange
"""For what no type checker lets pass."""


@every(
    ("make", "error", "message"),
    [
        (lambda: MAKE(DOOR, DOOR, -1.0), ValueError, "InRange: range must be a finite number"),
        (lambda: MAKE(DOOR, DOOR, inf), ValueError, "InRange: range must be a finite number"),
        (lambda: MAKE(DOOR, DOOR, nan), ValueError, "InRange: range must be a finite number"),
        (
            lambda: MAKE(DOOR, DOOR, "3"),
            TypeError,
            r"InRange: range must be a finite number >= 0 \(units\)",
        ),
        (
            lambda: MAKE(DOOR, DOOR, lambda: 3.0),
            TypeError,
            "InRange: range must be a finite number",
        ),
        (lambda: MAKE(DOOR, DOOR, 10**400), ValueError, "InRange: range must be a finite number"),
        (
            lambda: MAKE(DOOR, DOOR, 3.0, until=2.0),
            ValueError,
            r"InRange: until must be at least the range of 3\.0, got 2\.0\. It holds",
        ),
        (lambda: MAKE(DOOR, DOOR, 3.0, until=inf), ValueError, "InRange: until must be a fini"),
        (
            lambda: MAKE(DOOR, DOOR, 3.0, until="4"),
            TypeError,
            "InRange: until must be a finite number",
        ),
        (lambda: MAKE(DOOR, None, 3.0), TypeError, "InRange: target must be a tuple or vector"),
        (lambda: MAKE("here", DOOR, 3.0), TypeError, "InRange: one must be a tuple or vector"),
        (lambda: MAKE(DOOR, lambda a, b: DOOR, 3.0), TypeError, "InRange: target must take"),
        (lambda: MAKE(DOOR, DOOR, 3.0, space="SELF"), TypeError, "InRange: space must be Spa"),
    ],
)
def test_what_it_can_never_be_is_refused_where_it_is_written(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int16, Fraction])
def test_numbers_of_any_kind_are_remembered_alike(number: Callable[[int], Any]) -> None:
    hero = walker(2.0)
    near = InRange(DOOR, hero, number(3), until=number(6))
    fsm = Fsm("Door")
    state = fsm.add_state("Shut")
    fsm.start()
    answers = []
    for x in (2.0, 5.0, 5.0, 7.0, 5.0):
        hero.position = (x, 0.0)
        answers += [near(state), near()]
    assert (answers, repr(near)) == (
        [True] * 6 + [False] * 4,
        "InRange(Transform, 3, until=6)",
    )
    assert all(type(answer) is bool for answer in answers)


@pytest.mark.parametrize("asked_with", [(walker(),), (Fsm("Door"),), (None,), (walker(), walker())])
def test_it_is_asked_with_the_state_or_with_nothing(asked_with: Any) -> None:
    for until in (None, 4.0):
        with pytest.raises(TypeError, match=r"InRange\(.*\) must be called with the state or"):
            InRange(DOOR, walker(), 3.0, until=until)(*asked_with)
