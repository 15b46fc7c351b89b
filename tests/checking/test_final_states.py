"""Global transitions that lead out of a final state: the dead rise."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, IgnoreEvents, OnEvent, RunFsm
from fsmkit import BACK, ERROR, Fsm
from fsmkit.checking import Finding, Place, check


def goblin() -> Fsm[Any]:
    """A goblin that daybreak sends into hiding, wherever it is."""
    fsm = Fsm("Goblin")
    patrol, hiding = fsm.add_state("Patrol"), fsm.add_state("Hiding")
    dead = fsm.add_state("Dead", final=True)
    hiding.add_transition("DUSK", patrol)
    fsm.add_global_transition("DAWN", hiding)
    fsm.add_global_transition("KILLED", dead)
    return fsm


def test_a_global_transition_out_of_a_final_state_is_a_warning() -> None:
    fsm = goblin()
    assert check(fsm) == [
        Finding(
            "leaves-final",
            "warning",
            Place("Goblin", "Dead"),
            "The state is marked as final, but 'DAWN' leads out of it: a global transition applies "
            "to any state.",
            "Add an IgnoreEvents('DAWN') to it, or stop the machine there.",
        )
    ]
    fsm.start("Dead")
    fsm.send_event("DAWN")
    assert fsm.path == ("Hiding",)


def test_all_events_that_lead_out_are_named_at_once() -> None:
    fsm = goblin()
    fsm.add_global_transition("FLOOD", fsm.states["Hiding"])
    (finding,) = check(fsm)
    assert "'DAWN' and 'FLOOD' lead out of it" in finding.message
    assert finding.advice.startswith("Add an IgnoreEvents('DAWN', 'FLOOD')")


def ignoring(fsm: Fsm[Any]) -> None:
    fsm.states["Dead"].add_action(IgnoreEvents("DAWN"))


def taking(fsm: Fsm[Any]) -> None:
    fsm.states["Dead"].add_action(OnEvent("DAWN", lambda _state, _data: None))


def stopping(fsm: Fsm[Any]) -> None:
    fsm.states["Dead"].add_action(DelegateAction(fsm.stop))


def stopping_in_a_function(fsm: Fsm[Any]) -> None:
    fsm.states["Dead"].add_action(DelegateAction(lambda state: state.fsm.stop()))


def rising_on_purpose(fsm: Fsm[Any]) -> None:
    fsm.states["Dead"].add_transition("DAWN", "Patrol")


@pytest.mark.parametrize(
    "mend", [ignoring, taking, stopping, stopping_in_a_function, rising_on_purpose]
)
def test_there_is_nothing_to_say_where_the_state_knows_better(
    mend: Callable[[Fsm[Any]], None],
) -> None:
    fsm = goblin()
    mend(fsm)
    assert check(fsm) == []


def test_other_ways_out_of_the_end_are_intended() -> None:
    fsm = goblin()
    fsm.states["Dead"].add_action(IgnoreEvents("DAWN"))
    paused, lost = fsm.add_state("Paused"), fsm.add_state("Lost", final=True)
    lost.add_action(IgnoreEvents("DAWN"))
    paused.add_transition("RESUME", BACK)
    fsm.add_global_transition("PAUSE", paused, suspend=True)  # it leads back
    fsm.add_global_transition("ESCAPED", lost)  # another end
    fsm.add_global_transition("RESTART", fsm.states["Patrol"])  # a new beginning
    fsm.add_global_transition(
        "NOISE", fsm.states["Hiding"], when=lambda state: state.fsm.time > 1.0
    )
    fsm.add_global_transition(ERROR, fsm.states["Hiding"])
    assert check(fsm) == []


def test_a_nested_machine_is_exited_when_it_ends() -> None:
    outer = Fsm[Any]("Forest")
    night, day = outer.add_state("Night"), outer.add_state("Day")
    night.add_action(RunFsm(goblin(), {"Dead": "OVER"}))
    night.add_transition("OVER", day)
    day.add_transition("DUSK", night)
    assert check(outer) == []
