"""WaitFrames: a wait that is counted in updates."""

import pytest

from actions.sequence import Sequence
from actions.wait_frames import WaitFrames
from fsmkit import FINISHED, Fsm
from fsmkit.testing import drive


def run(*waits: WaitFrames | Sequence) -> Fsm:
    fsm = Fsm("M")
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    for wait in waits:
        work.add_action(wait)
    work.add_transition(FINISHED, done)
    done.add_transition("AGAIN", work)
    fsm.start()
    return fsm


@pytest.mark.parametrize("frames", [0, 1, 2, 7])
def test_it_finishes_in_the_last_of_the_updates(frames: int) -> None:
    fsm = run(WaitFrames(frames))
    for _ in range(2):
        count = 0
        while fsm.current_state is fsm.states["Work"]:
            fsm.update(0.0)
            count += 1
        assert count == frames
        fsm.send_event("AGAIN")


def test_the_length_of_an_update_does_not_matter() -> None:
    wait = WaitFrames(2)
    fsm = run(wait)
    fsm.update(99.0)
    assert not wait.finished


def test_the_number_may_be_a_function_called_on_enter() -> None:
    numbers = [1, 2]
    wait = WaitFrames(lambda: numbers.pop(0))
    fsm = run(wait)
    fsm.update(0.1)
    fsm.send_event("AGAIN")
    fsm.update(0.1)
    assert wait.frames_left == 1


def test_waits_in_a_sequence_follow_each_other() -> None:
    fsm = run(Sequence(WaitFrames(1), WaitFrames(0), WaitFrames(2)))
    assert drive(fsm, [0.1, 0.1]).count("event FINISHED: changed") == 0
    assert drive(fsm, [0.1]).count("event FINISHED: changed") == 1


def test_it_sends_its_finish_event() -> None:
    fsm = Fsm("M")
    fsm.add_state("Work").add_action(WaitFrames(1, finish_event="READY"))
    fsm.states["Work"].add_transition("READY", fsm.add_state("Ready"))
    fsm.start()
    fsm.update(0.1)
    assert fsm.current_state is fsm.states["Ready"]


def test_frames_are_whole_and_not_negative() -> None:
    with pytest.raises(ValueError, match="frames must be an integer >= 0, got -1"):
        WaitFrames(-1)
    with pytest.raises(TypeError, match=r"frames must be an integer >= 0, got 1\.5"):
        WaitFrames(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="frames must be an integer >= 0, got -1"):
        run(WaitFrames(lambda: -1))
