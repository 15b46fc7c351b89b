"""Printed tests about builds of unusual names."""

from typing import Any

import pytest
from pasting import run_pasted

from fsmkit import Fsm, FsmGroup
from fsmkit.exploring import explore


def fsm() -> Fsm[Any]:
    lamp = Fsm("Lamp")
    off, on = lamp.add_state("Off"), lamp.add_state("On")
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", on)
    return lamp


def group() -> FsmGroup:
    return FsmGroup([fsm()])


@pytest.mark.parametrize("build", [fsm, group])
def test_a_test_does_not_hide_the_function_that_builds(build: Any) -> None:
    (finding,) = explore(build).findings
    assert f"import {build.__name__} as build" in finding.test
    run_pasted(build, finding)


@pytest.mark.parametrize("build", [fsm, group])
def test_nor_one_that_cannot_be_imported(build: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "__module__", "__main__")
    (finding,) = explore(build).findings
    assert f"build = {build.__name__}" in finding.test.splitlines()
    run_pasted(build, finding)
