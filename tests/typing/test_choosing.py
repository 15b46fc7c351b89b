"""Options and their functions by the context: mypy and pyright read this, pytest runs it.

Both report an ignore that is not needed, so each one here says that both refuse its line.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from dataclasses import dataclass
from typing import assert_type

import pytest

from actions import Option, Selector, Sequence, TimedWait, Utility
from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.curves import linear


@dataclass
class Unit:
    health: float = 1.0


@dataclass
class Boss(Unit):
    phase: int = 0


class Charge(FsmAction[Unit]):
    """For a base class of the context."""


class Rage(FsmAction[Boss]):
    """For the context itself."""


def a_unit() -> FsmState[Unit]:
    return Fsm("Unit", Unit()).add_state("Fight")


def a_boss() -> FsmState[Boss]:
    return Fsm("Boss", Boss()).add_state("Fight")


def is_tired(state: FsmState[Boss]) -> bool:
    return state.context.health < 0.2


def test_options_fit_by_their_actions_and_their_functions_know_the_context() -> None:
    a_boss().add_action(
        Selector(
            Option(Charge(), when=is_tired),
            Option(
                Sequence(Rage(), TimedWait(1.0)),
                when=lambda state: assert_type(state.context, Boss).phase > 1,
            ),
            Option(TimedWait(1.0)),
            suspend=True,
        )
    )
    a_boss().add_action(
        Utility(
            Option(Charge(), score=lambda state: linear(assert_type(state.context, Boss).health)),
            Option(TimedWait(1.0), score=0.5, when=is_tired),
            every=0.5,
            hysteresis=0.1,
        )
    )
    a_unit().add_action(Selector(Option(Charge())))
    a_unit().add_action(Selector(Option(TimedWait(1.0))))


def test_those_that_do_not_fit_are_refused() -> None:
    unit, word = a_unit(), Fsm("Word", "word").add_state("Say")
    word.add_action(Selector(Option(Charge()), Option(TimedWait(1.0))))  # type: ignore[arg-type]
    word.add_action(Utility(Option(Charge(), score=1), Option(TimedWait(1.0), score=2)))  # type: ignore[arg-type]
    unit.add_action(Selector(Option(Rage())))  # type: ignore[arg-type]
    unit.add_action(Selector(Option(Charge()), Option(Sequence(Rage()))))  # type: ignore[arg-type]
    unit.add_action(Utility(Option(Charge(), score=lambda s: float(s.context.phase))))  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        Selector(Charge())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Option(Charge(), score="high")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Selector(Option(Charge()), suspend="yes")  # type: ignore[arg-type]
