"""SendEventWhen: a polled transition."""

from actions.send_event_when import SendEventWhen
from fsmkit import FINISHED, Fsm
from fsmkit.testing import Probe, drive


def guard(*, near: bool = False) -> Fsm[dict[str, bool]]:
    """Patrol -> Chase on SEEN when something is near; Chase -> Patrol on LOST."""
    fsm = Fsm("Guard", {"near": near}, on_unhandled="ignore")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(SendEventWhen(lambda state: state.context["near"], "SEEN"))
    patrol.add_transition("SEEN", chase)
    chase.add_transition("LOST", patrol)
    return fsm


def test_it_sends_in_the_update_in_which_the_condition_holds() -> None:
    fsm = guard()
    fsm.start()
    for _ in range(2):
        fsm.update(0.1)
        assert fsm.current_state is fsm.states["Patrol"]
        fsm.context["near"] = True
        fsm.update(0.1)
        assert fsm.current_state is fsm.states["Chase"]
        fsm.context["near"] = False
        fsm.send_event("LOST")


def test_a_state_whose_condition_already_holds_is_exited_at_once() -> None:
    fsm = guard(near=True)
    fsm.start()
    assert fsm.current_state is fsm.states["Chase"]


def test_it_sends_once_in_a_visit_and_then_has_finished() -> None:
    fsm = guard(near=True)
    fsm.states["Patrol"].remove_transition("SEEN")
    journal = drive(fsm, [fsm.start, 0.1, 0.1])
    assert journal.count("event SEEN: ignored") == 1
    assert fsm.states["Patrol"].actions[0].finished


def test_the_first_whose_condition_holds_wins() -> None:
    fsm = guard(near=True)
    patrol = fsm.states["Patrol"]
    patrol.add_action(SendEventWhen(lambda _state: True, "HEARD"))
    patrol.add_transition("HEARD", fsm.add_state("Listen"))
    fsm.start()
    assert fsm.current_state is fsm.states["Chase"]


def test_until_it_has_sent_the_state_is_not_finished() -> None:
    fsm = guard()
    patrol = fsm.states["Patrol"]
    patrol.add_action(Probe("walk", [], on_enter=Probe.finish))
    patrol.add_transition(FINISHED, fsm.add_state("Rest"))
    fsm.start()
    assert fsm.current_state is patrol
    patrol.remove_transition("SEEN")
    fsm.context["near"] = True
    fsm.update(0.1)
    assert fsm.current_state is fsm.states["Rest"]


def test_data_may_be_a_function_called_when_it_sends() -> None:
    fsm = guard()
    fsm.states["Patrol"].remove_action(fsm.states["Patrol"].actions[0])
    action = SendEventWhen(lambda _state: True, "SEEN", data=lambda: "thief")
    fsm.states["Patrol"].add_action(action)
    fsm.start()
    assert (fsm.event_data, action.sends) == ("thief", ("SEEN",))
