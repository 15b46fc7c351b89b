"""An action that has failed keeps its mark over a hot reload, as a finished one does."""

from typing import Any

from fsmkit import FINISHED
from fsmkit.recording import why

ROBOT = """
    from actions import TimedWait
    from fsmkit import FINISHED, Fsm, FsmAction

    class PickUp(FsmAction):
        def on_update(self):
            self.fail("slipped")

    def build(log):
        fsm = Fsm("Robot", on_unhandled="ignore")
        grab, rest = fsm.add_state("Grab"), fsm.add_state("Rest")
        grab.add_action(PickUp())
        grab.add_action(TimedWait(2.0))
        grab.add_transition(FINISHED, rest)
        return fsm
"""


def failed(game: Any) -> Any:
    fsm = game.build(ROBOT, [])
    fsm.start()
    fsm.update(0.5)
    return fsm


def test_it_stays_failed_and_the_state_does_not_finish(game: Any) -> None:
    failed(game)
    new = game.replace('Fsm("Robot",', 'Fsm("Robot", None,')
    assert game.take() == ["guard.py has changed: Robot goes on in 'Grab', at 0.50 s."]
    assert why(new, FINISHED).reasons[1:] == (
        "Not finished yet: TimedWait, 0.5 of 2.0 s.",
        "PickUp failed: 'slipped'.",
        "So the state can no longer finish.",
    )
    new.update(2.0)
    assert new.path == ("Grab",)


def test_the_state_does_not_finish_if_the_last_one_beside_it_is_removed(game: Any) -> None:
    failed(game)
    new = game.replace("grab.add_action(TimedWait(2.0))", "pass")
    new.update(1.0)
    assert new.path == ("Grab",)


def test_without_the_failed_action_the_state_finishes(game: Any) -> None:
    failed(game)
    new = game.replace("grab.add_action(PickUp())", "pass")
    new.update(1.5)
    assert new.path == ("Rest",)


def test_removing_the_only_action_that_failed_finishes_the_state(game: Any) -> None:
    game.build(ROBOT.replace("        grab.add_action(TimedWait(2.0))\n", ""), [])
    fsm = game.frame()
    fsm.start()
    fsm.update(0.5)
    new = game.replace("grab.add_action(PickUp())", "pass")
    assert new.path == ("Rest",)
