"""Fixtures for the tests of crowds."""

import ctypes
import math
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fsmkit.crowd.engine import compiled
from fsmkit.crowd.engine.compiled import LoopChooser

# The package beside this file, which no folder on the path holds, can be imported by the tests.
if "any_crowd" not in sys.modules:
    _init = Path(__file__).parent / "any_crowd" / "__init__.py"
    _spec = spec_from_file_location("any_crowd", _init)
    assert _spec is not None
    sys.modules["any_crowd"] = module_from_spec(_spec)


@pytest.fixture
def always_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep in every update, whichever loop is faster, and whatever the machine is like."""
    monkeypatch.setattr(LoopChooser, "choose", lambda chooser: setattr(chooser, "sweeps", True))
    for limit in ("MAX_OPERATIONS", "MAX_STATES", "MAX_LEFT"):
        monkeypatch.setattr(f"fsmkit.crowd.compiler.sweep.{limit}", math.inf)


@pytest.fixture
def not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the text of the loops as plain Python: all but numba's part of the compiled engine.

    Divisions by zero raise nothing there: the numbers are those of numpy.
    """
    monkeypatch.setattr(compiled, "load", plain_module)


@pytest.fixture(params=["text", pytest.param("numba", marks=pytest.mark.slow)])
def compiled_in_the_slow_run(request: pytest.FixtureRequest) -> None:
    """Run the text of the loops as plain Python; in the slow run compile it, too."""
    if request.param == "text":
        request.getfixturevalue("not_compiled")


def plain_module(text: str) -> ModuleType:
    """Return the module with this text, not compiled."""
    module = ModuleType("not_compiled")
    decorated = "from numba import njit as compile"
    assert decorated in text
    exec(
        text.replace(decorated, "compile = lambda **options: (lambda function: function)"),
        vars(module),
    )
    vars(module).update(_select=select, _lowest=lowest, _note=note, math=QuietMath())
    for name in ("update", "change", "sweep"):
        if hasattr(module, name):
            setattr(module, name, quiet(getattr(module, name)))
    return module


def quiet(loop: Any) -> Any:
    """Return a loop that computes what is not needed without a warning."""

    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return loop(*arguments)

    return run


def select(when: Any, value: Any, instead: Any) -> Any:
    return value if when else instead


def lowest(word: Any) -> int:
    return (int(word) & -int(word)).bit_length() - 1


def note(address: int, place: int) -> None:
    ctypes.c_int64.from_address(address + 8).value = place


class QuietMath:
    """The functions of `math`; a root of a negative number is NaN."""

    sqrt = np.sqrt

    def __getattr__(self, name: str) -> Any:
        return getattr(math, name)
