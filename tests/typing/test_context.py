"""The type of a machine's context: mypy and pyright read this, pytest runs it."""

from typing import Any, assert_type

from actions import DelegateAction, Sequence, TimedWait, When
from fsmkit import Fsm, FsmAction, FsmState


class Guard:
    def shout(self) -> str:
        return "halt!"


class Shout(FsmAction[Guard]):
    def on_enter(self) -> None:
        assert_type(self.context, Guard)
        assert_type(self.state, FsmState[Guard])


class Anywhere(FsmAction):
    """Asks for no certain context and fits every machine."""


def test_a_machine_knows_the_type_of_its_context() -> None:
    assert_type(Fsm("Guard", context=Guard()), Fsm[Guard])
    assert_type(Fsm("Guard", Guard(), on_unhandled="raise"), Fsm[Guard])
    assert_type(Fsm("Lamp"), Fsm[None])
    assert_type(Fsm("Guard", Guard()).add_state("A"), FsmState[Guard])
    assert_type(Fsm("Guard", Guard()).current_state, FsmState[Guard] | None)


def test_a_lambda_knows_the_type_of_the_context() -> None:
    state = Fsm("Guard", context=Guard()).add_state("Alarm")
    state.add_action(
        DelegateAction(on_enter=lambda state: assert_type(state.context, Guard).shout())
    )
    state.add_action(
        Sequence(
            TimedWait(1.0),
            When(
                lambda state: assert_type(state.context, Guard).shout() == "halt!",
                DelegateAction(lambda state: assert_type(state.context, Guard).shout()),
            ),
        )
    )
    state.fsm.start()
    state.fsm.update(1.0)


def test_add_action_returns_the_type_that_it_was_given() -> None:
    state = Fsm("Guard", context=Guard()).add_state("Alarm")
    assert_type(state.add_action(TimedWait(1.0)), TimedWait)
    assert_type(state.add_action(Shout()), Shout)
    assert_type(state.add_action(Anywhere()), Anywhere)
    assert_type(
        state.add_action(DelegateAction(lambda state: state.context)), DelegateAction[Guard]
    )


def test_an_action_for_another_context_does_not_fit() -> None:
    state = Fsm("Lamp").add_state("On")
    state.add_action(Shout())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_an_action_of_no_certain_context_leaves_it_open() -> None:
    assert_type(Anywhere().state, FsmState[Any])
