"""Fixtures for the tests of crowds."""

import math

import pytest

from fsmkit.crowd.engine.loop_choice import LoopChooser


@pytest.fixture
def always_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep in every update, whichever loop is faster, and however large the machine is."""
    monkeypatch.setattr(LoopChooser, "choose", lambda chooser: setattr(chooser, "sweeps", True))
    for limit in ("MAX_OPERATIONS", "MAX_STATES"):
        monkeypatch.setattr(f"fsmkit.crowd.compiler.sweep.{limit}", math.inf)
