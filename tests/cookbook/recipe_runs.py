"""The programs of examples/cookbook, as the tests run them."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fsmkit.testing import Recorder, drive

COOKBOOK = Path(__file__).parents[2] / "examples" / "cookbook"


def recipe(name: str) -> Any:
    """Return what a recipe defines, without running its main part."""
    return SimpleNamespace(**runpy.run_path(str(COOKBOOK / f"{name}.py")))


def path_of(fsm: Any, *script: Any) -> list[str]:
    """Return the states that a machine goes through."""
    with Recorder(fsm) as recorder:
        drive(fsm, script)
    return recorder.path
