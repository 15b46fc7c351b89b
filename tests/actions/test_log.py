"""Log: a line in the log."""

import logging
import subprocess
import sys

import pytest

from actions.log import Log
from fsmkit import FINISHED, Fsm, FsmState


def run(log: Log, *, times: int = 1) -> Fsm[dict[str, str]]:
    fsm = Fsm("M", {"name": "Ann"})
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(log)
    a.add_transition(FINISHED, b)
    for _ in range(times):
        fsm.start()
    return fsm


def test_it_logs_on_each_enter_and_finishes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    fsm = run(Log("100% here"), times=2)
    assert caplog.record_tuples == [("fsmkit.actions", logging.INFO, "100% here")] * 2
    assert fsm.current_state is fsm.states["B"]


def test_the_message_may_be_a_function_of_the_state(caplog: pytest.LogCaptureFixture) -> None:
    run(Log(lambda state: state.context["name"] + state.name, level=logging.WARNING))
    run(Log(lambda state: len(state.actions), level=logging.WARNING))
    assert caplog.messages == ["AnnA", "1"]


@pytest.mark.parametrize("logger", ["game.ai", logging.getLogger("game.ai")])
def test_logger_and_level_can_be_chosen(
    logger: logging.Logger | str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "game.ai")
    run(Log("here", logger=logger, level=logging.DEBUG))
    assert caplog.record_tuples == [("game.ai", logging.DEBUG, "here")]


def test_a_message_that_nobody_sees_is_not_made(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)

    def message(_state: FsmState[object]) -> str:
        raise AssertionError

    fsm = run(Log(message))
    assert (caplog.messages, fsm.current_state) == ([], fsm.states["B"])


@pytest.mark.slow
def test_logging_is_not_imported_before_something_is_logged() -> None:
    program = "import sys; import actions.log; sys.exit('logging' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
