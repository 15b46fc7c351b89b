"""`with fsm.running():` starts a machine, and stops it however the block is left."""

import pytest

from fsmkit import Fsm, FsmAction, UnknownStateError


class OopsError(Exception):
    pass


class Motor(FsmAction):
    def __init__(self, journal: list[str], name: str) -> None:
        self.journal = journal
        self.name = name

    def on_enter(self) -> None:
        self.journal.append(f"{self.name} on")
        if self.name == "Broken":
            raise OopsError("on")

    def on_exit(self) -> None:
        self.journal.append(f"{self.name} off")
        if self.name == "Stuck":
            raise OopsError("off")


def robot(journal: list[str]) -> Fsm:
    fsm = Fsm("Robot")
    for name in ("Drive", "Turn", "Stuck", "Broken"):
        fsm.add_state(name).add_action(Motor(journal, name))
    return fsm


def test_it_runs_in_the_block_and_not_after_it() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    with fsm.running() as same:
        assert same is fsm
        assert journal == ["Drive on"]
    assert (journal, fsm.is_running) == (["Drive on", "Drive off"], False)
    with fsm.running("Turn"):
        pass
    with fsm.running(fsm.states["Turn"]):
        pass
    assert journal[2:] == ["Turn on", "Turn off"] * 2


def test_what_runs_already_is_not_started_again_but_is_stopped() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    fsm.start("Turn")
    with fsm.running("Drive"):
        assert journal == ["Turn on"]
    assert journal == ["Turn on", "Turn off"]


def test_a_machine_that_stopped_in_the_block_is_left_alone() -> None:
    journal: list[str] = []
    with robot(journal).running() as fsm:
        fsm.stop()
    assert journal == ["Drive on", "Drive off"]


@pytest.mark.parametrize("kind", [OopsError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_it_is_stopped_when_the_block_is_left_by_an_exception(kind: type[BaseException]) -> None:
    journal: list[str] = []
    error = kind("in the block")
    with pytest.raises(kind) as raised, robot(journal).running():
        raise error
    assert raised.value is error
    assert journal == ["Drive on", "Drive off"]


def test_an_error_of_stopping_is_raised() -> None:
    with pytest.raises(OopsError, match="off"), robot([]).running("Stuck"):
        pass


def test_an_error_of_stopping_comes_together_with_the_one_of_the_block() -> None:
    error = ValueError("in the block")
    with pytest.raises(ExceptionGroup) as raised, robot([]).running("Stuck"):
        raise error
    first, second = raised.value.exceptions
    assert first is error
    assert (type(second), str(second)) == (OopsError, "off")


def test_ctrl_c_stays_itself_when_stopping_fails() -> None:
    with pytest.raises(KeyboardInterrupt) as raised, robot([]).running("Stuck"):
        raise KeyboardInterrupt
    assert raised.value.__notes__ == ["stopping failed as well: OopsError('off')"]
    assert isinstance(raised.value.__context__, OopsError)


def test_a_start_that_fails_is_undone() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    with pytest.raises(OopsError, match="on"), fsm.running("Broken"):
        journal.append("never")
    assert (journal, fsm.is_running) == (["Broken on"], False)
    with pytest.raises(UnknownStateError, match="Did you mean 'Drive'"), fsm.running("drive"):
        pass
