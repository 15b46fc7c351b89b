"""Guards and effects: mypy and pyright read this, pytest runs it.

The codes of the ignores are several, as mypy names one or the other by what it has checked before.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from typing import assert_type

import pytest

from fsmkit import BACK, Fsm, FsmState, Transition


class Knight:
    hp = 10

    def is_alone(self) -> bool:
        return True


def is_weak(state: FsmState[Knight]) -> bool:
    return state.context.hp < 3


def is_deadly(state: FsmState[Knight], damage: int) -> bool:
    return damage >= state.context.hp


def wants_more(state: FsmState[Knight], damage: int, more: int) -> bool:
    return bool(damage + more)


def of_another(state: FsmState[str]) -> bool:
    return bool(state.context)


def a_state() -> FsmState[Knight]:
    return Fsm("Knight", context=Knight()).add_state("Fight")


def test_a_lambda_with_the_state_knows_the_context() -> None:
    fight = a_state()
    fight.add_transition("A", fight, when=lambda state: state.context.is_alone())
    fight.add_transition("B", fight, when=lambda s: s.context.hp > 1, do=lambda s: s.context.hp)
    fight.fsm.add_global_transition("C", fight, when=lambda state: state.context.hp > 1)


def test_a_lambda_with_the_data_knows_it_too() -> None:
    fight = a_state()
    fight.add_transition("A", fight, when=lambda state, damage: damage > state.context.hp)
    fight.add_transition("B", fight, do=lambda state, damage: state.context.is_alone())
    fight.fsm.add_global_transition("C", fight, when=lambda state, hit: hit > state.context.hp)


def test_functions_of_every_number_of_arguments_fit_together() -> None:
    fight = a_state()
    fight.add_transition("A", fight, when=is_weak, do=is_deadly)
    fight.add_transition("B", fight, when=is_deadly, do=Knight().is_alone)
    fight.add_transition("C", BACK, when=Knight().is_alone)
    fight.add_transition("D", "Fight", when=Knight().is_alone, do=is_weak)
    added = fight.add_transition("E", fight, when=is_deadly, do=lambda state, _: state.context.hp)
    assert_type(added, Transition[Knight])


def test_other_functions_are_refused() -> None:
    fight = a_state()
    with pytest.raises(TypeError):
        fight.add_transition("A", fight, when=wants_more)  # type: ignore[call-overload, arg-type, unused-ignore]
    with pytest.raises(TypeError):
        fight.add_transition("A", fight, do=5)  # type: ignore[call-overload, arg-type, unused-ignore]
    fight.add_transition("B", fight, when=of_another)  # type: ignore[call-overload, arg-type, unused-ignore]
