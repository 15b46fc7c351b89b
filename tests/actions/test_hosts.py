"""Nested machines run in one place at a time (rule 19)."""

from collections.abc import Callable

import pytest

from actions import Parallel, RunFsm, Sequence
from fsmkit import Fsm, FsmAction, FsmError, FsmGroup


def machine(name: str, *actions: FsmAction) -> Fsm:
    """A machine with the one state `In NAME`."""
    fsm = Fsm(name, on_unhandled="raise")
    state = fsm.add_state(f"In {name}")
    for action in actions:
        state.add_action(action)
    return fsm


def test_the_host_is_there_while_the_machine_runs_inside() -> None:
    inner = machine("Inner")
    run = RunFsm(inner)
    outer = machine("Outer", Sequence(run))
    assert (inner.host, inner.path) == (None, ())
    outer.start()
    assert (inner.host, inner.path, outer.path) == (run, ("In Outer", "In Inner"), inner.path)
    outer.stop()
    assert (inner.host, inner.path, outer.path) == (None, (), ())
    inner.start()
    assert inner.path == ("In Inner",)


@pytest.mark.parametrize("together", [lambda *runs: runs, lambda *runs: (Parallel(*runs),)])
def test_one_machine_does_not_run_twice_at_a_time(
    together: Callable[..., tuple[FsmAction, ...]],
) -> None:
    inner = machine("Inner")
    outer = machine("Outer", *together(RunFsm(inner), RunFsm(inner)))
    with pytest.raises(FsmError, match="Fsm 'Inner' already runs in Fsm 'Outer', state 'In Outer'"):
        outer.start()
    outer.stop()
    assert (inner.is_running, inner.host) == (False, None)


def test_one_machine_may_run_in_several_states() -> None:
    inner = machine("Inner")
    outer = machine("Outer", RunFsm(inner))
    outer.states["In Outer"].add_transition("GO", outer.add_state("There"))
    second = outer.states["There"].add_action(RunFsm(inner))
    outer.start()
    outer.send_event("GO")
    assert (inner.host, outer.path) == (second, ("There", "In Inner"))


def test_a_machine_that_no_action_declares_cannot_come_to_run_itself_either() -> None:
    class Undeclared(FsmAction):
        def on_enter(self) -> None:
            self.nested.start(a)

    a, b = machine("A"), machine("B", Undeclared())
    a.states["In A"].add_action(RunFsm(b))
    with pytest.raises(FsmError, match="Fsm 'B' would run itself: B -> A -> B"):
        a.start()


@pytest.mark.parametrize("wrapped", [lambda run: run, Sequence])
def test_a_machine_cannot_come_to_run_itself(wrapped: Callable[[RunFsm], FsmAction]) -> None:
    a, b = machine("A"), machine("B")
    a.states["In A"].add_action(wrapped(RunFsm(b)))
    with pytest.raises(FsmError, match="Fsm 'B' would run itself: B -> A -> B"):
        b.states["In B"].add_action(wrapped(RunFsm(a)))
    with pytest.raises(FsmError, match="Fsm 'A' would run itself: A -> A"):
        a.states["In A"].add_action(wrapped(RunFsm(a)))


def test_a_member_of_a_group_is_not_run_inside_as_well() -> None:
    inner = machine("Inner")
    outer = machine("Outer", RunFsm(inner))
    group = FsmGroup([inner])
    with pytest.raises(FsmError, match="Fsm 'Inner' is in an FsmGroup, so .* cannot run it"):
        outer.start()
    group.remove(inner)
    outer.stop()
    outer.start()
    with pytest.raises(FsmError, match="Add the outer machine 'Outer' to the group"):
        group.add(inner)


def test_a_machine_that_fails_to_start_is_free_again() -> None:
    class Fail(FsmAction):
        def on_enter(self) -> None:
            raise ZeroDivisionError

    inner = machine("Inner", Fail())
    with pytest.raises(ZeroDivisionError):
        machine("Outer", RunFsm(inner)).start()
    assert (inner.is_running, inner.host) == (False, None)
