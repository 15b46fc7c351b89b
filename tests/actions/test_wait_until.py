"""WaitUntil: a wait for a condition."""

from actions.wait_until import WaitUntil
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.testing import drive


def run(wait: WaitUntil, context: dict[str, bool]) -> Fsm[dict[str, bool]]:
    fsm = Fsm("M", context)
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    work.add_action(wait)
    work.add_transition(FINISHED, done)
    done.add_transition("AGAIN", work)
    fsm.start()
    return fsm


def test_it_finishes_in_the_update_in_which_the_condition_holds() -> None:
    ready = {"ready": False}
    fsm = run(WaitUntil(lambda state: state.context["ready"]), ready)
    for _ in range(2):
        fsm.update(0.1)
        assert fsm.current_state is fsm.states["Work"]
        ready["ready"] = True
        fsm.update(0.1)
        assert fsm.current_state is fsm.states["Done"]
        ready["ready"] = False
        fsm.send_event("AGAIN")


def test_a_condition_that_holds_already_finishes_on_enter() -> None:
    fsm = run(WaitUntil(lambda state: state.context["ready"]), {"ready": True})
    assert fsm.current_state is fsm.states["Done"]


def test_it_asks_once_on_enter_and_once_per_update_and_no_more_when_finished() -> None:
    asked: list[str] = []

    def third_time(state: FsmState[None]) -> bool:
        asked.append(state.name)
        return len(asked) == 3

    fsm = Fsm("M")
    fsm.add_state("Work").add_action(WaitUntil(third_time))
    fsm.start()
    drive(fsm, [0.1, 0.1, 0.1, 0.1])
    assert asked == ["Work"] * 3


def test_it_sends_its_finish_event() -> None:
    fsm = Fsm("M")
    fsm.add_state("Work").add_action(WaitUntil(lambda _state: "yes", finish_event="READY"))
    fsm.states["Work"].add_transition("READY", fsm.add_state("Ready"))
    fsm.start()
    assert fsm.current_state is fsm.states["Ready"]
